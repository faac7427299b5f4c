#include "remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/kernel.h"
#include "stage.h"

enum { REMOVE_LEVELS = 32, REMOVE_RANDOM_BYTES = 16 };

/* What all levels share. */
struct remove {
    int top;    /* the directory that is to be emptied */
    bool moved; /* a directory too deep was moved into it */
    enum remove_rule rule;
    const char *path; /* for faults */
};

static enum reason remove_level(struct remove *remove, int directory, int level, struct fault *fault);

/* The mount that a descriptor lies in, or for a tree of our own where the kernel does not say, its file system. */
static bool remove_find_mount(const struct remove *remove, int descriptor, uint64_t *mount)
{
    struct stat stat;
    if (kernel_mount_id(descriptor, mount) == 0)
        return true;
    if (remove->rule != REMOVE_OWN || fstat(descriptor, &stat) < 0)
        return false;
    *mount = (uint64_t)stat.st_dev;
    return true;
}

/* Opens a directory to be emptied, unless it is the root of another mount: what is mounted is not ours to remove. */
static enum reason remove_enter(const struct remove *remove, int directory, const char *name, int *inner,
                                struct fault *fault)
{
    const char *path = remove->path;
    uint64_t mount;
    uint64_t inner_mount;
    *inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*inner < 0)
        return fault_errno(fault, path, "open", errno);
    enum reason reason = REASON_OK;
    if (!remove_find_mount(remove, directory, &mount) || !remove_find_mount(remove, *inner, &inner_mount))
        reason = fault_errno(fault, path, "statx STATX_MNT_ID", errno);
    else if (mount != inner_mount)
        reason = fault_set(fault, REASON_BUSY, path, "something is mounted in it");
    if (reason != REASON_OK)
        close(*inner);
    return reason;
}

/*
 * A tree can be deeper than there are descriptors (a depth bomb is two thousand levels in one path): what lies below
 * the last level that gets one is moved to the top, to be emptied from there.
 */
static enum reason remove_move_up(struct remove *remove, int directory, const char *name, struct fault *fault)
{
    char up[2 * REMOVE_RANDOM_BYTES + 1];
    enum reason reason = stage_random_name(up, REMOVE_RANDOM_BYTES, fault);
    if (reason == REASON_OK && renameat(directory, name, remove->top, up) < 0)
        reason = fault_errno(fault, remove->path, "rename", errno);
    remove->moved = true;
    return reason;
}

static enum reason remove_entry(struct remove *remove, int directory, const char *name, int level, struct fault *fault)
{
    if (unlinkat(directory, name, 0) == 0)
        return REASON_OK;
    if (errno != EISDIR)
        return fault_errno(fault, remove->path, "unlink", errno);
    if (level == REMOVE_LEVELS)
        return remove_move_up(remove, directory, name, fault);
    int inner;
    enum reason reason = remove_enter(remove, directory, name, &inner, fault);
    if (reason == REASON_OK)
        reason = remove_level(remove, inner, level + 1, fault);
    if (reason == REASON_OK && unlinkat(directory, name, AT_REMOVEDIR) < 0)
        reason = fault_errno(fault, remove->path, "rmdir", errno);
    return reason;
}

static enum reason remove_entries(struct remove *remove, DIR *stream, int level, struct fault *fault)
{
    enum reason reason = REASON_OK;
    const struct dirent *entry;
    while (reason == REASON_OK && (errno = 0, entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        reason = interrupt_check(fault, remove->path);
        if (reason == REASON_OK)
            reason = remove_entry(remove, dirfd(stream), entry->d_name, level, fault);
    }
    if (reason == REASON_OK && errno != 0)
        reason = fault_errno(fault, remove->path, "readdir", errno);
    return reason;
}

/* Empties the directory, which it closes. */
static enum reason remove_level(struct remove *remove, int directory, int level, struct fault *fault)
{
    DIR *stream = fdopendir(directory);
    if (!stream) {
        close(directory);
        return fault_errno(fault, remove->path, "fdopendir", errno);
    }
    enum reason reason = REASON_OK;
    do {
        if (level == 0)
            remove->moved = false;
        rewinddir(stream);
        reason = remove_entries(remove, stream, level, fault);
    } while (reason == REASON_OK && level == 0 && remove->moved);
    closedir(stream);
    return reason;
}

enum reason remove_contents(int directory, enum remove_rule rule, const char *path, struct fault *fault)
{
    struct remove remove = {directory, false, rule, path};
    return remove_level(&remove, directory, 0, fault);
}
