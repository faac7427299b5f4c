/*
 * writer: makes the headers of a stream. Pure: it fills the caller's buffer; who writes it out, and the data between
 * the headers, is the caller's business.
 *
 * A stream is a tar archive (POSIX.1-2017, pax(1), "ustar Interchange Format" and "pax Interchange Format"):
 *
 *     uid, gid 0, no user names; modes 0644, 0755 for directories and programs; mtimes of whole seconds
 *     a name that fits no ustar header goes into a pax "path" record if it is ASCII, else into a GNU long name header
 *     (type L, K for a link's target): a pax record of other bytes makes bsdtar warn in the C locale, and the cure,
 *     hdrcharset=BINARY, makes GNU tar warn
 *     a size past 8 GiB stands in the size field in base 256, which all tars know, and in a pax "size" record
 *     a last entry "./" with the end record (ending.h), then two zero blocks
 *
 * The twelve bytes after the prefix field, which ustar leaves unused, mark every header block as ours, so that any
 * prefix of a stream is known as ours, and so as cut, from its first block on:
 *
 *     offset 500  "sbx"
 *            503  "-", or "!" if the file just before this header changed while it was read
 *            504  CRC-32 of the data (in eight hex digits) if this header is one that describes the next (x, L, K),
 *                 whose data no tar checks; otherwise NUL
 *
 * GNU tar, bsdtar, busybox tar and Python's tarfile read all of this without a word. The same members give the same
 * bytes.
 */
#ifndef SBX_STREAM_WRITER_H
#define SBX_STREAM_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/reason.h"
#include "block.h"
#include "ending.h"
#include "member.h"

enum {
    /* The most that writer_member writes: a header with a name of PATH_MAX, one with a target, the member's own. */
    WRITER_MEMBER_MAX = 3 * BLOCK_SIZE + 2 * (PATH_MAX + BLOCK_SIZE),
    /* The most that writer_end writes: the record's header and text, "./", two zero blocks. */
    WRITER_END_MAX = BLOCK_SIZE + ENDING_TEXT_MAX + BLOCK_SIZE + BLOCK_SIZE + 2 * BLOCK_SIZE,
};

struct writer {
    struct ending ending; /* files, bytes and changed so far; read them, set them only through the functions below */
    bool changed;         /* the last file did, and the next header block has to say so */
};

/* An empty stream. Nothing is written for it. */
void writer_init(struct writer *writer);

/*
 * Writes the header blocks of a member into buffer and gives their length in *length. The member's data follows:
 * exactly member->size bytes, then writer_padding(member->size) zero bytes.
 *
 * A file, a directory or a symbolic link, else REASON_NOT_REGULAR; its name must be as member_normalize makes it, not
 * "", and a target must have 1 to PATH_MAX - 1 bytes, else REASON_BAD_NAME: the fault is filled and the stream is as it
 * was. A size past INT64_MAX is REASON_TOO_LARGE. mtimes before 1970 or after 2242 are moved to the nearest second that
 * fits the field.
 */
enum reason writer_member(struct writer *writer, const struct member *member,
                          unsigned char buffer[static WRITER_MEMBER_MAX], size_t *length, struct fault *fault);

/* Zero bytes that follow data of this size up to the next block: 0 to BLOCK_SIZE - 1. */
size_t writer_padding(uint64_t size);

/*
 * Says that the file written last was not one file at one time: it shrank and was padded to its size, or was seen to
 * change. Call it once, before the next member or the end. REASON_CHANGED when ENDING_CHANGED_MAX of them are on
 * record already: the stream cannot tell the receiver of another and must end with that reason. The fault is filled.
 */
enum reason writer_changed(struct writer *writer, struct fault *fault);

/*
 * Writes the end of the stream into buffer and gives its length: the end record with this reason and number of skipped
 * entries, in an entry "./" with the mode and mtime of the directory that was collected, and two zero blocks.
 *
 * tar -x applies that mode to the directory it extracts into, and the agent chose it. So only what is in 0755 is kept,
 * and the owner's bits are set: nobody else is let in to write, and the caller is not locked out. A stream of one
 * sealed file has no directory and gives 0.
 */
size_t writer_end(struct writer *writer, enum reason reason, uint64_t skipped, unsigned mode, int64_t mtime,
                  unsigned char buffer[static WRITER_END_MAX]);

#endif
