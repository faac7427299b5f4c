#include "filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* linux/ioprio.h is not on every system: IOPRIO_WHO_PROCESS, and the two that name many. */
enum { IO_PROCESS = 1, IO_GROUP = 2, IO_USER = 3 };

/*
 * x86-64 has two 32-bit ways in: the system calls of i386, and x32, native ones with a bit set, which numbers some of
 * them anew. aarch64 has that of 32-bit ARM. Only what is refused is listed here.
 */
#ifdef __x86_64__
enum { NATIVE = AUDIT_ARCH_X86_64, FOREIGN = AUDIT_ARCH_I386, X32_BIT = 0x40000000, X32_IOCTL = 514 };
#define FOREIGN_NUMBER(i386, arm) i386
#else
#ifndef __aarch64__
#warning "filter.c has the system call numbers of x86-64 and aarch64 alone"
#endif
enum { NATIVE = AUDIT_ARCH_AARCH64, FOREIGN = AUDIT_ARCH_ARM };
#define FOREIGN_NUMBER(i386, arm) arm
#endif

enum filter_check {
    FILTER_REFUSE,    /* EPERM */
    FILTER_ABSENT,    /* ENOSYS, as a kernel without it */
    FILTER_TERMINAL,  /* EPERM for a request of ioctl(2) that types into a terminal */
    FILTER_USERNS,    /* EPERM where the flags in the first argument ask for a user namespace */
    FILTER_USERNS_IN, /* EPERM for entering a user namespace */
    FILTER_PID,       /* EPERM where the first argument is a guarded process */
    FILTER_PRIORITY,  /* EPERM where a kind and an id name guarded processes, setpriority(2) */
    FILTER_IO         /* the same for ioprio_set(2) */
};

static const struct filter_row {
    enum filter_check check;
    unsigned native, foreign;
} rows[] = {
    /* What a command types into a terminal (TIOCSTI, and the paste of TIOCLINUX), the shell behind it runs. */
    {FILTER_TERMINAL, SYS_ioctl, 54},
#ifdef __x86_64__
    {FILTER_TERMINAL, X32_IOCTL, 54},
#endif
    /* Keyrings belong to a uid, not to a container: keys of the host's processes are in reach. */
    {FILTER_REFUSE, SYS_add_key, FOREIGN_NUMBER(286, 309)},
    {FILTER_REFUSE, SYS_request_key, FOREIGN_NUMBER(287, 310)},
    {FILTER_REFUSE, SYS_keyctl, FOREIGN_NUMBER(288, 311)},
    /* In a user namespace of its own a command has every capability, and with it most of the kernel's code before it.
     * The flags of clone3 lie in memory, where no filter sees them; a C library without clone3 uses clone. */
    {FILTER_USERNS, SYS_unshare, FOREIGN_NUMBER(310, 337)},
    {FILTER_USERNS, SYS_clone, 120},
    {FILTER_USERNS_IN, SYS_setns, FOREIGN_NUMBER(346, 375)},
    {FILTER_ABSENT, SYS_clone3, 435},
    /* What is asked for through io_uring, no filter sees. */
    {FILTER_REFUSE, SYS_io_uring_setup, 425},
    {FILTER_REFUSE, SYS_io_uring_enter, 426},
    {FILTER_REFUSE, SYS_io_uring_register, 427},
    /* A command of its supervisor's uid could starve it, or end it by a limit of CPU time, and so outlive a deadline.
     */
    {FILTER_PID, SYS_prlimit64, FOREIGN_NUMBER(340, 369)},
    {FILTER_PID, SYS_sched_setscheduler, 156},
    {FILTER_PID, SYS_sched_setparam, 154},
    {FILTER_PID, SYS_sched_setaffinity, 241},
    {FILTER_PID, SYS_sched_setattr, FOREIGN_NUMBER(351, 380)},
    {FILTER_PRIORITY, SYS_setpriority, 97},
    {FILTER_IO, SYS_ioprio_set, FOREIGN_NUMBER(289, 314)},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

struct filter_writer {
    const struct filter_policy *policy;
    struct sock_filter *program;
    size_t used;
};

static void filter_emit(struct filter_writer *writer, int code, uint32_t value, unsigned yes, unsigned no)
{
    writer->program[writer->used++] = (struct sock_filter){(uint16_t)code, (uint8_t)yes, (uint8_t)no, value};
}

static void filter_load(struct filter_writer *writer, size_t offset)
{
    filter_emit(writer, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/*
 * An argument has 64 bits and the kernel takes what it needs of them: the request of ioctl and every pid is the low
 * half. Both architectures are little-endian.
 */
static void filter_load_argument(struct filter_writer *writer, unsigned argument)
{
    filter_load(writer, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
}

static void filter_return(struct filter_writer *writer, uint32_t action)
{
    filter_emit(writer, BPF_RET | BPF_K, action, 0, 0);
}

static void filter_refuse(struct filter_writer *writer, int error)
{
    filter_return(writer, SECCOMP_RET_ERRNO | (uint32_t)error);
}

/* Refuses if what is loaded is the value. */
static void filter_refuse_value(struct filter_writer *writer, uint32_t value)
{
    filter_emit(writer, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    filter_refuse(writer, EPERM);
}

/* Refuses if what is loaded has one of the bits. */
static void filter_refuse_bits(struct filter_writer *writer, uint32_t bits)
{
    filter_emit(writer, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    filter_refuse(writer, EPERM);
}

static void filter_refuse_guarded(struct filter_writer *writer, unsigned argument)
{
    filter_load_argument(writer, argument);
    for (size_t i = 0; i < FILTER_GUARDED; i++)
        if (writer->policy->guarded[i] > 0)
            filter_refuse_value(writer, (uint32_t)writer->policy->guarded[i]);
}

static void filter_check(struct filter_writer *writer, enum filter_check check)
{
    switch (check) {
    case FILTER_REFUSE:
        filter_refuse(writer, EPERM);
        return;
    case FILTER_ABSENT:
        filter_refuse(writer, ENOSYS);
        return;
    case FILTER_TERMINAL:
        filter_load_argument(writer, 1);
        filter_refuse_value(writer, TIOCSTI);
        filter_refuse_value(writer, TIOCLINUX);
        break;
    case FILTER_USERNS:
        filter_load_argument(writer, 0);
        filter_refuse_bits(writer, CLONE_NEWUSER);
        break;
    case FILTER_USERNS_IN: /* 0 means whatever the descriptor is, and one of a process may name several kinds */
        filter_load_argument(writer, 1);
        filter_refuse_value(writer, 0);
        filter_refuse_bits(writer, CLONE_NEWUSER);
        break;
    case FILTER_PID:
        filter_refuse_guarded(writer, 0);
        break;
    case FILTER_PRIORITY:
        filter_load_argument(writer, 0);
        filter_refuse_value(writer, PRIO_PGRP);
        filter_refuse_value(writer, PRIO_USER);
        filter_refuse_guarded(writer, 1);
        break;
    case FILTER_IO:
        filter_load_argument(writer, 0);
        filter_refuse_value(writer, IO_GROUP);
        filter_refuse_value(writer, IO_USER);
        filter_refuse_guarded(writer, 1);
        break;
    }
    filter_return(writer, SECCOMP_RET_ALLOW);
}

static bool filter_lifted(const struct filter_policy *policy, enum filter_check check)
{
    return policy->allow_userns && (check == FILTER_USERNS || check == FILTER_USERNS_IN);
}

/* The rows for one architecture: a comparison each that jumps over the check of what is another call. */
static void filter_calls(struct filter_writer *writer, bool native)
{
    filter_load(writer, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    if (native && writer->policy->allow_32bit)
        filter_emit(writer, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)X32_BIT, 0, 0);
    else if (native) {
        filter_emit(writer, BPF_JMP | BPF_JSET | BPF_K, X32_BIT, 0, 1);
        filter_refuse(writer, ENOSYS);
    }
#endif
    for (size_t i = 0; i < ROWS; i++) {
        if (filter_lifted(writer->policy, rows[i].check))
            continue;
        size_t jump = writer->used;
        filter_emit(writer, BPF_JMP | BPF_JEQ | BPF_K, native ? rows[i].native : rows[i].foreign, 0, 0);
        filter_check(writer, rows[i].check);
        writer->program[jump].jf = (uint8_t)(writer->used - jump - 1);
    }
    filter_return(writer, SECCOMP_RET_ALLOW);
}

size_t filter_build(const struct filter_policy *policy, struct sock_filter *program)
{
    struct filter_writer writer = {policy, program, 0};
    /* The architecture comes first: a number means another call in another one. */
    filter_load(&writer, offsetof(struct seccomp_data, arch));
    size_t jump = writer.used;
    filter_emit(&writer, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)NATIVE, 0, 0);
    filter_calls(&writer, true);
    program[jump].jf = (uint8_t)(writer.used - jump - 1);
    if (policy->allow_32bit) {
        jump = writer.used;
        filter_emit(&writer, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)FOREIGN, 0, 0);
        filter_calls(&writer, false);
        program[jump].jf = (uint8_t)(writer.used - jump - 1);
    }
    filter_return(&writer, SECCOMP_RET_KILL_PROCESS);
    return writer.used;
}
