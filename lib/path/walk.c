#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "lookup.h"
#include "name.h"
#include "regular.h"

/* What an entry came to, beside the events: nothing to be told. */
enum { WALK_NOTHING = -1, WALK_FIRST_LEVELS = 16 };

static const int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

static struct walk_level *walk_top(struct walk *walk)
{
    return &walk->levels[walk->depth - 1];
}

/* An event whose fault is filled. */
static int walk_left_out(struct walk *walk, bool loss)
{
    walk->loss = loss;
    return WALK_LEFT_OUT;
}

static enum walk_choice walk_choose(const struct walk *walk, bool directory)
{
    return walk->rule->choose ? walk->rule->choose(walk->entry, directory) : WALK_TAKE;
}

/* Whether what was opened lies in another mount than the directory that it was opened in. */
static bool walk_crosses(const struct kernel_facts *outer, const struct kernel_facts *inner)
{
    return outer->mount != inner->mount || outer->device != inner->device;
}

static bool walk_push(struct walk *walk, const struct walk_level *level)
{
    if (walk->depth == walk->size) {
        size_t size = walk->size ? 2 * walk->size : WALK_FIRST_LEVELS;
        struct walk_level *levels = realloc(walk->levels, size * sizeof *levels);
        if (!levels)
            return false;
        walk->levels = levels;
        walk->size = size;
    }
    walk->levels[walk->depth++] = *level;
    /* A tree deeper than we may have descriptors must not end the walk. The root stays open. */
    if (walk->depth > WALK_WINDOW + 1) {
        struct walk_level *passed = &walk->levels[walk->depth - 1 - WALK_WINDOW];
        close(passed->descriptor);
        passed->descriptor = -1;
    }
    return true;
}

/* Lists the directory, which it takes, and goes down into it. */
static enum reason walk_enter(struct walk *walk, int directory, const struct kernel_facts *facts, const char *path,
                              struct fault *fault)
{
    struct walk_level level = {.descriptor = directory,
                               .facts = *facts,
                               .path_length = strlen(walk->entry),
                               .mark = listing_mark(&walk->listing)};
    level.next = level.mark.count;
    enum reason reason = listing_read(&walk->listing, directory, walk->budget, path, fault);
    if (reason == REASON_OK && !walk_push(walk, &level)) {
        listing_drop(&walk->listing, level.mark);
        reason = fault_errno(fault, path, "realloc", ENOMEM);
    }
    if (reason != REASON_OK)
        close(directory);
    return reason;
}

static int walk_take_directory(struct walk *walk, int descriptor, struct fault *fault)
{
    bool wanted = !walk->rule->only_links && walk_choose(walk, true) == WALK_TAKE;
    if (walk_enter(walk, descriptor, &walk->held_facts, walk->entry, fault) != REASON_OK)
        return walk_left_out(walk, true);
    return wanted ? WALK_DIRECTORY : WALK_NOTHING;
}

/* Judges what was opened, and closes it unless it is to be given or walked. */
static int walk_judge(struct walk *walk, int descriptor, struct fault *fault)
{
    const struct kernel_facts *facts = &walk->held_facts;
    bool directory = S_ISDIR(facts->mode);
    bool crosses = walk_crosses(&walk_top(walk)->facts, facts);
    int event = WALK_LEFT_OUT;
    if (!directory && !S_ISREG(facts->mode)) {
        fault_set(fault, REASON_NOT_REGULAR, walk->entry, "%s", regular_kind(facts->mode));
        event = walk_left_out(walk, false);
    } else if (!directory && (walk->rule->only_links || walk_choose(walk, false) != WALK_TAKE))
        event = WALK_NOTHING;
    else if (crosses && !walk->rule->cross_mounts) {
        /* A mount shows what its maker chose, not the tree: the host's files, for one who mounts them in a sandbox. */
        fault_set(fault, REASON_ESCAPES, walk->entry, "a mount point; --cross-mounts enters it");
        event = walk_left_out(walk, true);
    } else if (crosses && regular_is_pseudo(descriptor)) {
        fault_set(fault, REASON_NOT_REGULAR, walk->entry, "of a kernel pseudo file system");
        event = walk_left_out(walk, false);
    } else if (directory)
        return walk_take_directory(walk, descriptor, fault);
    else {
        walk->descriptor = descriptor;
        return WALK_FILE;
    }
    close(descriptor);
    return event;
}

static int walk_take_link(struct walk *walk, const char *name, struct fault *fault)
{
    if (!walk->rule->links) {
        fault_set(fault, REASON_LINK, walk->entry, "a symbolic link");
        return walk_left_out(walk, false);
    }
    int link = openat(walk_top(walk)->descriptor, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    ssize_t length = link < 0 ? -1 : readlinkat(link, "", walk->target, sizeof walk->target);
    int event = WALK_LINK;
    if (length < 0 || kernel_facts(link, &walk->held_facts) < 0) {
        /* What was a link when its directory was listed may be a file now. */
        fault_set(fault, REASON_CHANGED, walk->entry, "readlink: %s", strerror(errno));
        event = walk_left_out(walk, true);
    } else if ((size_t)length == sizeof walk->target) {
        fault_errno(fault, walk->entry, "readlink", ENAMETOOLONG);
        event = walk_left_out(walk, false);
    } else
        walk->target[length] = '\0';
    if (link >= 0)
        close(link);
    return event;
}

static int walk_open(struct walk *walk, const char *name, struct fault *fault)
{
    /* As regular_open, of one component: what the name is now may be a link, a FIFO that nobody writes, a device. */
    int descriptor =
        openat(walk_top(walk)->descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 && errno == ELOOP)
        return walk_take_link(walk, name, fault);
    if (descriptor < 0) {
        enum reason reason = regular_refused(walk->entry, errno, fault);
        return walk_left_out(walk, reason != REASON_NOT_REGULAR);
    }
    if (kernel_facts(descriptor, &walk->held_facts) < 0) {
        fault_errno(fault, walk->entry, "statx", errno);
        close(descriptor);
        return walk_left_out(walk, true);
    }
    return walk_judge(walk, descriptor, fault);
}

/* Appends name to the path of the directory that is being walked. */
static bool walk_name(struct walk *walk, const char *name)
{
    size_t length = walk_top(walk)->path_length;
    size_t name_length = strlen(name);
    if (length + 1 + name_length >= sizeof walk->entry)
        return false;
    if (length > 0)
        walk->entry[length++] = '/';
    memcpy(walk->entry + length, name, name_length + 1);
    return true;
}

/* What the next name of the directory comes to. */
static int walk_take(struct walk *walk, struct fault *fault)
{
    unsigned char type;
    const char *name = listing_name(&walk->listing, walk_top(walk)->next++, &type);
    bool directory = type == DT_DIR || type == DT_UNKNOWN;
    bool loss = directory || type == DT_REG;
    if (!walk_name(walk, name)) {
        walk->entry[walk_top(walk)->path_length] = '\0';
        fault_set(fault, REASON_BAD_NAME, walk->entry, "a path in it is longer than %d bytes", PATH_MAX - 1);
        return walk_left_out(walk, loss);
    }
    if (walk_choose(walk, directory) == WALK_PASS_OVER || (walk->rule->only_links && !directory && type != DT_LNK))
        return WALK_NOTHING;
    if (budget_check_depth(walk->budget, walk->entry, walk->depth, fault) != REASON_OK)
        return walk_left_out(walk, loss);
    if (!loss && type != DT_LNK) {
        fault_set(fault, REASON_NOT_REGULAR, walk->entry, "%s", regular_kind(DTTOIF(type)));
        return walk_left_out(walk, false);
    }
    if ((loss || walk->rule->links) && name_check(name, strlen(name), fault) != REASON_OK) {
        fault_set(fault, REASON_BAD_NAME, walk->entry, "a control byte in its name");
        return walk_left_out(walk, loss);
    }
    return type == DT_LNK ? walk_take_link(walk, name, fault) : walk_open(walk, name, fault);
}

static bool walk_is(int descriptor, const struct kernel_facts *facts)
{
    struct kernel_facts now;
    return kernel_facts(descriptor, &now) == 0 && now.inode == facts->inode && !walk_crosses(facts, &now);
}

/*
 * Opens a directory again that the window has passed. It may have been moved meanwhile, and ".." of what it held too,
 * to wherever the mover likes: only the very directory that was listed will do.
 */
static int walk_reopen(const struct walk *walk, const struct walk_level *level, int inner)
{
    char path[PATH_MAX];
    int descriptor = inner < 0 ? -1 : openat(inner, "..", directory_flags);
    if (descriptor >= 0 && walk_is(descriptor, &level->facts))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    memcpy(path, walk->entry, level->path_length);
    path[level->path_length] = '\0';
    descriptor = lookup_open(walk->levels[0].descriptor, path, directory_flags, LOOKUP_BENEATH);
    if (descriptor < 0 || walk_is(descriptor, &level->facts))
        return descriptor;
    close(descriptor);
    return -1;
}

/* Goes up from a directory that is done. */
static int walk_leave(struct walk *walk, struct fault *fault)
{
    int event = WALK_NOTHING;
    const struct walk_level done = *walk_top(walk);
    listing_drop(&walk->listing, done.mark);
    walk->depth--;
    if (walk->told > walk->depth)
        walk->told = walk->depth;
    if (walk->depth > 0 && walk_top(walk)->descriptor < 0) {
        struct walk_level *outer = walk_top(walk);
        outer->descriptor = walk_reopen(walk, outer, done.descriptor);
        if (outer->descriptor < 0) {
            walk->entry[outer->path_length] = '\0';
            fault_set(fault, REASON_CHANGED, walk->entry, "moved while it was walked; the rest of it is left out");
            event = walk_left_out(walk, true);
            outer->next = walk->listing.count;
        }
    }
    if (done.descriptor >= 0)
        close(done.descriptor);
    return event;
}

/* Gives the next directory that the consumer has to know before what is held, or that. */
static int walk_tell(struct walk *walk)
{
    if (walk->told < walk->depth) {
        const struct walk_level *level = &walk->levels[walk->told++];
        memcpy(walk->directory, walk->entry, level->path_length);
        walk->directory[level->path_length] = '\0';
        walk->path = walk->directory;
        walk->facts = level->facts;
        return WALK_DIRECTORY;
    }
    enum walk_event event = walk->held;
    walk->held = WALK_END;
    walk->path = walk->entry;
    walk->facts = walk->held_facts;
    return event == WALK_DIRECTORY ? WALK_NOTHING : (int)event;
}

enum reason walk_begin(struct walk *walk, int directory, const char *path, const struct walk_rule *rule,
                       struct budget *budget, struct fault *fault)
{
    enum reason reason = REASON_OK;
    walk->rule = rule;
    walk->budget = budget;
    walk->descriptor = -1;
    walk->held = WALK_END;
    walk->entry[0] = '\0';
    if (kernel_facts(directory, &walk->facts) < 0)
        reason = fault_errno(fault, path, "statx", errno);
    else if (!walk->facts.has_mount && !rule->cross_mounts)
        reason = fault_set(fault, REASON_UNSUPPORTED, path,
                           "this kernel does not tell mounts apart (statx STATX_MNT_ID, Linux 5.8); --cross-mounts");
    else if (regular_is_pseudo(directory))
        reason = fault_set(fault, REASON_NOT_REGULAR, path, "of a kernel pseudo file system");
    if (reason != REASON_OK) {
        close(directory);
        return reason;
    }
    reason = walk_enter(walk, directory, &walk->facts, path, fault);
    walk->told = walk->depth;
    return reason;
}

enum walk_event walk_next(struct walk *walk, struct fault *fault)
{
    int event = WALK_NOTHING;
    if (walk->descriptor >= 0 && walk->held == WALK_END) {
        close(walk->descriptor);
        walk->descriptor = -1;
    }
    while (event == WALK_NOTHING) {
        if (interrupt_check(fault, walk->entry) != REASON_OK)
            return WALK_STOPPED;
        if (walk->held != WALK_END)
            event = walk_tell(walk);
        else if (walk->depth == 0)
            return WALK_END;
        else if (walk_top(walk)->next == walk->listing.count)
            event = walk_leave(walk, fault);
        else {
            event = walk_take(walk, fault);
            if (event != WALK_NOTHING && event != WALK_LEFT_OUT) {
                walk->held = (enum walk_event)event;
                event = WALK_NOTHING;
            }
        }
    }
    return (enum walk_event)event;
}

void walk_end(struct walk *walk)
{
    if (walk->descriptor >= 0)
        close(walk->descriptor);
    while (walk->depth > 0) {
        int descriptor = walk->levels[--walk->depth].descriptor;
        if (descriptor >= 0)
            close(descriptor);
    }
    free(walk->levels);
    listing_free(&walk->listing);
}
