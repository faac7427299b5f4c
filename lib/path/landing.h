/*
 * landing: a new directory that is either whole under its name or not there.
 *
 * It grows under a random name beside its destination, open to its owner alone, and is renamed to a name that is free:
 * what has the name already, a link too, is neither followed nor replaced. rename(2), renameat2(2).
 */
#ifndef SBX_PATH_LANDING_H
#define SBX_PATH_LANDING_H

#include <time.h>

#include "base/fault.h"
#include "stage.h"

enum { LANDING_MODE = 0755 };

struct landing {
    int directory; /* the caller's, kept open until landing_place or landing_discard */
    int root;      /* what grows; the landing's own */
    char name[STAGE_NAME_SIZE];
};

/*
 * Makes the directory in directory, a descriptor of any kind, where name is to be. REASON_EXISTS if that is taken.
 * path is for faults. Nothing is left unless it is REASON_OK.
 */
enum reason landing_begin(struct landing *landing, int directory, const char *name, const char *path,
                          struct fault *fault);

/* Opens the directory, wherever it grew, to others: mode 0755, and the mtime. path is for faults. */
enum reason landing_finish(int root, struct timespec mtime, const char *path, struct fault *fault);

/*
 * Finishes it, gives it the name and closes it. sync: the directory, opened O_RDONLY, to be on the disk
 * with all that it holds (syncfs(2)); -1 for no sync. REASON_EXISTS, REASON_CHANGED (what has the name afterwards is
 * not what grew), or what the errno of a call says. On failure nothing is left, except where a sync fails after the
 * rename or, with REASON_CHANGED, where another process with write access to the directory moved it.
 */
enum reason landing_place(struct landing *landing, const char *name, struct timespec mtime, int sync, const char *path,
                          struct fault *fault);

/* Takes all of it away instead, and closes it. */
void landing_discard(struct landing *landing);

#endif
