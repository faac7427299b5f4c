#include "interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>

enum { AGAIN_MICROSECONDS = 20000, MILLISECONDS = 1000 };

/* All whose default is to end the process, but those of a fault of its own and the real-time ones. */
static const int ending[] = {SIGTERM, SIGINT,  SIGHUP,    SIGQUIT, SIGUSR1, SIGUSR2,
                             SIGXCPU, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR,  SIGSTKFLT};
enum { ENDING = sizeof ending / sizeof ending[0] };

static volatile sig_atomic_t asked; /* the signal that asked the tool to end */
static volatile sig_atomic_t late;
static volatile sig_atomic_t granted; /* what asked before counts no more, only the time does */
static bool watching;

static void interrupt_on_signal(int signal)
{
    /* setitimer(2) is a bare system call on Linux, so it is safe here although POSIX does not list it. */
    const struct itimerval again = {{0, AGAIN_MICROSECONDS}, {0, AGAIN_MICROSECONDS}};
    if (!asked)
        asked = signal;
    setitimer(ITIMER_REAL, &again, NULL);
}

static void interrupt_on_alarm(int signal)
{
    (void)signal;
    if (!asked || granted)
        late = 1;
}

static void interrupt_set(int64_t milliseconds)
{
    struct itimerval timer = {{0, AGAIN_MICROSECONDS}, {0, 0}};
    timer.it_value.tv_sec = (time_t)(milliseconds / MILLISECONDS);
    timer.it_value.tv_usec = (suseconds_t)(milliseconds % MILLISECONDS * MILLISECONDS);
    setitimer(ITIMER_REAL, &timer, NULL);
}

void interrupt_begin(int64_t deadline)
{
    struct sigaction action;
    watching = true;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);
    action.sa_handler = interrupt_on_signal;
    for (size_t i = 0; i < ENDING; i++) {
        struct sigaction before;
        if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
    }
    action.sa_handler = interrupt_on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);

    /* The caller may have left any of them blocked: a blocked SIGALRM would be a deadline that never comes. */
    sigset_t unblocked;
    sigemptyset(&unblocked);
    sigaddset(&unblocked, SIGALRM);
    for (size_t i = 0; i < ENDING; i++)
        sigaddset(&unblocked, ending[i]);
    sigprocmask(SIG_UNBLOCK, &unblocked, NULL);

    if (deadline > 0)
        interrupt_set(deadline);
}

enum reason interrupt_check(struct fault *fault, const char *path)
{
    if (watching && asked && !granted)
        return fault_set(fault, REASON_SYSTEM, path, "stopped by signal %d", (int)asked);
    if (watching && late)
        return fault_set(fault, REASON_DEADLINE, path, "the time given by --deadline was up");
    return REASON_OK;
}

void interrupt_grant(int64_t milliseconds)
{
    granted = 1;
    late = 0;
    interrupt_set(milliseconds);
}

void interrupt_end(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    sigset_t blocked;
    watching = false;
    sigemptyset(&blocked);
    for (size_t i = 0; i < ENDING; i++)
        sigaddset(&blocked, ending[i]);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
}

int interrupt_signal(void)
{
    return asked;
}
