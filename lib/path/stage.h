/*
 * stage: a new file that is either whole under its name or not there.
 *
 * The file grows under a random name beside its destination and is renamed onto it: a reader sees the old file or the
 * whole new one, and a link at the destination is replaced, not followed. rename(2), renameat2(2), linkat(2).
 */
#ifndef SBX_PATH_STAGE_H
#define SBX_PATH_STAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/fault.h"

#define STAGE_PREFIX ".sbx-"

enum { STAGE_RANDOM_BYTES = 16, STAGE_NAME_SIZE = sizeof STAGE_PREFIX + 2 * STAGE_RANDOM_BYTES };

struct stage {
    int directory;  /* the caller's, kept open until stage_place or stage_discard */
    int descriptor; /* where to write; the stage's own */
    char name[STAGE_NAME_SIZE];
};

struct stage_mode {
    mode_t bits;
    bool exact; /* whatever the umask */
};

struct stage_rule {
    bool no_replace; /* REASON_EXISTS when the name is taken */
    int sync;        /* the directory, opened O_RDONLY, to fsync(2) it and the file; -1 for no sync */
};

/* Writes 2 * bytes random hexadecimal digits and a NUL. */
enum reason stage_random_name(char *name, size_t bytes, struct fault *fault);

/*
 * Makes the file in directory, a descriptor of any kind. path is for faults. Nothing is left unless it is REASON_OK.
 */
enum reason stage_begin(struct stage *stage, int directory, struct stage_mode mode, const char *path,
                        struct fault *fault);

/*
 * Gives the file its name and closes it. REASON_EXISTS, REASON_NOT_REGULAR (a directory has the name), REASON_BUSY (a
 * mount point), REASON_CHANGED (what has the name afterwards is not the file that was written), REASON_NO_SPACE or
 * REASON_IO of a late write. On failure the temporary name is gone and the old file is there, except where a sync fails
 * after the rename or, with REASON_CHANGED, where another process with write access to the directory put its own.
 */
enum reason stage_place(struct stage *stage, const char *name, const struct stage_rule *rule, const char *path,
                        struct fault *fault);

/* Takes the file away instead, and closes it. */
void stage_discard(struct stage *stage);

#endif
