/*
 * description: what the headers in front of a member say about it, put together with its own header. Pure.
 *
 * A pax header (x) or a pair of GNU long name headers (L, K) describes the one member that follows. Both at once, or
 * one of them twice, can be read in more than one way, and tars do: that is refused.
 */
#ifndef SBX_STREAM_DESCRIPTION_H
#define SBX_STREAM_DESCRIPTION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/reason.h"
#include "block.h"
#include "ending.h"
#include "member.h"

/* As long a name as member_normalize can make one of PATH_MAX - 1 bytes from: "./", the name, "/" and a NUL. */
enum { DESCRIPTION_NAME_MAX = PATH_MAX + 3 };

struct description {
    /* What headers have said since the last member. */
    bool pax;
    bool has_name, has_target, has_size, has_mtime, has_ending;
    uint64_t size;
    int64_t mtime;
    uint32_t mtime_nanoseconds;
    struct ending ending;

    unsigned globals; /* pax headers for the whole archive so far */

    size_t name_length, target_length;
    char raw_name[DESCRIPTION_NAME_MAX], raw_target[DESCRIPTION_NAME_MAX];

    char name[PATH_MAX], target[PATH_MAX]; /* of the last member; it points here */
};

/* Whether a header of this type describes others and so goes to description_add with its data. */
bool description_is(char type);

/* Whether headers have described a member that has not come yet. */
bool description_pending(const struct description *description);

/* Says whether a header of this type may come now: REASON_OK or REASON_CORRUPT with the fault filled. */
enum reason description_expect(struct description *description, char type, struct fault *fault);

/*
 * Takes in a header that describes others, by its type and its data. REASON_CORRUPT or, for a name that is too long,
 * REASON_BAD_NAME, with the fault filled.
 */
enum reason description_add(struct description *description, char type, const char *data, size_t length,
                            struct fault *fault);

/*
 * Makes the member of its own header and of what was added before, which is then forgotten (save .ending: if
 * .has_ending, it came with this member). member->number is left alone. REASON_CORRUPT or a reason of
 * member_normalize, with the fault filled.
 */
enum reason description_member(struct description *description, const struct block *header, struct member *member,
                               struct fault *fault);

#endif
