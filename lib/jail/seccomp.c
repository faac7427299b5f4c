#include "seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

bool seccomp_available(void)
{
    const uint32_t action = SECCOMP_RET_KILL_PROCESS;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

enum reason seccomp_enter(const struct filter_policy *policy, struct fault *fault)
{
    struct sock_filter instructions[FILTER_SIZE];
    const struct sock_fprog program = {(unsigned short)filter_build(policy, instructions), instructions};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
        return fault_errno(fault, NULL, "seccomp", errno);
    return REASON_OK;
}
