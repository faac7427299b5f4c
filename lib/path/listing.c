#include "listing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LISTING_FIRST = 256, LISTING_FIRST_TEXT = 16 * LISTING_FIRST, BITS_OF_A_BYTE = 8 };

struct listing_mark listing_mark(const struct listing *listing)
{
    return (struct listing_mark){listing->count, listing->length};
}

/* The bytes from skip on as a number that is compared as they are, zeros behind a shorter name. */
static uint64_t listing_key(const char *name, size_t skip)
{
    uint64_t key = 0;
    size_t at = 0;
    for (name += skip; at < sizeof key && name[at]; at++)
        key = key << BITS_OF_A_BYTE | (unsigned char)name[at];
    for (; at < sizeof key; at++)
        key <<= BITS_OF_A_BYTE;
    return key;
}

static bool listing_before(const struct listing *listing, const struct listing_name *one,
                           const struct listing_name *other)
{
    if (one->key != other->key)
        return one->key < other->key;
    return strcmp(listing->text + one->at + 1, listing->text + other->at + 1) < 0;
}

/* How many bytes the names begin with that are the same in all: names such as part-00001 differ late. */
static size_t listing_shared(const struct listing *listing, size_t first)
{
    const char *one = listing->text + listing->names[first].at + 1;
    size_t shared = strlen(one);
    for (size_t i = first + 1; i < listing->count && shared > 0; i++) {
        const char *other = listing->text + listing->names[i].at + 1;
        size_t same = 0;
        while (same < shared && one[same] == other[same])
            same++;
        shared = same;
    }
    return shared;
}

/* Merges two sorted runs, from..middle and middle..end, of names into merged. */
static void listing_merge(const struct listing *listing, const struct listing_name *names, size_t from, size_t middle,
                          size_t end, struct listing_name *merged)
{
    size_t left = from;
    size_t right = middle;
    for (size_t at = from; at < end; at++) {
        bool take_right = left == middle || (right < end && listing_before(listing, &names[right], &names[left]));
        merged[at] = names[take_right ? right++ : left++];
    }
}

/*
 * Sorts the names from first on by merging runs of growing length: of n names in n log n steps, whatever order the
 * agent gave them.
 */
static bool listing_sort(struct listing *listing, size_t first)
{
    size_t count = listing->count - first;
    if (count < 2)
        return true;
    struct listing_name *spare = malloc(count * sizeof *spare);
    if (!spare)
        return false;
    size_t shared = listing_shared(listing, first);
    for (size_t i = first; i < listing->count; i++)
        listing->names[i].key = listing_key(listing->text + listing->names[i].at + 1, shared);
    struct listing_name *from = listing->names + first;
    struct listing_name *to = spare;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t middle = at + run < count ? at + run : count;
            listing_merge(listing, from, at, middle, at + 2 * run < count ? at + 2 * run : count, to);
        }
        struct listing_name *swap = from;
        from = to;
        to = swap;
    }
    if (from == spare)
        memcpy(listing->names + first, spare, count * sizeof *spare);
    free(spare);
    return true;
}

/* Makes room for one name more, twice as much as there was. */
static bool listing_grow(struct listing *listing, size_t length)
{
    if (listing->count == listing->names_size) {
        size_t size = listing->names_size ? 2 * listing->names_size : LISTING_FIRST;
        struct listing_name *names = realloc(listing->names, size * sizeof *names);
        if (!names)
            return false;
        listing->names = names;
        listing->names_size = size;
    }
    if (listing->text_size - listing->length < length) {
        size_t size = listing->text_size ? 2 * listing->text_size : LISTING_FIRST_TEXT;
        char *text = realloc(listing->text, size);
        if (!text)
            return false;
        listing->text = text;
        listing->text_size = size;
    }
    return true;
}

static bool listing_add(struct listing *listing, const struct kernel_entry *entry, size_t length)
{
    if (!listing_grow(listing, length + 2))
        return false;
    listing->names[listing->count++] = (struct listing_name){0, listing->length};
    listing->text[listing->length++] = (char)entry->type;
    memcpy(listing->text + listing->length, entry->name, length + 1);
    listing->length += length + 1;
    return true;
}

/* Adds what one getdents64 gave. */
static enum reason listing_take(struct listing *listing, size_t got, struct budget *budget, const char *path,
                                struct fault *fault)
{
    enum reason reason = REASON_OK;
    for (size_t at = 0; at < got && reason == REASON_OK;) {
        const struct kernel_entry *entry = (const void *)(listing->piece + at);
        size_t length = strlen(entry->name);
        at += entry->length;
        if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
            continue;
        /* Whoever fills the directory decides how many names there are: the budget decides how many we remember. */
        reason = budget_charge_name(budget, path, length, fault);
        if (reason == REASON_OK && !listing_add(listing, entry, length))
            reason = fault_errno(fault, path, "realloc", ENOMEM);
    }
    return reason;
}

enum reason listing_read(struct listing *listing, int directory, struct budget *budget, const char *path,
                         struct fault *fault)
{
    struct listing_mark mark = listing_mark(listing);
    enum reason reason = REASON_OK;
    ssize_t got = 1;
    while (reason == REASON_OK && got > 0) {
        got = kernel_getdents(directory, listing->piece, sizeof listing->piece);
        reason = got < 0 ? fault_errno(fault, path, "getdents64", errno)
                         : listing_take(listing, (size_t)got, budget, path, fault);
    }
    if (reason == REASON_OK && !listing_sort(listing, mark.count))
        reason = fault_errno(fault, path, "malloc", ENOMEM);
    if (reason != REASON_OK)
        listing_drop(listing, mark);
    return reason;
}

const char *listing_name(const struct listing *listing, size_t place, unsigned char *type)
{
    const char *text = listing->text + listing->names[place].at;
    *type = (unsigned char)text[0];
    return text + 1;
}

void listing_drop(struct listing *listing, struct listing_mark mark)
{
    listing->count = mark.count;
    listing->length = mark.length;
}

void listing_free(struct listing *listing)
{
    free(listing->names);
    free(listing->text);
}
