/*
 * lookup: resolving and opening a path in one step, by a rule that no one who owns a directory on the way can bend.
 *
 * One openat2(2) (Linux 5.6) where the kernel has it. Where it answers ENOSYS, or EPERM as an old seccomp profile does,
 * a walk by descriptors gives the same descriptors and the same errnos: every step opens one component with
 * O_NOFOLLOW in the directory that the step before holds, so a swap of names behind it changes nothing.
 */
#ifndef SBX_PATH_LOOKUP_H
#define SBX_PATH_LOOKUP_H

enum lookup_rule {
    LOOKUP_PLAIN,  /* as the caller's own rights lead: links on the way are followed, magic links (proc(5)) are not */
    LOOKUP_BENEATH /* relative, never out of the directory, and no symbolic link at all */
};

/*
 * Opens path, seen from directory (a descriptor or AT_FDCWD), with flags of open(2) and O_CLOEXEC. flags must hold
 * O_NOFOLLOW under LOOKUP_PLAIN. Gives a descriptor that is the caller's to close, or -1 and errno: ELOOP for a link
 * that the rule forbids, EXDEV for a path that leaves the directory (absolute, or with ".." in it, which is refused
 * before any call), else as open(2).
 */
int lookup_open(int directory, const char *path, int flags, enum lookup_rule rule);

/* The walk alone, as lookup_open takes it where openat2 is missing. */
int lookup_walk(int directory, const char *path, int flags, enum lookup_rule rule);

#endif
