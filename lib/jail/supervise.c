#include "supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/identity.h"
#include "base/quantity.h"
#include "clock.h"
#include "launch.h"
#include "output.h"

/* Milliseconds. After KILL the output is waited for half of a second, and what cannot die for another half. */
enum { SUPERVISE_HALF = 500, TETHER_CHUNK = 64 * 1024 };

/* Signals that ask for an end; they are the command's to answer. */
static const int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
enum { PASSED_ON = sizeof passed_on / sizeof passed_on[0] };

enum phase {
    PHASE_RUNNING,     /* until the deadline */
    PHASE_TERMINATING, /* TERM was sent; until the grace is over */
    PHASE_KILLING,     /* KILL was; until what is in the pipes must have gone out */
    PHASE_CUT,         /* the output was cut; until everything must be dead */
    PHASE_OVER
};

enum { WAIT_READY, WAIT_SIGNAL, WAIT_TETHER, WAIT_OUTPUT, WAITED = WAIT_OUTPUT + OUTPUT_POLLED };

static struct supervisor {
    const struct supervision *plan;
    struct outcome *outcome;
    struct launch launch;
    enum phase phase;
    int64_t until;    /* when the phase ends; 0 for never */
    int64_t deadline; /* 0 for none */
    int signals;      /* a signalfd */
    bool heard;       /* the reaper is done, or gone: nothing of the command runs */
    bool captured;
    bool failed; /* the output has no reader */
    struct output output;
} supervisor;

/* The first cause of an end is the outcome's. */
static void supervise_cause(enum reason reason, const char *path, const char *detail)
{
    if (supervisor.outcome->fault.reason == REASON_OK)
        fault_set(&supervisor.outcome->fault, reason, path, "%s", detail);
}

static void supervise_enter(enum phase phase, int64_t time)
{
    supervisor.phase = phase;
    supervisor.until = clock_now() + time;
}

/* One that the reaper does not take (it was stopped, or is gone) is made good for when its time is over. */
static void supervise_order(int signal, bool everyone)
{
    const struct reaper_order order = {signal, everyone};
    if (!supervisor.heard && write(supervisor.launch.orders, &order, sizeof order) < 0)
        return;
}

static void supervise_terminate(void)
{
    supervise_order(SIGTERM, true);
    supervise_enter(PHASE_TERMINATING, supervisor.plan->grace);
}

static void supervise_kill(void)
{
    supervise_order(SIGKILL, true);
    supervise_enter(PHASE_KILLING, SUPERVISE_HALF);
}

/* Nothing of the command runs any more, or nothing more can be done about it. */
static void supervise_hear(const struct family *family)
{
    struct outcome *outcome = supervisor.outcome;
    supervisor.heard = true;
    outcome->ended = family->ended;
    outcome->status = family->status;
    outcome->survivors = family->survivors;
    if (supervisor.captured)
        output_seal(&supervisor.output);
    /* What was killed for too much output was not late: its reader has the time that is left. */
    if (outcome->fault.reason == REASON_TOO_LARGE) {
        supervisor.phase = PHASE_RUNNING;
        supervisor.until = supervisor.deadline;
    }
}

/*
 * The reaper was killed or stopped from outside: the supervisor does its work. It is a subreaper too, and in a domain
 * of its own, above the reaper's.
 */
static void supervise_replace(void)
{
    const struct reaper_news *news = supervisor.launch.news;
    /* Without a domain that is known to hold, kill(-1) would be everything of this uid. */
    struct family family = {.hold = news->scoped ? FAMILY_SCOPE : FAMILY_PROC,
                            .first = supervisor.launch.hold == FAMILY_NAMESPACE ? 0 : news->family.first};
    if (supervisor.launch.reaper > 0)
        kill(supervisor.launch.reaper, SIGKILL);
    family_end(&family, supervisor.signals, SUPERVISE_HALF);
    supervise_cause(REASON_SYSTEM, NULL, "the reaper was killed or stopped, and the command with it");
    supervise_hear(&family);
}

/* The time of the phase is over. */
static void supervise_advance(void)
{
    enum reason reason = supervisor.outcome->fault.reason;
    switch (supervisor.phase) {
    case PHASE_RUNNING:
        if (!supervisor.heard)
            supervise_cause(REASON_DEADLINE, NULL, "the time given by --deadline was up");
        supervise_terminate();
        return;
    case PHASE_TERMINATING:
        supervise_kill();
        return;
    case PHASE_KILLING:
        if (supervisor.captured && (supervisor.heard || reason != REASON_TOO_LARGE) && output_cut(&supervisor.output)) {
            supervisor.outcome->truncated = true;
            supervise_cause(REASON_DEADLINE, NULL, "the output was not read within the time given by --deadline");
        }
        supervise_enter(PHASE_CUT, SUPERVISE_HALF);
        return;
    case PHASE_CUT:
        supervisor.phase = PHASE_OVER;
        if (!supervisor.heard)
            supervise_replace();
        return;
    case PHASE_OVER:
        return;
    }
}

/* Reaps the reaper, and as the first process of a container or as a subreaper whatever else ended up here. */
static void supervise_reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
        if (pid == supervisor.launch.reaper)
            supervisor.launch.reaper = 0;
}

static void supervise_take_signal(void)
{
    struct signalfd_siginfo info;
    if (read(supervisor.signals, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo == SIGCHLD)
        supervise_reap();
    else
        supervise_order((int)info.ssi_signo, false);
}

static void supervise_listen(void)
{
    char byte;
    ssize_t count = read(supervisor.launch.ready, &byte, sizeof byte);
    if (supervisor.launch.news->done)
        supervise_hear(&supervisor.launch.news->family);
    else if (count == 0)
        supervise_replace();
}

/* What comes through the tether is of no interest, only that it ends. */
static void supervise_feel_tether(void)
{
    static char ignored[TETHER_CHUNK];
    ssize_t count = read(STDIN_FILENO, ignored, sizeof ignored);
    if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR)))
        return;
    supervise_cause(REASON_IO, DESCRIPTOR_STDIN,
                    "the tether hung up: whoever started this is gone, or gave it no input");
    if (supervisor.phase == PHASE_RUNNING)
        supervise_terminate();
}

static void supervise_move(void)
{
    struct fault fault;
    enum reason reason = output_move(&supervisor.output, &fault);
    if (reason == REASON_OK)
        return;
    supervisor.failed = reason != REASON_TOO_LARGE;
    supervisor.outcome->truncated = true;
    supervise_cause(reason, fault.path, fault.detail);
    if (!supervisor.heard)
        supervise_kill();
}

static bool supervise_flows(void)
{
    return supervisor.captured && !supervisor.failed;
}

/* Waits for anything that happens, or for the end of the phase. */
static void supervise_wait(void)
{
    struct pollfd polled[WAITED];
    bool tethered = supervisor.plan->tether && !supervisor.heard && supervisor.phase == PHASE_RUNNING;
    polled[WAIT_READY] = (struct pollfd){.fd = supervisor.heard ? -1 : supervisor.launch.ready, .events = POLLIN};
    polled[WAIT_SIGNAL] = (struct pollfd){.fd = supervisor.signals, .events = POLLIN};
    polled[WAIT_TETHER] = (struct pollfd){.fd = tethered ? STDIN_FILENO : -1, .events = POLLIN};
    nfds_t count = WAIT_OUTPUT;
    if (supervise_flows()) {
        output_poll(&supervisor.output, polled + WAIT_OUTPUT);
        count = WAITED;
    }
    int found = poll(polled, count, supervisor.until ? clock_left(supervisor.until) : -1);
    /* Also while there is always something to do: a flood of output must not put off the deadline. */
    if (supervisor.until && clock_left(supervisor.until) == 0)
        supervise_advance();
    if (found <= 0)
        return;
    if (polled[WAIT_SIGNAL].revents)
        supervise_take_signal();
    if (polled[WAIT_TETHER].revents)
        supervise_feel_tether();
    if (polled[WAIT_READY].revents && !supervisor.heard)
        supervise_listen();
    if (supervise_flows())
        supervise_move();
}

static void supervise_loop(void)
{
    while (supervisor.phase != PHASE_OVER &&
           !(supervisor.heard && (!supervise_flows() || output_finished(&supervisor.output))))
        supervise_wait();
    if (supervise_flows() && !output_finished(&supervisor.output))
        supervisor.outcome->truncated = true;
    /* It has nothing left to do, unless it waits in the kernel for what cannot die. */
    if (supervisor.launch.reaper > 0 && supervisor.outcome->survivors == 0) {
        kill(supervisor.launch.reaper, SIGKILL);
        waitpid(supervisor.launch.reaper, NULL, __WALL);
    }
}

static enum reason supervise_block_signals(struct fault *fault)
{
    sigset_t set;
    struct sigaction before;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < PASSED_ON; i++)
        if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaddset(&set, passed_on[i]);
    /* A caller that ignores SIGCHLD would have the kernel throw away what the command's end was. */
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigprocmask(SIG_SETMASK, &set, NULL);
    supervisor.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return supervisor.signals < 0 ? fault_errno(fault, NULL, "signalfd", errno) : REASON_OK;
}

static enum reason supervise_begin(struct spawn *spawn, struct fault *fault)
{
    const struct supervision *plan = supervisor.plan;
    enum reason reason = supervise_block_signals(fault);
    if (reason == REASON_OK && (plan->frames || plan->max_output != QUANTITY_UNLIMITED)) {
        reason = output_begin(&supervisor.output, plan->frames, plan->max_output, spawn->standard + 1, fault);
        supervisor.captured = reason == REASON_OK;
    }
    if (reason == REASON_OK)
        reason = launch_reaper(spawn, &supervisor.launch, fault);
    if (supervisor.captured)
        for (int i = 1; i < SPAWN_STANDARD; i++)
            if (spawn->standard[i] > STDERR_FILENO)
                close(spawn->standard[i]);
    return reason;
}

/* Puts together how it ended from what the reaper and the command's own beginning have said. */
static void supervise_conclude(void)
{
    const struct reaper_news *news = supervisor.launch.news;
    const struct spawn_report *report = &news->spawn;
    const struct identity *identity = supervisor.plan->spawn.identity;
    struct outcome *outcome = supervisor.outcome;
    outcome->stage = report->failed ? report->stage : OUTCOME_RUN;
    outcome->hold = supervisor.launch.hold;
    outcome->guarded =
        supervisor.launch.hold == FAMILY_NAMESPACE || news->scoped || (identity && identity->uid != geteuid());
    outcome->filtered = supervisor.plan->spawn.filtered;
    outcome->kept = report->kept;
    if (report->failed && outcome->fault.reason == REASON_OK) {
        outcome->exec_code = report->exec_code;
        if (report->fault.reason == REASON_OK)
            supervise_cause(REASON_SYSTEM, NULL, "the command was killed before it began");
        else
            outcome->fault = report->fault;
    } else if (outcome->stage == OUTCOME_EXEC)
        outcome->stage = OUTCOME_SETUP;
    if (outcome->survivors > 0)
        supervise_cause(REASON_PARTIAL, NULL, "something that the command started could not be killed");
}

void supervise_run(const struct supervision *supervision, struct outcome *outcome)
{
    struct spawn spawn = supervision->spawn;
    supervisor = (struct supervisor){.plan = supervision, .outcome = outcome};
    if (supervision->deadline)
        supervisor.until = supervisor.deadline = clock_now() + supervision->deadline;
    outcome->stage = OUTCOME_SETUP;
    if (supervise_begin(&spawn, &outcome->fault) == REASON_OK) {
        supervise_loop();
        supervise_conclude();
    }
}

/* When the time for the output will be up; 0 for never. */
static int64_t supervise_last(void)
{
    int64_t grace = supervisor.plan->grace;
    switch (supervisor.phase) {
    case PHASE_RUNNING:
        return supervisor.deadline ? supervisor.deadline + grace + 2 * SUPERVISE_HALF : 0;
    case PHASE_TERMINATING:
        return supervisor.until + 2 * SUPERVISE_HALF;
    case PHASE_KILLING:
        return supervisor.until + SUPERVISE_HALF;
    case PHASE_CUT:
    case PHASE_OVER:
        break;
    }
    return supervisor.until;
}

enum reason supervise_finish(const char *line, size_t length, struct fault *fault)
{
    struct pollfd polled[OUTPUT_POLLED];
    enum reason reason = REASON_OK;
    if (!supervisor.captured)
        return descriptor_write(STDOUT_FILENO, line, length, DESCRIPTOR_STDOUT, fault);
    if (supervisor.failed)
        return REASON_OK;
    int64_t last = supervise_last();
    output_cut(&supervisor.output);
    output_add(&supervisor.output, line, length);
    while ((reason = output_move(&supervisor.output, fault)) == REASON_OK && !output_finished(&supervisor.output)) {
        if (last && clock_left(last) == 0)
            return fault_set(fault, REASON_DEADLINE, DESCRIPTOR_STDOUT, "the last frame was not read in time");
        output_poll(&supervisor.output, polled);
        if (poll(polled, OUTPUT_POLLED, last ? clock_left(last) : -1) < 0 && errno != EINTR)
            return fault_errno(fault, NULL, "poll", errno);
    }
    return reason;
}
