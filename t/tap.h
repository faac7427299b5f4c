/*
 * tap: what a unit test prints, in the Test Anything Protocol: a line for each thing that it shows, then the plan.
 */
#ifndef SBX_T_TAP_H
#define SBX_T_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned tap_count, tap_failed;

/* Prints one result. The words say what is shown, printf(3) formatted. */
__attribute__((format(printf, 2, 3))) static inline void tap_ok(bool ok, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%sok %u - ", ok ? "" : "not ", ++tap_count);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    tap_failed += !ok;
    fflush(stdout);
}

/* A line that explains the result above it. */
__attribute__((format(printf, 1, 2))) static inline void tap_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("# ");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

/* Prints the plan; what main returns. */
static inline int tap_end(void)
{
    printf("1..%u\n", tap_count);
    return tap_failed > 0;
}

#endif
