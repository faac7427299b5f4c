/*
 * scope: a Landlock domain around a process and all that it starts, which no signal leaves.
 *
 * Landlock ABI 6, Linux 6.12: whoever is in a domain with the signal scope can signal, and by the same comparison of
 * domains trace, only what is in the same domain or in one nested in it. Domains nest, and are inherited like an
 * identity: no fork, exec, setsid or reparenting leaves one.
 */
#ifndef SBX_JAIL_SCOPE_H
#define SBX_JAIL_SCOPE_H

#include "base/fault.h"

/* The running ABI of Landlock; 0 where it is not built in, off at boot or refused. */
int scope_abi(void);

/* Makes the ruleset that scope_enter takes; *ruleset is the caller's to close, -1 where the ABI has no scopes. */
enum reason scope_open(int *ruleset, struct fault *fault);

/* Enters a new domain inside the present one. Requires no_new_privs. */
enum reason scope_enter(int ruleset, struct fault *fault);

#endif
