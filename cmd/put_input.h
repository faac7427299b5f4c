/*
 * put_input: the bytes that sbx-put takes, from stdin or a file, under its limits.
 */
#ifndef SBX_CMD_PUT_INPUT_H
#define SBX_CMD_PUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

struct put_input {
    uint64_t max;     /* bytes */
    bool sized;       /* take exactly size bytes, and do not wait for the end */
    uint64_t size;    /* bytes */
    const char *from; /* a file instead of stdin, NULL for stdin */
};

/*
 * Refuses, before anything is made, an input that cannot be meant: REASON_USAGE for a terminal or for /dev/null on
 * stdin, REASON_TOO_LARGE for a size over max. sized: whether --size was given.
 */
enum reason put_input_check(struct put_input *input, bool sized, struct fault *fault);

/*
 * Copies the input to the open file; path names it in faults. REASON_TOO_LARGE, REASON_TRUNCATED, the reasons of
 * regular_open and REASON_CHANGED for a file, and those of transfer_run.
 */
enum reason put_input_copy(const struct put_input *input, int file, const char *path, struct fault *fault);

#endif
