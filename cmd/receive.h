/*
 * receive: the stream that sbx-put takes apart, from stdin or a file.
 */
#ifndef SBX_CMD_RECEIVE_H
#define SBX_CMD_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "stream/reader.h"

enum {
    RECEIVE_BUFFER = 256 * 1024,
    RECEIVE_DRAINED = 16 * 1024 * 1024 /* the records of tars are far smaller */
};

struct receive {
    struct reader reader; /* .member, .ours and .ending are for the consumer to read */
    int input;
    const char *name; /* of the input, for faults */
    uint64_t max;     /* bytes of the stream that may come */
    uint64_t arrived;
    struct reader_span span; /* what of buffer is still to be taken apart */
    unsigned char buffer[RECEIVE_BUFFER];
};

/* Begins with an open input. */
void receive_begin(struct receive *receive, enum reader_kind kind, int input, const char *name, uint64_t max);

/*
 * Goes on to the next member; *end says that there is none and that .reader.ending tells how the sender ended. The data
 * of a file must have been taken by receive_file before. Reasons of reader_next and reader_finish, REASON_TOO_LARGE for
 * more than max bytes of stream, or those of descriptor_read.
 */
enum reason receive_member(struct receive *receive, bool *end, struct fault *fault);

/*
 * Writes the data of the member, a file, to the descriptor; path names it in faults. *changed says that the sender saw
 * it change while it was read, so that it is to be dropped.
 */
enum reason receive_file(struct receive *receive, int file, const char *path, bool *changed, struct fault *fault);

/* Reads what another tar has behind its end, so that it sees no EPIPE, and forgets it; up to RECEIVE_DRAINED bytes. */
enum reason receive_drain(struct receive *receive, struct fault *fault);

#endif
