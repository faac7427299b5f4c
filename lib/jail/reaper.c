#include "reaper.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/kernel.h"
#include "namespace.h"
#include "scope.h"

/* What the reaper has open, and nothing else: not the output that readers wait to see the end of. */
enum { REAPER_ORDERS, REAPER_READY, REAPER_DEATHS, REAPER_DESCRIPTORS };

/* Says that something has come true. A supervisor that is gone does not hear it. */
static void reaper_say(int ready)
{
    if (write(ready, "", 1) < 0)
        return;
}

/*
 * Below, kill(-1) is to reach the command's family and nothing else of this uid. So the domain has to hold, and is
 * tried: the supervisor is outside of it.
 */
static enum reason reaper_enter_scope(const struct reaper *reaper, struct fault *fault)
{
    enum reason reason = scope_enter(reaper->ruleset, fault);
    if (reason != REASON_OK || reaper->supervisor == 0)
        return reason;
    if (kill(reaper->supervisor, 0) == 0 || errno != EPERM)
        return fault_set(fault, REASON_UNSUPPORTED, NULL, "Landlock's signal scope does not hold here");
    reaper->news->scoped = true;
    return REASON_OK;
}

static enum reason reaper_prepare(const struct reaper *reaper, struct fault *fault)
{
    if (reaper->hold == FAMILY_NAMESPACE && namespace_mount_proc(fault) != REASON_OK) {
        reaper->news->unfit = true;
        _exit(0);
    }
    /* Both the command and this process will need it; nothing is open up there. */
    if (kernel_close_from(INT_MAX) < 0)
        return fault_set(fault, REASON_UNSUPPORTED, NULL, "close_range: %s; needs Linux 5.9", strerror(errno));
    /* Out of the caller's process group: a KILL for that must not hit both of us at once. */
    if (setsid() < 0)
        return fault_errno(fault, NULL, "setsid", errno);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        return fault_errno(fault, NULL, "prctl", errno);
    return reaper->ruleset >= 0 ? reaper_enter_scope(reaper, fault) : REASON_OK;
}

static pid_t reaper_start(const struct reaper *reaper, struct fault *fault)
{
    struct spawn spawn = *reaper->spawn;
    spawn.parent = getpid();
    spawn.ruleset = reaper->ruleset;
    spawn.filter.guarded[0] = spawn.parent;
    spawn.filter.guarded[1] = reaper->supervisor;
    pid_t pid = fork();
    if (pid == 0)
        spawn_command(&spawn, &reaper->news->spawn);
    if (pid < 0)
        fault_errno(fault, NULL, "fork", errno);
    return pid;
}

/* Moves what is still needed to the lowest descriptors and closes all others; gives false when that fails. */
static bool reaper_keep(const struct reaper *reaper)
{
    sigset_t deaths;
    sigemptyset(&deaths);
    sigaddset(&deaths, SIGCHLD);
    return dup2(reaper->orders, REAPER_ORDERS) >= 0 && dup2(reaper->ready, REAPER_READY) >= 0 &&
           kernel_close_from(REAPER_DEATHS) == 0 && signalfd(-1, &deaths, SFD_CLOEXEC | SFD_NONBLOCK) == REAPER_DEATHS;
}

/* Carries out an order; false when it is the end. A pipe gives whole orders, they are smaller than PIPE_BUF. */
static bool reaper_obey(const struct family *family)
{
    struct reaper_order order;
    ssize_t count = read(REAPER_ORDERS, &order, sizeof order);
    if (count < 0 && errno == EINTR)
        return true;
    if (count != sizeof order || (order.everyone && order.signal == SIGKILL))
        return false;
    if (order.everyone) {
        family_signal(family, order.signal);
        family_signal(family, SIGCONT);
    } else if (kill(-family->first, order.signal) < 0)
        kill(family->first, order.signal); /* it has not come as far as its own process group */
    return true;
}

static void reaper_watch(struct family *family)
{
    struct pollfd waiting[] = {{.fd = REAPER_ORDERS, .events = POLLIN}, {.fd = REAPER_DEATHS, .events = POLLIN}};
    struct signalfd_siginfo death;
    while (!family->ended) {
        if (poll(waiting, sizeof waiting / sizeof waiting[0], -1) < 0)
            continue;
        if (waiting[1].revents && read(REAPER_DEATHS, &death, sizeof death) > 0)
            family_reap(family);
        if (waiting[0].revents && !family->ended && !reaper_obey(family))
            return;
    }
}

_Noreturn void reaper_run(const struct reaper *reaper)
{
    struct reaper_news *news = reaper->news;
    struct family family = {.hold = reaper->hold};
    struct fault *fault = &news->spawn.fault;
    news->spawn.failed = true;
    news->spawn.stage = OUTCOME_SETUP;
    if (reaper_prepare(reaper, fault) == REASON_OK) {
        if (reaper->hold == FAMILY_NAMESPACE)
            reaper_say(reaper->ready);
        family.first = news->family.first = reaper_start(reaper, fault);
    }
    if (family.first > 0) {
        if (reaper_keep(reaper))
            reaper_watch(&family);
        family_end(&family, REAPER_DEATHS, REAPER_PATIENCE);
    }
    news->family = family;
    news->done = true;
    reaper_say(family.first > 0 ? REAPER_READY : reaper->ready);
    _exit(0);
}
