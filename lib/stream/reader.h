/*
 * reader: takes a stream apart. Pure: it is fed bytes, in pieces of any size, and gives events; the same bytes give the
 * same events however they were cut. It allocates nothing: whatever the stream says, it needs sizeof(struct reader).
 *
 * It takes streams of ours (writer.h) and a subset of what tars write: ustar, pax and GNU archives (POSIX.1-2017,
 * pax(1), "ustar Interchange Format", "pax Interchange Format"; GNU tar manual, "Basic Tar Format"). All else is
 * REASON_CORRUPT: two readers that disagree about a stream are how a file gets past the one that checks, so that what
 * could be read in two ways is not read at all:
 *
 *     a checksum or a number that is not right, a negative size, a size for a member that has no data
 *     a pax size that contradicts its header, or a record twice
 *     a header about a header: an x before an x, an L before an x, an x before an L
 *     records that would move every member (path, linkpath, size or mtime in a global header)
 *     more than READER_BODY_MAX bytes in such a header, more than a few global headers
 *     sparse members (type S, GNU.sparse.*), volumes, dump directories, any type that is not known
 *     a zero block followed by another header
 *
 * A stream whose first header block has our mark is ours to its end: every header must have it, its end record must be
 * there and agree with what was counted, and all bytes but the members' data must be as the writer makes them. So no
 * prefix of it is ever complete, whatever zero blocks are added, and no flipped bit in a header passes. A stream
 * without the mark is another tar's: complete with two zero blocks and at least one member before them (nothing but
 * zeros is /dev/zero, not an archive).
 *
 * Names are checked (member_normalize). What needs the disk is left to the consumer: duplicates, a file used as a
 * directory, missing parents, where a link leads. So are caps: see path/budget.h, and charge on READER_MEMBER, before
 * the data has come.
 *
 * Use:
 *
 *     reader_init(&reader, READER_TREE);
 *     for (;;) {
 *         switch (reader_next(&reader, &input, &fault)) {
 *         case READER_MORE:    fill input, or, at end of file, return reader_finish(&reader, &fault);
 *         case READER_MEMBER:  look at reader.member: make it, or open the file
 *         case READER_DATA:    append reader.data
 *         case READER_CLOSE:   the file is complete; drop it if reader.changed
 *         case READER_END:     look at reader.ending
 *         case READER_REFUSED: return fault.reason, leaving nothing
 *         }
 *     }
 */
#ifndef SBX_STREAM_READER_H
#define SBX_STREAM_READER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/reason.h"
#include "block.h"
#include "description.h"
#include "ending.h"
#include "member.h"

enum {
    READER_BODY_MAX = 64 << 10, /* bytes of data of a header that describes others */
};

enum reader_kind {
    READER_TREE,   /* members of any kind, from sbx-collect or any tar */
    READER_SEALED, /* a stream of ours with one file of a one-component name; or none, if the sender's reason says so */
};

enum reader_event {
    READER_MORE,   /* the input is used up */
    READER_MEMBER, /* .member is the next one; a file's data follows, then READER_CLOSE */
    READER_DATA,   /* .data: data of the member, lying in the input */
    READER_CLOSE,  /* the last member, a file, is complete; comes once the next header has said .changed */
    READER_END,    /* the stream is complete: .ending */
    READER_REFUSED /* it will never be: the fault says why */
};

/* Bytes to be read: reader_next moves the front along. The bytes are the caller's and only lent for the call. */
struct reader_span {
    const unsigned char *bytes;
    size_t length;
};

struct reader {
    /* For the consumer, to be read only. Pointers in member point into this struct and last until the next member. */
    struct member member;
    struct reader_span data; /* lies in the input, lasts as long as that */
    bool changed;            /* at READER_CLOSE: the file changed while the sender read it, and is to be dropped */
    bool ours;               /* from the first event on: written by writer.h */
    struct ending ending;    /* at READER_END. For another tar's stream: ok, files and bytes as counted */

    /* The reader's own. */
    enum reader_kind kind;
    int state;             /* what is read now, see reader.c */
    enum reason refused;   /* why, at READER_REFUSED */
    bool started;          /* a header has come, so that .ours is known */
    bool file_open;        /* READER_CLOSE is due */
    bool ending_seen;      /* nothing but zero blocks may come */
    unsigned zero_blocks;  /* in a row */
    unsigned padding_left; /* zeros up to the next block */
    size_t block_fill;     /* bytes in block */
    uint64_t left;         /* bytes of the member's, or of the body's, data that have not come yet */
    size_t body_fill;      /* bytes in body */
    struct ending counted; /* what the end record has to agree with */
    uint64_t members;      /* of any type */
    struct description description;
    struct block block;
    char body[READER_BODY_MAX];
};

void reader_init(struct reader *reader, enum reader_kind kind);

/*
 * Uses up input until there is an event. After READER_END and READER_REFUSED it gives the same again.
 *
 * READER_END comes as soon as the stream is complete, not at end of file. After our own end there is nothing to wait
 * for. After another tar's end (!ours), the consumer should read and forget to end of file (tars pad to a record of
 * 10 KiB or more), so that the writer sees no EPIPE; what comes there changes nothing, so that it may stop at any limit
 * of its own.
 *
 * The fault is filled with READER_REFUSED: REASON_CORRUPT; REASON_TRUNCATED where zero blocks come before our end
 * record, or before any member; REASON_BAD_NAME and REASON_ESCAPES of member_normalize. A sender's own failing reason
 * is no refusal: it comes with READER_END, in .ending.
 */
enum reader_event reader_next(struct reader *reader, struct reader_span *input, struct fault *fault);

/*
 * To be called at end of file: REASON_OK after READER_END, the reason of READER_REFUSED after that, else
 * REASON_TRUNCATED with the fault filled.
 */
enum reason reader_finish(const struct reader *reader, struct fault *fault);

/*
 * For a consumer that moves data past the reader, with splice(2): how many bytes of the open file's data have not been
 * given yet, and the word that this many of them have been taken. Only while the input is used up.
 */
uint64_t reader_remaining(const struct reader *reader);
void reader_advance(struct reader *reader, uint64_t bytes);

#endif
