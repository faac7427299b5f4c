#include "tool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/diagnostic.h"
#include "base/identity.h"
#include "base/interrupt.h"
#include "base/progress.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 80 };

/* Prints text from column on, broken at spaces. */
static void tool_print_wrapped(const char *text, int column)
{
    int used = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (used > column && used + 1 + length > HELP_WIDTH) {
            printf("\n%*s", column, "");
            used = column;
        } else if (used > column)
            used += putchar(' ') != EOF;
        printf("%.*s", length, text);
        used += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void tool_print_help(const struct tool *tool)
{
    printf("%s\n\n%s.\n\nOptions:\n", tool->synopsis, tool->purpose);
    for (const struct options_row *row = tool->options; row->name; row++) {
        int used = printf("  --%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
        if (used + 2 > HELP_COLUMN)
            used = printf("\n") - 1;
        printf("%*s", HELP_COLUMN - used, "");
        tool_print_wrapped(row->help, HELP_COLUMN);
    }
    if (tool->codes)
        printf("\nExit status of a command:\n");
    for (const struct tool_code *row = tool->codes; row && row->code; row++) {
        printf("%*s", HELP_COLUMN - printf("  %s", row->code), "");
        tool_print_wrapped(row->text, HELP_COLUMN);
    }
    printf("\nExit status:\n");
    for (enum reason reason = REASON_OK; reason < REASON_COUNT; reason++) {
        int used = printf("  %3d %s", reason_code(reason), reason_name(reason));
        printf("%*s", HELP_COLUMN - used, "");
        tool_print_wrapped(reason_text(reason), HELP_COLUMN);
    }
}

static void tool_print_reasons(void)
{
    for (enum reason reason = REASON_OK; reason < REASON_COUNT; reason++)
        printf("%d\t%s\t%s\n", reason_code(reason), reason_name(reason), reason_text(reason));
}

static void tool_print_version(const struct tool *tool, bool protected)
{
    printf("%s %s\nprotected from the start: %s\n", tool->name, SBX_VERSION,
           protected ? "yes" : "no (install it root-owned with mode 0711, and run it as another uid)");
}

static _Noreturn void tool_answered(void)
{
    struct fault fault;
    /* An earlier write may have failed already, and left nothing to flush. */
    if (fflush(stdout) == EOF || ferror(stdout))
        tool_end(fault_set(&fault, REASON_IO, DESCRIPTOR_STDOUT, "the answer could not be written"), &fault);
    tool_end(REASON_OK, NULL);
}

static _Noreturn void tool_refuse(const struct tool *tool, const struct fault *fault)
{
    if (tool->refuse)
        tool->refuse(fault);
    tool_end(fault->reason, fault);
}

static enum reason tool_become(const struct tool_common *common, struct fault *fault)
{
    struct identity identity;
    if (!common->as)
        return REASON_OK;
    enum reason reason = identity_parse(common->as, &identity, fault);
    if (reason == REASON_OK)
        reason = identity_assume(&identity, fault);
    return reason;
}

int tool_begin(const struct tool *tool, int argc, char **argv)
{
    /* Another process of the agent's uid could write into our stdout by /proc/PID/fd/1, and so forge what the caller
     * reads, until this call. A binary that its uid cannot read (mode 0711) closes even that gap. */
    bool protected = identity_protect();
    static struct fault fault;
    int operands = argc;
    diagnostic_begin(tool->name, false);
    enum reason reason = descriptor_check_standard(&fault);
    if (reason == REASON_OK)
        reason = options_parse(tool->options, argc, argv, &operands, &fault);
    if (reason != REASON_OK)
        tool_refuse(tool, &fault);

    const struct tool_common *common = tool->common;
    diagnostic_begin(tool->name, common->quiet);
    if (common->help)
        tool_print_help(tool);
    else if (common->version)
        tool_print_version(tool, protected);
    else if (common->reasons)
        tool_print_reasons();
    if (common->help || common->version || common->reasons)
        tool_answered();

    if (tool->supervises)
        return operands;
    reason = tool_become(common, &fault);
    if (reason != REASON_OK)
        tool_refuse(tool, &fault);
    interrupt_begin(common->deadline);
    if (common->progress && !common->quiet)
        progress_begin(tool->name);
    return operands;
}

_Noreturn void tool_end(enum reason reason, const struct fault *fault)
{
    tool_end_with(reason_code(reason), reason, fault);
}

_Noreturn void tool_end_with(int code, enum reason reason, const struct fault *fault)
{
    interrupt_end();
    progress_end();
    diagnostic_end();
    if (reason != REASON_OK)
        diagnostic_fault(fault);
    int ending = reason == REASON_OK || reason == REASON_PARTIAL ? 0 : interrupt_signal();
    if (ending) {
        sigset_t pending;
        sigemptyset(&pending);
        sigaddset(&pending, ending);
        signal(ending, SIG_DFL);
        raise(ending);
        sigprocmask(SIG_UNBLOCK, &pending, NULL);
    }
    _exit(code);
}

bool tool_is_bare_root(const struct tool *tool)
{
    return identity_is_root() && !tool->common->as;
}

enum reason tool_check_path(const struct tool *tool, const char *path, struct fault *fault)
{
    if (!*path)
        return fault_set(fault, REASON_USAGE, NULL, "an empty path; see --help");
    if (tool_is_bare_root(tool) && path[0] != '/')
        return fault_set(fault, REASON_USAGE, path, "as root without --as a path must be absolute");
    return REASON_OK;
}
