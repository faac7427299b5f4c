/*
 * spawn: what becomes of a forked process until it is the command. execve(2).
 */
#ifndef SBX_JAIL_SPAWN_H
#define SBX_JAIL_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/fault.h"
#include "base/identity.h"
#include "filter.h"
#include "limit.h"
#include "outcome.h"

enum { SPAWN_STANDARD = 3 /* descriptors 0, 1 and 2 */ };

struct spawn {
    char *const *argv;
    char **environment;
    const char *directory;           /* to begin in; NULL for here */
    const struct identity *identity; /* to become; NULL to stay */
    const struct limits *limits;
    struct filter_policy filter;
    bool filtered;                /* whether there is a filter */
    int standard[SPAWN_STANDARD]; /* what becomes 0, 1 and 2: each its own number, or above 2 */
    int ruleset;                  /* of scope_open, or -1 */
    pid_t parent;                 /* the process that forks, as the child sees it */
};

/* How far it came. In memory that is shared with the supervisor, and gone with the exec. */
struct spawn_report {
    enum outcome_stage stage;
    bool failed;
    int exec_code; /* of a failure at OUTCOME_EXEC */
    struct fault fault;
    struct identity_kept kept;
};

/*
 * Becomes the command, or says in the report why not and ends. To be called in a fresh fork of a process with one
 * thread: session, signals, identity, scope, descriptors, directory, limits and filter, in this order.
 */
_Noreturn void spawn_command(const struct spawn *spawn, struct spawn_report *report);

#endif
