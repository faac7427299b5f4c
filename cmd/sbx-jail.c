/*
 * sbx-jail: run one command, bounded in time and output, and end everything that it started.
 *
 * Threat: the command is the agent's. It forks faster than it is killed, leaves its session, ignores TERM, holds the
 * pipes open, floods its reader, prints what looks like our own report, and stops, traces or kills what runs as its
 * uid, us included. So it starts with nothing of ours (jail/spawn.h), is held as a whole (jail/family.h) by two
 * processes that it cannot reach (jail/reaper.h), and how it ended is told apart from what it says (jail/outcome.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/account.h"
#include "base/descriptor.h"
#include "base/diagnostic.h"
#include "base/identity.h"
#include "base/quantity.h"
#include "jail/environment.h"
#include "jail/limit.h"
#include "jail/outcome.h"
#include "jail/probe.h"
#include "jail/seccomp.h"
#include "jail/status.h"
#include "jail/supervise.h"
#include "tool.h"

enum stdin_choice { STDIN_NULL, STDIN_INHERIT };

static struct tool_common common;
static unsigned mode;
static unsigned stdin_choice;
static const char *directory;
static const char *status_path;
static bool probe;
static struct options_list set, keep, limit_items;
static struct limits limits;
static struct identity identity;
static struct status status;
static bool status_tried;
static struct outcome outcome;
static struct supervision supervision = {.grace = 5000, .max_output = QUANTITY_UNLIMITED};

static struct options_row options[] = {
    {"mode", "off", OPTIONS_CHOICE, &mode, "Confine nothing, supervise only; has to be given", false},
    {"env", "NAME=VALUE...", OPTIONS_LIST, &set, "Set NAME in the command's environment", false},
    {"keep", "NAME...", OPTIONS_LIST, &keep, "Keep NAME of the caller's environment, if it is there", false},
    {"cwd", "DIR", OPTIONS_TEXT, &directory, "Begin in DIR (default: here)", false},
    {"as", "USER[:GROUP]", OPTIONS_TEXT, &common.as, "Run the command as USER, a name or a number; takes root", false},
    {"deadline", "TIME", OPTIONS_DURATION, &supervision.deadline, "End the command when TIME is up", false},
    {"grace", "TIME", OPTIONS_DURATION, &supervision.grace, "Wait TIME between TERM and KILL (default 5s)", false},
    {"tether", NULL, OPTIONS_FLAG, &supervision.tether, "End the command when stdin, a pipe, hangs up", false},
    {"max-output", "SIZE", OPTIONS_SIZE, &supervision.max_output,
     "Kill the command when it writes more than SIZE to stdout or to stderr", false},
    {"limit", "NAME=VALUE...", OPTIONS_LIST, &limit_items, "Set a resource limit: " LIMIT_NAMES " (default core=0)",
     false},
    {"stdin", "null|inherit", OPTIONS_CHOICE, &stdin_choice, "What the command reads (default null)", false},
    {"frames", NULL, OPTIONS_FLAG, &supervision.frames, "Write output and outcome to stdout as lines of JSON", false},
    {"status", "FILE", OPTIONS_TEXT, &status_path, "Write the outcome to FILE as a line of JSON", false},
    {"allow-userns", NULL, OPTIONS_FLAG, &supervision.spawn.filter.allow_userns, "Let it make user namespaces", false},
    {"allow-32bit", NULL, OPTIONS_FLAG, &supervision.spawn.filter.allow_32bit, "Let it run 32-bit programs", false},
    {"probe", NULL, OPTIONS_FLAG, &probe, "Print what works here as JSON, and exit", false},
    TOOL_ANSWER_OPTIONS(common),
};

/* A report that could not be written is an outcome too; where there is one already, it gets a line of its own. */
static void jail_miss(const struct fault *fault)
{
    if (outcome.fault.reason == REASON_OK)
        outcome.fault = *fault;
    else
        diagnostic_fault(fault);
}

static enum reason jail_open_status(struct fault *fault)
{
    if (!status_path || status_tried)
        return REASON_OK;
    status_tried = true;
    /* As root it lies where only root may write: not where the command may, nor where an agent steers. */
    return status_begin(&status, status_path, identity_is_root(), fault);
}

/* Tells how it ended to whoever asked to be told: the status file, then the last frame. */
static void jail_tell(void)
{
    static char line[OUTCOME_SIZE];
    struct fault fault;
    if (jail_open_status(&fault) != REASON_OK)
        jail_miss(&fault);
    if (status.path && status_write(&status, line, outcome_write(&outcome, line), &fault) != REASON_OK)
        jail_miss(&fault);
    if (supervision.frames && supervise_finish(line, outcome_write(&outcome, line), &fault) != REASON_OK)
        jail_miss(&fault);
}

static void jail_refuse(const struct fault *fault)
{
    outcome.fault = *fault;
    outcome.stage = OUTCOME_CALL;
    jail_tell();
}

static const struct tool_code codes[] = {
    {"n", "it exited with n"},
    {"128+n", "it died of signal n"},
    {"126", "it could not be executed"},
    {"127", "it was not found"},
    {NULL, NULL},
};

static const struct tool tool = {
    .name = "sbx-jail",
    .synopsis = "sbx-jail --mode off [--env NAME=VALUE]... [--keep NAME]... [--cwd DIR]\n"
                "        [--as USER] [--deadline T] [--grace T] [--tether] [--max-output SIZE]\n"
                "        [--limit NAME=VALUE]... [--stdin null|inherit] [--frames]\n"
                "        [--status FILE] [--allow-userns] [--allow-32bit] -- COMMAND [ARG...]\n"
                "sbx-jail --probe",
    .purpose = "Run one command, bounded in time and output, and end everything that it started",
    .options = options,
    .common = &common,
    .supervises = true,
    .codes = codes,
    .refuse = jail_refuse,
};

/*
 * A directory, or a descriptor that stands for a path alone, is a way to all that lies beneath and, by "..", above it,
 * whatever the command is confined to otherwise.
 */
static enum reason jail_check_descriptors(struct fault *fault)
{
    struct stat stat;
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        int flags = fcntl(i, F_GETFL);
        if (flags < 0 || fstat(i, &stat) < 0)
            return fault_errno(fault, NULL, "fcntl", errno);
        if (S_ISDIR(stat.st_mode) || (flags & O_PATH))
            return fault_set(fault, REASON_USAGE, NULL, "descriptor %d is a directory or was opened with O_PATH", i);
    }
    return supervision.frames ? descriptor_check_stream(STDOUT_FILENO, DESCRIPTOR_STDOUT, fault) : REASON_OK;
}

static enum reason jail_check_tether(struct fault *fault)
{
    struct stat stat;
    if (!supervision.tether)
        return REASON_OK;
    if (stdin_choice == STDIN_INHERIT)
        return fault_set(fault, REASON_USAGE, NULL, "--tether and --stdin inherit exclude each other; see --help");
    if (fstat(STDIN_FILENO, &stat) < 0 || !(S_ISFIFO(stat.st_mode) || S_ISSOCK(stat.st_mode)))
        return fault_set(fault, REASON_USAGE, DESCRIPTOR_STDIN,
                         "--tether needs a pipe or a socket; docker exec needs -i");
    return REASON_OK;
}

static enum reason jail_check_call(int operands, const char *command, struct fault *fault)
{
    if (tool_is_bare_root(&tool))
        return fault_set(fault, REASON_ROOT_REFUSED, NULL,
                         "root runs what an agent steers; use docker exec -u AGENT, or --as AGENT");
    if (!options_given(options, "mode"))
        return fault_set(fault, REASON_UNSUPPORTED, NULL,
                         "this build cannot confine a command; --mode off runs it supervised and unconfined");
    if (operands < 1 || !*command)
        return fault_set(fault, REASON_USAGE, NULL, "takes a COMMAND; see --help");
    enum reason reason = jail_check_descriptors(fault);
    if (reason == REASON_OK)
        reason = jail_check_tether(fault);
    if (reason == REASON_OK)
        reason = limit_parse(&limit_items, &limits, fault);
    return reason;
}

/* Who the command is to be, and whether it could be become and be ended. */
static enum reason jail_check_identity(struct fault *fault)
{
    if (!common.as)
        return REASON_OK;
    enum reason reason = identity_parse(common.as, &identity, fault);
    if (reason != REASON_OK)
        return reason;
    if (!identity_means_root(common.as, &identity))
        return fault_set(fault, REASON_ROOT_REFUSED, NULL, "--as gives uid or gid 0; name it root if that is meant");
    supervision.spawn.identity = &identity;
    if (identity.uid == geteuid())
        return REASON_OK;
    if (!identity_can(CAP_SETUID) || !identity_can(CAP_SETGID))
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "needs CAP_SETUID and CAP_SETGID, else use docker exec -u");
    /* A uid that is not ours cannot be signalled without: it would outlive every deadline. */
    if (!identity_can(CAP_KILL))
        return fault_set(fault, REASON_PERMISSION_DENIED, NULL,
                         "what runs as another uid could not be ended without CAP_KILL; use docker exec -u");
    return REASON_OK;
}

static enum reason jail_set_environment(struct fault *fault)
{
    static struct account account;
    uid_t uid = common.as ? identity.uid : geteuid();
    if (!account_find_uid(uid, &account)) {
        snprintf(account.name, sizeof account.name, "%lu", (unsigned long)uid);
        strcpy(account.home, "/");
    }
    const struct environment_request request = {account.name, account.home, &set, &keep, environ};
    return environment_build(&request, &supervision.spawn.environment, fault);
}

/* A mistaken descriptor is never a default: what is not /dev/null may be anything, in an image of the agent's making.
 */
static enum reason jail_set_stdin(struct fault *fault)
{
    if (stdin_choice == STDIN_INHERIT)
        return REASON_OK;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0)
        return fault_errno(fault, "/dev/null", "open", errno);
    if (!descriptor_is_null_device(null))
        return fault_set(fault, REASON_UNSUPPORTED, "/dev/null", "not the null device; use --stdin inherit");
    supervision.spawn.standard[STDIN_FILENO] = null;
    return REASON_OK;
}

static enum reason jail_prepare(char **command, struct fault *fault)
{
    supervision.spawn = (struct spawn){.argv = command,
                                       .directory = directory,
                                       .limits = &limits,
                                       .filter = supervision.spawn.filter,
                                       .filtered = seccomp_available(),
                                       .standard = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}};
    enum reason reason = jail_check_identity(fault);
    if (reason == REASON_OK)
        reason = jail_set_environment(fault);
    if (reason == REASON_OK)
        reason = jail_set_stdin(fault);
    if (reason == REASON_OK)
        reason = jail_open_status(fault);
    return reason;
}

static _Noreturn void jail_probe(int operands, struct fault *fault)
{
    char line[PROBE_SIZE];
    enum reason reason = operands ? fault_set(fault, REASON_USAGE, NULL, "--probe takes no COMMAND; see --help")
                                  : descriptor_write(STDOUT_FILENO, line, probe_write(line), DESCRIPTOR_STDOUT, fault);
    tool_end(reason, fault);
}

int main(int argc, char **argv)
{
    static struct fault fault;
    int at = tool_begin(&tool, argc, argv);
    if (probe)
        jail_probe(argc - at, &fault);
    enum reason reason = jail_check_call(argc - at, argv[at], &fault);
    if (reason == REASON_OK)
        reason = jail_prepare(argv + at, &fault);
    if (reason != REASON_OK) {
        jail_refuse(&fault);
        tool_end(reason, &fault);
    }
    if (!supervision.spawn.filtered) {
        fault_set(&fault, REASON_UNSUPPORTED, NULL,
                  "no seccomp here: the command runs without a filter of system calls");
        diagnostic_report(&fault);
    }
    supervise_run(&supervision, &outcome);
    jail_tell();
    tool_end_with(outcome_code(&outcome), outcome.fault.reason, &outcome.fault);
}
