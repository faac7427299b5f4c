#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

int kernel_facts(int descriptor, struct kernel_facts *facts)
{
    struct statx got;
    memset(&got, 0, sizeof got);
    if (syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID, &got) < 0)
        return -1;
    facts->mode = got.stx_mode;
    facts->size = got.stx_size;
    facts->inode = got.stx_ino;
    facts->device = (uint64_t)got.stx_dev_major << 32 | got.stx_dev_minor;
    facts->has_mount = (got.stx_mask & STATX_MNT_ID) != 0;
    facts->mount = facts->has_mount ? got.stx_mnt_id : 0;
    facts->mtime = (struct timespec){.tv_sec = got.stx_mtime.tv_sec, .tv_nsec = got.stx_mtime.tv_nsec};
    facts->ctime = (struct timespec){.tv_sec = got.stx_ctime.tv_sec, .tv_nsec = got.stx_ctime.tv_nsec};
    return 0;
}

static bool kernel_same_time(struct timespec one, struct timespec other)
{
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

bool kernel_facts_agree(const struct kernel_facts *one, const struct kernel_facts *other)
{
    return one->size == other->size && kernel_same_time(one->mtime, other->mtime) &&
           kernel_same_time(one->ctime, other->ctime);
}

ssize_t kernel_getdents(int directory, void *buffer, size_t size)
{
    return syscall(SYS_getdents64, directory, buffer, size);
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

int kernel_mkdir(int directory, const char *name, mode_t mode)
{
    mode_t before = umask(0);
    int result = mkdirat(directory, name, mode);
    int error = errno;
    umask(before);
    errno = error;
    return result;
}

int kernel_close_from(unsigned first)
{
    return (int)syscall(SYS_close_range, first, ~0U, 0);
}

int kernel_pidfd_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int kernel_pidfd_signal(int pidfd, int signal)
{
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

ssize_t kernel_write(int descriptor, const void *buffer, size_t size, int flags)
{
    const struct iovec vector = {(void *)(uintptr_t)buffer, size};
    /* The two halves of an offset of -1: the file's own. */
    return syscall(SYS_pwritev2, descriptor, &vector, 1, -1L, -1L, flags);
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
