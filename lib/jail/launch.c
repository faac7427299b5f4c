#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descent.h"
#include "landlock.h"
#include "namespace.h"
#include "scope.h"

enum reason launch_hold(bool namespaces, enum family_hold *hold, struct fault *fault)
{
    if (namespaces && namespace_allowed())
        *hold = FAMILY_NAMESPACE;
    else if (scope_abi() >= LANDLOCK_ABI_SCOPES)
        *hold = FAMILY_SCOPE;
    else if (descent_possible())
        *hold = FAMILY_PROC;
    else
        return fault_set(fault, REASON_UNSUPPORTED, NULL,
                         "nothing here ends all that a command starts: no PID namespace (CAP_SYS_ADMIN), no Landlock "
                         "with scopes (Linux 6.12), no /proc");
    return REASON_OK;
}

/*
 * The supervisor is above the reaper's scope and above the command's. What is in one of those cannot signal or trace
 * it, and should the reaper be killed, it can itself reach all that is in its own, and nothing else.
 */
static enum reason launch_enter_scope(struct launch *launch, struct fault *fault)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return fault_errno(fault, NULL, "prctl", errno);
    enum reason reason = scope_open(&launch->ruleset, fault);
    if (reason == REASON_OK && launch->ruleset >= 0)
        reason = scope_enter(launch->ruleset, fault);
    return reason;
}

static enum reason launch_share(struct launch *launch, struct fault *fault)
{
    void *memory = mmap(NULL, sizeof *launch->news, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fault_errno(fault, NULL, "mmap", errno);
    launch->news = memory;
    return REASON_OK;
}

/* Forks the reaper. Its ends of the pipes are closed here, so that each side sees when the other is gone. */
static enum reason launch_fork(const struct spawn *spawn, struct launch *launch, struct fault *fault)
{
    int orders[2];
    int ready[2];
    if (pipe2(orders, O_CLOEXEC) < 0 || pipe2(ready, O_CLOEXEC) < 0)
        return fault_errno(fault, NULL, "pipe2", errno);
    fcntl(orders[1], F_SETFL, O_NONBLOCK);
    bool apart = launch->hold == FAMILY_NAMESPACE;
    const struct reaper reaper = {spawn,     launch->news, launch->hold,        launch->ruleset,
                                  orders[0], ready[1],     apart ? 0 : getpid()};
    launch->reaper = apart ? namespace_fork() : fork();
    if (launch->reaper == 0) {
        close(orders[1]);
        close(ready[0]);
        reaper_run(&reaper);
    }
    int error = errno;
    close(orders[0]);
    close(ready[1]);
    launch->orders = orders[1];
    launch->ready = ready[0];
    return launch->reaper < 0 ? fault_errno(fault, NULL, "fork", error) : REASON_OK;
}

/* Whether the reaper came to life in its PID namespace: it says so, or what else it has to say, or is gone. */
static bool launch_is_fit(const struct launch *launch)
{
    char byte;
    if (launch->reaper < 0)
        return false;
    while (read(launch->ready, &byte, sizeof byte) < 0 && errno == EINTR)
        continue;
    if (!launch->news->unfit)
        return true;
    waitpid(launch->reaper, NULL, __WALL);
    return false;
}

static enum reason launch_start(const struct spawn *spawn, struct launch *launch, struct fault *fault)
{
    enum reason reason = launch_hold(true, &launch->hold, fault);
    if (reason == REASON_OK)
        reason = launch_fork(spawn, launch, fault);
    if (launch->hold != FAMILY_NAMESPACE || launch_is_fit(launch))
        return reason;
    close(launch->orders);
    close(launch->ready);
    launch->news->unfit = false;
    reason = launch_hold(false, &launch->hold, fault);
    return reason == REASON_OK ? launch_fork(spawn, launch, fault) : reason;
}

enum reason launch_reaper(const struct spawn *spawn, struct launch *launch, struct fault *fault)
{
    enum reason reason = launch_enter_scope(launch, fault);
    if (reason == REASON_OK)
        reason = launch_share(launch, fault);
    if (reason == REASON_OK)
        reason = launch_start(spawn, launch, fault);
    return reason;
}
