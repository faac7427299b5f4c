/*
 * unit: the frame of the unit tests. Each is a program that prints TAP: a line for each claim, the plan at the end.
 */
#ifndef SBX_T_UNIT_H
#define SBX_T_UNIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int unit_tests;
static int unit_failures;

/* States a claim, printf(3) formatted, and whether it holds. */
#define unit_claim(holds, ...) unit_claim_at(holds, __FILE__, __LINE__, #holds, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) static inline void unit_claim_at(bool holds, const char *file, int line,
                                                                       const char *condition, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    unit_failures += !holds;
    printf("%s %d - ", holds ? "ok" : "not ok", ++unit_tests);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    if (!holds)
        printf("# %s:%d: %s\n", file, line, condition);
}

/* Prints the plan; the status for main to return. */
static inline int unit_end(void)
{
    printf("1..%d\n", unit_tests);
    return unit_failures > 0;
}

#endif
