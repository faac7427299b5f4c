#include "ending.h"

#include <stdio.h>
#include <string.h>

/* The text in front of the version, by which a comment claims to be an end record. */
#define ENDING_CLAIM "sbx-end "

size_t ending_format(const struct ending *ending, char text[static ENDING_TEXT_MAX])
{
    int length = snprintf(text, ENDING_TEXT_MAX, ENDING_CLAIM "1 reason=%s files=%llu bytes=%llu skipped=%llu changed=",
                          reason_name(ending->reason), (unsigned long long)ending->files,
                          (unsigned long long)ending->bytes, (unsigned long long)ending->skipped);
    for (unsigned at = 0; at < ending->changed_count; at++)
        length += snprintf(text + length, (size_t)(ENDING_TEXT_MAX - length), at ? ",%llu" : "%llu",
                           (unsigned long long)ending->changed[at]);
    return (size_t)length;
}

bool ending_claimed(const char *text, size_t length)
{
    return length >= strlen(ENDING_CLAIM) && memcmp(text, ENDING_CLAIM, strlen(ENDING_CLAIM)) == 0;
}

/* The text that is still to be read. */
struct rest {
    const char *at;
    const char *end;
};

static bool rest_skip(struct rest *rest, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(rest->end - rest->at) < length || memcmp(rest->at, word, length) != 0)
        return false;
    rest->at += length;
    return true;
}

static bool rest_number(struct rest *rest, uint64_t *number)
{
    const char *start = rest->at;
    for (*number = 0; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++) {
        if (__builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, *rest->at - '0', number))
            return false;
    }
    return rest->at > start;
}

static bool rest_reason(struct rest *rest, enum reason *reason)
{
    const char *start = rest->at;
    while (rest->at < rest->end && *rest->at != ' ')
        rest->at++;
    *reason = reason_find(start, (size_t)(rest->at - start));
    return *reason != REASON_COUNT;
}

/* Numbers of files that are there, in order. */
static bool rest_changed(struct rest *rest, struct ending *ending)
{
    uint64_t previous = 0;
    for (ending->changed_count = 0; rest->at < rest->end; ending->changed_count++) {
        uint64_t number;
        if (ending->changed_count == ENDING_CHANGED_MAX || (ending->changed_count > 0 && !rest_skip(rest, ",")) ||
            !rest_number(rest, &number) || number <= previous || number > ending->files)
            return false;
        ending->changed[ending->changed_count] = previous = number;
    }
    return true;
}

bool ending_parse(struct ending *ending, const char *text, size_t length)
{
    struct rest rest = {text, text + length};
    if (!rest_skip(&rest, ENDING_CLAIM "1 reason=") || !rest_reason(&rest, &ending->reason) ||
        !rest_skip(&rest, " files=") || !rest_number(&rest, &ending->files) || !rest_skip(&rest, " bytes=") ||
        !rest_number(&rest, &ending->bytes) || !rest_skip(&rest, " skipped=") ||
        !rest_number(&rest, &ending->skipped) || !rest_skip(&rest, " changed=") || !rest_changed(&rest, ending))
        return false;
    /* One spelling for one meaning: no leading zeros, no trailing comma. */
    char canonical[ENDING_TEXT_MAX];
    return ending_format(ending, canonical) == length && memcmp(canonical, text, length) == 0;
}
