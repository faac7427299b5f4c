/*
 * reaper: the process between the supervisor and the command.
 *
 * It starts the command and collects whatever that leaves behind; the supervisor has the clock and the output. There
 * are two of them so that neither is a single thing to kill: without the supervisor the reaper sees its orders end, and
 * kills everything; without the reaper the supervisor does. In a PID namespace it is the init.
 */
#ifndef SBX_JAIL_REAPER_H
#define SBX_JAIL_REAPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "family.h"
#include "spawn.h"

enum { REAPER_PATIENCE = 900 /* milliseconds after KILL, for what cannot die */ };

/* An order: the signal to the command's process group, or to everything. SIGKILL to everything is the end. */
struct reaper_order {
    int signal;
    bool everyone;
};

/* What it has to say, in memory shared with the supervisor. A byte in the pipe says that it is said. */
struct reaper_news {
    bool unfit;  /* no /proc could be mounted in the namespace: nothing was started */
    bool scoped; /* its own scope holds: it tried to signal its supervisor, and could not */
    bool done;   /* everything is dead, survivors aside */
    struct family family;
    struct spawn_report spawn;
};

struct reaper {
    const struct spawn *spawn;
    struct reaper_news *news;
    enum family_hold hold;
    int ruleset;      /* of scope_open, or -1 */
    int orders;       /* the read end of a pipe of struct reaper_order */
    int ready;        /* the write end of a pipe: a byte when a namespace has proved fit, a byte when all is dead */
    pid_t supervisor; /* 0 where it is in another PID namespace */
};

/* Starts the command, sees it and all that it starts to their end, and ends. For a fork of the supervisor. */
_Noreturn void reaper_run(const struct reaper *reaper);

#endif
