/*
 * tree: making a tree of files below an open directory, member by member, as a stream names them.
 *
 * The names are the sender's. They come in the form that stream/member.h makes (relative, without "..", "." and empty
 * components), and each is made in its directory by descriptors and through no link: what the stream put there before
 * cannot lead what comes later out of the tree. What is there already is never opened or replaced.
 *
 * The directory is to be one that nobody else writes in, and the umask 0. Two descriptors are open at a time, however
 * deep the tree; memory grows only by what a number takes for each directory that the stream did not name and each name
 * left out.
 */
#ifndef SBX_PATH_TREE_H
#define SBX_PATH_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/fault.h"
#include "budget.h"
#include "numbers.h"

enum { TREE_LEVELS = PATH_MAX / 2 /* components that a path can have */ };

/* A directory on the way to where members are made. */
struct tree_level {
    size_t length;         /* of its path */
    struct timespec mtime; /* to be given back when it is left: what is made in it changes it */
};

struct tree {
    int root;              /* the caller's */
    struct budget *budget; /* names of directories that the stream did not name are charged to it */
    bool complete;         /* a parent must have been named before */
    uint64_t key;          /* of the hashes of names, which the sender chooses */

    int directory;       /* that members are made in now: root, or the tree's own */
    char path[PATH_MAX]; /* its path, "" for root */
    size_t depth;
    struct tree_level levels[TREE_LEVELS];
    struct numbers unnamed;  /* inodes of directories made for their members alone */
    struct numbers reserved; /* hashes of names that were left out */
};

/*
 * Begins in the open directory. complete: the stream names each directory before what it holds; otherwise missing ones
 * are made.
 */
void tree_begin(struct tree *tree, int root, struct budget *budget, bool complete);

/*
 * All of the following: REASON_CORRUPT for a name that is taken, for a directory that is none and for a missing one in
 * a complete stream; REASON_TOO_LARGE of the budget; or what the errno of a call says.
 */

enum reason tree_make_directory(struct tree *tree, const char *name, struct timespec mtime, struct fault *fault);

/* Makes a file and opens it for writing as *file: the caller's, for tree_close_file. */
enum reason tree_open_file(struct tree *tree, const char *name, bool executable, int *file, struct fault *fault);

/* Closes the file that was opened last and gives it its mtime. */
enum reason tree_close_file(struct tree *tree, const char *name, int file, struct timespec mtime, struct fault *fault);

/* Closes the file that was opened last, and takes it away. */
enum reason tree_drop_file(struct tree *tree, const char *name, int file, struct fault *fault);

/* Makes another name for a file that the stream has made: target is a name like name. */
enum reason tree_make_hard_link(struct tree *tree, const char *name, const char *target, struct fault *fault);

/*
 * Takes note of a name that is left out: a symbolic link, say. Whatever the stream makes under that name or through it
 * is another reading of the same stream, and REASON_CORRUPT.
 */
enum reason tree_reserve(struct tree *tree, const char *name, struct fault *fault);

/*
 * Whether the target of a symbolic link stays in the tree, word by word: relative, never above the root, and
 * without control bytes. Pure.
 * Which other links it leads through is for tree_check_link.
 */
bool tree_stays_inside(const char *name, const char *target);

enum reason tree_make_symlink(struct tree *tree, const char *name, const char *target, struct timespec mtime,
                              struct fault *fault);

/*
 * Gives the directories that are still open their mtimes, and frees what the tree holds; also after a failure. Gives
 * reason, or what fails now.
 */
enum reason tree_end(struct tree *tree, enum reason reason, struct fault *fault);

/* In the finished tree: REASON_LINK if the target of the symbolic link name leads through another one, or to one. */
enum reason tree_check_link(int root, const char *name, const char *target, struct fault *fault);

/* Takes a symbolic link away again; its directory keeps its mtime. */
enum reason tree_remove_link(int root, const char *name, struct fault *fault);

#endif
