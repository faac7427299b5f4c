/*
 * sbx-put: write stdin to a place that nobody can redirect: a file, or the directory that a stream holds.
 *
 * Two forms. A drop (root): a fresh directory beneath one that only root can have made, so that no agent steers root's
 * write, and a file that stays root's, so that no agent rewrites it. --at (the agent, or the caller on the host): a new
 * file beside the destination, renamed onto it, so that no link at the destination is followed and no reader sees half
 * a file. Whatever fails, nothing is left.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/identity.h"
#include "base/interrupt.h"
#include "base/quantity.h"
#include "path/budget.h"
#include "path/drop.h"
#include "path/landing.h"
#include "path/name.h"
#include "path/parent.h"
#include "path/stage.h"
#include "put_input.h"
#include "put_tree.h"
#include "tool.h"

enum { AT_MODE = 0644 /* less the umask */ };

static struct tool_common common;
static struct put_input input = {.max = 100 * 1024 * 1024};
static const char *drop_root = DROP_ROOT;
static const char *at_path;
static const char *beneath;
static struct put_tree tree = {.max = QUANTITY_UNLIMITED};
static bool is_tree;
static bool parents;
static bool no_replace;
static bool sync_it;
static unsigned mode;

static struct options_row options[] = {
    {"at", "PATH", OPTIONS_TEXT, &at_path, "Write PATH, replacing what is there, instead of a drop", false},
    {"beneath", "DIR", OPTIONS_TEXT, &beneath, "Resolve PATH, a relative one, beneath DIR and through no link", false},
    {"parents", NULL, OPTIONS_FLAG, &parents, "Make the directories of PATH that are missing", false},
    {"no-replace", NULL, OPTIONS_FLAG, &no_replace, "Refuse when PATH is there already", false},
    {"sync", NULL, OPTIONS_FLAG, &sync_it, "Return when the file and its name are on the disk", false},
    {"from", "FILE", OPTIONS_TEXT, &input.from, "Take the bytes from FILE, opened as sbx-get does, not stdin", false},
    {"max", "SIZE", OPTIONS_SIZE, &input.max,
     "Refuse more than SIZE bytes (default 100M; of a stream of a tree, unlimited)", false},
    {"size", "N", OPTIONS_SIZE, &input.size, "Take exactly N bytes; fewer are a truncated input", false},
    {"sealed", NULL, OPTIONS_FLAG, &input.sealed, "Take what sbx-get --sealed wrote, complete or not at all", false},
    {"tree", NULL, OPTIONS_FLAG, &is_tree, "Take a stream of sbx-collect or tar, and make the directory that it holds",
     false},
    {"symlinks", "skip|inside", OPTIONS_CHOICE, &tree.symlinks,
     "Leave symbolic links of a tree out (the default), or make those that stay in it", false},
    {"strict", NULL, OPTIONS_FLAG, &tree.strict, "Refuse a tree of which something would be left out", false},
    {"max-file", "SIZE", OPTIONS_SIZE, &tree.budget.max_file,
     "Refuse a tree with a file of more than SIZE bytes (default 100M)", false},
    {"max-total", "SIZE", OPTIONS_SIZE, &tree.budget.max_total,
     "Refuse a tree of more than SIZE bytes in all (default 1G)", false},
    {"max-files", "N", OPTIONS_COUNT, &tree.budget.max_files, "Refuse a tree of more than N files (default 10000)",
     false},
    {"max-depth", "N", OPTIONS_COUNT, &tree.budget.max_depth, "Refuse a tree deeper than N names (default 64)", false},
    {"max-names", "SIZE", OPTIONS_SIZE, &tree.budget.max_names,
     "Refuse a tree whose names have more than SIZE bytes in all (default 1M)", false},
    {"mode", "MODE", OPTIONS_MODE, &mode, "Permission bits in octal (default 0444 for a drop, else 0644)", false},
    {"drop-root", "DIR", OPTIONS_TEXT, &drop_root, "Where drops are made (default " DROP_ROOT ")", false},
    TOOL_PROGRESS_OPTION(common),
    TOOL_COMMON_OPTIONS(common),
};

static const struct tool tool = {
    .name = "sbx-put",
    .synopsis = "sbx-put [--max SIZE] [--size N] [--sealed|--tree] [--mode MODE]\n"
                "        [--drop-root DIR] NAME\n"
                "sbx-put --at PATH [--beneath DIR] [--parents] [--no-replace] [--max SIZE]\n"
                "        [--size N] [--sealed|--tree] [--mode MODE] [--sync] [--from FILE]\n"
                "sbx-put --tree [--symlinks skip|inside] [--strict] [--max-file SIZE]\n"
                "        [--max-total SIZE] [--max-files N] [--max-depth N] [--max-names SIZE]\n"
                "        NAME|--at PATH",
    .purpose = "Write stdin to a place that nobody can redirect, whole or not at all",
    .options = options,
    .common = &common,
};

/* Prints the path of a drop that is complete: from this line on it is the caller's. */
static enum reason put_print(const struct drop *drop, struct fault *fault)
{
    char line[PATH_MAX + 1];
    int length = snprintf(line, sizeof line, "%s\n", drop->path);
    enum reason reason = descriptor_write(STDOUT_FILENO, line, (size_t)length, DESCRIPTOR_STDOUT, fault);
    if (reason == REASON_OK)
        reason = descriptor_settle(STDOUT_FILENO, DESCRIPTOR_STDOUT, fault);
    return reason;
}

/* Makes NAME as a file. */
static enum reason put_drop_file(struct drop *drop, struct fault *fault)
{
    mode_t bits = options_given(options, "mode") ? mode : DROP_MODE;
    enum reason reason = drop_open_file(drop, bits, fault);
    if (reason == REASON_OK)
        reason = put_input_copy(&input, drop->file, drop->path, fault);
    if (reason == REASON_OK)
        reason = drop_finish(drop, bits, fault);
    return reason;
}

/* Makes NAME as a directory. REASON_PARTIAL is a success with something to tell. */
static enum reason put_drop_tree(struct drop *drop, struct fault *fault)
{
    int directory;
    struct fault failed;
    struct timespec mtime;
    enum reason reason = drop_make_tree(drop, &directory, fault);
    if (reason != REASON_OK)
        return reason;
    reason = put_tree_fill(&tree, &input, directory, &mtime, fault);
    if (put_tree_lands(&tree, reason)) {
        enum reason finished = landing_finish(directory, mtime, drop->path, &failed);
        if (finished == REASON_OK)
            finished = drop_finish(drop, LANDING_MODE, &failed);
        if (finished != REASON_OK) {
            *fault = failed;
            reason = finished;
        }
    }
    close(directory);
    return reason;
}

static enum reason put_drop(const char *name, struct fault *fault)
{
    static struct drop drop;
    struct fault failed;
    enum reason reason = drop_begin(&drop, drop_root, name, fault);
    if (reason != REASON_OK)
        return reason;
    reason = is_tree ? put_drop_tree(&drop, fault) : put_drop_file(&drop, fault);
    if (put_tree_lands(&tree, reason)) {
        if (put_print(&drop, &failed) == REASON_OK)
            return reason;
        *fault = failed;
        reason = failed.reason;
    }
    interrupt_end();
    drop_undo(&drop);
    return reason;
}

/* Writes the file in its open parent. */
static enum reason put_in(const struct parent *parent, struct fault *fault)
{
    struct stage stage;
    struct stage_mode bits = {AT_MODE, false};
    struct stage_rule rule = {no_replace, -1};
    if (options_given(options, "mode"))
        bits = (struct stage_mode){mode, true};
    enum reason reason = REASON_OK;
    if (sync_it)
        reason = parent_open_for_sync(parent, at_path, &rule.sync, fault);
    if (reason == REASON_OK)
        reason = stage_begin(&stage, parent->directory, bits, at_path, fault);
    if (reason != REASON_OK)
        return reason;
    reason = put_input_copy(&input, stage.descriptor, at_path, fault);
    if (reason != REASON_OK) {
        interrupt_end();
        stage_discard(&stage);
        return reason;
    }
    return stage_place(&stage, parent->name, &rule, at_path, fault);
}

/* Makes the directory in its open parent. */
static enum reason put_tree_in(const struct parent *parent, struct fault *fault)
{
    struct landing landing;
    struct timespec mtime;
    struct fault failed;
    int sync = -1;
    enum reason reason = REASON_OK;
    if (sync_it)
        reason = parent_open_for_sync(parent, at_path, &sync, fault);
    if (reason == REASON_OK)
        reason = landing_begin(&landing, parent->directory, parent->name, at_path, fault);
    if (reason != REASON_OK)
        return reason;
    reason = put_tree_fill(&tree, &input, landing.root, &mtime, fault);
    interrupt_end();
    if (!put_tree_lands(&tree, reason)) {
        landing_discard(&landing);
        return reason;
    }
    if (landing_place(&landing, parent->name, mtime, sync, at_path, &failed) == REASON_OK)
        return reason;
    *fault = failed;
    return failed.reason;
}

static enum reason put_at(struct fault *fault)
{
    struct parent parent;
    enum parent_rule rule = tool_is_bare_root(&tool) ? PARENT_TRUSTED : beneath ? PARENT_BENEATH : PARENT_PLAIN;
    enum reason reason = parent_open(beneath, at_path, rule, parents, &parent, fault);
    if (reason == REASON_OK) {
        reason = is_tree ? put_tree_in(&parent, fault) : put_in(&parent, fault);
        close(parent.directory);
    }
    return reason;
}

static enum reason put_check_drop(int operands, const char *name, struct fault *fault)
{
    enum reason reason = options_require(options, "at", "beneath parents no-replace sync from", fault);
    if (reason == REASON_OK && operands != 1)
        reason = fault_set(fault, REASON_USAGE, NULL, "takes one NAME, or --at PATH; see --help");
    if (reason == REASON_OK)
        reason = *name ? name_check(name, strlen(name), fault)
                       : fault_set(fault, REASON_USAGE, NULL, "an empty NAME; see --help");
    if (reason == REASON_OK)
        reason = drop_check_root(drop_root, fault);
    if (reason == REASON_OK && !identity_is_root())
        reason =
            fault_set(fault, REASON_PERMISSION_DENIED, NULL, "a drop is root's; use docker exec -u root, or --at PATH");
    return reason;
}

static enum reason put_check_at(int operands, struct fault *fault)
{
    enum reason reason = options_exclude(options, "at", "drop-root", fault);
    if (reason == REASON_OK && operands != 0)
        reason = fault_set(fault, REASON_USAGE, NULL, "takes either --at PATH or NAME; see --help");
    /* With --beneath it is DIR that must be absolute; PATH is relative to it. */
    if (reason == REASON_OK)
        reason = tool_check_path(&tool, beneath ? beneath : at_path, fault);
    if (reason == REASON_OK && input.from)
        reason = tool_check_path(&tool, input.from, fault);
    /* Root would copy what the agent's link in the middle of FILE leads to into a file that the agent reads. */
    if (reason == REASON_OK && input.from && tool_is_bare_root(&tool))
        reason = fault_set(fault, REASON_ROOT_REFUSED, input.from,
                           "root reads where an agent steers; use docker exec -u AGENT, or --as AGENT");
    return reason;
}

/* What makes no sense with a stream, or without one. */
static enum reason put_check_stream(struct fault *fault)
{
    enum reason reason = options_exclude(options, "tree", "sealed size mode", fault);
    if (reason == REASON_OK)
        reason = options_exclude(options, "sealed", "size", fault);
    if (reason == REASON_OK)
        reason =
            options_require(options, "tree", "symlinks strict max-file max-total max-files max-depth max-names", fault);
    if (options_given(options, "max"))
        tree.max = input.max;
    return reason;
}

static enum reason put_check(int operands, const char *name, struct fault *fault)
{
    enum reason reason = at_path ? put_check_at(operands, fault) : put_check_drop(operands, name, fault);
    if (reason == REASON_OK)
        reason = put_check_stream(fault);
    if (reason == REASON_OK)
        reason = put_input_check(&input, options_given(options, "size"), fault);
    return reason;
}

int main(int argc, char **argv)
{
    static struct fault fault;
    budget_init(&tree.budget);
    int at = tool_begin(&tool, argc, argv);
    enum reason reason = put_check(argc - at, argv[at], &fault);
    if (reason == REASON_OK)
        reason = at_path ? put_at(&fault) : put_drop(argv[at], &fault);
    tool_end(reason, &fault);
}
