/*
 * ending: the end record, the proof that a stream of ours is complete. Pure.
 *
 * It is the pax record
 *
 *     comment=sbx-end 1 reason=ok files=2 bytes=4711 skipped=0 changed=
 *
 * in the header of the last entry, "./". Every tar ignores a comment (POSIX.1-2017, pax(1), "pax Extended Header": "The
 * pax utility shall ignore ... a comment"). Zero blocks alone prove nothing: a stream cut between two entries and
 * closed with them is a complete archive to every tar.
 */
#ifndef SBX_STREAM_ENDING_H
#define SBX_STREAM_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reason.h"

enum {
    ENDING_CHANGED_MAX = 100, /* more files than this that changed under one walk fail it */
    ENDING_TEXT_MAX = 4096,   /* bytes of the longest comment, which is far shorter */
};

struct ending {
    enum reason reason; /* how the sender ended; the receiver's own exit code unless it is ok or partial */
    uint64_t files;     /* regular files in the stream, changed ones included */
    uint64_t bytes;     /* of data in it, as the headers say: the padding of a file that shrank is counted */
    uint64_t skipped;   /* what the sender left out and reported */
    unsigned changed_count;
    uint64_t changed[ENDING_CHANGED_MAX]; /* numbers of the files that changed while read, ascending */
};

/* Writes the comment's value, without a NUL, and gives its length. */
size_t ending_format(const struct ending *ending, char text[static ENDING_TEXT_MAX]);

/* Whether a comment's value claims to be an end record, of whatever version. */
bool ending_claimed(const char *text, size_t length);

/*
 * Reads a comment's value. False unless it is, byte for byte, what ending_format would write: another version, an
 * unknown reason, a number out of range, a missing or an extra field.
 */
bool ending_parse(struct ending *ending, const char *text, size_t length);

#endif
