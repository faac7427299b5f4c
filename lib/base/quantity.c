#include "quantity.h"

#include <string.h>

enum { MILLISECONDS_A_SECOND = 1000, MILLISECONDS_A_MINUTE = 60000, MILLISECONDS_AN_HOUR = 3600000 };

/* Reads digits of the base and moves *text behind them; false for no digit or a number over the limit. */
static bool quantity_digits(const char **text, unsigned base, uint64_t limit, uint64_t *number)
{
    const char *at = *text;
    uint64_t sum = 0;
    for (; *at >= '0' && *at < (char)('0' + base); at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (sum > (limit - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    if (at == *text)
        return false;
    *text = at;
    *number = sum;
    return true;
}

bool quantity_count(const char *text, uint64_t *count)
{
    uint64_t number;
    if (strcmp(text, "unlimited") == 0)
        number = QUANTITY_UNLIMITED;
    else if (!quantity_digits(&text, 10, QUANTITY_UNLIMITED - 1, &number) || *text)
        return false;
    *count = number;
    return true;
}

bool quantity_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    uint64_t number;
    if (strcmp(text, "unlimited") == 0) {
        *bytes = QUANTITY_UNLIMITED;
        return true;
    }
    if (!quantity_digits(&text, 10, QUANTITY_UNLIMITED - 1, &number))
        return false;
    if (*text) {
        const char *unit = strchr(units, *text);
        if (!unit || text[1])
            return false;
        unsigned shift = 10 * (unsigned)(unit - units + 1);
        if (number > (QUANTITY_UNLIMITED - 1) >> shift)
            return false;
        number <<= shift;
    }
    *bytes = number;
    return true;
}

static int64_t quantity_unit(const char *text)
{
    if (!*text || strcmp(text, "s") == 0)
        return MILLISECONDS_A_SECOND;
    if (strcmp(text, "ms") == 0)
        return 1;
    if (strcmp(text, "m") == 0)
        return MILLISECONDS_A_MINUTE;
    if (strcmp(text, "h") == 0)
        return MILLISECONDS_AN_HOUR;
    return 0;
}

bool quantity_duration(const char *text, int64_t *milliseconds)
{
    const uint64_t longest = INT64_MAX / MILLISECONDS_AN_HOUR - 1;
    const int64_t finest = 1000000000; /* digits beyond a billionth can only round up */
    uint64_t whole = 0;
    int64_t part = 0;
    int64_t parts = 1;
    bool below = false;
    if (*text != '.' && !quantity_digits(&text, 10, longest, &whole))
        return false;
    if (*text == '.') {
        if (text[1] < '0' || text[1] > '9')
            return false;
        for (text++; *text >= '0' && *text <= '9'; text++) {
            if (parts < finest) {
                part = part * 10 + (*text - '0');
                parts *= 10;
            } else
                below = below || *text != '0';
        }
    }
    int64_t unit = quantity_unit(text);
    if (!unit)
        return false;
    int64_t share = part * unit;
    below = below || share % parts;
    *milliseconds = (int64_t)whole * unit + share / parts + below;
    return true;
}

bool quantity_mode(const char *text, unsigned *mode)
{
    uint64_t number;
    if (!quantity_digits(&text, 8, 07777, &number) || *text)
        return false;
    *mode = (unsigned)number;
    return true;
}
