/*
 * sink: writing to a descriptor of the caller's without ever waiting for its reader, and without making it
 * non-blocking, which whoever shares it would suffer from too.
 *
 * A supervisor that waits in write(2) for a reader that does not read would miss its deadline.
 */
#ifndef SBX_JAIL_SINK_H
#define SBX_JAIL_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sink {
    int descriptor;
    bool pipe;    /* so that splice(2) can move pages into it */
    bool file;    /* a regular one, which has no reader to wait for */
    bool no_flag; /* RWF_NOWAIT is not known for it, as before Linux 6.4 for pipes */
};

/* Looks at a descriptor, which stays the caller's. */
void sink_begin(struct sink *sink, int descriptor);

/* Writes what fits now; gives how much, -1 and errno as write(2), EAGAIN where nothing fits. */
ssize_t sink_write(struct sink *sink, const void *bytes, size_t size);

/* Moves up to size bytes from a pipe to a sink that is one, without copying; the same results, 0 for end of file. */
ssize_t sink_splice(const struct sink *sink, int from, size_t size);

#endif
