#include "namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/identity.h"
#include "procfs.h"

enum { MOUNTINFO_MOST = 1024 * 1024 };

/* Reads /proc/self/mountinfo whole; NULL when it cannot be, or is larger than MOUNTINFO_MOST. To be freed. */
static char *namespace_read_mounts(void)
{
    int file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    char *text = file < 0 ? NULL : malloc(MOUNTINFO_MOST);
    size_t used = 0;
    ssize_t count = 0;
    while (text && used < MOUNTINFO_MOST && (count = read(file, text + used, MOUNTINFO_MOST - used)) > 0)
        used += (size_t)count;
    if (file >= 0)
        close(file);
    if (text && (count < 0 || used == MOUNTINFO_MOST)) {
        free(text);
        return NULL;
    }
    if (text)
        text[used] = '\0';
    return text;
}

bool namespace_allowed(void)
{
    if (!identity_can(CAP_SYS_ADMIN))
        return false;
    /* Container engines mount over parts of /proc and make others read-only: a new one would undo that for the command,
     * and /proc/sys/kernel/core_pattern is a way out for uid 0 even without a capability. */
    char *text = namespace_read_mounts();
    bool allowed = text && procfs_hides_nothing(text);
    free(text);
    return allowed;
}

pid_t namespace_fork(void)
{
    /* As fork(2): no new stack. The flags come first and the stack second on every architecture that filter.c knows. */
    return (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL, NULL, NULL, NULL);
}

enum reason namespace_mount_proc(struct fault *fault)
{
    if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return fault_errno(fault, "/", "mount", errno);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return fault_errno(fault, "/proc", "mount", errno);
    return REASON_OK;
}
