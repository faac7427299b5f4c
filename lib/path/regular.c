#include "regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "name.h"

/* Of the kernel's, but not in every linux/magic.h. */
enum { MQUEUE_MAGIC = 0x19800202, CONFIGFS_MAGIC = 0x62656570, RESCTRL_MAGIC = 0x7655821 };

bool regular_is_pseudo(int descriptor)
{
    static const unsigned pseudo[] = {
        PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, MQUEUE_MAGIC,  DEBUGFS_MAGIC,
        TRACEFS_MAGIC,    SECURITYFS_MAGIC, CONFIGFS_MAGIC,     RESCTRL_MAGIC,       SELINUX_MAGIC, EFIVARFS_MAGIC,
        BPF_FS_MAGIC,     NSFS_MAGIC,       BINFMTFS_MAGIC,     PSTOREFS_MAGIC,
    };
    struct statfs facts;
    if (fstatfs(descriptor, &facts) < 0)
        return true;
    for (size_t i = 0; i < sizeof pseudo / sizeof pseudo[0]; i++)
        if ((unsigned)facts.f_type == pseudo[i])
            return true;
    return false;
}

const char *regular_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    default:
        return "of an unknown type";
    }
}

enum reason regular_refused(const char *path, int error, struct fault *fault)
{
    switch (error) {
    case ELOOP:
        return fault_set(fault, REASON_LINK, path, "a symbolic link");
    case EXDEV:
        return fault_set(fault, REASON_ESCAPES, path, "leads out of the directory it is to stay beneath");
    case ENXIO:
    case ENODEV:
        return fault_set(fault, REASON_NOT_REGULAR, path, "a socket, or a device that is not there");
    case EAGAIN:
        return fault_set(fault, REASON_BUSY, path, "another process holds a lease on it");
    default:
        return fault_errno(fault, path, "open", error);
    }
}

enum reason regular_open(int directory, const char *path, enum lookup_rule rule, struct regular *regular,
                         struct fault *fault)
{
    const char *last;
    enum reason reason = name_split(path, &last, fault);
    if (reason != REASON_OK)
        return reason;
    /* A FIFO without a writer would hold us for ever, and a terminal could become ours to be hung up by. */
    int descriptor = lookup_open(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, rule);
    if (descriptor < 0)
        return regular_refused(path, errno, fault);
    if (fstat(descriptor, &regular->stat) < 0)
        reason = fault_errno(fault, path, "fstat", errno);
    else if (!S_ISREG(regular->stat.st_mode))
        reason = fault_set(fault, REASON_NOT_REGULAR, path, "%s", regular_kind(regular->stat.st_mode));
    else if (regular_is_pseudo(descriptor))
        reason = fault_set(fault, REASON_NOT_REGULAR, path, "a file of a kernel pseudo file system");
    if (reason != REASON_OK) {
        close(descriptor);
        return reason;
    }
    regular->descriptor = descriptor;
    return REASON_OK;
}

static bool regular_same_time(struct timespec one, struct timespec other)
{
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

enum reason regular_check_unchanged(const struct regular *regular, const char *path, struct fault *fault)
{
    const struct stat *before = &regular->stat;
    struct stat now;
    if (fstat(regular->descriptor, &now) < 0)
        return fault_errno(fault, path, "fstat", errno);
    if (now.st_size != before->st_size)
        return fault_set(fault, REASON_CHANGED, path, "%lld bytes when it was opened, %lld after it was read",
                         (long long)before->st_size, (long long)now.st_size);
    if (!regular_same_time(now.st_mtim, before->st_mtim) || !regular_same_time(now.st_ctim, before->st_ctim))
        return fault_set(fault, REASON_CHANGED, path, "written to, or its inode changed, while it was read");
    return REASON_OK;
}
