/*
 * drop: files that root stages where an agent can read them and nobody can redirect, replace or rewrite them.
 *
 * DROP_ROOT/<32 hexadecimal digits>/NAME: the drop root is a directory as trusted_open wants it, the random directory
 * is fresh and opens to others only when NAME is complete, the file stays root's. The random directory is locked
 * (flock(2)) as long as it is being written, so that a sweep can tell it from one whose maker died.
 */
#ifndef SBX_PATH_DROP_H
#define SBX_PATH_DROP_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"

#define DROP_ROOT "/run/sbx/drop"

enum { DROP_RANDOM_BYTES = 16, DROP_HEX = 2 * DROP_RANDOM_BYTES, DROP_MODE = 0444 };

struct drop {
    int root;
    int directory; /* where NAME is to be made */
    int file;      /* NAME, when it is a file and is being written; -1 else */
    char hex[DROP_HEX + 1];
    char path[PATH_MAX]; /* of NAME */
    const char *name;    /* the caller's */
};

/*
 * Checks that a drop root is given in its normal form: absolute, no empty, "." or ".." component, no "/" at the end.
 * Pure. REASON_USAGE.
 */
enum reason drop_check_root(const char *root, struct fault *fault);

/*
 * Makes the random directory under root, a checked one (made where missing, 0711). Reasons of name_check and
 * trusted_open, or what the errno of a call says; nothing is left unless it is REASON_OK.
 */
enum reason drop_begin(struct drop *drop, const char *root, const char *name, struct fault *fault);

/* Makes NAME as a file, open for writing as drop->file. On failure the caller calls drop_undo. */
enum reason drop_open_file(struct drop *drop, mode_t mode, struct fault *fault);

/*
 * Makes NAME as an empty directory of mode 0755, to be filled by the descriptor *tree, the caller's. On failure the
 * caller calls drop_undo.
 */
enum reason drop_make_tree(const struct drop *drop, int *tree, struct fault *fault);

/*
 * Declares NAME complete: a file gets exactly its mode, and the directory opens to others. The lock is kept until the
 * process ends, so that the path can be printed before a sweep may take it. On failure the caller calls drop_undo.
 */
enum reason drop_finish(struct drop *drop, mode_t mode, struct fault *fault);

/* Takes the drop away, as far as it has come. */
void drop_undo(struct drop *drop);

/*
 * Splits a path that is to be discarded. Only the exact shape root/<hex> or root/<hex>/NAME passes, byte for byte: a
 * path that must first be normalised may lead elsewhere. Pure. *name is NULL without NAME. REASON_BAD_NAME.
 */
enum reason drop_parse(const char *root, const char *path, char hex[DROP_HEX + 1], const char **name,
                       struct fault *fault);

/*
 * Removes the drop hex under the open drop root; with a name, only if it holds that name. REASON_MISSING, REASON_BUSY
 * (being written), or the reasons of remove_contents. path is for faults.
 */
enum reason drop_remove(int root, const char *hex, const char *name, const char *path, struct fault *fault);

/*
 * Removes each drop under the open drop root whose directory has not changed for age milliseconds and that nobody is
 * writing. Goes on after a failure and gives the first one.
 */
enum reason drop_sweep(int root, int64_t age, const char *path, struct fault *fault);

#endif
