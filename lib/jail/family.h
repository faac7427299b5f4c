/*
 * family: everything that a command started, however far it went from its parent, and its end.
 *
 * Three ways to reach it, the first that works here. In each the caller is a subreaper (prctl(2)
 * PR_SET_CHILD_SUBREAPER) or the init of a PID namespace, so that every orphan becomes its child, and waiting until it
 * has no child left is waiting for all.
 */
#ifndef SBX_JAIL_FAMILY_H
#define SBX_JAIL_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum family_hold {
    FAMILY_NAMESPACE, /* the caller is the init of a PID namespace; kill(-1) is all the others in it */
    FAMILY_SCOPE,     /* the caller is in a Landlock signal scope; kill(-1) is what is in it or in one below */
    FAMILY_PROC       /* /proc is walked, and walked again */
};

struct family {
    enum family_hold hold;
    pid_t first;        /* the command, a child of the caller */
    bool ended;         /* the command has, with this status of wait(2) */
    int status;         /* */
    unsigned survivors; /* set by family_end: what KILL did not end */
};

/* The name of a hold, as reports carry it. */
const char *family_hold_name(enum family_hold hold);

/* Sends the signal to everything in the family. */
void family_signal(const struct family *family, int signal);

/* Reaps what is dead, and takes the command's status; false when there is no child left. */
bool family_reap(struct family *family);

/*
 * Kills everything and reaps it, for at most patience milliseconds: what is in an uninterruptible sleep does not die.
 * deaths is a signalfd(2) for SIGCHLD.
 */
void family_end(struct family *family, int deaths, int64_t patience);

#endif
