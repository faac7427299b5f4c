#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

int kernel_openat2(int directory, const char *path, int flags, uint64_t resolve)
{
    const struct open_how how = {.flags = (uint32_t)(flags | O_CLOEXEC), .resolve = resolve};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int kernel_renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int kernel_mount_id(int descriptor, uint64_t *id)
{
    struct statx facts;
    memset(&facts, 0, sizeof facts);
    if (syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH, STATX_MNT_ID, &facts) < 0)
        return -1;
    if (!(facts.stx_mask & STATX_MNT_ID)) {
        errno = ENOSYS;
        return -1;
    }
    *id = facts.stx_mnt_id;
    return 0;
}

int kernel_random(void *buffer, size_t size)
{
    char *at = buffer;
    while (size > 0) {
        ssize_t count = getrandom(at, size, 0);
        if (count < 0 && errno != EINTR)
            return -1;
        if (count > 0) {
            at += count;
            size -= (size_t)count;
        }
    }
    return 0;
}
