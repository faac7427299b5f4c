#include "probe.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/identity.h"
#include "descent.h"
#include "json.h"
#include "landlock.h"
#include "launch.h"
#include "namespace.h"
#include "scope.h"
#include "seccomp.h"

static bool probe_ended_well(pid_t pid)
{
    int status = -1;
    return pid > 0 && waitpid(pid, &status, __WALL) == pid && status == 0;
}

/* Whether a process could make a namespace of this kind, as it is. */
static bool probe_namespace(int flag)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(unshare(flag) < 0);
    return probe_ended_well(pid);
}

/* The whole sequence of a PID namespace: its init with a new /proc. */
static bool probe_pid_namespace(void)
{
    struct fault fault;
    if (!namespace_allowed())
        return false;
    pid_t pid = namespace_fork();
    if (pid == 0)
        _exit(namespace_mount_proc(&fault) != REASON_OK);
    return probe_ended_well(pid);
}

static void probe_namespaces(struct json *json)
{
    static const struct {
        const char *name;
        int flag;
    } kinds[] = {{"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID},
                 {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},  {"net", CLONE_NEWNET}};
    json_begin(json, "namespaces", '{');
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        json_bool(json, kinds[i].name, probe_namespace(kinds[i].flag));
    json_end(json, '}');
}

/* What --mode off would do. */
static void probe_off(struct json *json)
{
    struct fault fault;
    enum family_hold hold;
    enum reason reason = launch_hold(probe_pid_namespace(), &hold, &fault);
    json_begin(json, "off", '{');
    json_bool(json, "works", reason == REASON_OK);
    if (reason == REASON_OK)
        json_text(json, "hold", family_hold_name(hold));
    else
        json_null(json, "hold");
    json_text(json, "supervisor", reason == REASON_OK && hold != FAMILY_PROC ? "protected" : "unprotected");
    json_bool(json, "seccomp", seccomp_available());
    json_end(json, '}');
}

size_t probe_write(char *line)
{
    struct json json = json_into(line, PROBE_SIZE);
    struct utsname name;
    bool known = uname(&name) == 0;
    json_begin(&json, NULL, '{');
    json_text(&json, "kernel", known ? name.release : "");
    json_text(&json, "machine", known ? name.machine : "");
    json_number(&json, "landlock_abi", scope_abi());
    json_bool(&json, "landlock_signal_scope", scope_abi() >= LANDLOCK_ABI_SCOPES);
    json_bool(&json, "seccomp", seccomp_available());
    json_bool(&json, "proc", descent_possible());
    probe_namespaces(&json);
    json_begin(&json, "capabilities", '{');
    json_bool(&json, "setuid", identity_can(CAP_SETUID));
    json_bool(&json, "setgid", identity_can(CAP_SETGID));
    json_bool(&json, "setpcap", identity_can(CAP_SETPCAP));
    json_bool(&json, "kill", identity_can(CAP_KILL));
    json_bool(&json, "sys_admin", identity_can(CAP_SYS_ADMIN));
    json_end(&json, '}');
    json_begin(&json, "modes", '{');
    probe_off(&json);
    json_end(&json, '}');
    json_end(&json, '}');
    json_raw(&json, "\n", 1);
    return json.used;
}
