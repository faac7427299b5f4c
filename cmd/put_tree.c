#include "put_tree.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/quantity.h"
#include "path/tree.h"
#include "path/walk.h"
#include "receive.h"

/* What is at work while a tree is filled. */
struct filling {
    struct put_tree *rule;
    struct receive receive;
    struct tree tree;
    struct timespec mtime;
    bool rooted; /* the stream has named its root */
    uint64_t left_out;
};

static struct timespec put_tree_mtime(const struct member *member)
{
    return (struct timespec){.tv_sec = (time_t)member->mtime, .tv_nsec = (long)member->mtime_nanoseconds};
}

/* Reports that something is left out, whose fault is filled, or refuses the tree for it. */
static enum reason put_tree_report(struct filling *filling, const struct fault *fault)
{
    if (filling->rule->strict)
        return fault->reason;
    filling->left_out++;
    diagnostic_report(fault);
    return REASON_OK;
}

/* Leaves a member out. */
static enum reason put_tree_leave_out(struct filling *filling, enum reason reason, const char *what,
                                      struct fault *fault)
{
    const char *name = filling->receive.reader.member.name;
    enum reason reserved = tree_reserve(&filling->tree, name, fault);
    if (reserved != REASON_OK)
        return reserved;
    fault_set(fault, reason, name, "%s", what);
    return put_tree_report(filling, fault);
}

static enum reason put_tree_file(struct filling *filling, const struct member *member, struct fault *fault)
{
    int file = -1;
    bool changed = false;
    enum reason reason = budget_check_file(&filling->rule->budget, member->name, member->size, fault);
    if (reason == REASON_OK)
        reason = tree_open_file(&filling->tree, member->name, member->executable, &file, fault);
    if (reason != REASON_OK)
        return reason;
    budget_charge_file(&filling->rule->budget, member->size);
    reason = receive_file(&filling->receive, file, member->name, &changed, fault);
    if (reason == REASON_OK && !changed)
        return tree_close_file(&filling->tree, member->name, file, put_tree_mtime(member), fault);
    if (reason != REASON_OK) {
        close(file);
        return reason;
    }
    /* Padded to the size that its header promised: not what the sandbox had at any time. */
    reason = tree_drop_file(&filling->tree, member->name, file, fault);
    if (reason == REASON_OK)
        reason = put_tree_leave_out(filling, REASON_CHANGED, "while the sender read it", fault);
    return reason;
}

static enum reason put_tree_hard_link(struct filling *filling, const struct member *member, struct fault *fault)
{
    enum reason reason = budget_check_file(&filling->rule->budget, member->name, 0, fault);
    if (reason != REASON_OK)
        return reason;
    budget_charge_file(&filling->rule->budget, 0);
    return tree_make_hard_link(&filling->tree, member->name, member->target, fault);
}

static enum reason put_tree_symlink(struct filling *filling, const struct member *member, struct fault *fault)
{
    const char *what = "a symbolic link";
    if (filling->rule->symlinks == PUT_TREE_SYMLINKS_INSIDE) {
        if (tree_stays_inside(member->name, member->target))
            return tree_make_symlink(&filling->tree, member->name, member->target, put_tree_mtime(member), fault);
        what = "a symbolic link that leads out of the tree";
    }
    return put_tree_leave_out(filling, REASON_LINK, what, fault);
}

static enum reason put_tree_member(struct filling *filling, struct fault *fault)
{
    const struct member *member = &filling->receive.reader.member;
    struct budget *budget = &filling->rule->budget;
    if (member->name[0] == '\0') {
        /* Charged to no cap, it could come for ever. */
        if (filling->rooted)
            return fault_set(fault, REASON_CORRUPT, "./", "a name that the stream has used already");
        filling->rooted = true;
        filling->mtime = put_tree_mtime(member);
        return REASON_OK;
    }
    enum reason reason = budget_charge_name(budget, member->name, strlen(member_basename(member->name)), fault);
    if (reason == REASON_OK)
        reason = budget_check_depth(budget, member->name, member_depth(member->name), fault);
    if (reason != REASON_OK)
        return reason;
    switch (member->type) {
    case MEMBER_FILE:
        return put_tree_file(filling, member, fault);
    case MEMBER_DIRECTORY:
        return tree_make_directory(&filling->tree, member->name, put_tree_mtime(member), fault);
    case MEMBER_HARD_LINK:
        return put_tree_hard_link(filling, member, fault);
    case MEMBER_SYMLINK:
        return put_tree_symlink(filling, member, fault);
    case MEMBER_CHARACTER_DEVICE:
    case MEMBER_BLOCK_DEVICE:
        return put_tree_leave_out(filling, REASON_NOT_REGULAR, "a device", fault);
    case MEMBER_FIFO:
        return put_tree_leave_out(filling, REASON_NOT_REGULAR, "a FIFO", fault);
    }
    return fault_set(fault, REASON_CORRUPT, member->name, "of no known type");
}

/*
 * A link that stays inside by its words may still lead out by another one on its way (a -> b/c, b/c -> d/e/f, then
 * a/../.. is another place than it reads). Which links there are is known only now.
 */
static enum reason put_tree_check_links(struct filling *filling, int directory, struct fault *fault)
{
    static struct walk walk;
    static const struct walk_rule links = {.links = true, .only_links = true, .cross_mounts = true};
    struct budget unlimited = {
        BUDGET_UNLIMITED, BUDGET_UNLIMITED, BUDGET_UNLIMITED, BUDGET_UNLIMITED, BUDGET_UNLIMITED, 0, 0, 0};
    int root = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum reason reason = walk_begin(&walk, root, "", &links, &unlimited, fault);
    enum walk_event event = WALK_LINK;
    while (reason == REASON_OK && event != WALK_END) {
        event = walk_next(&walk, fault);
        if (event == WALK_LINK && tree_check_link(directory, walk.path, walk.target, fault) != REASON_OK) {
            reason = put_tree_report(filling, fault);
            if (reason == REASON_OK)
                reason = tree_remove_link(directory, walk.path, fault);
        } else if (event == WALK_LEFT_OUT || event == WALK_STOPPED)
            reason = fault->reason;
    }
    walk_end(&walk);
    return reason;
}

/* How the whole ended: what the sender says of it, and what was left out here. */
static enum reason put_tree_conclude(struct filling *filling, struct fault *fault)
{
    const struct reader *reader = &filling->receive.reader;
    enum reason reason = put_input_sent(reader->ending.reason, filling->receive.name, fault);
    if (reason != REASON_OK && reason != REASON_PARTIAL)
        return reason;
    if (!reader->ours) {
        enum reason drained = receive_drain(&filling->receive, fault);
        if (drained != REASON_OK)
            return drained;
    } else
        filling->mtime = put_tree_mtime(&reader->member);
    if (reason == REASON_OK && filling->left_out > 0)
        reason = fault_set(fault, REASON_PARTIAL, filling->receive.name, "%llu left out",
                           (unsigned long long)filling->left_out);
    return reason;
}

static enum reason put_tree_receive(struct filling *filling, int directory, struct fault *fault)
{
    bool end = false;
    enum reason reason = receive_member(&filling->receive, &end, fault);
    tree_begin(&filling->tree, directory, &filling->rule->budget, filling->receive.reader.ours);
    while (reason == REASON_OK && !end) {
        reason = put_tree_member(filling, fault);
        if (reason == REASON_OK)
            reason = receive_member(&filling->receive, &end, fault);
    }
    reason = tree_end(&filling->tree, reason, fault);
    if (reason == REASON_OK && filling->rule->symlinks == PUT_TREE_SYMLINKS_INSIDE)
        reason = put_tree_check_links(filling, directory, fault);
    return reason == REASON_OK ? put_tree_conclude(filling, fault) : reason;
}

enum reason put_tree_fill(struct put_tree *tree, const struct put_input *input, int directory, struct timespec *mtime,
                          struct fault *fault)
{
    static struct filling filling;
    struct put_source source;
    filling.rule = tree;
    filling.mtime = (struct timespec){.tv_nsec = UTIME_NOW};
    enum reason reason = put_input_open(input, &source, fault);
    if (reason != REASON_OK)
        return reason;
    /* The modes are a promise, whatever the umask. */
    umask(0);
    receive_begin(&filling.receive, READER_TREE, source.descriptor, source.name, tree->max);
    reason = put_tree_receive(&filling, directory, fault);
    *mtime = filling.mtime;
    return put_input_close(input, &source, reason, fault);
}

bool put_tree_lands(const struct put_tree *tree, enum reason reason)
{
    return reason == REASON_OK || (reason == REASON_PARTIAL && !tree->strict);
}
