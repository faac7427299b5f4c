/*
 * diagnostic: the lines on stderr.
 *
 * One line per refusal, "tool: reason: path: detail"; reports of what was left out look the same and are counted: after
 * DIAGNOSTIC_REPORTS of them only their number is kept. Nothing else in the project writes to stderr, progress aside.
 */
#ifndef SBX_BASE_DIAGNOSTIC_H
#define SBX_BASE_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"

enum {
    DIAGNOSTIC_REPORTS = 100,
    DIAGNOSTIC_PATIENCE = 1000, /* milliseconds */
    DIAGNOSTIC_ESCAPED = 4      /* bytes that one byte may become */
};

/*
 * Sets the name that starts each line; it must stay valid. A quiet tool prints nothing at all, and so does one whose
 * stderr has taken nothing for DIAGNOSTIC_PATIENCE: a reader that is stopped must not hold the tool.
 */
void diagnostic_begin(const char *tool, bool quiet);

/* Prints the line of a refusal. */
void diagnostic_fault(const struct fault *fault);

/* Prints the line of something left out, the first DIAGNOSTIC_REPORTS times. */
void diagnostic_report(const struct fault *fault);

/* Prints how many reports were kept back, if any were. */
void diagnostic_end(void);

/*
 * Writes length bytes to out so that a terminal shows them and does nothing else: a byte outside printable ASCII
 * becomes \n, \t or \xNN, a backslash becomes two. Cuts to fit and always ends with a NUL; size is at least 1. Gives
 * the length written.
 */
size_t diagnostic_escape(char *out, size_t size, const char *bytes, size_t length);

#endif
