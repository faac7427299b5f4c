#include "scope.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "landlock.h"

int scope_abi(void)
{
    long abi = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_ASK_VERSION);
    return abi > 0 ? (int)abi : 0;
}

enum reason scope_open(int *ruleset, struct fault *fault)
{
    static const struct landlock_ruleset rules = {.scoped = LANDLOCK_SIGNALS};
    *ruleset = -1;
    if (scope_abi() < LANDLOCK_ABI_SCOPES)
        return REASON_OK;
    *ruleset = (int)syscall(LANDLOCK_CREATE_RULESET, &rules, sizeof rules, 0);
    return *ruleset < 0 ? fault_errno(fault, NULL, "landlock_create_ruleset", errno) : REASON_OK;
}

enum reason scope_enter(int ruleset, struct fault *fault)
{
    if (syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) < 0)
        return fault_errno(fault, NULL, "landlock_restrict_self", errno);
    return REASON_OK;
}
