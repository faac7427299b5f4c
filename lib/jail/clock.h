/*
 * clock: times of CLOCK_MONOTONIC in milliseconds. clock_gettime(2).
 */
#ifndef SBX_JAIL_CLOCK_H
#define SBX_JAIL_CLOCK_H

#include <stdint.h>

/* Now. */
int64_t clock_now(void);

/* What is left until a time, as poll(2) takes it: 0 for one that is past. */
int clock_left(int64_t until);

#endif
