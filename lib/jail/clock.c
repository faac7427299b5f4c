#include "clock.h"

#include <limits.h>
#include <time.h>

enum { MILLISECONDS = 1000, NANOSECONDS = 1000000 /* in one millisecond */ };

int64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * MILLISECONDS + now.tv_nsec / NANOSECONDS;
}

int clock_left(int64_t until)
{
    int64_t left = until - clock_now();
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}
