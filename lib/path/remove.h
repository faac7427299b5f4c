/*
 * remove: taking a directory and all that is in it away, and nothing else.
 */
#ifndef SBX_PATH_REMOVE_H
#define SBX_PATH_REMOVE_H

#include "base/fault.h"

/*
 * Empties the directory that the descriptor holds, by descriptors, never following a link and never entering another
 * mount (statx(2) STATX_MNT_ID, since bind mounts share st_dev). Takes the descriptor and closes it. A mount point is
 * REASON_BUSY, a kernel before 5.8 REASON_UNSUPPORTED if there is a directory to enter; path is for faults.
 */
enum reason remove_contents(int directory, const char *path, struct fault *fault);

#endif
