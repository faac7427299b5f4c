#include "lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/kernel.h"
#include "name.h"

enum {
    LINKS_LONGEST = 40, /* links that path_resolution(7) follows before it gives ELOOP */
    STEP = O_PATH | O_NOFOLLOW | O_CLOEXEC
};

int lookup_open(int directory, const char *path, int flags, enum lookup_rule rule)
{
    uint64_t resolve = RESOLVE_NO_MAGICLINKS;
    if (rule == LOOKUP_BENEATH) {
        if (path[0] == '/' || name_climbs(path)) {
            errno = EXDEV;
            return -1;
        }
        /* The agent owns directories on the way and swaps them for links while we look: the kernel resolves and opens
         * in this one call, and refuses any link instead of asking us to check and open again. */
        resolve |= RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
        /* With O_NOFOLLOW a last link would be ENOTDIR to O_DIRECTORY, and a descriptor to O_PATH. */
        flags &= ~O_NOFOLLOW;
    }
    int descriptor = kernel_openat2(directory, path, flags, resolve);
    if (descriptor < 0 && (errno == ENOSYS || errno == EPERM))
        return lookup_walk(directory, path, flags, rule);
    return descriptor;
}

static void lookup_close(int descriptor)
{
    int error = errno;
    close(descriptor);
    errno = error;
}

static int lookup_fail(int error)
{
    errno = error;
    return -1;
}

/*
 * Whether the link that descriptor holds is magic: on proc(5) it jumps to a file by its identity, and its text is what
 * d_path makes of that: absolute, or a type with a colon. /proc/self and its like are plain, and their text is neither.
 */
static bool lookup_is_magic(int descriptor, const char *text)
{
    struct statfs facts;
    return fstatfs(descriptor, &facts) < 0 ||
           (facts.f_type == PROC_SUPER_MAGIC && (text[0] == '/' || strchr(text, ':')));
}

/* Puts a link's text in front of the rest of the path. */
static bool lookup_expand(int link, char rest[PATH_MAX])
{
    char text[PATH_MAX];
    char joined[PATH_MAX];
    ssize_t length = readlinkat(link, "", text, sizeof text - 1);
    if (length < 0)
        return false;
    text[length] = '\0';
    if (lookup_is_magic(link, text)) {
        errno = ELOOP;
        return false;
    }
    if (snprintf(joined, sizeof joined, "%s/%s", text, rest) >= (int)sizeof joined) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(rest, joined, sizeof joined);
    return true;
}

/* Opens the last component. O_DIRECTORY turns the ELOOP of a link into ENOTDIR: the refusal stands, its name is put
 * right. */
static int lookup_last(int here, const char *name, int flags)
{
    int descriptor = openat(here, name, flags | O_NOFOLLOW | O_CLOEXEC);
    struct stat stat;
    if (descriptor < 0 && errno == ENOTDIR) {
        bool link = fstatat(here, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(stat.st_mode);
        errno = link ? ELOOP : ENOTDIR;
    }
    return descriptor;
}

/*
 * One step of the walk: the directory that name leads to from here. A link that may be followed puts its text in front
 * of rest, and the step leads to where that text begins.
 */
static int lookup_step(int here, const char *name, char rest[PATH_MAX], enum lookup_rule rule, int *links)
{
    struct stat stat;
    int next = openat(here, name, STEP);
    if (next < 0)
        return -1;
    if (fstat(next, &stat) < 0) {
        lookup_close(next);
        return -1;
    }
    if (S_ISDIR(stat.st_mode))
        return next;
    errno = ENOTDIR;
    bool expanded = false;
    if (S_ISLNK(stat.st_mode)) {
        errno = ELOOP;
        expanded = rule != LOOKUP_BENEATH && ++*links <= LINKS_LONGEST && lookup_expand(next, rest);
    }
    lookup_close(next);
    if (!expanded)
        return -1;
    return rest[0] == '/' ? open("/", STEP) : openat(here, ".", STEP);
}

int lookup_walk(int directory, const char *path, int flags, enum lookup_rule rule)
{
    char rest[PATH_MAX];
    char name[NAME_LONGEST + 1];
    int links = 0;
    if (!path[0])
        return lookup_fail(ENOENT);
    if (snprintf(rest, sizeof rest, "%s", path) >= (int)sizeof rest)
        return lookup_fail(ENAMETOOLONG);
    int here = path[0] == '/' ? open("/", STEP) : openat(directory, ".", STEP);
    while (here >= 0) {
        const char *at = rest + strspn(rest, "/");
        size_t length = strcspn(at, "/");
        if (length > NAME_LONGEST) {
            close(here);
            return lookup_fail(ENAMETOOLONG);
        }
        memcpy(name, at, length);
        name[length] = '\0';
        bool last = at[length] == '\0';
        memmove(rest, at + length, strlen(at + length) + 1);
        int next = last ? lookup_last(here, length ? name : ".", flags) : lookup_step(here, name, rest, rule, &links);
        lookup_close(here);
        if (last)
            return next;
        here = next;
    }
    return -1;
}
