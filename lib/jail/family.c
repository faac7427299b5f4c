#include "family.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "descent.h"

const char *family_hold_name(enum family_hold hold)
{
    static const char *const names[] = {"pid_namespace", "landlock", "proc"};
    return names[hold];
}

/*
 * The kernel holds its list of processes while it goes through it, and a fork that has not yet entered it sees the
 * signal and is called off: one kill(-1) misses nothing, whatever races it. It spares the caller itself.
 */
void family_signal(const struct family *family, int signal)
{
    if (family->hold == FAMILY_PROC)
        descent_signal(signal);
    else
        kill(-1, signal);
}

bool family_reap(struct family *family)
{
    for (;;) {
        int status;
        /* __WALL: also what was made by clone(2) with another signal than SIGCHLD. */
        pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
        if (pid == 0)
            return true;
        if (pid < 0 && errno != EINTR)
            return false;
        if (pid > 0 && pid == family->first) {
            family->ended = true;
            family->status = status;
        }
    }
}

/* Waits until a child dies; false when the time is up. */
static bool family_wait(int deaths, int64_t until)
{
    struct pollfd waiting = {.fd = deaths, .events = POLLIN};
    struct signalfd_siginfo death;
    int left = clock_left(until);
    if (left == 0)
        return false;
    if (poll(&waiting, 1, left) > 0 && read(deaths, &death, sizeof death) < 0)
        return errno == EAGAIN || errno == EINTR;
    return true;
}

void family_end(struct family *family, int deaths, int64_t patience)
{
    int64_t until = clock_now() + patience;
    family->survivors = 0;
    do {
        if (!family_reap(family))
            return;
        family_signal(family, SIGKILL);
    } while (family_wait(deaths, until));
    /* Without a /proc to count them in, at least one is left. */
    unsigned alive = descent_signal(0);
    family->survivors = alive ? alive : 1;
}
