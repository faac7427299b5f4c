#include "drop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/interrupt.h"
#include "base/kernel.h"
#include "name.h"
#include "remove.h"
#include "stage.h"
#include "trusted.h"

enum {
    DROP_DIRECTORY_MODE = 0711,
    DROP_UNFINISHED_MODE = 0700,
    DROP_TREE_MODE = 0755,
    MILLISECONDS = 1000,
    NANOSECONDS = 1000000
};

static const int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/* Removes what the directory descriptor, which it closes, and its name hold. */
static enum reason drop_take_away(int root, const char *hex, int directory, enum remove_rule rule, const char *path,
                                  struct fault *fault)
{
    enum reason reason = remove_contents(directory, rule, path, fault);
    if (reason == REASON_OK && unlinkat(root, hex, AT_REMOVEDIR) < 0)
        reason = fault_errno(fault, path, "rmdir", errno);
    return reason;
}

/* Makes the random directory and locks it. Until the drop is finished no one but root may enter it. */
static enum reason drop_make_directory(struct drop *drop, struct fault *fault)
{
    enum reason reason = stage_random_name(drop->hex, DROP_RANDOM_BYTES, fault);
    if (reason != REASON_OK)
        return reason;
    if (kernel_mkdir(drop->root, drop->hex, DROP_UNFINISHED_MODE) < 0)
        return fault_errno(fault, drop->path, "mkdir", errno);
    drop->directory = openat(drop->root, drop->hex, directory_flags);
    if (drop->directory < 0 || flock(drop->directory, LOCK_EX | LOCK_NB) < 0) {
        reason = fault_errno(fault, drop->path, "locking its directory", errno);
        if (drop->directory >= 0)
            close(drop->directory);
        unlinkat(drop->root, drop->hex, AT_REMOVEDIR);
    }
    return reason;
}

enum reason drop_check_root(const char *root, struct fault *fault)
{
    const char *at = root;
    bool normal = *at == '/';
    while (normal && *at) {
        size_t length = strcspn(++at, "/");
        normal = length > 0 && strncmp(at, ".", length) != 0 && strncmp(at, "..", length) != 0;
        at += length;
    }
    if (!normal || at - root > PATH_MAX - DROP_HEX - NAME_LONGEST - 3)
        return fault_set(fault, REASON_USAGE, root, "a drop root is an absolute path without //, . and .. in it");
    return REASON_OK;
}

enum reason drop_begin(struct drop *drop, const char *root, const char *name, struct fault *fault)
{
    enum reason reason = name_check(name, strlen(name), fault);
    if (reason != REASON_OK)
        return reason;
    drop->name = name;
    drop->file = -1;
    snprintf(drop->path, sizeof drop->path, "%s", root);
    reason = trusted_open(root, DROP_DIRECTORY_MODE, &drop->root, fault);
    if (reason != REASON_OK)
        return reason;
    reason = drop_make_directory(drop, fault);
    if (reason != REASON_OK)
        close(drop->root);
    else
        snprintf(drop->path, sizeof drop->path, "%s/%s/%s", root, drop->hex, name);
    return reason;
}

enum reason drop_open_file(struct drop *drop, mode_t mode, struct fault *fault)
{
    drop->file = openat(drop->directory, drop->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (drop->file < 0)
        return fault_errno(fault, drop->path, "open", errno);
    return REASON_OK;
}

enum reason drop_make_tree(const struct drop *drop, int *tree, struct fault *fault)
{
    if (kernel_mkdir(drop->directory, drop->name, DROP_TREE_MODE) < 0)
        return fault_errno(fault, drop->path, "mkdir", errno);
    *tree = openat(drop->directory, drop->name, directory_flags);
    return *tree < 0 ? fault_errno(fault, drop->path, "open", errno) : REASON_OK;
}

enum reason drop_finish(struct drop *drop, mode_t mode, struct fault *fault)
{
    enum reason reason = REASON_OK;
    if (drop->file >= 0) {
        /* It is root's and stays so: given to the agent, it would be the agent's to rewrite after it was checked. */
        if (fchmod(drop->file, mode) < 0)
            return fault_errno(fault, drop->path, "fchmod", errno);
        reason = descriptor_settle(drop->file, drop->path, fault);
    }
    if (reason == REASON_OK && fchmod(drop->directory, DROP_DIRECTORY_MODE) < 0)
        reason = fault_errno(fault, drop->path, "fchmod", errno);
    return reason;
}

void drop_undo(struct drop *drop)
{
    struct fault unheard;
    if (drop->file >= 0)
        close(drop->file);
    drop_take_away(drop->root, drop->hex, drop->directory, REMOVE_OWN, drop->path, &unheard);
    close(drop->root);
}

/* The first DROP_HEX bytes are lower-case hexadecimal digits. */
static bool drop_is_hex(const char *text)
{
    return strspn(text, "0123456789abcdef") == DROP_HEX;
}

enum reason drop_parse(const char *root, const char *path, char hex[DROP_HEX + 1], const char **name,
                       struct fault *fault)
{
    size_t length = strlen(root);
    if (strncmp(path, root, length) != 0 || path[length] != '/' || !drop_is_hex(path + length + 1))
        return fault_set(fault, REASON_BAD_NAME, path, "not a drop under this drop root; nothing was touched");
    memcpy(hex, path + length + 1, DROP_HEX);
    hex[DROP_HEX] = '\0';
    const char *rest = path + length + 1 + DROP_HEX;
    *name = NULL;
    if (!*rest)
        return REASON_OK;
    if (*rest != '/')
        return fault_set(fault, REASON_BAD_NAME, path, "not a drop under this drop root; nothing was touched");
    *name = rest + 1;
    return name_check(*name, strlen(*name), fault);
}

enum reason drop_remove(int root, const char *hex, const char *name, const char *path, struct fault *fault)
{
    int directory = openat(root, hex, directory_flags);
    if (directory < 0)
        return fault_errno(fault, path, "open", errno);
    struct stat stat;
    enum reason reason = REASON_OK;
    if (flock(directory, LOCK_EX | LOCK_NB) < 0)
        reason = fault_set(fault, REASON_BUSY, path, "still being written");
    else if (name && fstatat(directory, name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
        reason = fault_errno(fault, path, "stat", errno);
    if (reason != REASON_OK) {
        close(directory);
        return reason;
    }
    return drop_take_away(root, hex, directory, REMOVE_ANY, path, fault);
}

static int64_t drop_age(const struct stat *stat)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((int64_t)now.tv_sec - stat->st_ctim.tv_sec) * MILLISECONDS +
           (now.tv_nsec - stat->st_ctim.tv_nsec) / NANOSECONDS;
}

/* The age counts from the directory's ctime, which nobody can set back. */
static enum reason drop_sweep_one(int root, const char *hex, int64_t age, const char *path, struct fault *fault)
{
    struct stat stat;
    int directory = openat(root, hex, directory_flags);
    if (directory < 0)
        return errno == ENOENT ? REASON_OK : fault_errno(fault, path, "open", errno);
    if (fstat(directory, &stat) < 0 || drop_age(&stat) < age || flock(directory, LOCK_EX | LOCK_NB) < 0) {
        close(directory);
        return REASON_OK;
    }
    enum reason reason = drop_take_away(root, hex, directory, REMOVE_ANY, path, fault);
    /* Another sweep, or a caller who discards it, was faster. */
    return reason == REASON_MISSING ? REASON_OK : reason;
}

enum reason drop_sweep(int root, int64_t age, const char *path, struct fault *fault)
{
    int twin = openat(root, ".", directory_flags);
    DIR *stream = twin < 0 ? NULL : fdopendir(twin);
    if (!stream) {
        if (twin >= 0)
            close(twin);
        return fault_errno(fault, path, "opendir", errno);
    }
    struct fault later;
    enum reason first = REASON_OK;
    const struct dirent *entry;
    while (interrupt_check(&later, path) == REASON_OK && (errno = 0, entry = readdir(stream)) != NULL) {
        if (!drop_is_hex(entry->d_name) || entry->d_name[DROP_HEX])
            continue;
        struct fault *here = first == REASON_OK ? fault : &later;
        enum reason reason = drop_sweep_one(root, entry->d_name, age, path, here);
        if (first == REASON_OK)
            first = reason;
    }
    if (first == REASON_OK && interrupt_check(fault, path) != REASON_OK)
        first = fault->reason;
    else if (first == REASON_OK && errno != 0)
        first = fault_errno(fault, path, "readdir", errno);
    closedir(stream);
    return first;
}
