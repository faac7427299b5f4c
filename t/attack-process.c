/*
 * attack-process PID...: tries to read, trace, slow, limit and signal each process, and prints a line "PID: WHAT" for
 * each attempt that the kernel let through. What ends the process comes last.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

enum { IO_PROCESS = 1, IO_GROUP, IO_USER, IO_IDLE = 3 << 13, ATTRIBUTES = 12 };

static pid_t victim;

static void process_tried(const char *what, bool through)
{
    if (through)
        printf("%d: %s\n", (int)victim, what);
}

static void process_open(const char *name, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)victim, name);
    int file = open(path, flags | O_NONBLOCK);
    process_tried(name, file >= 0);
    if (file >= 0)
        close(file);
}

/* For a file that anyone may open, and that asks who it is when it is written. */
static void process_write(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)victim, name);
    int file = open(path, O_WRONLY);
    process_tried(name, file >= 0 && write(file, text, strlen(text)) > 0);
    if (file >= 0)
        close(file);
}

static void process_reach(void)
{
    process_open("mem", O_RDWR);
    process_open("fd/0", O_RDONLY);
    process_open("fd/1", O_WRONLY);
    process_open("fd/2", O_WRONLY);
    process_open("environ", O_RDONLY);
    process_open("cwd/.", O_RDONLY);
    process_open("root/.", O_RDONLY);
    process_open("oom_score_adj", O_WRONLY);
    process_write("timerslack_ns", "1000000000");
    char byte;
    struct iovec here = {&byte, 1};
    struct iovec there = {(void *)&victim, 1};
    process_tried("process_vm_readv", process_vm_readv(victim, &here, 1, &there, 1, 0) >= 0);
    bool traced = ptrace(PTRACE_SEIZE, victim, NULL, NULL) == 0;
    process_tried("PTRACE_SEIZE", traced);
    if (traced)
        ptrace(PTRACE_DETACH, victim, NULL, NULL);
    int pidfd = (int)syscall(SYS_pidfd_open, victim, 0);
    process_tried("pidfd_getfd", pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 1, 0) >= 0);
}

static void process_slow(void)
{
    const struct rlimit limit = {1, 1};
    const struct sched_param none = {0};
    unsigned long processors = 1;
    /* struct sched_attr, of which only the size and the policy are not 0. */
    const unsigned attributes[ATTRIBUTES] = {sizeof attributes, SCHED_IDLE};
    process_tried("sched_setaffinity", syscall(SYS_sched_setaffinity, victim, sizeof processors, &processors) == 0);
    process_tried("sched_setscheduler", syscall(SYS_sched_setscheduler, victim, SCHED_IDLE, &none) == 0);
    process_tried("sched_setparam", syscall(SYS_sched_setparam, victim, &none) == 0);
    process_tried("sched_setattr", syscall(SYS_sched_setattr, victim, attributes, 0) == 0);
    process_tried("setpriority", setpriority(PRIO_PROCESS, (id_t)victim, 19) == 0);
    process_tried("setpriority of a group", setpriority(PRIO_PGRP, (id_t)getpgid(victim), 19) == 0);
    process_tried("setpriority of a uid", setpriority(PRIO_USER, 0, 19) == 0);
    process_tried("ioprio_set", syscall(SYS_ioprio_set, IO_PROCESS, victim, IO_IDLE) == 0);
    process_tried("ioprio_set of a group", syscall(SYS_ioprio_set, IO_GROUP, getpgid(victim), IO_IDLE) == 0);
    process_tried("ioprio_set of a uid", syscall(SYS_ioprio_set, IO_USER, getuid(), IO_IDLE) == 0);
    process_tried("prlimit", prlimit(victim, RLIMIT_CPU, &limit, NULL) == 0);
    /* With bits set above the 32 that the kernel takes for a pid. */
    process_tried("prlimit by another number",
                  syscall(SYS_prlimit64, (1UL << 32) + (unsigned long)victim, RLIMIT_CPU, &limit, NULL) == 0);
}

/* A pipe that sends whoever owns it a signal of the attacker's choice when something comes. */
static void process_signal_by_pipe(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return;
    fcntl(ends[0], F_SETOWN, victim);
    fcntl(ends[0], F_SETSIG, SIGKILL);
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    if (write(ends[1], "", 1) != 1)
        warn("write");
    close(ends[0]);
    close(ends[1]);
}

static void process_signal(void)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    int pidfd = (int)syscall(SYS_pidfd_open, victim, 0);
    process_tried("kill 0", kill(victim, 0) == 0);
    process_tried("STOP", kill(victim, SIGSTOP) == 0);
    process_tried("tkill STOP", syscall(SYS_tkill, victim, SIGSTOP) == 0);
    /* Of the first process of a namespace that would be everything. */
    process_tried("STOP to its group", getpgid(victim) > 1 && kill(-getpgid(victim), SIGSTOP) == 0);
    process_tried("pidfd STOP", pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0) == 0);
    process_tried("rt_sigqueueinfo STOP", syscall(SYS_rt_sigqueueinfo, victim, SIGSTOP, &info) == 0);
    process_signal_by_pipe();
    process_tried("KILL", kill(victim, SIGKILL) == 0);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        errx(ATTACK_MISUSED, "usage: attack-process PID...");
    void (*const attempts[])(void) = {process_reach, process_slow, process_signal};
    for (size_t kind = 0; kind < sizeof attempts / sizeof attempts[0]; kind++)
        for (int i = 1; i < argc; i++) {
            victim = (pid_t)strtol(argv[i], NULL, 10);
            attempts[kind]();
            fflush(stdout);
        }
    return 0;
}
