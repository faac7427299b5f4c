#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "quantity.h"

enum { FIRST_MILLISECONDS = 1000, NEXT_MILLISECONDS = 200, LINE_SIZE = 128, PERCENT = 100 };

static const double mebibyte = 1024 * 1024;

static bool drawing;
static bool drawn;
static const char *tool_name;
static uint64_t expected = QUANTITY_UNLIMITED;
static uint64_t moved;
static int64_t started;
static int64_t next;

static int64_t progress_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(const char *tool)
{
    drawing = isatty(STDERR_FILENO);
    tool_name = tool;
    started = progress_now();
    next = started + FIRST_MILLISECONDS;
}

void progress_expect(uint64_t bytes)
{
    expected = bytes;
}

void progress_add(uint64_t bytes)
{
    moved += bytes;
    if (!drawing)
        return;
    int64_t now = progress_now();
    if (now < next)
        return;
    next = now + NEXT_MILLISECONDS;

    char share[LINE_SIZE] = "";
    if (expected != QUANTITY_UNLIMITED && expected > 0)
        snprintf(share, sizeof share, " of %.1f MiB (%d %%)", (double)expected / mebibyte,
                 (int)((double)moved * PERCENT / (double)expected));
    char line[LINE_SIZE * 2];
    int length = snprintf(line, sizeof line, "\r\033[K%s: %.1f MiB%s, %.1f MiB/s", tool_name, (double)moved / mebibyte,
                          share, (double)moved / mebibyte * 1000 / (double)(now - started));
    drawn = write(STDERR_FILENO, line, (size_t)length) > 0;
}

void progress_end(void)
{
    static const char clear[] = "\r\033[K";
    drawing = false;
    if (drawn && write(STDERR_FILENO, clear, sizeof clear - 1) > 0)
        drawn = false;
}
