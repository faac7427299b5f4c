/*
 * seccomp: putting a process under the program of filter.h. seccomp(2).
 */
#ifndef SBX_JAIL_SECCOMP_H
#define SBX_JAIL_SECCOMP_H

#include <stdbool.h>

#include "base/fault.h"
#include "filter.h"

/* Whether the kernel takes filters at all. */
bool seccomp_available(void);

/* Puts the process, and all that it starts, under the policy, for good. Requires no_new_privs. */
enum reason seccomp_enter(const struct filter_policy *policy, struct fault *fault);

#endif
