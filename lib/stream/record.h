/*
 * record: the records of a pax header, "LENGTH KEY=VALUE\n". Pure.
 *
 * POSIX.1-2017, pax(1), "pax Header Block" and "pax Extended Header": LENGTH counts the whole record in decimal, its
 * own digits and the newline included; a value may hold any byte.
 */
#ifndef SBX_STREAM_RECORD_H
#define SBX_STREAM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pointers into the body that record_next was given; nothing is NUL-terminated. */
struct record {
    const char *key;
    size_t key_length;
    const char *value;
    size_t value_length;
};

/* The bytes of a record around its value: a length of up to seven digits, a blank, "=", newline, and a short key. */
enum { RECORD_OVERHEAD_MAX = 32 };

/* Writes a record, without a NUL, and gives its length: at most value_length + RECORD_OVERHEAD_MAX for a known key. */
size_t record_put(char *buffer, const char *key, const char *value, size_t value_length);

/*
 * Takes the first record off the body (*body, *length), which is not empty, and moves its front behind it. False if
 * what stands there is no record; a length with a leading zero is none.
 */
bool record_next(const char **body, size_t *length, struct record *record);

/* Whether the key is this one, or begins with it. */
bool record_is(const struct record *record, const char *key);
bool record_begins(const struct record *record, const char *prefix);

/* The value as a size: decimal digits, at most INT64_MAX. False for all else. */
bool record_get_size(const struct record *record, uint64_t *size);

/*
 * The value as a time: decimal seconds since the Epoch, perhaps negative, perhaps with a fraction (of which nine digits
 * count). The fraction of a negative time counts back from it; *nanoseconds counts forward from *seconds. False for all
 * else.
 */
bool record_get_time(const struct record *record, int64_t *seconds, uint32_t *nanoseconds);

#endif
