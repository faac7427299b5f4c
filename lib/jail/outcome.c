#include "outcome.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/diagnostic.h"
#include "json.h"

enum { SIGNALLED = 128 /* and the signal's number, as the shell has it */, BOUNDING_SIZE = 17 };

int outcome_code(const struct outcome *outcome)
{
    if (outcome->stage == OUTCOME_EXEC)
        return outcome->exec_code;
    if (outcome->fault.reason != REASON_OK || !outcome->ended)
        return reason_code(outcome->fault.reason);
    return WIFSIGNALED(outcome->status) ? SIGNALLED + WTERMSIG(outcome->status) : WEXITSTATUS(outcome->status);
}

static void outcome_write_status(const struct outcome *outcome, struct json *json)
{
    bool ran = outcome->stage == OUTCOME_RUN && outcome->ended;
    if (ran && WIFEXITED(outcome->status))
        json_number(json, "code", WEXITSTATUS(outcome->status));
    else
        json_null(json, "code");
    if (ran && WIFSIGNALED(outcome->status))
        json_number(json, "signal", WTERMSIG(outcome->status));
    else
        json_null(json, "signal");
}

/* The line on stderr, without the tool and the reason. */
static void outcome_write_detail(const struct outcome *outcome, struct json *json)
{
    static char detail[DIAGNOSTIC_ESCAPED * PATH_MAX + FAULT_DETAIL_SIZE];
    const struct fault *fault = &outcome->fault;
    if (fault->reason == REASON_OK) {
        json_null(json, "detail");
        return;
    }
    size_t used = diagnostic_escape(detail, sizeof detail, fault->path, strlen(fault->path));
    snprintf(detail + used, sizeof detail - used, "%s%s", used ? ": " : "", fault->detail);
    json_text(json, "detail", detail);
}

static void outcome_write_held(const struct outcome *outcome, struct json *json)
{
    char bounding[BOUNDING_SIZE];
    snprintf(bounding, sizeof bounding, "%016llx", (unsigned long long)outcome->kept.bounding);
    json_text(json, "hold", family_hold_name(outcome->hold));
    json_text(json, "supervisor", outcome->guarded ? "protected" : "unprotected");
    json_bool(json, "seccomp", outcome->filtered);
    json_begin(json, "kept_groups", '[');
    for (unsigned i = 0; i < outcome->kept.groups && i < IDENTITY_KEPT_GROUPS; i++)
        json_number(json, NULL, outcome->kept.group[i]);
    json_end(json, ']');
    json_text(json, "kept_bounding", bounding);
}

size_t outcome_write(const struct outcome *outcome, char *line)
{
    static const char *const stages[] = {"call", "setup", "exec", "run"};
    struct json json = json_into(line, OUTCOME_SIZE);
    json_begin(&json, NULL, '{');
    json_text(&json, "t", "exit");
    outcome_write_status(outcome, &json);
    json_text(&json, "reason", reason_name(outcome->fault.reason));
    json_text(&json, "stage", stages[outcome->stage]);
    json_bool(&json, "truncated", outcome->truncated);
    json_number(&json, "survivors", outcome->survivors);
    outcome_write_detail(outcome, &json);
    if (outcome->stage >= OUTCOME_EXEC)
        outcome_write_held(outcome, &json);
    json_end(&json, '}');
    json_raw(&json, "\n", 1);
    return json.used;
}
