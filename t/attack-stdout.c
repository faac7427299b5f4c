/*
 * attack-stdout pid PID: tries every way in which one process of a uid reaches into another: writing through
 * /proc/PID/fd/1, opening /proc/PID/mem, ptrace(2) attach, process_vm_readv(2), pidfd_getfd(2). Prints a line for each,
 * "way: done" or "way: errno's text", and exits 0 when one succeeded, 1 when none did.
 *
 * attack-stdout next: attacks processes that do not exist yet, from their first instruction: tries /proc/N/fd/1 for the
 * pids that come next, and stops and continues whatever has one of them, so that it creeps through its start while the
 * attack goes on. Ends at SIGTERM and prints the number of stdouts written into ("FORGED").
 *
 * attack-stdout prey: sleeps until SIGTERM; a process that does nothing to protect itself.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* process_vm_readv */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* The pids around the newest one that are tried: a process takes on its uid some time after it has got its pid. */
enum { PIDS_BEHIND = 16, PIDS_AHEAD = 8 };

/* How long one process is held up: where all processors are busy, one that is stopped as soon as it is continued gets
 * nowhere at all. */
enum { CREEP_MILLISECONDS = 200 };

static const char forged[] = "FORGED\n";

static int attack_report(const char *way, int done)
{
    printf("%s: %s\n", way, done ? "done" : strerror(errno));
    return done;
}

/* Writes into the stdout of pid. O_NONBLOCK: the other end of a pipe may have filled up. */
static int attack_write(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/1", (int)pid);
    int stdout_of_prey = open(path, O_WRONLY | O_NONBLOCK | O_APPEND);
    if (stdout_of_prey < 0)
        return 0;
    ssize_t written = write(stdout_of_prey, forged, sizeof forged - 1);
    int error = errno;
    close(stdout_of_prey);
    errno = error;
    return written > 0;
}

static int attack_memory(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int memory = open(path, O_RDWR);
    if (memory >= 0)
        close(memory);
    return memory >= 0;
}

static int attack_trace(pid_t pid)
{
    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
        return 0;
    waitpid(pid, NULL, __WALL);
    return ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0;
}

/* Nothing is mapped at address 1: EFAULT says that only the address was wrong, EPERM that the process is protected. */
static int attack_readv(pid_t pid)
{
    char byte;
    struct iovec local = {.iov_base = &byte, .iov_len = 1}, remote = {.iov_base = (void *)1, .iov_len = 1};
    return process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT;
}

static int attack_getfd(pid_t pid)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 1, 0) >= 0;
}

static int attack_pid(pid_t pid)
{
    int done = attack_report("/proc/PID/fd/1", attack_write(pid));
    done |= attack_report("/proc/PID/mem", attack_memory(pid));
    done |= attack_report("ptrace", attack_trace(pid));
    done |= attack_report("process_vm_readv", attack_readv(pid));
    done |= attack_report("pidfd_getfd", attack_getfd(pid));
    return done ? 0 : ATTACK_FAILED;
}

/* The newest pid of this pid namespace: proc(5), the last field of /proc/loadavg. */
static pid_t attack_newest(void)
{
    char text[128];
    int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (length <= 0)
        err(ATTACK_MISUSED, "/proc/loadavg");
    close(file);
    text[length] = '\0';
    const char *last = strrchr(text, ' ');
    return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

static int64_t attack_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Lets a stopped process creep on while it is attacked, then lets it go. Gives whether its stdout was written into. */
static int attack_creep(pid_t pid)
{
    int64_t until = attack_now() + CREEP_MILLISECONDS;
    int written = attack_write(pid);
    while (!written && !attack_over && attack_now() < until) {
        if (kill(pid, SIGCONT) != 0 || kill(pid, SIGSTOP) != 0)
            break;
        written = attack_write(pid);
    }
    kill(pid, SIGCONT);
    return written;
}

static int attack_next(void)
{
    unsigned long written = 0;
    pid_t done = attack_newest(); /* no pid up to this one is tried any more */
    puts("ready");
    fflush(stdout);

    attack_until_term();
    while (!attack_over) {
        pid_t newest = attack_newest();
        pid_t pid = newest - PIDS_BEHIND > done ? newest - PIDS_BEHIND : done;
        while (++pid <= newest + PIDS_AHEAD && !attack_over) {
            /* Only a process of this uid can be stopped, so that a success means: it is there, and the attack is on. */
            if (kill(pid, SIGSTOP) != 0)
                continue;
            written += (unsigned long)attack_creep(pid);
            done = pid;
        }
    }
    printf("%lu\n", written);
    return written > 0 ? 0 : ATTACK_FAILED;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "pid") == 0)
        return attack_pid((pid_t)attack_rounds(argv[2]));
    if (argc == 2 && strcmp(argv[1], "next") == 0)
        return attack_next();
    if (argc == 2 && strcmp(argv[1], "prey") == 0) {
        attack_until_term();
        while (!attack_over)
            pause();
        return 0;
    }
    errx(ATTACK_MISUSED, "usage: attack-stdout pid PID | next | prey");
}
