/*
 * listing: the names of directories, each one's sorted by bytes, kept as a stack.
 *
 * A walk that goes down keeps the names of every directory that it is in: they lie in one piece of memory that grows
 * with the deepest stack and is used again, not in one for each name.
 */
#ifndef SBX_PATH_LISTING_H
#define SBX_PATH_LISTING_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/kernel.h"
#include "budget.h"

enum { LISTING_PIECE = 32 * 1024 /* bytes that one getdents64(2) may give */ };

struct listing_name {
    uint64_t key; /* the first bytes that differ in the directory, to be compared at once */
    size_t at;    /* where in text: the type, then the name and a NUL */
};

struct listing {
    struct listing_name *names;
    size_t count;
    size_t names_size;
    char *text;
    size_t length;
    size_t text_size;
    _Alignas(struct kernel_entry) char piece[LISTING_PIECE];
};

/* The height of a stack. */
struct listing_mark {
    size_t count;
    size_t length;
};

struct listing_mark listing_mark(const struct listing *listing);

/*
 * Puts the names of the open directory on the stack, without "." and "..", each charged to the budget as path's. On
 * failure the stack is as it was: REASON_TOO_LARGE of the budget, or what an errno says.
 */
enum reason listing_read(struct listing *listing, int directory, struct budget *budget, const char *path,
                         struct fault *fault);

/* The name at this place of the stack, 0 being the lowest, and its type as in readdir(3). Good until the next read. */
const char *listing_name(const struct listing *listing, size_t place, unsigned char *type);

/* Takes off what was put on since. */
void listing_drop(struct listing *listing, struct listing_mark mark);

/* Frees its memory. */
void listing_free(struct listing *listing);

#endif
