/*
 * budget: the caps of a tree, counted. Pure: it adds up what its caller names and says when a cap is passed.
 *
 * The walk that collects a tree and the one that lands it charge the same things to the same counters, so that a tree
 * which passes one passes the other.
 *
 *     depth   components of a path below the root: a file in the root has depth 1
 *     names   bytes of the last component of every entry that a directory lists, of whatever type, so that a flood of
 *             FIFOs or of empty directories is bounded too
 *     files   regular files taken
 *     bytes   what was read, or, before reading, what a size claims
 *
 * Every cap is the largest value that still passes; BUDGET_UNLIMITED is none.
 */
#ifndef SBX_PATH_BUDGET_H
#define SBX_PATH_BUDGET_H

#include <stdint.h>

#include "base/fault.h"
#include "base/reason.h"

#define BUDGET_UNLIMITED UINT64_MAX

#define BUDGET_FILE_DEFAULT  (UINT64_C(100) << 20)
#define BUDGET_TOTAL_DEFAULT (UINT64_C(1) << 30)
#define BUDGET_FILES_DEFAULT UINT64_C(10000)
#define BUDGET_DEPTH_DEFAULT UINT64_C(64)
#define BUDGET_NAMES_DEFAULT (UINT64_C(1) << 20)

struct budget {
    uint64_t max_file;  /* --max-file: bytes of one file */
    uint64_t max_total; /* --max-total: bytes of all files */
    uint64_t max_files; /* --max-files */
    uint64_t max_depth; /* --max-depth */
    uint64_t max_names; /* --max-names: bytes */

    uint64_t total; /* what has been charged so far */
    uint64_t files;
    uint64_t names;
};

/* Sets the default caps and empties the counters. */
void budget_init(struct budget *budget);

/* All four give REASON_OK, or REASON_TOO_LARGE with the fault filled: path, the value, the cap and its option. */

/* Charges one listed name of that many bytes. Past the cap it stays past it: every further name is refused as well. */
enum reason budget_charge_name(struct budget *budget, const char *path, uint64_t length, struct fault *fault);

/* Says whether an entry may have this depth. Charges nothing. */
enum reason budget_check_depth(const struct budget *budget, const char *path, uint64_t depth, struct fault *fault);

/*
 * Says whether one more file of this size fits: its own cap, then the count, then the total. Charges nothing, so that
 * a file which is left out costs nothing.
 */
enum reason budget_check_file(const struct budget *budget, const char *path, uint64_t size, struct fault *fault);

/* Charges one file and the bytes that were read of it (or that its header promises, which the stream will deliver). */
void budget_charge_file(struct budget *budget, uint64_t bytes);

#endif
