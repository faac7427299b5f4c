/*
 * sbx-collect: write a directory's regular files to stdout as one stream, as the agent.
 *
 * Threat: the tree is the agent's, and changes while it is read. A link, or a directory swapped for one, may lead to
 * what the caller is not to get; a FIFO may never end; a flood of names or bytes may fill whoever lists or receives
 * them; a stream that is cut may look complete. So the walk goes by descriptors and through no link (path/walk.h),
 * every name and byte is charged to a budget, and the stream ends with a record of what it holds (stream/ending.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/diagnostic.h"
#include "path/budget.h"
#include "path/lookup.h"
#include "path/regular.h"
#include "path/walk.h"
#include "send.h"
#include "tool.h"

enum { SYMLINKS_SKIP, SYMLINKS_KEEP };

static struct tool_common common;
static struct budget budget; /* set before the options are read */
static struct options_list include;
static struct options_list exclude;
static bool cross_mounts;
static const char *beneath;
static unsigned symlinks;
static bool list;
static bool strict;

static struct options_row options[] = {
    {"beneath", "DIR", OPTIONS_TEXT, &beneath,
     "Resolve the other DIR, a relative one, beneath this one and through no link", false},
    {"max-file", "SIZE", OPTIONS_SIZE, &budget.max_file, "Leave out a file of more than SIZE bytes (default 100M)",
     false},
    {"max-total", "SIZE", OPTIONS_SIZE, &budget.max_total, "Leave out what would make it more in all (default 1G)",
     false},
    {"max-files", "N", OPTIONS_COUNT, &budget.max_files, "Leave out all files after the first N (default 10000)",
     false},
    {"max-depth", "N", OPTIONS_COUNT, &budget.max_depth, "Leave out what lies deeper than N names (default 64)", false},
    {"max-names", "SIZE", OPTIONS_SIZE, &budget.max_names,
     "Leave out a directory whose names make it more in all, and all later ones (default 1M)", false},
    {"include", "GLOB...", OPTIONS_LIST, &include, "Take only what matches this one, or another --include", false},
    {"exclude", "GLOB...", OPTIONS_LIST, &exclude, "Pass over what matches, a directory with all that it holds", false},
    {"symlinks", "skip|keep", OPTIONS_CHOICE, &symlinks,
     "Leave symbolic links out (the default), or keep them, never followed", false},
    {"list", NULL, OPTIONS_FLAG, &list, "Print the paths that it would take, each with a NUL behind it, instead",
     false},
    {"strict", NULL, OPTIONS_FLAG, &strict, "End with partial also for links, FIFOs, sockets and devices left out",
     false},
    {"cross-mounts", NULL, OPTIONS_FLAG, &cross_mounts, "Enter what is mounted in DIR", false},
    TOOL_PROGRESS_OPTION(common),
    TOOL_COMMON_OPTIONS(common),
};

static const struct tool tool = {
    .name = "sbx-collect",
    .synopsis = "sbx-collect [--beneath DIR] [--max-file SIZE] [--max-total SIZE]\n"
                "        [--max-files N] [--max-depth N] [--max-names SIZE] [--include GLOB]...\n"
                "        [--exclude GLOB]... [--symlinks skip|keep] [--list] [--strict]\n"
                "        [--cross-mounts] DIR",
    .purpose = "Write a directory's regular files to stdout as one stream, following no link",
    .options = options,
    .common = &common,
};

/* What came of the walk so far. */
struct collect {
    struct walk_rule rule;
    struct walk walk;
    struct send send;
    struct kernel_facts root;
    uint64_t skipped;
    bool partial;
};

/* Reports what is left out; loss: it is a regular file, or may hold one. */
static void collect_leave_out(struct collect *collect, bool loss, const struct fault *fault)
{
    collect->skipped++;
    collect->partial |= loss || strict;
    diagnostic_report(fault);
}

/* A failure concerns what is sent, and is reported, or the whole stream. */
static enum reason collect_judge(struct collect *collect, enum reason reason, bool loss, const struct fault *fault)
{
    if (reason == REASON_OK || collect->send.stopped)
        return reason;
    collect_leave_out(collect, loss, fault);
    return REASON_OK;
}

static enum reason collect_print(struct collect *collect, struct fault *fault)
{
    const char *path = collect->walk.path;
    return send_bytes(&collect->send, path, strlen(path) + 1, fault);
}

static enum reason collect_file(struct collect *collect, struct fault *fault)
{
    const struct walk *walk = &collect->walk;
    const struct send_file file = {.name = walk->path,
                                   .path = walk->path,
                                   .descriptor = walk->descriptor,
                                   .size = walk->facts.size,
                                   .facts = walk->facts};
    if (budget_check_file(&budget, walk->path, file.size, fault) != REASON_OK) {
        collect_leave_out(collect, true, fault);
        return REASON_OK;
    }
    budget_charge_file(&budget, file.size);
    if (list)
        return collect_print(collect, fault);
    return collect_judge(collect, send_file(&collect->send, &file, fault), true, fault);
}

static enum reason collect_name(struct collect *collect, enum member_type type, const char *target, struct fault *fault)
{
    const struct walk *walk = &collect->walk;
    if (list)
        return target ? collect_print(collect, fault) : REASON_OK;
    enum reason reason = send_name(&collect->send, type, walk->path, target, walk->facts.mtime.tv_sec, fault);
    return collect_judge(collect, reason, target == NULL, fault);
}

/* Goes through the tree to its end. */
static enum reason collect_walk(struct collect *collect, struct fault *fault)
{
    struct walk *walk = &collect->walk;
    enum reason reason = REASON_OK;
    while (reason == REASON_OK) {
        switch (walk_next(walk, fault)) {
        case WALK_DIRECTORY:
            reason = collect_name(collect, MEMBER_DIRECTORY, NULL, fault);
            break;
        case WALK_FILE:
            reason = collect_file(collect, fault);
            break;
        case WALK_LINK:
            reason = collect_name(collect, MEMBER_SYMLINK, walk->target, fault);
            break;
        case WALK_LEFT_OUT:
            collect_leave_out(collect, walk->loss, fault);
            break;
        case WALK_STOPPED:
            return fault->reason;
        case WALK_END:
            return REASON_OK;
        }
    }
    return reason;
}

/* Opens the directory that is meant: "DIR/" is DIR, and a link there is a link, as without the "/". */
static enum reason collect_open(char *path, int *directory, struct fault *fault)
{
    int base = AT_FDCWD;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    if (beneath) {
        base = open(beneath, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (base < 0)
            return fault_errno(fault, beneath, "open", errno);
    }
    *directory =
        lookup_open(base, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, beneath ? LOOKUP_BENEATH : LOOKUP_PLAIN);
    enum reason reason = *directory < 0 ? regular_refused(path, errno, fault) : REASON_OK;
    if (beneath)
        close(base);
    return reason;
}

static bool collect_matches(const struct options_list *globs, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->items[i], strchr(globs->items[i], '/') ? path : name, 0) == 0)
            return true;
    return false;
}

static enum walk_choice collect_choose(const char *path, bool directory)
{
    if (collect_matches(&exclude, path))
        return WALK_PASS_OVER;
    if (include.count == 0 || collect_matches(&include, path))
        return WALK_TAKE;
    return directory ? WALK_TAKE_WITHIN : WALK_PASS_OVER;
}

static enum reason collect_begin(struct collect *collect, char *path, struct fault *fault)
{
    int directory = -1;
    enum reason reason = collect_open(path, &directory, fault);
    if (reason != REASON_OK)
        return reason;
    if (kernel_facts(directory, &collect->root) < 0)
        reason = fault_errno(fault, path, "statx", errno);
    else if (!S_ISDIR(collect->root.mode))
        reason = fault_set(fault, REASON_NOT_REGULAR, path, "no directory; sbx-get reads a file");
    if (reason != REASON_OK) {
        close(directory);
        return reason;
    }
    collect->rule =
        (struct walk_rule){.cross_mounts = cross_mounts, .links = symlinks == SYMLINKS_KEEP, .choose = collect_choose};
    reason = walk_begin(&collect->walk, directory, path, &collect->rule, &budget, fault);
    /* A root with more names than there may be is left out like any other directory. */
    if (reason != REASON_TOO_LARGE)
        return reason;
    collect_leave_out(collect, true, fault);
    return REASON_OK;
}

static enum reason collect_run(struct collect *collect, char *path, struct fault *fault)
{
    enum reason reason = collect_begin(collect, path, fault);
    if (reason == REASON_OK)
        reason = collect_walk(collect, fault);
    if (reason == REASON_OK && collect->partial)
        reason = fault_set(fault, REASON_PARTIAL, path, "%llu left out", (unsigned long long)collect->skipped);
    return reason;
}

/* A glob that no path can match is a mistake, and would take everything or nothing. */
static enum reason collect_check_globs(const struct options_list *globs, struct fault *fault)
{
    for (size_t i = 0; i < globs->count; i++) {
        const char *glob = globs->items[i];
        if (glob[0] == '/' || strncmp(glob, "./", 2) == 0 || glob[strlen(glob) - 1] == '/')
            return fault_set(fault, REASON_USAGE, glob, "a GLOB is compared with paths below DIR, such as sub/file");
    }
    return REASON_OK;
}

static enum reason collect_check(int operands, const char *path, struct fault *fault)
{
    if (operands != 1)
        return fault_set(fault, REASON_USAGE, NULL, "takes one DIR; see --help");
    /* What root reads, the agent can choose by a link in the middle: that is the bug this tool exists to end. */
    if (tool_is_bare_root(&tool))
        return fault_set(fault, REASON_ROOT_REFUSED, NULL,
                         "root reads where an agent steers; use docker exec -u AGENT, or --as AGENT");
    enum reason reason = tool_check_path(&tool, path, fault);
    if (reason == REASON_OK)
        reason = collect_check_globs(&include, fault);
    if (reason == REASON_OK)
        reason = collect_check_globs(&exclude, fault);
    return reason;
}

int main(int argc, char **argv)
{
    static struct fault fault;
    static struct collect collect;
    collect.root.mode = SEND_MODE;
    budget_init(&budget);
    int at = tool_begin(&tool, argc, argv);
    enum reason reason = descriptor_check_stream(STDOUT_FILENO, DESCRIPTOR_STDOUT, &fault);
    if (reason != REASON_OK)
        tool_end(reason, &fault);
    send_begin(&collect.send);
    reason = collect_check(argc - at, argv[at], &fault);
    if (reason == REASON_OK)
        reason = collect_run(&collect, argv[at], &fault);
    if (list)
        reason = send_end_bytes(&collect.send, reason, &fault);
    else
        reason = send_end(&collect.send, reason, collect.skipped, collect.root.mode, collect.root.mtime.tv_sec, &fault);
    tool_end(reason, &fault);
}
