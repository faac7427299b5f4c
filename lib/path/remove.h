/*
 * remove: taking a directory and all that is in it away, and nothing else.
 */
#ifndef SBX_PATH_REMOVE_H
#define SBX_PATH_REMOVE_H

#include "base/fault.h"

enum remove_rule {
    REMOVE_ANY, /* whoever filled the directory */
    REMOVE_OWN  /* this process did, just now */
};

/*
 * Empties the directory that the descriptor holds, by descriptors, never following a link and never entering another
 * mount (statx(2) STATX_MNT_ID, since bind mounts share st_dev). Takes the descriptor and closes it. A mount point is
 * REASON_BUSY; on a kernel before 5.8, a directory to enter is REASON_UNSUPPORTED under REMOVE_ANY, and under
 * REMOVE_OWN st_dev has to do. path is for faults.
 */
enum reason remove_contents(int directory, enum remove_rule rule, const char *path, struct fault *fault);

#endif
