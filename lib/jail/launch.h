/*
 * launch: from the supervisor to a reaper that has begun, held by the strongest means that there is here.
 */
#ifndef SBX_JAIL_LAUNCH_H
#define SBX_JAIL_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/fault.h"
#include "reaper.h"

struct launch {
    enum family_hold hold;
    int ruleset;              /* of the scope that the supervisor is in, or -1 */
    struct reaper_news *news; /* shared with the reaper and, until its exec, the command */
    pid_t reaper;
    int ready;  /* the read end of the pipe that says when there is news; at its end the reaper is gone */
    int orders; /* the write end of the pipe of struct reaper_order, non-blocking */
};

/* How all that a command starts would be held here, by a PID namespace only if namespaces; REASON_UNSUPPORTED where by
 * nothing. */
enum reason launch_hold(bool namespaces, enum family_hold *hold, struct fault *fault);

/*
 * Makes this process a subreaper with no_new_privs and, where there are any, in a Landlock signal scope of its own, and
 * forks the reaper, which starts the command. A PID namespace that turns out not to work is given up for what is next.
 */
enum reason launch_reaper(const struct spawn *spawn, struct launch *launch, struct fault *fault);

#endif
