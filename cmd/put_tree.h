/*
 * put_tree: the tree that sbx-put --tree takes from a stream.
 */
#ifndef SBX_CMD_PUT_TREE_H
#define SBX_CMD_PUT_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/fault.h"
#include "path/budget.h"
#include "put_input.h"

enum put_tree_symlinks { PUT_TREE_SYMLINKS_SKIP, PUT_TREE_SYMLINKS_INSIDE };

struct put_tree {
    struct budget budget;
    unsigned symlinks; /* enum put_tree_symlinks */
    bool strict;       /* refuse what would be left out */
    uint64_t max;      /* bytes of the stream */
};

/*
 * Fills the empty directory with the tree that comes from the input, and gives in *mtime the one that the stream has
 * for it. REASON_OK; REASON_PARTIAL where something was left out, with a report for each; or why the tree is refused:
 * what is in the directory then is the caller's to remove, also for REASON_PARTIAL under strict.
 */
enum reason put_tree_fill(struct put_tree *tree, const struct put_input *input, int directory, struct timespec *mtime,
                          struct fault *fault);

/* Whether a tree that was filled with this reason is to be landed. */
bool put_tree_lands(const struct put_tree *tree, enum reason reason);

#endif
