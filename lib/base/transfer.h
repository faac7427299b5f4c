/*
 * transfer: bytes from one descriptor to another.
 *
 * splice(2) where one side is a pipe and there is enough to gain from it, read(2) and write(2) elsewhere. What is
 * spliced out of a file is not copied: whoever reads the pipe sees the file's pages, and so a write to the file that
 * comes before they are read.
 */
#ifndef SBX_BASE_TRANSFER_H
#define SBX_BASE_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"

struct transfer {
    int from;
    const char *from_name; /* for faults */
    int to;
    const char *to_name;
    uint64_t expected; /* bytes that are likely to come: it decides how they are moved, and nothing else */
    uint64_t moved;    /* bytes that have gone out so far, exactly, also after a failure */
};

/*
 * Moves up to count bytes, fewer only where the input ends, and adds them to moved. Waits on non-blocking streams,
 * counts progress. After a failure more may have been read than has gone out. Reasons: those of descriptor_read and
 * descriptor_write.
 */
enum reason transfer_run(struct transfer *transfer, uint64_t count, struct fault *fault);

/*
 * Gives a pipe the largest size that everyone may (fcntl(2) F_SETPIPE_SZ), most of the speed of what goes through it.
 * Whether the descriptor is a pipe.
 */
bool transfer_prepare(int descriptor);

/* Whether the input has ended: reads one byte, which is lost. */
enum reason transfer_at_end(struct transfer *transfer, bool *ended, struct fault *fault);

#endif
