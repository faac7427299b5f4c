#include "landing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "remove.h"

enum { LANDING_UNFINISHED_MODE = 0700, LANDING_PERMISSIONS = 07777 };

/*
 * Whoever may write in the parent sees the random name and may put a directory of his own there, or another one of
 * ours, before it is opened: a tree that is filled, or emptied after a failure, must be the empty one that we made.
 */
static bool landing_is_fresh(int root)
{
    struct stat stat;
    _Alignas(struct kernel_entry) char entries[1024];
    if (fstat(root, &stat) < 0 || stat.st_uid != geteuid() ||
        (stat.st_mode & LANDING_PERMISSIONS & ~(unsigned)S_ISGID) != LANDING_UNFINISHED_MODE)
        return false;
    for (;;) {
        ssize_t got = kernel_getdents(root, entries, sizeof entries);
        if (got <= 0)
            return got == 0 && lseek(root, 0, SEEK_SET) == 0;
        for (ssize_t at = 0; at < got;) {
            const struct kernel_entry *entry = (const void *)(entries + at);
            if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
                return false;
            at += entry->length;
        }
    }
}

enum reason landing_begin(struct landing *landing, int directory, const char *name, const char *path,
                          struct fault *fault)
{
    struct stat stat;
    landing->directory = directory;
    if (fstatat(directory, name, &stat, AT_SYMLINK_NOFOLLOW) == 0)
        return fault_set(fault, REASON_EXISTS, path, "is there already; a tree lands where nothing is");
    memcpy(landing->name, STAGE_PREFIX, sizeof STAGE_PREFIX);
    enum reason reason = stage_random_name(landing->name + sizeof STAGE_PREFIX - 1, STAGE_RANDOM_BYTES, fault);
    if (reason != REASON_OK)
        return reason;
    if (kernel_mkdir(directory, landing->name, LANDING_UNFINISHED_MODE) < 0)
        return fault_errno(fault, path, "mkdir", errno);
    landing->root = openat(directory, landing->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (landing->root < 0)
        reason = fault_errno(fault, path, "open", errno);
    else if (!landing_is_fresh(landing->root))
        reason = fault_set(fault, REASON_CHANGED, path, "another process put its own directory there");
    else if (fchmod(landing->root, LANDING_UNFINISHED_MODE) < 0) /* without the parent's setgid bit */
        reason = fault_errno(fault, path, "fchmod", errno);
    if (reason != REASON_OK) {
        if (landing->root >= 0)
            close(landing->root);
        unlinkat(directory, landing->name, AT_REMOVEDIR);
    }
    return reason;
}

void landing_discard(struct landing *landing)
{
    struct fault unheard;
    remove_contents(landing->root, REMOVE_OWN, landing->name, &unheard);
    unlinkat(landing->directory, landing->name, AT_REMOVEDIR);
}

/*
 * Gives the name only if it is free. Where a file system does not know RENAME_NOREPLACE (EINVAL), an empty directory
 * takes the name first: mkdir refuses what is there, and rename replaces nothing but an empty directory.
 */
static int landing_rename(const struct landing *landing, const char *name)
{
    if (kernel_renameat2(landing->directory, landing->name, landing->directory, name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (kernel_mkdir(landing->directory, name, LANDING_UNFINISHED_MODE) < 0)
        return -1;
    if (renameat(landing->directory, landing->name, landing->directory, name) == 0)
        return 0;
    int error = errno;
    unlinkat(landing->directory, name, AT_REMOVEDIR);
    errno = error;
    return -1;
}

static enum reason landing_name(const struct landing *landing, const char *name, const char *path, struct fault *fault)
{
    if (landing_rename(landing, name) == 0)
        return REASON_OK;
    if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR)
        return fault_set(fault, REASON_EXISTS, path, "appeared while the tree was received; nothing was replaced");
    if (errno == ENOENT)
        return fault_set(fault, REASON_CHANGED, path, "the temporary directory was taken away by another process");
    return fault_errno(fault, path, "rename", errno);
}

/* What has the name now must be what grew, by device and inode of the descriptor that was held throughout. */
static enum reason landing_confirm(const struct landing *landing, const char *name, const char *path,
                                   struct fault *fault)
{
    struct stat grown;
    struct stat placed;
    if (fstat(landing->root, &grown) < 0)
        return fault_errno(fault, path, "fstat", errno);
    if (fstatat(landing->directory, name, &placed, AT_SYMLINK_NOFOLLOW) < 0 || placed.st_dev != grown.st_dev ||
        placed.st_ino != grown.st_ino)
        return fault_set(fault, REASON_CHANGED, path, "another process put its own directory there");
    return REASON_OK;
}

enum reason landing_finish(int root, struct timespec mtime, const char *path, struct fault *fault)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, mtime};
    if (fchmod(root, LANDING_MODE) < 0)
        return fault_errno(fault, path, "fchmod", errno);
    return futimens(root, times) < 0 ? fault_errno(fault, path, "futimens", errno) : REASON_OK;
}

enum reason landing_place(struct landing *landing, const char *name, struct timespec mtime, int sync, const char *path,
                          struct fault *fault)
{
    enum reason reason = landing_finish(landing->root, mtime, path, fault);
    if (reason == REASON_OK && sync >= 0 && syncfs(landing->root) < 0)
        reason = fault_errno(fault, path, "syncfs", errno);
    if (reason == REASON_OK)
        reason = landing_name(landing, name, path, fault);
    if (reason != REASON_OK) {
        landing_discard(landing);
        return reason;
    }
    /* From here on the tree is in place. */
    reason = landing_confirm(landing, name, path, fault);
    if (reason == REASON_OK && sync >= 0 && fsync(sync) < 0)
        reason = fault_errno(fault, path, "fsync of its directory", errno);
    close(landing->root);
    return reason;
}
