/*
 * descent: the descendants of this process, found by walking /proc.
 *
 * The last resort. It is not atomic: who forks faster than it walks gets away until the next walk. What it signals it
 * has identified by pid, parent and start time on a pidfd, so that no other process that got a pid anew is hit.
 */
#ifndef SBX_JAIL_DESCENT_H
#define SBX_JAIL_DESCENT_H

#include <stdbool.h>

/* Whether there is a /proc to walk. */
bool descent_possible(void);

/* Sends the signal to every descendant, 0 to none; gives how many are alive. */
unsigned descent_signal(int signal);

#endif
