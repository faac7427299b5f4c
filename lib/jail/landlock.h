/*
 * landlock: what of Landlock's interface is newer than the kernel headers that this is built with. landlock(7).
 *
 * The three calls have no wrapper in any C library. The names are ours, so that headers of any age can be included
 * beside this one.
 */
#ifndef SBX_JAIL_LANDLOCK_H
#define SBX_JAIL_LANDLOCK_H

#include <stdint.h>

/* struct landlock_ruleset_attr as of ABI 6; a kernel of a lower one takes it as long as what it lacks is 0. */
struct landlock_ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

enum {
    LANDLOCK_ASK_VERSION = 1 << 0, /* LANDLOCK_CREATE_RULESET_VERSION */
    LANDLOCK_ABI_SCOPES = 6,       /* the first with scopes */
    LANDLOCK_SIGNALS = 1 << 1      /* LANDLOCK_SCOPE_SIGNAL */
};

/* The calls' numbers are the same on every architecture. */
enum { LANDLOCK_CREATE_RULESET = 444, LANDLOCK_RESTRICT_SELF = 446 };

#endif
