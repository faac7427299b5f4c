/*
 * parent: the directory that a path to be written lies in, found by the rule that fits who asks.
 */
#ifndef SBX_PATH_PARENT_H
#define SBX_PATH_PARENT_H

#include <stdbool.h>

#include "base/fault.h"

enum parent_rule {
    PARENT_PLAIN,   /* as the caller's own rights lead */
    PARENT_BENEATH, /* beneath a directory, without any link on the way */
    PARENT_TRUSTED  /* as root: every component, of the directory that it is beneath too, as trusted_open wants it */
};

struct parent {
    int directory;    /* the caller's to close; may be O_PATH */
    const char *name; /* the last component, inside the path that was given */
};

/*
 * Opens the parent of path; beneath is the directory for PARENT_BENEATH, and may be given for PARENT_TRUSTED. make
 * makes what is missing on the way (mode 0777 less the umask, 0755 for PARENT_TRUSTED) and touches nothing that is
 * there; what it made stays, also when a later step fails. REASON_BAD_NAME, REASON_ESCAPES, REASON_LINK,
 * REASON_UNSAFE_DIRECTORY, REASON_MISSING, or what the errno of a call says.
 */
enum reason parent_open(const char *beneath, const char *path, enum parent_rule rule, bool make, struct parent *parent,
                        struct fault *fault);

/*
 * Opens the directory once more, for fsync(2), which a descriptor of O_PATH does not do: the caller's to close.
 * REASON_PERMISSION_DENIED where it may be written in, but not read.
 */
enum reason parent_open_for_sync(const struct parent *parent, const char *path, int *directory, struct fault *fault);

#endif
