/*
 * attack-calls: makes each system call that a jail is to refuse, and prints a line "NAME ERRNO" for each: the name of
 * the errno, ok where it went through, or "signal N" where it cost a child its life.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

static void calls_told(const char *name, long result, int error)
{
    static const struct {
        int number;
        const char *name;
    } errnos[] = {{EPERM, "EPERM"}, {ENOSYS, "ENOSYS"}, {ENOTTY, "ENOTTY"}, {EINVAL, "EINVAL"}, {EFAULT, "EFAULT"},
                  {EBADF, "EBADF"}, {ENOKEY, "ENOKEY"}, {EIO, "EIO"},       {ENODEV, "ENODEV"}, {EACCES, "EACCES"}};
    for (size_t i = 0; result < 0 && i < sizeof errnos / sizeof errnos[0]; i++)
        if (errnos[i].number == error) {
            printf("%s %s\n", name, errnos[i].name);
            return;
        }
    printf("%s %s\n", name, result < 0 ? strerror(error) : "ok");
}

#define CALL(name, ...)                                                                                                \
    do {                                                                                                               \
        long result = syscall(__VA_ARGS__);                                                                            \
        calls_told(name, result, errno);                                                                               \
    } while (0)

/* In a child, which such a call may end or change. */
static void calls_apart(const char *name, long (*call)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        errno = 0;
        long result = call();
        int error = errno;
        calls_told(name, result, error);
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status))
        printf("%s signal %d\n", name, WTERMSIG(status));
}

static long calls_unshare(void)
{
    return syscall(SYS_unshare, CLONE_NEWUSER);
}

static long calls_clone(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        _exit(0);
    return pid;
}

static long calls_clone3(void)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0)
        _exit(0);
    return pid;
}

#ifdef __x86_64__
enum { X32_BIT = 0x40000000, I386_GETPID = 20, I386_IOCTL = 54 };

static long calls_i386(unsigned number, unsigned long first, unsigned long second)
{
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(first), "c"(second)
                     : "memory", "r8", "r9", "r10", "r11");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

static long calls_i386_getpid(void)
{
    return calls_i386(I386_GETPID, 0, 0);
}

static long calls_i386_type(void)
{
    return calls_i386(I386_IOCTL, STDOUT_FILENO, TIOCSTI);
}

static long calls_x32(void)
{
    return syscall(X32_BIT | SYS_getpid);
}
#endif

int main(void)
{
    /* 64 bits are handed over, and the kernel takes 32. */
    CALL("TIOCSTI", SYS_ioctl, STDOUT_FILENO, (unsigned long)TIOCSTI, "x");
    CALL("TIOCSTI+high", SYS_ioctl, STDOUT_FILENO, (1UL << 32) | TIOCSTI, "x");
    CALL("TIOCLINUX", SYS_ioctl, STDOUT_FILENO, (unsigned long)TIOCLINUX, "\3");
    CALL("FIONREAD", SYS_ioctl, -1, (unsigned long)FIONREAD, NULL);
    CALL("add_key", SYS_add_key, "user", "sbx", "x", 1, -3);
    CALL("request_key", SYS_request_key, "user", "sbx", NULL, 0);
    CALL("keyctl", SYS_keyctl, 0, -3, 0);
    calls_apart("unshare", calls_unshare);
    calls_apart("clone", calls_clone);
    calls_apart("clone3", calls_clone3);
    CALL("setns", SYS_setns, -1, CLONE_NEWUSER);
    CALL("setns0", SYS_setns, -1, 0);
    CALL("setns-net", SYS_setns, -1, CLONE_NEWNET);
    CALL("io_uring_setup", SYS_io_uring_setup, 0, NULL);
    CALL("io_uring_enter", SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0);
    CALL("io_uring_register", SYS_io_uring_register, -1, 0, NULL, 0);
#ifdef __x86_64__
    calls_apart("i386", calls_i386_getpid);
    calls_apart("i386-TIOCSTI", calls_i386_type);
    calls_apart("x32", calls_x32);
#endif
    return 0;
}
