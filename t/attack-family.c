/*
 * attack-family KIND [COUNT]: starts processes that are hard to end, and then sleeps, or races.
 *
 *   many     COUNT children that sleep
 *   daemons  COUNT grandchildren, each in a session of its own, their parents gone
 *   chains   COUNT chains: each process forks the next one and exits, as fast as it can
 *   bomb     every process forks, for ever
 *   clones   COUNT children by clone(2) that tell their parent nothing when they end
 *   parents  COUNT children that the parent's parent gets (CLONE_PARENT)
 *   stopped  COUNT children that stop themselves
 *   traced   COUNT children that their parent traces
 *   orphans  COUNT daemons, and then it exits with 7 at once
 *
 * Prints a line when they are all there, bomb and orphans aside.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

enum { ORPHANS_STATUS = 7 };

static void family_sleep(void)
{
    for (;;)
        pause();
}

static void family_chain(void)
{
    for (;;)
        if (fork() != 0)
            _exit(0);
}

static void family_bomb(void)
{
    for (;;)
        fork();
}

static void family_daemon(void)
{
    setsid();
    if (fork() != 0)
        _exit(0);
    setsid();
    family_sleep();
}

/* Gives 0 in the child, as fork(2). */
static long family_clone(unsigned long flags)
{
    return syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
}

static void family_start(const char *kind)
{
    long pid;
    if (strcmp(kind, "clones") == 0)
        pid = family_clone(0);
    else if (strcmp(kind, "parents") == 0)
        pid = family_clone(CLONE_PARENT | SIGCHLD);
    else
        pid = fork();
    if (pid < 0)
        err(ATTACK_FAILED, "fork");
    if (pid > 0)
        return;
    if (strcmp(kind, "chains") == 0)
        family_chain();
    if (strcmp(kind, "daemons") == 0 || strcmp(kind, "orphans") == 0)
        family_daemon();
    if (strcmp(kind, "stopped") == 0)
        raise(SIGSTOP);
    if (strcmp(kind, "traced") == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
    }
    family_sleep();
}

int main(int argc, char **argv)
{
    if (argc < 2)
        errx(ATTACK_MISUSED, "usage: attack-family KIND [COUNT]");
    if (strcmp(argv[1], "bomb") == 0)
        family_bomb();
    unsigned long count = attack_rounds(argv[2]);
    for (unsigned long i = 0; i < count; i++)
        family_start(argv[1]);
    if (strcmp(argv[1], "orphans") == 0)
        _exit(ORPHANS_STATUS);
    puts("there");
    fflush(stdout);
    family_sleep();
}
