/*
 * name: what a name, and the last component of a path, may look like. Pure: no system calls.
 */
#ifndef SBX_PATH_NAME_H
#define SBX_PATH_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

enum { NAME_LONGEST = 255 /* NAME_MAX of limits.h, in bytes */ };

/*
 * Checks a name of length bytes (no NUL needed) that is about to be made or carried: REASON_BAD_NAME for one that is
 * empty, longer than NAME_LONGEST,
 * "." or "..", or that holds "/" or a control byte (below 0x20, or 0x7f).
 */
enum reason name_check(const char *name, size_t length, struct fault *fault);

/* Whether a name that is made or carried may hold this byte. */
bool name_carries(unsigned char byte);

/*
 * Checks that a path can name a file: REASON_BAD_NAME for one that ends in "/", "." or ".." as a component, which
 * would make the kernel follow a last link whatever O_NOFOLLOW says (path_resolution(7)), or that is PATH_MAX or
 * longer. *last is where its last component begins.
 */
enum reason name_split(const char *path, const char **last, struct fault *fault);

/* Whether ".." is a component of the path. */
bool name_climbs(const char *path);

#endif
