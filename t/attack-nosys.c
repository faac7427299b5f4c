/*
 * attack-nosys CALL=ERRNO[,CALL=ERRNO...] -- COMMAND [ARG...]: runs COMMAND under a seccomp(2) filter that answers
 * ERRNO to CALL without running it, as an old kernel or an old seccomp profile of a container does. As with those, the
 * filter stays over execve. Knows the calls and the errnos that such places are known for.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

enum { RULES_MAX = 16, FILTER_MAX = 2 * RULES_MAX + 2 };

struct named {
    const char *name;
    int number;
};

static const struct named calls[] = {
    {"openat2", SYS_openat2},
    {"renameat2", SYS_renameat2},
    {"linkat", SYS_linkat},
    {"statx", SYS_statx},
    {"close_range", SYS_close_range},
    {"getrandom", SYS_getrandom},
    {"splice", SYS_splice},
    {"fsync", SYS_fsync},
    {"copy_file_range", SYS_copy_file_range},
    {"fallocate", SYS_fallocate},
    {"prctl", SYS_prctl},
    {"flock", SYS_flock},
    {"fchmod", SYS_fchmod},
    {"fstatfs", SYS_fstatfs},
    {"sendfile", SYS_sendfile},
    {"setresuid", SYS_setresuid},
    {"setgroups", SYS_setgroups},
    {"pidfd_open", 434},
    {"landlock_create_ruleset", 444},
    {"seccomp", SYS_seccomp},
    {"pwritev2", SYS_pwritev2},
};

static const struct named errnos[] = {
    {"ENOSYS", ENOSYS}, {"EPERM", EPERM},   {"EINVAL", EINVAL},         {"EACCES", EACCES},
    {"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EOPNOTSUPP", EOPNOTSUPP},
};

static int named_find(const struct named *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].number;
    errx(ATTACK_MISUSED, "%s: not a call or an errno known here", name);
}

/* Appends "if the call is this one, answer errno" for each rule of the list. Gives the new length. */
static unsigned short attack_compile(char *rules, struct sock_filter *filter)
{
    unsigned short length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (char *rule = strtok(rules, ","); rule; rule = strtok(NULL, ",")) {
        char *equals = strchr(rule, '=');
        if (!equals || length + 3 > FILTER_MAX)
            errx(ATTACK_MISUSED, "%s: want CALL=ERRNO, %d at most", rule, RULES_MAX);
        *equals = '\0';
        unsigned call = (unsigned)named_find(calls, sizeof calls / sizeof *calls, rule);
        unsigned error = (unsigned)named_find(errnos, sizeof errnos / sizeof *errnos, equals + 1);
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return length;
}

int main(int argc, char **argv)
{
    if (argc < 4 || strcmp(argv[2], "--") != 0)
        errx(ATTACK_MISUSED, "usage: attack-nosys CALL=ERRNO[,CALL=ERRNO...] -- COMMAND [ARG...]");

    struct sock_filter filter[FILTER_MAX];
    struct sock_fprog program = {.len = attack_compile(argv[1], filter), .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        err(ATTACK_FAILED, "no_new_privs");
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        err(ATTACK_FAILED, "seccomp");
    execv(argv[3], argv + 3);
    err(127, "%s", argv[3]);
}
