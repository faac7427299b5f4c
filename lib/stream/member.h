/*
 * member: one entry of a stream, and what its name may be. Pure.
 */
#ifndef SBX_STREAM_MEMBER_H
#define SBX_STREAM_MEMBER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/reason.h"

enum member_type {
    MEMBER_FILE,
    MEMBER_DIRECTORY,
    MEMBER_SYMLINK,
    MEMBER_HARD_LINK,
    MEMBER_CHARACTER_DEVICE, /* these three are told, not carried: whoever lands a tree leaves them out */
    MEMBER_BLOCK_DEVICE,
    MEMBER_FIFO,
};

struct member {
    enum member_type type;
    const char *name;   /* relative to the root, as member_normalize makes it; "" is the root itself (a directory) */
    const char *target; /* of a symbolic link: its bytes, unchecked; of a hard link: a member's name; otherwise "" */
    uint64_t size;      /* bytes of data that follow; 0 for all but files */
    uint64_t number;    /* of a file: 1 for the first file in the stream; 0 for all others. Set by reader and writer. */
    int64_t mtime;      /* seconds since the Epoch */
    uint32_t mtime_nanoseconds; /* only another tar's pax header brings any */
    bool executable;            /* of a file: its owner may execute it */
};

/*
 * Makes a name as it stands in a header (length bytes, then a NUL) into the one form that is compared, counted and
 * opened: no leading "./" and, for a directory, no trailing "/". "." and "./" are the root and become "".
 *
 * The result, NUL-terminated, is at most PATH_MAX - 1 bytes, of components of at most NAME_MAX, none of which is
 * empty, "." or "..", or holds a control byte (0x01-0x1f, 0x7f).
 *
 * REASON_ESCAPES for an absolute name or a "..", REASON_BAD_NAME for all else, with the fault filled.
 */
enum reason member_normalize(const char *raw, size_t length, bool directory, char name[static PATH_MAX],
                             struct fault *fault);

/* Components of a normalized name: 0 for the root, 1 for a member in it. This is the depth that a budget counts. */
unsigned long member_depth(const char *name);

/* Where the last component of a normalized name begins; its length is what a budget charges for the name. */
const char *member_basename(const char *name);

#endif
