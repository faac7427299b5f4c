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

/* The first bytes as a number that is compared as they are, zeros behind a shorter name. */
static uint64_t listing_key(const char *name)
{
    uint64_t key = 0;
    size_t at = 0;
    for (; at < sizeof key && name[at]; at++)
        key = key << BITS_OF_A_BYTE | (unsigned char)name[at];
    for (; at < sizeof key; at++)
        key <<= BITS_OF_A_BYTE;
    return key;
}

static int listing_compare(const void *one, const void *other, void *text)
{
    const struct listing_name *left = one;
    const struct listing_name *right = other;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return strcmp((const char *)text + left->at + 1, (const char *)text + right->at + 1);
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
    listing->names[listing->count++] = (struct listing_name){listing_key(entry->name), listing->length};
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
    if (reason != REASON_OK)
        listing_drop(listing, mark);
    else
        qsort_r(listing->names + mark.count, listing->count - mark.count, sizeof *listing->names, listing_compare,
                listing->text);
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
