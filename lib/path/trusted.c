#include "trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "name.h"

enum {
    PERMISSIONS = 07777,
    STEP = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC /* root without capabilities may judge what it cannot read */
};

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
    *next = openat(here, name, STEP);
    if (*next < 0 && errno == ENOENT && make != TRUSTED_MUST_EXIST) {
        if (kernel_mkdir(here, name, make) < 0 && errno != EEXIST)
            return fault_errno(fault, path, "mkdir", errno);
        *next = openat(here, name, STEP);
    }
    if (*next >= 0)
        return REASON_OK;
    int error = errno;
    struct stat stat;
    if (error == ENOTDIR && fstatat(here, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(stat.st_mode))
        return fault_set(fault, REASON_LINK, path, "a symbolic link on a path that only root may lead");
    return fault_errno(fault, path, "open", error);
}

/* Opens the directory, judged to be root's alone, for reading. Takes the O_PATH descriptor. */
static enum reason trusted_reopen(int here, int *directory, const char *path, struct fault *fault)
{
    *directory = openat(here, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum reason reason = *directory < 0 ? fault_errno(fault, path, "open", errno) : REASON_OK;
    close(here);
    return reason;
}

enum reason trusted_open(const char *path, mode_t make, int *directory, struct fault *fault)
{
    if (path[0] != '/')
        return fault_set(fault, REASON_USAGE, path, "must be an absolute path");
    if (name_climbs(path))
        return fault_set(fault, REASON_ESCAPES, path, "holds ..");
    int here = open("/", STEP);
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
        return trusted_reopen(here, directory, path, fault);
    if (here >= 0)
        close(here);
    return reason;
}
