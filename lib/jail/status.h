/*
 * status: the file that says how a run ended.
 *
 * What an earlier run left is taken away first, so that a supervisor that is killed leaves no file rather than a wrong
 * one; the new one is there whole or not at all.
 */
#ifndef SBX_JAIL_STATUS_H
#define SBX_JAIL_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "path/parent.h"

struct status {
    const char *path; /* NULL for no file; must stay valid */
    struct parent parent;
};

/*
 * Opens the file's directory and removes what has its name. A trusted one (as root) must be one that only root can have
 * made, see path/trusted.h. The reasons of parent_open, and REASON_PERMISSION_DENIED where the file could not be made.
 */
enum reason status_begin(struct status *status, const char *path, bool trusted, struct fault *fault);

/* Writes the file. */
enum reason status_write(const struct status *status, const char *line, size_t length, struct fault *fault);

#endif
