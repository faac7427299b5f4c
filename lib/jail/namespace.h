/*
 * namespace: a PID namespace for the command, whose end is the end of all that is in it. pid_namespaces(7).
 *
 * Only where root may make one without a user namespace, and with a new /proc that shows what is in it.
 */
#ifndef SBX_JAIL_NAMESPACE_H
#define SBX_JAIL_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/fault.h"

/* Whether it may be tried: CAP_SYS_ADMIN, and a new /proc would reveal nothing that the present one hides. */
bool namespace_allowed(void);

/* fork(2) into a new PID and mount namespace, of which the child is the init. */
pid_t namespace_fork(void);

/* For the child: mounts the new /proc, where nobody outside sees it. */
enum reason namespace_mount_proc(struct fault *fault);

#endif
