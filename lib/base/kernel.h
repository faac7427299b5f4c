/*
 * kernel: the system calls that the C library does not wrap, as section 2 of the manual has them: -1 and errno.
 */
#ifndef SBX_BASE_KERNEL_H
#define SBX_BASE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* openat2(2), since Linux 5.6. flags gets O_CLOEXEC; resolve is a set of RESOLVE_ bits. */
int kernel_openat2(int directory, const char *path, int flags, uint64_t resolve);

/* renameat2(2), since Linux 3.15. */
int kernel_renameat2(int from, const char *old, int to, const char *new, unsigned flags);

/* What one statx(2) tells of a descriptor. */
struct kernel_facts {
    mode_t mode;
    uint64_t size;
    uint64_t inode;
    uint64_t device; /* to be compared, no dev_t */
    uint64_t mount;  /* of STATX_MNT_ID; 0 where has_mount is not set */
    bool has_mount;  /* the kernel says it, since Linux 5.8 */
    struct timespec mtime;
    struct timespec ctime;
};

int kernel_facts(int descriptor, struct kernel_facts *facts);

/* Whether size, mtime and ctime are the same. */
bool kernel_facts_agree(const struct kernel_facts *one, const struct kernel_facts *other);

/* What getdents64(2) lays into its buffer, one behind the other. */
struct kernel_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length; /* of the whole, to the next one */
    unsigned char type;    /* DT_REG, DT_DIR ... of readdir(3), DT_UNKNOWN where the file system does not say */
    char name[];
};

/* Fills the buffer, aligned for a kernel_entry; gives the bytes, 0 at the end. */
ssize_t kernel_getdents(int directory, void *buffer, size_t size);

/* The id of the mount that a descriptor lies in (statx(2) STATX_MNT_ID, since Linux 5.8); ENOSYS before. */
int kernel_mount_id(int descriptor, uint64_t *id);

/* mkdirat(2) with exactly this mode, whatever the umask. Not for programs of several threads. */
int kernel_mkdir(int directory, const char *name, mode_t mode);

/* close_range(2), since Linux 5.9: closes every descriptor from first on. */
int kernel_close_from(unsigned first);

/* pidfd_open(2), since Linux 5.3; the descriptor is close-on-exec. */
int kernel_pidfd_open(pid_t pid);

/* pidfd_send_signal(2), since Linux 5.1. */
int kernel_pidfd_signal(int pidfd, int signal);

/* pwritev2(2) of one buffer at the file's own offset; flags is a set of RWF_ bits. Since Linux 4.6. */
ssize_t kernel_write(int descriptor, const void *buffer, size_t size, int flags);

/* Fills the buffer by getrandom(2), and goes on after EINTR. */
int kernel_random(void *buffer, size_t size);

#endif
