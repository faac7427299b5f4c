#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/kernel.h"
#include "environment.h"
#include "program.h"
#include "scope.h"
#include "seccomp.h"

enum { SIGNALS = 64, SIGNAL_SET_SIZE = SIGNALS / 8, SIGNAL_ACTION_SIZE = 4 * sizeof(long) };

/*
 * A handler does not outlive execve, but what is ignored stays ignored: a command must not inherit that SIGPIPE or
 * SIGCHLD is. By the system call, since a C library keeps some signals to itself; all zeros are SIG_DFL.
 */
static void spawn_reset_signals(void)
{
    const char action[SIGNAL_ACTION_SIZE] = {0};
    const char none[SIGNAL_SET_SIZE] = {0};
    for (int number = 1; number <= SIGNALS; number++)
        syscall(SYS_rt_sigaction, number, action, NULL, sizeof none);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, sizeof none);
}

static enum reason spawn_set_descriptors(const struct spawn *spawn, struct fault *fault)
{
    for (int i = 0; i < SPAWN_STANDARD; i++)
        if (spawn->standard[i] != i && dup2(spawn->standard[i], i) < 0)
            return fault_errno(fault, NULL, "dup2", errno);
    /* Whatever the caller had open, a directory above all, would be a way around every confinement. */
    if (kernel_close_from(SPAWN_STANDARD) < 0)
        return fault_errno(fault, NULL, "close_range", errno);
    return REASON_OK;
}

/* By name and with the command's own rights: one that is only inherited may lie where it could not go. */
static enum reason spawn_enter_here(struct fault *fault)
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here))
        return fault_set(fault, reason_from_errno(errno), NULL, "getcwd: %s; give an absolute --cwd", strerror(errno));
    if (chdir(here) < 0)
        return fault_set(fault, reason_from_errno(errno), here, "chdir: %s; give another --cwd", strerror(errno));
    return REASON_OK;
}

static enum reason spawn_set_directory(const char *directory, struct fault *fault)
{
    enum reason reason = directory && directory[0] == '/' ? REASON_OK : spawn_enter_here(fault);
    if (reason == REASON_OK && directory && chdir(directory) < 0)
        return fault_errno(fault, directory, "chdir", errno);
    return reason;
}

static enum reason spawn_set_limits(const struct limits *limits, struct fault *fault)
{
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct rlimit both = {limits->value[i], limits->value[i]};
        if (limits->given[i] && setrlimit((__typeof__(RLIMIT_CPU))limit_resource(i), &both) < 0)
            return fault_set(fault, reason_from_errno(errno), NULL,
                             "--limit %s: setrlimit: %s; it cannot be raised over the hard limit that is here",
                             limit_name(i), strerror(errno));
    }
    return REASON_OK;
}

/*
 * A last resort, should the reaper and the supervisor be killed at once: the command itself dies too. Set after the
 * change of identity, which takes it away; who died before it was set shows by another parent.
 */
static enum reason spawn_die_with(pid_t parent, struct fault *fault)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return fault_errno(fault, NULL, "prctl", errno);
    return getppid() == parent ? REASON_OK : fault_set(fault, REASON_SYSTEM, NULL, "the reaper is gone");
}

static enum reason spawn_prepare(const struct spawn *spawn, struct spawn_report *report)
{
    struct fault *fault = &report->fault;
    if (setsid() < 0)
        return fault_errno(fault, NULL, "setsid", errno);
    spawn_reset_signals();
    enum reason reason = identity_shed(spawn->identity, &report->kept, fault);
    if (reason == REASON_OK && spawn->ruleset >= 0)
        reason = scope_enter(spawn->ruleset, fault);
    if (reason == REASON_OK)
        reason = spawn_set_descriptors(spawn, fault);
    if (reason == REASON_OK)
        reason = spawn_die_with(spawn->parent, fault);
    if (reason == REASON_OK)
        reason = spawn_set_directory(spawn->directory, fault);
    if (reason == REASON_OK)
        reason = spawn_set_limits(spawn->limits, fault);
    if (reason == REASON_OK && spawn->filtered)
        reason = seccomp_enter(&spawn->filter, fault);
    return reason;
}

/* A file that is there and that the kernel does not find: what it does not find is what the file needs. */
static void spawn_explain_missing(const char *path, struct fault *fault)
{
    unsigned char head[PROGRAM_HEAD];
    char shown[PATH_MAX];
    const char *name;
    size_t length;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = file < 0 ? -1 : read(file, head, sizeof head);
    bool named = size > 0 && program_interpreter(head, (size_t)size, &name, &length);
    if (named)
        diagnostic_escape(shown, sizeof shown, name, length);
    fault_set(fault, REASON_MISSING, path, "its interpreter%s%.200s is missing", named ? " " : "", named ? shown : "");
}

/* Says why the kernel refused a file that is there. */
static void spawn_explain(const char *path, int error, struct spawn_report *report)
{
    report->exec_code = OUTCOME_NOT_EXECUTED;
    if (error == ENOENT)
        spawn_explain_missing(path, &report->fault);
    else if (error == ENOEXEC)
        fault_set(&report->fault, REASON_UNSUPPORTED, path,
                  "neither a program for this machine nor a script with a #! line");
    else
        fault_errno(&report->fault, path, "execve", error);
}

/* Tries one path; false when there is no such file that it could see. */
static bool spawn_try(const char *path, const struct spawn *spawn, struct spawn_report *report)
{
    execve(path, spawn->argv, spawn->environment);
    int error = errno;
    struct stat stat;
    if ((error == ENOENT || error == ENOTDIR || error == EACCES) && lstat(path, &stat) < 0)
        return false;
    spawn_explain(path, error, report);
    return true;
}

/* execvp(3) without its shell, and over the absolute entries of PATH alone. */
static void spawn_search(const struct spawn *spawn, struct spawn_report *report)
{
    char path[PATH_MAX];
    const char *name = spawn->argv[0];
    const char *entry = environment_find(spawn->environment, "PATH");
    bool found = false;
    while (entry && *entry && (!found || report->fault.reason == REASON_PERMISSION_DENIED)) {
        size_t length = strcspn(entry, ":");
        if (*entry == '/' && snprintf(path, sizeof path, "%.*s/%s", (int)length, entry, name) < (int)sizeof path)
            found |= spawn_try(path, spawn, report);
        entry += length + (entry[length] == ':');
    }
    if (found)
        return;
    report->exec_code = OUTCOME_NOT_FOUND;
    fault_set(&report->fault, REASON_MISSING, name, "not found on PATH");
}

_Noreturn void spawn_command(const struct spawn *spawn, struct spawn_report *report)
{
    report->stage = OUTCOME_SETUP;
    report->failed = true;
    if (spawn_prepare(spawn, report) == REASON_OK) {
        report->stage = OUTCOME_EXEC;
        report->failed = false;
        if (!strchr(spawn->argv[0], '/'))
            spawn_search(spawn, report);
        else if (!spawn_try(spawn->argv[0], spawn, report)) {
            report->exec_code = errno == ENOENT ? OUTCOME_NOT_FOUND : OUTCOME_NOT_EXECUTED;
            fault_errno(&report->fault, spawn->argv[0], "execve", errno);
        }
        report->failed = true;
    }
    _exit(OUTCOME_NOT_EXECUTED);
}
