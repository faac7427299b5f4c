/*
 * kernel: the system calls that the C library does not wrap, as section 2 of the manual has them: -1 and errno.
 */
#ifndef SBX_BASE_KERNEL_H
#define SBX_BASE_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* openat2(2), since Linux 5.6. flags gets O_CLOEXEC; resolve is a set of RESOLVE_ bits. */
int kernel_openat2(int directory, const char *path, int flags, uint64_t resolve);

/* renameat2(2), since Linux 3.15. */
int kernel_renameat2(int from, const char *old, int to, const char *new, unsigned flags);

/* The id of the mount that a descriptor lies in (statx(2) STATX_MNT_ID, since Linux 5.8); ENOSYS before. */
int kernel_mount_id(int descriptor, uint64_t *id);

/* Fills the buffer by getrandom(2), and goes on after EINTR. */
int kernel_random(void *buffer, size_t size);

#endif
