/*
 * limit: the resource limits of --limit NAME=VALUE. Pure: no system calls. setrlimit(2).
 */
#ifndef SBX_JAIL_LIMIT_H
#define SBX_JAIL_LIMIT_H

#include <stdbool.h>
#include <sys/resource.h>

#include "base/fault.h"
#include "base/options.h"

enum limit_kind { LIMIT_AS, LIMIT_CORE, LIMIT_CPU, LIMIT_FSIZE, LIMIT_NOFILE, LIMIT_NPROC, LIMIT_STACK, LIMIT_COUNT };

struct limits {
    bool given[LIMIT_COUNT];
    rlim_t value[LIMIT_COUNT]; /* both the soft and the hard one */
};

/* The names, as the help shows them. */
#define LIMIT_NAMES "as core cpu fsize nofile nproc stack"

/* The RLIMIT_ constant of a kind, and its name. */
int limit_resource(enum limit_kind kind);
const char *limit_name(enum limit_kind kind);

/*
 * Reads NAME=VALUE for each item: sizes for as, core, fsize and stack, a time (rounded up to seconds) for cpu, numbers
 * for nofile and nproc, unlimited for all. core is 0 unless given: a core file is the command's memory, left where the
 * command likes. REASON_USAGE for anything else, and for a name given twice.
 */
enum reason limit_parse(const struct options_list *items, struct limits *limits, struct fault *fault);

#endif
