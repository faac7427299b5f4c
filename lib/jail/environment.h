/*
 * environment: what a command finds in environ(7). Pure: no system calls.
 *
 * Nothing of the caller's environment goes through by itself: it holds what the command must not know (tokens) and what
 * would steer it (LD_PRELOAD). The jail sets PATH, HOME, TMPDIR, TMPPREFIX (zsh), XDG_*_HOME, USER and LANG;
 * --env and --keep add to that and come before it.
 */
#ifndef SBX_JAIL_ENVIRONMENT_H
#define SBX_JAIL_ENVIRONMENT_H

#include "base/fault.h"
#include "base/options.h"

struct environment_request {
    const char *user, *home;   /* for USER and HOME */
    struct options_list *set;  /* --env NAME=VALUE */
    struct options_list *keep; /* --keep NAME; one that the caller does not have is left out */
    char *const *caller;       /* the caller's environment */
};

/*
 * Makes the environment, NULL-terminated; allocated once and never freed. REASON_USAGE for a NAME=VALUE without a name
 * or a "=", a NAME to be kept that is empty or has one, and a name that is given twice.
 */
enum reason environment_build(const struct environment_request *request, char ***environment, struct fault *fault);

/* The value of a name, NULL if it is not there. */
const char *environment_find(char *const *environment, const char *name);

#endif
