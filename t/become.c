/*
 * become UID COMMAND [ARG...]: runs COMMAND as UID (and the gid of the same number) as a hardened container would: no
 * supplementary groups, no capability in any set, no_new_privs. With UID 0 it is root as such a container knows it.
 *
 * Not setpriv(1): it still has its capabilities when it executes the command, so that a file of mode 0711 counts as
 * readable for it, and the kernel leaves the process dumpable. docker exec -u does it in this order too.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

static void become(uid_t uid)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

    int capability = 0;
    while (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0)
        capability++;
    if (errno != EINVAL)
        err(ATTACK_FAILED, "bounding set");
    if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
        err(ATTACK_FAILED, "identity");
    if (syscall(SYS_capset, &header, none) != 0)
        err(ATTACK_FAILED, "capset");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        err(ATTACK_FAILED, "no_new_privs");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        errx(ATTACK_MISUSED, "usage: become UID COMMAND [ARG...]");
    become((uid_t)attack_rounds(argv[1]));
    execvp(argv[2], argv + 2);
    err(127, "%s", argv[2]);
}
