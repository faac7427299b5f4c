/*
 * put_input: the bytes that sbx-put takes, from stdin or a file, under its limits.
 */
#ifndef SBX_CMD_PUT_INPUT_H
#define SBX_CMD_PUT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "path/regular.h"

struct put_input {
    uint64_t max;     /* bytes of a file */
    bool sized;       /* take exactly size bytes, and do not wait for the end */
    uint64_t size;    /* bytes */
    bool sealed;      /* take what sbx-get --sealed wrote */
    const char *from; /* a file instead of stdin, NULL for stdin */
};

/* An input that is open. */
struct put_source {
    int descriptor;
    const char *name; /* for faults */
    struct regular file;
};

/*
 * Refuses, before anything is made, an input that cannot be meant: REASON_USAGE for a terminal or for /dev/null on
 * stdin, REASON_TOO_LARGE for a size over max. sized: whether --size was given.
 */
enum reason put_input_check(struct put_input *input, bool sized, struct fault *fault);

/* Opens it: the reasons of regular_open for a file. */
enum reason put_input_open(const struct put_input *input, struct put_source *source, struct fault *fault);

/* Closes it. Gives reason, or REASON_CHANGED for a file that changed while it was read. */
enum reason put_input_close(const struct put_input *input, struct put_source *source, enum reason reason,
                            struct fault *fault);

/*
 * Copies the input to the open file; path names it in faults. REASON_TOO_LARGE, REASON_TRUNCATED, the reasons of
 * put_input_open and put_input_close, and those of transfer_run. Sealed: those of receive_member, or the one that the
 * sender ended with.
 */
enum reason put_input_copy(const struct put_input *input, int file, const char *path, struct fault *fault);

/*
 * Fills the fault with the reason that the sender of a stream ended with, unless it is REASON_OK, and gives it: it
 * becomes ours.
 */
enum reason put_input_sent(enum reason reason, const char *name, struct fault *fault);

#endif
