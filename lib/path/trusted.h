/*
 * trusted: a directory that root may write in, because only root can say where it is.
 *
 * Container root acts for the caller, the agent owns most of the tree: a path that an agent can bend at any component
 * leads root wherever the agent likes. Every component is opened in the one before, without following links, and
 * judged by its descriptor.
 */
#ifndef SBX_PATH_TRUSTED_H
#define SBX_PATH_TRUSTED_H

#include <sys/types.h>

#include "base/fault.h"

enum { TRUSTED_MUST_EXIST = 0 };

/*
 * Opens the directory at an absolute path, O_RDONLY. Each component must be root's and not writable by group or others
 * (an ACL's mask counts as group), except that a directory on the way may be so if it is sticky. A component that is
 * missing is made with exactly the mode make, or REASON_MISSING where make is TRUSTED_MUST_EXIST. The descriptor is the
 * caller's to close. REASON_UNSAFE_DIRECTORY, REASON_LINK, REASON_USAGE (not absolute), or what the errno of the call
 * says.
 */
enum reason trusted_open(const char *path, mode_t make, int *directory, struct fault *fault);

#endif
