#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/kernel.h"

enum { STAGE_RANDOM_MOST = 32 };

enum reason stage_random_name(char *name, size_t bytes, struct fault *fault)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char random[STAGE_RANDOM_MOST];
    if (bytes > sizeof random || kernel_random(random, bytes) < 0)
        return fault_errno(fault, NULL, "getrandom", errno);
    for (size_t i = 0; i < bytes; i++) {
        name[2 * i] = digits[random[i] >> 4];
        name[2 * i + 1] = digits[random[i] & 15];
    }
    name[2 * bytes] = '\0';
    return REASON_OK;
}

enum reason stage_begin(struct stage *stage, int directory, struct stage_mode mode, const char *path,
                        struct fault *fault)
{
    memcpy(stage->name, STAGE_PREFIX, sizeof STAGE_PREFIX);
    enum reason reason = stage_random_name(stage->name + sizeof STAGE_PREFIX - 1, STAGE_RANDOM_BYTES, fault);
    if (reason != REASON_OK)
        return reason;
    /* Whoever may write in the directory may guess no name that is 128 bits of random, but see it: O_EXCL refuses what
     * is there already, a link too, and from here on only the descriptor is used. */
    int descriptor =
        openat(directory, stage->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, mode.bits);
    if (descriptor < 0)
        return fault_errno(fault, path, "open", errno);
    stage->directory = directory;
    stage->descriptor = descriptor;
    if (mode.exact && fchmod(descriptor, mode.bits) < 0) {
        reason = fault_errno(fault, path, "fchmod", errno);
        stage_discard(stage);
    }
    return reason;
}

void stage_discard(struct stage *stage)
{
    unlinkat(stage->directory, stage->name, 0);
    close(stage->descriptor);
}

/* Gives the name only if it is free. Where a file system does not know RENAME_NOREPLACE (EINVAL), linkat does it. */
static int stage_rename_free(const struct stage *stage, const char *name)
{
    if (kernel_renameat2(stage->directory, stage->name, stage->directory, name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (linkat(stage->directory, stage->name, stage->directory, name, 0) < 0)
        return -1;
    unlinkat(stage->directory, stage->name, 0);
    return 0;
}

static enum reason stage_rename(const struct stage *stage, const char *name, bool no_replace, const char *path,
                                struct fault *fault)
{
    int result =
        no_replace ? stage_rename_free(stage, name) : renameat(stage->directory, stage->name, stage->directory, name);
    if (result == 0)
        return REASON_OK;
    if (errno == EEXIST)
        return fault_set(fault, REASON_EXISTS, path, "is there already, and --no-replace was given");
    if (errno == EISDIR)
        return fault_set(fault, REASON_NOT_REGULAR, path, "a directory is there");
    if (errno == EBUSY)
        return fault_set(fault, REASON_BUSY, path, "a mount point is there");
    if (errno == ENOENT)
        return fault_set(fault, REASON_CHANGED, path, "the temporary file was taken away by another process");
    return fault_errno(fault, path, "rename", errno);
}

/*
 * Whoever may write in the directory can have swapped the temporary name before the rename: what has the final name now
 * must be what we wrote, by device and inode of the descriptor that we held throughout.
 */
static enum reason stage_confirm(const struct stage *stage, const char *name, const char *path, struct fault *fault)
{
    struct stat written;
    struct stat placed;
    if (fstat(stage->descriptor, &written) < 0)
        return fault_errno(fault, path, "fstat", errno);
    if (fstatat(stage->directory, name, &placed, AT_SYMLINK_NOFOLLOW) < 0 || placed.st_dev != written.st_dev ||
        placed.st_ino != written.st_ino)
        return fault_set(fault, REASON_CHANGED, path, "another process put its own file there");
    return REASON_OK;
}

enum reason stage_place(struct stage *stage, const char *name, const struct stage_rule *rule, const char *path,
                        struct fault *fault)
{
    enum reason reason = descriptor_settle(stage->descriptor, path, fault);
    if (reason == REASON_OK && rule->sync >= 0 && fsync(stage->descriptor) < 0)
        reason = fault_errno(fault, path, "fsync", errno);
    if (reason == REASON_OK)
        reason = stage_rename(stage, name, rule->no_replace, path, fault);
    if (reason != REASON_OK) {
        stage_discard(stage);
        return reason;
    }
    /* From here on the file is in place. */
    reason = stage_confirm(stage, name, path, fault);
    if (reason == REASON_OK && rule->sync >= 0 && fsync(rule->sync) < 0)
        reason = fault_errno(fault, path, "fsync of its directory", errno);
    close(stage->descriptor);
    return reason;
}
