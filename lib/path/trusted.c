#include "trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "name.h"

enum { PERMISSIONS = 07777 };

/*
 * A sticky directory (/tmp) lets no one but its owner rename what is root's in it, so it may be passed through, but not
 * written in. The next component is root's, as every one must be.
 */
static enum reason trusted_judge(int directory, bool last, const char *path, struct fault *fault)
{
    struct stat stat;
    if (fstat(directory, &stat) < 0)
        return fault_errno(fault, path, "fstat", errno);
    if (stat.st_uid != 0)
        return fault_set(fault, REASON_UNSAFE_DIRECTORY, path, "owned by uid %u, must be root's",
                         (unsigned)stat.st_uid);
    if ((stat.st_mode & (S_IWGRP | S_IWOTH)) && (last || !(stat.st_mode & S_ISVTX)))
        return fault_set(fault, REASON_UNSAFE_DIRECTORY, path, "mode %04o lets others than root write",
                         (unsigned)(stat.st_mode & PERMISSIONS));
    return REASON_OK;
}

/* Opens one component; where it is missing and may be made, makes it. */
static enum reason trusted_enter(int here, const char *name, mode_t make, int *next, const char *path,
                                 struct fault *fault)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    *next = openat(here, name, flags);
    if (*next < 0 && errno == ENOENT && make != TRUSTED_MUST_EXIST) {
        bool made = mkdirat(here, name, make) == 0;
        if (!made && errno != EEXIST)
            return fault_errno(fault, path, "mkdir", errno);
        *next = openat(here, name, flags);
        /* The umask of the caller took bits away; the mode is a promise. */
        if (made && *next >= 0 && fchmod(*next, make) < 0)
            return fault_errno(fault, path, "fchmod", errno);
    }
    if (*next >= 0)
        return REASON_OK;
    int error = errno;
    struct stat stat;
    if (error == ENOTDIR && fstatat(here, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(stat.st_mode))
        return fault_set(fault, REASON_LINK, path, "a symbolic link on a path that only root may lead");
    return fault_errno(fault, path, "open", error);
}

enum reason trusted_open(const char *path, mode_t make, int *directory, struct fault *fault)
{
    if (path[0] != '/')
        return fault_set(fault, REASON_USAGE, path, "must be an absolute path");
    if (name_climbs(path))
        return fault_set(fault, REASON_ESCAPES, path, "holds ..");
    int here = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (here < 0)
        return fault_errno(fault, path, "open", errno);

    char so_far[PATH_MAX];
    const char *at = path + strspn(path, "/");
    enum reason reason = trusted_judge(here, !*at, "/", fault);
    while (reason == REASON_OK && *at) {
        char name[NAME_LONGEST + 1];
        size_t length = strcspn(at, "/");
        size_t end = (size_t)(at - path) + length;
        if (length > NAME_LONGEST || end >= sizeof so_far) {
            reason = fault_set(fault, REASON_BAD_NAME, path, "a component, or the whole, is too long");
            break;
        }
        memcpy(name, at, length);
        name[length] = '\0';
        memcpy(so_far, path, end);
        so_far[end] = '\0';
        at += length;
        at += strspn(at, "/");

        int next = -1;
        reason = trusted_enter(here, name, make, &next, so_far, fault);
        if (reason == REASON_OK)
            reason = trusted_judge(next, !*at, so_far, fault);
        close(here);
        here = next;
    }
    if (reason == REASON_OK)
        *directory = here;
    else if (here >= 0)
        close(here);
    return reason;
}
