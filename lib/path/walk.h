/*
 * walk: going through a directory that someone else fills, and may rearrange meanwhile.
 *
 * By descriptors alone: each name is opened in the directory that holds it, without following it, and what was opened
 * is judged by its descriptor. So a swap of names while we walk can hide a thing or show another one of the tree, but
 * lead nowhere else. No mount is crossed (statx(2) STATX_MNT_ID: bind mounts share st_dev, and a file can be one).
 *
 * Names come in byte order, a directory before what it holds, so that equal trees give equal walks. Memory holds one
 * directory's names per level, and the budget bounds those; WALK_WINDOW levels keep their descriptors.
 */
#ifndef SBX_PATH_WALK_H
#define SBX_PATH_WALK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/kernel.h"
#include "budget.h"
#include "listing.h"

enum { WALK_WINDOW = 64 };

/* What a filter says of an entry. */
enum walk_choice {
    WALK_TAKE,
    WALK_TAKE_WITHIN, /* of a directory: only what is taken within it makes it one to be told */
    WALK_PASS_OVER    /* it is not there, a directory with all that it holds */
};

struct walk_rule {
    bool cross_mounts;
    bool links;      /* give symbolic links instead of leaving them out */
    bool only_links; /* open no file, and pass over all that is neither a link nor a directory */
    /* Says what to do with an entry, by its path below the root, before it is opened; NULL to take everything. Where
     * the file system does not tell what is a directory, it is asked as for one, and again when that is known. */
    enum walk_choice (*choose)(const char *path, bool directory);
};

enum walk_event {
    WALK_DIRECTORY, /* .path and .facts; what it holds follows. The root is never told. */
    WALK_FILE,      /* .path, .facts and .descriptor, open for reading until the next call */
    WALK_LINK,      /* .path, .facts and .target */
    WALK_LEFT_OUT,  /* the fault says what and why; .loss: it is a regular file, or may hold one */
    WALK_END,
    WALK_STOPPED /* interrupt_check, or no memory: the fault says why */
};

struct walk_level {
    int descriptor; /* -1 where the window has moved on */
    struct kernel_facts facts;
    size_t path_length;       /* of its path; 0 for the root */
    struct listing_mark mark; /* where its names begin */
    size_t next;              /* the name that comes next */
};

struct walk {
    /* For the consumer, to be read only; good until the next call. */
    const char *path; /* below the root */
    struct kernel_facts facts;
    int descriptor;
    char target[PATH_MAX];
    bool loss;

    /* The walk's own. */
    const struct walk_rule *rule;
    struct budget *budget;
    struct walk_level *levels;
    size_t depth;         /* levels that are open */
    size_t told;          /* of those, the ones that the consumer knows, the root included */
    size_t size;          /* levels there is room for */
    enum walk_event held; /* to be given when all levels are told; WALK_END for nothing */
    struct kernel_facts held_facts;
    char entry[PATH_MAX];     /* the path of the last entry */
    char directory[PATH_MAX]; /* of a directory that is told late */
    struct listing listing;
};

/*
 * Begins a walk of the open directory, which it takes and closes. path is for faults about the root. Names and depth
 * are charged to the budget; files are the caller's to charge. REASON_UNSUPPORTED where the kernel does not tell mounts
 * apart and none may be crossed; REASON_NOT_REGULAR for a directory of a pseudo file system; or what the errno of a
 * call says. On failure nothing is left open.
 */
enum reason walk_begin(struct walk *walk, int directory, const char *path, const struct walk_rule *rule,
                       struct budget *budget, struct fault *fault);

/*
 * Goes on to what comes next. What is left out has REASON_LINK, REASON_NOT_REGULAR, REASON_TOO_LARGE (names, depth),
 * REASON_BAD_NAME (a control byte, or a path of PATH_MAX or more), REASON_ESCAPES (a mount), REASON_CHANGED (a
 * directory that was moved while it was walked), or what regular_open says.
 */
enum walk_event walk_next(struct walk *walk, struct fault *fault);

/* Closes and frees what the walk holds. */
void walk_end(struct walk *walk);

#endif
