#include "remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/kernel.h"

/* Opens a directory to be emptied, unless it is the root of another mount: what is mounted is not ours to remove. */
static enum reason remove_enter(int directory, const char *name, int *inner, const char *path, struct fault *fault)
{
    uint64_t mount;
    uint64_t inner_mount;
    *inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*inner < 0)
        return fault_errno(fault, path, "open", errno);
    enum reason reason = REASON_OK;
    if (kernel_mount_id(directory, &mount) < 0 || kernel_mount_id(*inner, &inner_mount) < 0)
        reason = fault_errno(fault, path, "statx STATX_MNT_ID", errno);
    else if (mount != inner_mount)
        reason = fault_set(fault, REASON_BUSY, path, "something is mounted in it");
    if (reason != REASON_OK)
        close(*inner);
    return reason;
}

static enum reason remove_entry(int directory, const char *name, const char *path, struct fault *fault)
{
    if (unlinkat(directory, name, 0) == 0)
        return REASON_OK;
    if (errno != EISDIR)
        return fault_errno(fault, path, "unlink", errno);
    int inner;
    enum reason reason = remove_enter(directory, name, &inner, path, fault);
    if (reason == REASON_OK)
        reason = remove_contents(inner, path, fault);
    if (reason == REASON_OK && unlinkat(directory, name, AT_REMOVEDIR) < 0)
        reason = fault_errno(fault, path, "rmdir", errno);
    return reason;
}

enum reason remove_contents(int directory, const char *path, struct fault *fault)
{
    DIR *stream = fdopendir(directory);
    if (!stream) {
        close(directory);
        return fault_errno(fault, path, "fdopendir", errno);
    }
    enum reason reason = REASON_OK;
    const struct dirent *entry;
    while (reason == REASON_OK && (errno = 0, entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            reason = remove_entry(dirfd(stream), entry->d_name, path, fault);
        if (reason == REASON_OK)
            reason = interrupt_check(fault, path);
    }
    if (reason == REASON_OK && errno != 0)
        reason = fault_errno(fault, path, "readdir", errno);
    closedir(stream);
    return reason;
}
