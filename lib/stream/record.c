#include "record.h"

#include <stdio.h>
#include <string.h>

enum { NANOSECONDS = 1000000000 };

static size_t decimal_width(size_t number)
{
    size_t width = 1;
    while (number /= 10)
        width++;
    return width;
}

size_t record_put(char *buffer, const char *key, const char *value, size_t value_length)
{
    size_t rest = 1 + strlen(key) + 1 + value_length + 1;
    size_t length = rest + decimal_width(rest);
    /* The digits of the length are part of it, so that one more of them may ask for yet another. */
    length = rest + decimal_width(length);
    int start = sprintf(buffer, "%zu %s=", length, key);
    memcpy(buffer + start, value, value_length);
    buffer[length - 1] = '\n';
    return length;
}

/* Adds one digit. False when the number would pass INT64_MAX. */
static bool decimal_add(uint64_t *number, char digit)
{
    return !__builtin_mul_overflow(*number, 10, number) && !__builtin_add_overflow(*number, digit - '0', number) &&
           *number <= INT64_MAX;
}

static bool decimal_is(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Reads digits from *at on and moves it behind them. False when there is none, or too large a number. */
static bool decimal_read(const char **at, const char *end, uint64_t *number)
{
    const char *start = *at;
    *number = 0;
    for (; *at < end && decimal_is(**at); (*at)++) {
        if (!decimal_add(number, **at))
            return false;
    }
    return *at > start;
}

bool record_next(const char **body, size_t *length, struct record *record)
{
    const char *at = *body, *end = *body + *length;
    uint64_t total;
    if (*at == '0' || !decimal_read(&at, end, &total) || total > *length)
        return false;
    end = *body + total;
    /* A length that ends within its own digits leaves nothing for the blank. */
    if (at >= end || *at != ' ' || end[-1] != '\n')
        return false;
    record->key = at + 1;
    const char *equals = memchr(record->key, '=', (size_t)(end - record->key));
    if (equals == NULL || equals == record->key)
        return false;
    record->key_length = (size_t)(equals - record->key);
    record->value = equals + 1;
    record->value_length = (size_t)(end - 1 - record->value);
    *body = end;
    *length -= total;
    return true;
}

bool record_is(const struct record *record, const char *key)
{
    return strlen(key) == record->key_length && memcmp(key, record->key, record->key_length) == 0;
}

bool record_begins(const struct record *record, const char *prefix)
{
    size_t length = strlen(prefix);
    return length <= record->key_length && memcmp(prefix, record->key, length) == 0;
}

bool record_get_size(const struct record *record, uint64_t *size)
{
    const char *at = record->value, *end = record->value + record->value_length;
    return decimal_read(&at, end, size) && at == end;
}

bool record_get_time(const struct record *record, int64_t *seconds, uint32_t *nanoseconds)
{
    const char *at = record->value, *end = record->value + record->value_length;
    bool negative = at < end && *at == '-';
    uint64_t whole;
    uint32_t fraction = 0;
    at += negative;
    if (!decimal_read(&at, end, &whole))
        return false;
    if (at < end && *at == '.') {
        uint32_t unit = NANOSECONDS / 10;
        for (at++; at < end && decimal_is(*at); at++, unit /= 10)
            fraction += unit * (uint32_t)(*at - '0');
    }
    if (at != end)
        return false;
    *seconds = negative ? -(int64_t)whole : (int64_t)whole;
    if (negative && fraction > 0) {
        *seconds -= 1;
        fraction = NANOSECONDS - fraction;
    }
    *nanoseconds = fraction;
    return true;
}
