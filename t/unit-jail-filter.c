/*
 * unit-jail-filter: the seccomp program, run instruction by instruction for each system call that it knows, with the
 * numbers and arguments of each architecture; no kernel is asked.
 */
#include "jail/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "unit.h"

#ifdef __x86_64__
enum { NATIVE = AUDIT_ARCH_X86_64, FOREIGN = AUDIT_ARCH_I386 };
enum {
    IOCTL32 = 54,
    UNSHARE32 = 310,
    CLONE32 = 120,
    KEYCTL32 = 288,
    PRLIMIT32 = 340,
    SETPRIORITY32 = 97,
    SETNS32 = 346
};
#else
enum { NATIVE = AUDIT_ARCH_AARCH64, FOREIGN = AUDIT_ARCH_ARM };
enum {
    IOCTL32 = 54,
    UNSHARE32 = 337,
    CLONE32 = 120,
    KEYCTL32 = 311,
    PRLIMIT32 = 369,
    SETPRIORITY32 = 97,
    SETNS32 = 375
};
#endif
enum { SUPERVISOR = 4711, REAPER = 4712, OTHER = 4713, CLONE3 = 435, URING_SETUP = 425, URING_LAST = 427 };
#define HIGH   (UINT64_C(1) << 32)
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)

/* Runs the program as the kernel does; gives what it returns, or 0 for an instruction that it must not have. */
static uint32_t unit_run(const struct sock_filter *program, size_t count, const struct seccomp_data *call)
{
    uint32_t accumulator = 0;
    for (size_t at = 0; at < count; at++) {
        const struct sock_filter *now = &program[at];
        switch (now->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (now->k > sizeof *call - sizeof accumulator || now->k % sizeof accumulator)
                return 0;
            memcpy(&accumulator, (const char *)call + now->k, sizeof accumulator);
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            at += accumulator == now->k ? now->jt : now->jf;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            at += (accumulator & now->k) != 0 ? now->jt : now->jf;
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            accumulator &= now->k;
            break;
        case BPF_RET | BPF_K:
            return now->k;
        default:
            return 0;
        }
    }
    return 0;
}

static uint32_t unit_call(bool allow_userns, bool allow_32bit, uint32_t arch, unsigned number, uint64_t first,
                          uint64_t second)
{
    static struct sock_filter program[FILTER_SIZE];
    const struct filter_policy policy = {allow_userns, allow_32bit, {SUPERVISOR, REAPER}};
    const struct seccomp_data call = {.nr = (int)number, .arch = arch, .args = {first, second}};
    return unit_run(program, filter_build(&policy, program), &call);
}

static void unit_native(void)
{
    static const struct {
        unsigned number;
        uint64_t first, second;
        uint32_t answer;
        const char *what;
    } calls[] = {
        {SYS_ioctl, 0, TIOCSTI, REFUSE, "TIOCSTI"},
        {SYS_ioctl, 0, HIGH | TIOCSTI, REFUSE, "TIOCSTI with bits that the kernel does not take"},
        {SYS_ioctl, 0, TIOCLINUX, REFUSE, "TIOCLINUX"},
        {SYS_ioctl, TIOCSTI, FIONREAD, SECCOMP_RET_ALLOW, "another request"},
        {SYS_add_key, 0, 0, REFUSE, "add_key"},
        {SYS_request_key, 0, 0, REFUSE, "request_key"},
        {SYS_keyctl, 0, 0, REFUSE, "keyctl"},
        {SYS_unshare, CLONE_NEWUSER, 0, REFUSE, "unshare of a user namespace"},
        {SYS_unshare, HIGH | CLONE_NEWUSER | CLONE_NEWNS, 0, REFUSE, "unshare of more than that"},
        {SYS_unshare, CLONE_FILES, 0, SECCOMP_RET_ALLOW, "unshare of descriptors"},
        {SYS_clone, CLONE_NEWUSER | 17, 0, REFUSE, "clone into a user namespace"},
        {SYS_clone, CLONE_VM | CLONE_VFORK | 17, 0, SECCOMP_RET_ALLOW, "vfork"},
        {SYS_setns, 3, 0, REFUSE, "setns into what the descriptor says"},
        {SYS_setns, 3, CLONE_NEWUSER | CLONE_NEWNS, REFUSE, "setns into a user namespace"},
        {SYS_setns, 3, CLONE_NEWNET, SECCOMP_RET_ALLOW, "setns into another one"},
        {CLONE3, 0, 0, ABSENT, "clone3"},
        {URING_SETUP, 0, 0, REFUSE, "io_uring_setup"},
        {URING_SETUP + 1, 0, 0, REFUSE, "io_uring_enter"},
        {URING_LAST, 0, 0, REFUSE, "io_uring_register"},
        {SYS_prlimit64, SUPERVISOR, 0, REFUSE, "prlimit64 of the supervisor"},
        {SYS_prlimit64, HIGH | REAPER, 0, REFUSE, "prlimit64 of the reaper, with bits above"},
        {SYS_prlimit64, OTHER, 0, SECCOMP_RET_ALLOW, "prlimit64 of another"},
        {SYS_prlimit64, 0, 0, SECCOMP_RET_ALLOW, "prlimit64 of itself"},
        {SYS_sched_setscheduler, SUPERVISOR, 0, REFUSE, "sched_setscheduler"},
        {SYS_sched_setparam, REAPER, 0, REFUSE, "sched_setparam"},
        {SYS_sched_setaffinity, SUPERVISOR, 0, REFUSE, "sched_setaffinity"},
        {SYS_sched_setattr, REAPER, 0, REFUSE, "sched_setattr"},
        {SYS_sched_setattr, 0, 0, SECCOMP_RET_ALLOW, "sched_setattr of itself"},
        {SYS_setpriority, 0, SUPERVISOR, REFUSE, "setpriority of the supervisor"},
        {SYS_setpriority, 0, OTHER, SECCOMP_RET_ALLOW, "setpriority of another"},
        {SYS_setpriority, 1, 0, REFUSE, "setpriority of a group"},
        {SYS_setpriority, 2, 0, REFUSE, "setpriority of a uid"},
        {SYS_ioprio_set, 1, REAPER, REFUSE, "ioprio_set of the reaper"},
        {SYS_ioprio_set, 1, OTHER, SECCOMP_RET_ALLOW, "ioprio_set of another"},
        {SYS_ioprio_set, 2, 0, REFUSE, "ioprio_set of a group"},
        {SYS_ioprio_set, 3, 0, REFUSE, "ioprio_set of a uid"},
        {SYS_execve, 0, 0, SECCOMP_RET_ALLOW, "execve"},
        {SYS_openat, 0, 0, SECCOMP_RET_ALLOW, "openat"},
        {SYS_read, TIOCSTI, TIOCSTI, SECCOMP_RET_ALLOW, "read"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        unit_claim(unit_call(false, false, NATIVE, calls[i].number, calls[i].first, calls[i].second) == calls[i].answer,
                   "native: %s", calls[i].what);
        unit_claim(unit_call(false, true, NATIVE, calls[i].number, calls[i].first, calls[i].second) == calls[i].answer,
                   "native, 32-bit allowed: %s", calls[i].what);
        bool lifted = calls[i].number == SYS_unshare || calls[i].number == SYS_clone || calls[i].number == SYS_setns;
        uint32_t answer = lifted ? (uint32_t)SECCOMP_RET_ALLOW : calls[i].answer;
        unit_claim(unit_call(true, false, NATIVE, calls[i].number, calls[i].first, calls[i].second) == answer,
                   "native, user namespaces allowed: %s", calls[i].what);
    }
}

static void unit_foreign(void)
{
    static const struct {
        unsigned number;
        uint64_t first, second;
        uint32_t answer;
        const char *what;
    } calls[] = {
        {IOCTL32, 0, TIOCSTI, REFUSE, "TIOCSTI"},
        {IOCTL32, 0, FIONREAD, SECCOMP_RET_ALLOW, "another request"},
        {KEYCTL32, 0, 0, REFUSE, "keyctl"},
        {UNSHARE32, CLONE_NEWUSER, 0, REFUSE, "unshare of a user namespace"},
        {CLONE32, CLONE_NEWUSER, 0, REFUSE, "clone into a user namespace"},
        {SETNS32, 3, 0, REFUSE, "setns"},
        {CLONE3, 0, 0, ABSENT, "clone3"},
        {URING_SETUP, 0, 0, REFUSE, "io_uring_setup"},
        {PRLIMIT32, SUPERVISOR, 0, REFUSE, "prlimit64 of the supervisor"},
        {SETPRIORITY32, 2, 0, REFUSE, "setpriority of a uid"},
        {1, 0, 0, SECCOMP_RET_ALLOW, "exit"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        unit_claim(unit_call(false, true, FOREIGN, calls[i].number, calls[i].first, calls[i].second) == calls[i].answer,
                   "32-bit, allowed: %s", calls[i].what);
        unit_claim(unit_call(false, false, FOREIGN, calls[i].number, calls[i].first, calls[i].second) ==
                       SECCOMP_RET_KILL_PROCESS,
                   "32-bit: %s ends the process", calls[i].what);
    }
    unit_claim(unit_call(false, true, AUDIT_ARCH_PPC64, SYS_read, 0, 0) == SECCOMP_RET_KILL_PROCESS,
               "an architecture of neither kind ends the process, whatever is allowed");
#ifdef __x86_64__
    enum { X32 = 0x40000000, X32_IOCTL = 514 };
    unit_claim(unit_call(false, false, NATIVE, X32 | SYS_read, 0, 0) == ABSENT, "x32 is absent");
    unit_claim(unit_call(false, true, NATIVE, X32 | SYS_read, 0, 0) == SECCOMP_RET_ALLOW, "x32, allowed: read");
    unit_claim(unit_call(false, true, NATIVE, X32 | X32_IOCTL, 0, TIOCSTI) == REFUSE, "x32, allowed: TIOCSTI");
    unit_claim(unit_call(false, true, NATIVE, X32 | SYS_keyctl, 0, 0) == REFUSE, "x32, allowed: keyctl");
#endif
}

static void unit_unguarded(void)
{
    struct sock_filter program[FILTER_SIZE];
    const struct filter_policy policy = {.guarded = {1}};
    struct seccomp_data call = {.nr = SYS_prlimit64, .arch = NATIVE};
    size_t count = filter_build(&policy, program);
    unit_claim(unit_run(program, count, &call) == SECCOMP_RET_ALLOW, "no process is guarded by the number 0");
    call.args[0] = 1;
    unit_claim(unit_run(program, count, &call) == REFUSE, "the first process of a namespace is");
    const struct filter_policy most = {false, true, {SUPERVISOR, REAPER}};
    unit_claim(filter_build(&most, program) <= FILTER_SIZE, "the longest program fits");
}

int main(void)
{
    unit_native();
    unit_foreign();
    unit_unguarded();
    return unit_end();
}
