/*
 * options: a tool's command line, from one table.
 *
 * The table says what parses, and --help prints it; the OPTIONS of the man pages and the completions are made from
 * --help. getopt_long(3) style: --name VALUE, --name=VALUE, "--" or the first operand ends the options. Stricter in
 * three ways, since scripts live long: no abbreviations (they break when an option is added), no repetition except of
 * lists, no empty value where a path or a name is due.
 */
#ifndef SBX_BASE_OPTIONS_H
#define SBX_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

enum options_kind {
    OPTIONS_FLAG,     /* bool */
    OPTIONS_TEXT,     /* const char *, not empty */
    OPTIONS_LIST,     /* struct options_list, each not empty */
    OPTIONS_SIZE,     /* uint64_t, bytes */
    OPTIONS_COUNT,    /* uint64_t */
    OPTIONS_DURATION, /* int64_t, milliseconds, more than 0 */
    OPTIONS_MODE,     /* unsigned, permission bits without setuid, setgid and sticky */
    OPTIONS_CHOICE    /* unsigned, the place in "a|b|c" */
};

struct options_list {
    const char **items;
    size_t count;
};

struct options_row {
    const char *name;     /* without the dashes; NULL ends a table */
    const char *argument; /* as the help shows it; for a choice "a|b|c", which is also what is allowed */
    enum options_kind kind;
    void *value; /* what the kind says; untouched unless the option is given */
    const char *help;
    bool given; /* set by options_parse */
};

/*
 * Parses argv. *operands is where the operands begin in it. REASON_USAGE with a fault that names the option and what it
 * takes. Lists point into argv; their array is allocated once and never freed.
 */
enum reason options_parse(struct options_row *table, int argc, char **argv, int *operands, struct fault *fault);

/* Whether the option of this name was given. The name must be in the table. */
bool options_given(const struct options_row *table, const char *name);

/* REASON_USAGE if one of names (space-separated) was given together with the option. */
enum reason options_exclude(const struct options_row *table, const char *name, const char *names, struct fault *fault);

/* REASON_USAGE if one of names (space-separated) was given without the option. */
enum reason options_require(const struct options_row *table, const char *name, const char *names, struct fault *fault);

#endif
