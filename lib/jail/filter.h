/*
 * filter: the seccomp program that every command runs under, as instructions. Pure: no system calls.
 *
 * One table of system calls, with their numbers for each architecture, says what is refused; all else is allowed.
 * Documentation/userspace-api/seccomp_filter.rst, seccomp(2).
 */
#ifndef SBX_JAIL_FILTER_H
#define SBX_JAIL_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FILTER_GUARDED = 2, FILTER_SIZE = 256 /* instructions, more than any policy takes */ };

struct filter_policy {
    bool allow_userns;             /* new user namespaces, and entering one */
    bool allow_32bit;              /* the 32-bit architecture beside the native one, and x32 */
    pid_t guarded[FILTER_GUARDED]; /* processes whose limits and scheduling are out of reach; 0 for none */
};

/* Writes the program; gives how many of the FILTER_SIZE instructions it has. */
size_t filter_build(const struct filter_policy *policy, struct sock_filter *program);

#endif
