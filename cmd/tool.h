/*
 * tool: the frame that all mains share, so that only their middle differs.
 *
 *     int main(int argc, char **argv)
 *     {
 *         tool_begin(&tool, argc, argv);
 *         enum reason reason = ... the one operation ...;
 *         tool_end(reason, &fault);
 *     }
 */
#ifndef SBX_CMD_TOOL_H
#define SBX_CMD_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/options.h"

struct tool_common {
    bool help, version, reasons, quiet, progress;
    int64_t deadline; /* milliseconds, 0 for none */
    const char *as;
};

/* Exit codes that are not a reason's. */
struct tool_code {
    const char *code;
    const char *text;
};

struct tool {
    const char *name;
    const char *synopsis; /* lines that each begin with the name */
    const char *purpose;  /* one sentence */
    struct options_row *options;
    struct tool_common *common;
    /* --as and --deadline are for a command that the tool runs: the main sees to both, and to the signals. */
    bool supervises;
    const struct tool_code *codes; /* of a tool that has some, up to a row of NULL */
    /* Told of a refusal before its line is printed, for a tool that answers in another place too; may be NULL. */
    void (*refuse)(const struct fault *fault);
};

/* The last rows of every table of options, and for a tool that does not supervise the two that come before them. */
#define TOOL_COMMON_OPTIONS(common)                                                                                    \
    {"as",                                                                                                             \
     "USER[:GROUP]",                                                                                                   \
     OPTIONS_TEXT,                                                                                                     \
     &(common).as,                                                                                                     \
     "Give up root before anything else and become USER, a name or a number",                                          \
     false},                                                                                                           \
        {"deadline", "TIME", OPTIONS_DURATION, &(common).deadline, "End, with nothing half done, when TIME is up",     \
         false},                                                                                                       \
        TOOL_ANSWER_OPTIONS(common)

#define TOOL_ANSWER_OPTIONS(common)                                                                                    \
    {"quiet", NULL, OPTIONS_FLAG, &(common).quiet, "Print nothing on stderr", false},                                  \
        {"help", NULL, OPTIONS_FLAG, &(common).help, "Print this and exit", false},                                    \
        {"version",                                                                                                    \
         NULL,                                                                                                         \
         OPTIONS_FLAG,                                                                                                 \
         &(common).version,                                                                                            \
         "Print the version, and whether others of the same uid were kept out from the start",                         \
         false},                                                                                                       \
        {"reasons", NULL, OPTIONS_FLAG, &(common).reasons, "Print code, reason and meaning, tab-separated", false},    \
    {                                                                                                                  \
        NULL, NULL, OPTIONS_FLAG, NULL, NULL, false                                                                    \
    }

#define TOOL_PROGRESS_OPTION(common)                                                                                   \
    {                                                                                                                  \
        "progress", NULL, OPTIONS_FLAG, &(common).progress, "Draw how far it has come, on a terminal, after a second", \
            false                                                                                                      \
    }

/*
 * Protects the process, checks the standard descriptors, parses the command line, answers --help, --version and
 * --reasons and, unless the tool supervises, gives up root for --as and starts to watch for the deadline and signals.
 * Gives where the operands begin in argv. Ends the process itself when there is nothing left to do or a refusal to
 * print.
 */
int tool_begin(const struct tool *tool, int argc, char **argv);

/*
 * Prints the fault of anything but REASON_OK and ends the process with the code of the reason, or by the signal that
 * asked it to end.
 */
_Noreturn void tool_end(enum reason reason, const struct fault *fault);

/* The same with a code that is not the reason's: one that a command gave, or 126 or 127 for one that did not run. */
_Noreturn void tool_end_with(int code, enum reason reason, const struct fault *fault);

/* Root without --as: it acts for the caller where an agent may steer, and each operation guards or refuses it. */
bool tool_is_bare_root(const struct tool *tool);

/*
 * As bare root a path must be absolute: docker exec starts in the image's WORKDIR, which the agent may own.
 * REASON_USAGE.
 */
enum reason tool_check_path(const struct tool *tool, const char *path, struct fault *fault);

#endif
