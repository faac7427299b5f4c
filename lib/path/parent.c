#include "parent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookup.h"
#include "name.h"
#include "trusted.h"

enum { PARENT_MODE = 0777, PARENT_TRUSTED_MODE = 0755, PARENT_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* One component from here. Beneath a directory no link is followed, elsewhere the caller's own rights lead. */
static int parent_step(int here, const char *name, enum parent_rule rule)
{
    if (rule == PARENT_BENEATH)
        return lookup_open(here, name, PARENT_FLAGS, LOOKUP_BENEATH);
    return openat(here, name, PARENT_FLAGS);
}

static int parent_step_or_make(int here, const char *name, enum parent_rule rule)
{
    int next = parent_step(here, name, rule);
    if (next < 0 && errno == ENOENT && (mkdirat(here, name, PARENT_MODE) == 0 || errno == EEXIST))
        next = parent_step(here, name, rule);
    return next;
}

/* Goes down path from base, which it closes, and makes what is missing. */
static int parent_make(int base, const char *path, enum parent_rule rule)
{
    int here = base;
    while (here >= 0 && *path) {
        char name[NAME_LONGEST + 1];
        size_t length = strcspn(path, "/");
        if (length > NAME_LONGEST) {
            close(here);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        path += strspn(path, "/");
        int next = parent_step_or_make(here, name, rule);
        int error = errno;
        close(here);
        errno = error;
        here = next;
    }
    return here;
}

static enum reason parent_refused(const char *path, int error, struct fault *fault)
{
    if (error == ELOOP)
        return fault_set(fault, REASON_LINK, path, "a symbolic link on the way");
    if (error == EXDEV)
        return fault_set(fault, REASON_ESCAPES, path, "leads out of the directory it is to stay beneath");
    return fault_errno(fault, path, "opening its directory", error);
}

static enum reason parent_open_trusted(const char *beneath, const char *directory, bool make, struct parent *parent,
                                       struct fault *fault)
{
    char joined[PATH_MAX];
    if (beneath && (directory[0] == '/' || name_climbs(directory)))
        return parent_refused(directory, EXDEV, fault);
    if (snprintf(joined, sizeof joined, "%s%s%s", beneath ? beneath : "", beneath ? "/" : "", directory) >=
        (int)sizeof joined)
        return fault_errno(fault, directory, "opening its directory", ENAMETOOLONG);
    return trusted_open(joined, make ? PARENT_TRUSTED_MODE : TRUSTED_MUST_EXIST, &parent->directory, fault);
}

enum reason parent_open(const char *beneath, const char *path, enum parent_rule rule, bool make, struct parent *parent,
                        struct fault *fault)
{
    char directory[PATH_MAX] = ".";
    enum reason reason = name_split(path, &parent->name, fault);
    if (reason != REASON_OK)
        return reason;
    size_t length = (size_t)(parent->name - path);
    if (length > 0) {
        memcpy(directory, path, length);
        directory[length] = '\0';
    }
    if (rule == PARENT_TRUSTED)
        return parent_open_trusted(beneath, directory, make, parent, fault);
    if (rule == PARENT_BENEATH && (directory[0] == '/' || name_climbs(directory)))
        return parent_refused(path, EXDEV, fault);

    int base = AT_FDCWD;
    if (rule == PARENT_BENEATH || make) {
        const char *start = rule == PARENT_BENEATH ? beneath : directory[0] == '/' ? "/" : ".";
        base = open(start, PARENT_FLAGS);
        if (base < 0)
            return fault_errno(fault, start, "open", errno);
    }
    if (make)
        parent->directory = parent_make(base, directory + strspn(directory, "/"), rule);
    else if (rule == PARENT_BENEATH) {
        parent->directory = lookup_open(base, directory, PARENT_FLAGS, LOOKUP_BENEATH);
        int error = errno;
        close(base);
        errno = error;
    } else
        parent->directory = open(directory, PARENT_FLAGS);
    if (parent->directory < 0)
        return parent_refused(path, errno, fault);
    return REASON_OK;
}

enum reason parent_open_for_sync(const struct parent *parent, const char *path, int *directory, struct fault *fault)
{
    *directory = openat(parent->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*directory < 0)
        return fault_errno(fault, path, "opening its directory for --sync", errno);
    return REASON_OK;
}
