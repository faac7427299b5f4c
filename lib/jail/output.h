/*
 * output: what the command writes on its stdout and stderr, bounded, and passed on as it is or in frames.
 *
 * Only where a bound or frames are asked for; else the command has the caller's descriptors. Its own are then pipes:
 * when the reader is slow the sinks fill, nothing more is read, the pipes fill, and the command waits. No more is held
 * than one chunk for each sink.
 */
#ifndef SBX_JAIL_OUTPUT_H
#define SBX_JAIL_OUTPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "sink.h"

enum {
    OUTPUT_STREAMS = 2,        /* stdout and stderr */
    OUTPUT_CHUNK = 48 * 1024,  /* bytes read at a time; a multiple of three, so that base64 needs no padding */
    OUTPUT_BUFFER = 96 * 1024, /* of a sink: a chunk in base64 and the frame around it, or the last frame */
    OUTPUT_POLLED = 2 * OUTPUT_STREAMS
};

struct output_stream {
    int source;      /* the read end of its pipe; -1 when it is at its end */
    uint64_t left;   /* how many bytes may still come; QUANTITY_UNLIMITED for any */
    uint64_t sealed; /* once all writers are dead: how many bytes are left in the pipe */
    unsigned to;     /* its sink */
};

struct output_sink {
    struct sink sink;
    char *buffer;
    size_t begin, end; /* what of the buffer waits */
    bool full;         /* it takes nothing now */
};

struct output {
    bool frames;
    bool is_sealed;
    bool over; /* more came than may */
    uint64_t sequence;
    unsigned turn; /* the stream that is asked first */
    struct output_stream streams[OUTPUT_STREAMS];
    struct output_sink sinks[OUTPUT_STREAMS];
};

/*
 * Makes the pipes, write ends in command[0] and [1], the caller's to close. limit is for each stream. With frames both
 * go to descriptor 1, else each to its own.
 */
enum reason output_begin(struct output *output, bool frames, uint64_t limit, int command[OUTPUT_STREAMS],
                         struct fault *fault);

/* Fills in what to wait for; unused places get a descriptor of -1. */
void output_poll(const struct output *output, struct pollfd polled[OUTPUT_POLLED]);

/*
 * Moves what can be moved without waiting. REASON_TOO_LARGE once, with output->over, when more comes than may;
 * REASON_IO when the reader is gone.
 */
enum reason output_move(struct output *output, struct fault *fault);

/* Everyone who wrote is dead: what is in the pipes is all there is, whoever else may hold them open. */
void output_seal(struct output *output);

/* Takes no more from the pipes; gives whether something was left in them. */
bool output_cut(struct output *output);

/* Whether everything has gone out. */
bool output_finished(const struct output *output);

/* Adds a last line behind all that was read; only when the sources are at their end. */
void output_add(struct output *output, const char *line, size_t length);

#endif
