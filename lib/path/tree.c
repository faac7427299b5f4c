#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "lookup.h"
#include "name.h"

enum { TREE_DIRECTORY_MODE = 0755, TREE_FILE_MODE = 0644, TREE_PROGRAM_MODE = 0755 };

static const int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/* Where the last component begins. */
static const char *tree_last(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* The errno of a call on a member, in the words of the stream that named it. */
static enum reason tree_refused(const char *name, const char *call, int error, struct fault *fault)
{
    if (error == EEXIST)
        return fault_set(fault, REASON_CORRUPT, name, "a name that the stream has used already");
    if (error == ENOTDIR || error == ELOOP)
        return fault_set(fault, REASON_CORRUPT, name, "in what the stream made no directory");
    return fault_errno(fault, name, call, error);
}

static enum reason tree_set_mtime(int descriptor, const char *name, struct timespec mtime, struct fault *fault)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, mtime};
    return futimens(descriptor, times) < 0 ? fault_errno(fault, name, "futimens", errno) : REASON_OK;
}

static enum reason tree_set_mtime_at(int directory, const char *name, struct timespec mtime, struct fault *fault)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, mtime};
    if (utimensat(directory, tree_last(name), times, AT_SYMLINK_NOFOLLOW) < 0)
        return fault_errno(fault, name, "utimensat", errno);
    return REASON_OK;
}

void tree_begin(struct tree *tree, int root, struct budget *budget, bool complete)
{
    memset(tree, 0, sizeof *tree);
    tree->root = tree->directory = root;
    tree->budget = budget;
    tree->complete = complete;
    /* Without randomness there is the plain hash, and the deadline. */
    if (kernel_random(&tree->key, sizeof tree->key) < 0)
        tree->key = 0;
}

static void tree_close_directory(struct tree *tree)
{
    if (tree->directory >= 0 && tree->directory != tree->root)
        close(tree->directory);
    tree->directory = tree->root;
}

/* Opens a directory by its path in the tree; no component of it is a link. */
static int tree_open_path(int root, const char *path, size_t length)
{
    char name[PATH_MAX];
    if (length == 0)
        return openat(root, ".", directory_flags);
    memcpy(name, path, length);
    name[length] = '\0';
    return lookup_open(root, name, directory_flags, LOOKUP_BENEATH);
}

/* Goes up until only so many levels are left, and gives each directory that is left its mtime. */
static enum reason tree_leave(struct tree *tree, size_t levels, struct fault *fault)
{
    enum reason reason = REASON_OK;
    while (tree->depth > levels && reason == REASON_OK) {
        reason = tree_set_mtime(tree->directory, tree->path, tree->levels[--tree->depth].mtime, fault);
        size_t length = tree->depth ? tree->levels[tree->depth - 1].length : 0;
        tree->path[length] = '\0';
        tree_close_directory(tree);
        if (length > 0)
            tree->directory = tree_open_path(tree->root, tree->path, length);
        if (tree->directory < 0)
            reason = fault_errno(fault, tree->path, "open", errno);
    }
    return reason;
}

/*
 * A number for a name of length bytes (FNV-1a), as a set takes it. Names that a sender made to share one place in the
 * set would make each search long: the key, which it cannot know, is where the hash begins.
 */
static uint64_t tree_hash(const struct tree *tree, const char *name, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ tree->key;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return hash >> 1 | 1;
}

/* Whether the stream has not named this directory before; it has now. */
static bool tree_take_unnamed(struct tree *tree, const char *base)
{
    struct stat stat;
    return fstatat(tree->directory, base, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
           numbers_remove(&tree->unnamed, (uint64_t)stat.st_ino);
}

/* Goes down into one component of the path of name, which is length bytes of it so far, and may make it. */
static enum reason tree_step(struct tree *tree, const char *name, size_t length, struct fault *fault)
{
    struct stat stat;
    bool made = false;
    size_t begin = tree->path[0] ? strlen(tree->path) + 1 : 0;
    memcpy(tree->path, name, length);
    tree->path[length] = '\0';
    const char *base = tree->path + begin;
    int next = openat(tree->directory, base, directory_flags);
    if (next < 0 && errno == ENOENT && numbers_has(&tree->reserved, tree_hash(tree, name, length)))
        return tree_refused(name, "open", ENOTDIR, fault);
    if (next < 0 && errno == ENOENT && !tree->complete) {
        enum reason reason = budget_charge_name(tree->budget, tree->path, length - begin, fault);
        if (reason == REASON_OK && mkdirat(tree->directory, base, TREE_DIRECTORY_MODE) < 0)
            reason = fault_errno(fault, tree->path, "mkdir", errno);
        if (reason != REASON_OK)
            return reason;
        made = true;
        next = openat(tree->directory, base, directory_flags);
    }
    if (next < 0 && errno == ENOENT)
        return fault_set(fault, REASON_CORRUPT, name, "in a directory that the stream has not named");
    if (next < 0)
        return tree_refused(name, "open", errno, fault);
    tree_close_directory(tree);
    tree->directory = next;
    if (fstat(next, &stat) < 0)
        return fault_errno(fault, tree->path, "fstat", errno);
    tree->levels[tree->depth++] = (struct tree_level){length, stat.st_mtim};
    if (made && !numbers_add(&tree->unnamed, (uint64_t)stat.st_ino))
        return fault_errno(fault, tree->path, "calloc", ENOMEM);
    return REASON_OK;
}

/* Goes to the directory that name lies in. */
static enum reason tree_enter(struct tree *tree, const char *name, struct fault *fault)
{
    size_t length = (size_t)(tree_last(name) - name);
    size_t shared = 0;
    while (shared < tree->depth) {
        size_t level = tree->levels[shared].length;
        if (level >= length || name[level] != '/' || memcmp(tree->path, name, level) != 0)
            break;
        shared++;
    }
    enum reason reason = tree_leave(tree, shared, fault);
    size_t at = shared ? tree->levels[shared - 1].length + 1 : 0;
    while (reason == REASON_OK && at < length) {
        at += strcspn(name + at, "/");
        reason = tree_step(tree, name, at++, fault);
    }
    return reason;
}

/* Goes to where name is to be made. */
static enum reason tree_approach(struct tree *tree, const char *name, struct fault *fault)
{
    enum reason reason = tree_enter(tree, name, fault);
    if (reason == REASON_OK && numbers_has(&tree->reserved, tree_hash(tree, name, strlen(name))))
        reason = tree_refused(name, "open", EEXIST, fault);
    return reason;
}

enum reason tree_make_directory(struct tree *tree, const char *name, struct timespec mtime, struct fault *fault)
{
    const char *base = tree_last(name);
    enum reason reason = tree_approach(tree, name, fault);
    if (reason != REASON_OK)
        return reason;
    if (mkdirat(tree->directory, base, TREE_DIRECTORY_MODE) < 0 && !(errno == EEXIST && tree_take_unnamed(tree, base)))
        return tree_refused(name, "mkdir", errno, fault);
    return tree_set_mtime_at(tree->directory, name, mtime, fault);
}

enum reason tree_open_file(struct tree *tree, const char *name, bool executable, int *file, struct fault *fault)
{
    enum reason reason = tree_approach(tree, name, fault);
    if (reason != REASON_OK)
        return reason;
    *file = openat(tree->directory, tree_last(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   executable ? TREE_PROGRAM_MODE : TREE_FILE_MODE);
    return *file < 0 ? tree_refused(name, "open", errno, fault) : REASON_OK;
}

enum reason tree_close_file(struct tree *tree, const char *name, int file, struct timespec mtime, struct fault *fault)
{
    (void)tree;
    enum reason reason = tree_set_mtime(file, name, mtime, fault);
    /* NFS and quotas may tell only now that a write failed. */
    if (close(file) < 0 && errno != EINTR && reason == REASON_OK)
        reason = fault_errno(fault, name, "close", errno);
    return reason;
}

enum reason tree_drop_file(struct tree *tree, const char *name, int file, struct fault *fault)
{
    close(file);
    if (unlinkat(tree->directory, tree_last(name), 0) < 0)
        return fault_errno(fault, name, "unlink", errno);
    return REASON_OK;
}

enum reason tree_make_hard_link(struct tree *tree, const char *name, const char *target, struct fault *fault)
{
    struct stat stat;
    const char *base = tree_last(target);
    enum reason reason = tree_approach(tree, name, fault);
    if (reason != REASON_OK)
        return reason;
    int directory = tree_open_path(tree->root, target, base == target ? 0 : (size_t)(base - target) - 1);
    /* A link to anything but a file of this very stream would give what is outside, or a symbolic link, a new name. */
    if (directory < 0 || fstatat(directory, base, &stat, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(stat.st_mode))
        reason = fault_set(fault, REASON_CORRUPT, name, "a hard link to no file that the stream has made");
    else if (linkat(directory, base, tree->directory, tree_last(name), 0) < 0)
        reason = tree_refused(name, "link", errno, fault);
    if (directory >= 0)
        close(directory);
    return reason;
}

enum reason tree_reserve(struct tree *tree, const char *name, struct fault *fault)
{
    struct stat stat;
    enum reason reason = tree_approach(tree, name, fault);
    if (reason != REASON_OK)
        return reason;
    if (fstatat(tree->directory, tree_last(name), &stat, AT_SYMLINK_NOFOLLOW) == 0)
        return tree_refused(name, "stat", EEXIST, fault);
    if (!numbers_add(&tree->reserved, tree_hash(tree, name, strlen(name))))
        return fault_errno(fault, name, "calloc", ENOMEM);
    return REASON_OK;
}

bool tree_stays_inside(const char *name, const char *target)
{
    size_t depth = 0;
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/'))
        depth++;
    if (target[0] == '/' || target[0] == '\0')
        return false;
    /* No member of a tree has such a name, so the link could only lead to what others put there. */
    for (const char *at = target; *at; at++)
        if (!name_carries((unsigned char)*at))
            return false;
    for (const char *at = target; *at; at += strspn(at, "/")) {
        size_t length = strcspn(at, "/");
        bool up = length == 2 && memcmp(at, "..", length) == 0;
        bool here = length == 1 && at[0] == '.';
        if (up && depth == 0)
            return false;
        depth = up ? depth - 1 : here ? depth : depth + 1;
        at += length;
    }
    return true;
}

enum reason tree_make_symlink(struct tree *tree, const char *name, const char *target, struct timespec mtime,
                              struct fault *fault)
{
    enum reason reason = tree_approach(tree, name, fault);
    if (reason == REASON_OK && symlinkat(target, tree->directory, tree_last(name)) < 0)
        reason = tree_refused(name, "symlink", errno, fault);
    if (reason == REASON_OK)
        reason = tree_set_mtime_at(tree->directory, name, mtime, fault);
    return reason;
}

enum reason tree_end(struct tree *tree, enum reason reason, struct fault *fault)
{
    if (reason == REASON_OK)
        reason = tree_leave(tree, 0, fault);
    tree_close_directory(tree);
    numbers_free(&tree->unnamed);
    numbers_free(&tree->reserved);
    return reason;
}

enum reason tree_check_link(int root, const char *name, const char *target, struct fault *fault)
{
    char path[2 * PATH_MAX];
    size_t length = (size_t)(tree_last(name) - name);
    memcpy(path, name, length);
    for (const char *at = target; *at; at += strspn(at, "/")) {
        size_t word = strcspn(at, "/");
        struct stat stat;
        if (word == 2 && memcmp(at, "..", word) == 0) {
            if (length == 0)
                return fault_set(fault, REASON_LINK, name, "a symbolic link that leads out of the tree");
            for (length--; length > 0 && path[length - 1] != '/';)
                length--;
        } else if (!(word == 1 && at[0] == '.')) {
            memcpy(path + length, at, word);
            path[length + word] = '\0';
            if (fstatat(root, path, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(stat.st_mode))
                return fault_set(fault, REASON_LINK, name, "a symbolic link that leads through another one");
            length += word;
            path[length++] = '/';
        }
        at += word;
    }
    return REASON_OK;
}

enum reason tree_remove_link(int root, const char *name, struct fault *fault)
{
    struct stat stat;
    const char *base = tree_last(name);
    int directory = tree_open_path(root, name, base == name ? 0 : (size_t)(base - name) - 1);
    if (directory < 0)
        return fault_errno(fault, name, "open", errno);
    enum reason reason = REASON_OK;
    if (fstat(directory, &stat) < 0 || unlinkat(directory, base, 0) < 0)
        reason = fault_errno(fault, name, "unlink", errno);
    if (reason == REASON_OK)
        reason = tree_set_mtime(directory, name, stat.st_mtim, fault);
    close(directory);
    return reason;
}
