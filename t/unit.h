/*
 * unit: the frame of the unit tests. Each is a program that prints TAP: a line for each claim, the plan at the end.
 */
#ifndef SBX_T_UNIT_H
#define SBX_T_UNIT_H

#include <stdbool.h>
#include <stdio.h>

static int unit_tests;
static int unit_failures;

/* States a claim, printf(3) formatted, and whether it holds. */
#define unit_claim(holds, ...)                                                                                         \
    do {                                                                                                               \
        bool unit_holds = (holds);                                                                                     \
        unit_failures += !unit_holds;                                                                                  \
        printf("%s %d - ", unit_holds ? "ok" : "not ok", ++unit_tests);                                                \
        printf(__VA_ARGS__);                                                                                           \
        printf("\n");                                                                                                  \
        if (!unit_holds)                                                                                               \
            printf("# %s:%d: %s\n", __FILE__, __LINE__, #holds);                                                       \
    } while (0)

/* Prints the plan; the status for main to return. */
static inline int unit_end(void)
{
    printf("1..%d\n", unit_tests);
    return unit_failures > 0;
}

#endif
