/*
 * sbx-discard: remove a drop, and nothing else.
 *
 * Threat: a caller's script may hand over a path that the agent had a say in. So a path is removed only if it has,
 * byte for byte, the shape that sbx-put printed, beneath a drop root that only root can have made, and by descriptors,
 * through no link and into no other mount.
 */
#include <stdbool.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/identity.h"
#include "base/interrupt.h"
#include "path/drop.h"
#include "path/trusted.h"
#include "tool.h"

static struct tool_common common;
static const char *drop_root = DROP_ROOT;
static bool force;
static int64_t stale;

static struct options_row options[] = {
    {"drop-root", "DIR", OPTIONS_TEXT, &drop_root, "Where the drops are (default " DROP_ROOT ")", false},
    {"force", NULL, OPTIONS_FLAG, &force, "What is missing is no failure", false},
    {"stale", "AGE", OPTIONS_DURATION, &stale, "Remove every drop older than AGE that nobody is writing", false},
    TOOL_COMMON_OPTIONS(common),
};

static const struct tool tool = {
    .name = "sbx-discard",
    .synopsis = "sbx-discard [--drop-root DIR] [--force] PATH...\n"
                "sbx-discard [--drop-root DIR] [--force] --stale AGE",
    .purpose = "Remove drops of sbx-put, as root, and nothing else",
    .options = options,
    .common = &common,
};

/* Checks everything before anything is removed. */
static enum reason discard_check(int operands, char *const *paths, struct fault *fault)
{
    char hex[DROP_HEX + 1];
    const char *name;
    if (stale ? operands != 0 : operands == 0)
        return fault_set(fault, REASON_USAGE, NULL, "takes paths of drops, or --stale AGE; see --help");
    enum reason reason = drop_check_root(drop_root, fault);
    for (int i = 0; i < operands && reason == REASON_OK; i++)
        reason = *paths[i] ? drop_parse(drop_root, paths[i], hex, &name, fault)
                           : fault_set(fault, REASON_USAGE, NULL, "an empty path; see --help");
    if (reason == REASON_OK && !identity_is_root())
        reason = fault_set(fault, REASON_PERMISSION_DENIED, NULL, "a drop is root's; use docker exec -u root");
    return reason;
}

/* Removes each and goes on after a failure: the first one is the answer, the others get their lines. */
static enum reason discard_paths(int root, int operands, char *const *paths, struct fault *fault)
{
    static struct fault later;
    enum reason first = REASON_OK;
    for (int i = 0; i < operands; i++) {
        char hex[DROP_HEX + 1];
        const char *name;
        struct fault *here = first == REASON_OK ? fault : &later;
        enum reason reason = interrupt_check(here, paths[i]);
        if (reason == REASON_OK)
            reason = drop_parse(drop_root, paths[i], hex, &name, here);
        if (reason == REASON_OK)
            reason = drop_remove(root, hex, name, paths[i], here);
        if (reason == REASON_OK || (force && reason == REASON_MISSING))
            continue;
        if (first == REASON_OK)
            first = reason;
        else
            diagnostic_fault(&later);
    }
    return first;
}

static enum reason discard(int operands, char *const *paths, struct fault *fault)
{
    int root;
    enum reason reason = trusted_open(drop_root, TRUSTED_MUST_EXIST, &root, fault);
    if (reason == REASON_MISSING && force)
        return REASON_OK;
    if (reason != REASON_OK)
        return reason;
    reason = stale ? drop_sweep(root, stale, drop_root, fault) : discard_paths(root, operands, paths, fault);
    close(root);
    return reason;
}

int main(int argc, char **argv)
{
    static struct fault fault;
    int at = tool_begin(&tool, argc, argv);
    enum reason reason = discard_check(argc - at, argv + at, &fault);
    if (reason == REASON_OK)
        reason = discard(argc - at, argv + at, &fault);
    tool_end(reason, &fault);
}
