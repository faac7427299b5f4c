/*
 * unit-stream-parts: header blocks, pax records, names and end records, each by itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "stream/block.h"
#include "stream/ending.h"
#include "stream/member.h"
#include "stream/record.h"
#include "unit.h"

static void unit_numbers(void)
{
    static const struct {
        const char *field;
        size_t size;
        bool right;
        int64_t value;
    } cases[] = {
        {"0000644\0", 8, true, 0644},
        {"000644 \0", 8, true, 0644},
        {"   644 \0", 8, true, 0644},
        {"00000644", 8, true, 0644},
        {"7777777777777", 12, true, 0777777777777},
        {"00000000008\0", 12, false, 0},
        {"0000 000000\0", 12, false, 0},
        {"-0000000001\0", 12, false, 0},
        {"0x000000001\0", 12, false, 0},
        {"\0\0\0\0\0\0\0\0\0\0\0", 12, false, 0},
        {"            ", 12, false, 0},
        {"\x80\0\0\0\0\0\0\x02\x40\0\0\0", 12, true, INT64_C(9) << 30},
        {"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12, true, INT64_MAX},
        {"\x80\0\0\0\x80\0\0\0\0\0\0\0", 12, false, 0},
        {"\x80\0\0\x01\0\0\0\0\0\0\0\0", 12, false, 0},
        {"\x81\0\0\0\0\0\0\0\0\0\0\0", 12, false, 0},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, true, -1},
        {"\xff\xff\xff\xff\x80\0\0\0\0\0\0\0", 12, true, INT64_MIN},
        {"\xff\xff\xff\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 12, false, 0},
        {"\xff\xff\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12, false, 0},
    };
    bool right = true;
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        int64_t value = 0;
        bool got = block_get_number(cases[at].field, cases[at].size, &value);
        if (got != cases[at].right || (got && value != cases[at].value)) {
            right = false;
            printf("# number %zu: %d %lld\n", at, got, (long long)value);
        }
    }
    unit_claim(right, "a number is octal to the end of its field, or base 256 that fits, and nothing else");

    static const uint64_t values[] = {0, 1, 0644, BLOCK_OCTAL_MAX, BLOCK_OCTAL_MAX + 1, UINT64_C(9) << 30, INT64_MAX};
    right = true;
    for (size_t at = 0; at < sizeof values / sizeof *values; at++) {
        char field[12];
        int64_t value;
        block_put_number(field, sizeof field, values[at]);
        right = right && block_get_number(field, sizeof field, &value) && (uint64_t)value == values[at];
        right = right && (values[at] > BLOCK_OCTAL_MAX ? field[0] == '\x80' : field[11] == '\0');
    }
    unit_claim(right, "a number is written in octal up to 8 GiB - 1, in base 256 past that, and read back");
}

static void unit_checksums(void)
{
    struct block block;
    memset(&block, 0, sizeof block);
    memset(block.name, 0xe9, sizeof block.name);
    block_seal(&block);
    unit_claim(block_check(&block) == BLOCK_SEALED_EXACTLY, "a sealed block is sealed");

    bool found = true, found_exactly = true;
    for (size_t bit = 0; bit < 8 * sizeof block; bit++) {
        unsigned char *byte = (unsigned char *)&block + bit / 8;
        *byte ^= (unsigned char)(1u << bit % 8);
        bool in_checksum = bit / 8 >= offsetof(struct block, checksum) && bit / 8 < offsetof(struct block, type);
        found = found && (in_checksum || block_check(&block) == BLOCK_UNSEALED);
        found_exactly = found_exactly && block_check(&block) != BLOCK_SEALED_EXACTLY;
        *byte ^= (unsigned char)(1u << bit % 8);
    }
    unit_claim(found, "one flipped bit outside the checksum breaks it");
    unit_claim(found_exactly, "one flipped bit anywhere breaks an exact checksum, blanks and NULs included");

    block_put_crc(&block, "123456789", 9);
    unit_claim(memcmp(block.crc, "cbf43926", sizeof block.crc) == 0 && block_has_crc(&block, "123456789", 9) &&
                   !block_has_crc(&block, "123456788", 9),
               "CRC-32 has its check value");
}

static bool record_is_made(size_t value_length, size_t length)
{
    char *value = stream_allocate(value_length + 1), *buffer = stream_allocate(value_length + RECORD_OVERHEAD_MAX);
    memset(value, 'v', value_length);
    size_t made = record_put(buffer, "path", value, value_length);
    const char *body = buffer;
    size_t left = made;
    struct record record;
    bool right = made == length && record_next(&body, &left, &record) && left == 0 && body == buffer + made &&
                 record_is(&record, "path") && record.value_length == value_length &&
                 memcmp(record.value, value, value_length) == 0;
    free(value);
    free(buffer);
    return right;
}

static void unit_records(void)
{
    /* "N path=" and a newline are 8 bytes with one digit, 9 with two, ... */
    unit_claim(record_is_made(0, 8) && record_is_made(1, 9) && record_is_made(2, 11) && record_is_made(90, 99) &&
                   record_is_made(91, 101) && record_is_made(989, 999) && record_is_made(990, 1001),
               "a record's length counts its own digits, on both sides of every power of ten");

    static const char *const wrong[] = {
        "9 a=b\n",
        "5 a=b\n",
        "6 a=b",
        "6 a=b ",
        "06 a=b\n",
        " 6 a=b\n",
        "6a=bbb\n",
        "a=b\n",
        "0 a=b\n",
        "1\n",
        "2 \n",
        "3 a\n",
        "-6 a=b\n",
        "4 a\n",
        "6 =bb\n",
        "18446744073709551622 a=b\n",
        "99999999999999999999999999 a=b\n",
    };
    bool right = true;
    for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++) {
        const char *body = wrong[at];
        size_t length = strlen(body);
        struct record record;
        if (record_next(&body, &length, &record)) {
            right = false;
            printf("# taken: %s\n", wrong[at]);
        }
    }
    unit_claim(right, "what is no record is not taken for one");
}

static void unit_times(void)
{
    static const struct {
        const char *value;
        bool right;
        int64_t seconds;
        uint32_t nanoseconds;
    } cases[] = {
        {"0", true, 0, 0},
        {"1700000000", true, 1700000000, 0},
        {"1700000000.5", true, 1700000000, 500000000},
        {"1.0000000019", true, 1, 1},
        {"1.", true, 1, 0},
        {"-1", true, -1, 0},
        {"-1.25", true, -2, 750000000},
        {"-0.1", true, -1, 900000000},
        {"9223372036854775807", true, INT64_MAX, 0},
        {"-9223372036854775807.9", true, INT64_MIN, 100000000},
        {"9223372036854775808", false, 0, 0},
        {"", false, 0, 0},
        {"-", false, 0, 0},
        {".5", false, 0, 0},
        {"1.5.5", false, 0, 0},
        {"1e9", false, 0, 0},
        {"+1", false, 0, 0},
    };
    bool right = true;
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        struct record record = {.value = cases[at].value, .value_length = strlen(cases[at].value)};
        int64_t seconds = 0;
        uint32_t nanoseconds = 0;
        bool got = record_get_time(&record, &seconds, &nanoseconds);
        if (got != cases[at].right || (got && (seconds != cases[at].seconds || nanoseconds != cases[at].nanoseconds))) {
            right = false;
            printf("# time %s: %d %lld %u\n", cases[at].value, got, (long long)seconds, (unsigned)nanoseconds);
        }
    }
    unit_claim(right, "a time is decimal seconds with a fraction, rounded down, or refused");
}

static void unit_name(const char *raw, bool directory, enum reason reason, const char *expected)
{
    char name[PATH_MAX];
    struct fault fault = {.reason = REASON_OK};
    enum reason got = member_normalize(raw, strlen(raw), directory, name, &fault);
    bool right = got == reason && (reason == REASON_OK ? strcmp(name, expected) == 0 : fault.reason == reason);
    unit_claim(right, "the %s name \"%.40s\" is %s", directory ? "directory" : "file",
               strpbrk(raw, "\n\001") ? "..." : raw, reason == REASON_OK ? "taken" : reason_name(reason));
}

static void unit_names(void)
{
    unit_name("a", false, REASON_OK, "a");
    unit_name("./a", false, REASON_OK, "a");
    unit_name("./a/b/c", false, REASON_OK, "a/b/c");
    unit_name("...", false, REASON_OK, "...");
    unit_name(" a ", false, REASON_OK, " a ");
    unit_name("\xff\xfe", false, REASON_OK, "\xff\xfe");
    unit_name("a/", true, REASON_OK, "a");
    unit_name("./a/", true, REASON_OK, "a");
    unit_name("./", true, REASON_OK, "");
    unit_name(".", true, REASON_OK, "");
    unit_name("./", false, REASON_BAD_NAME, NULL);
    unit_name(".", false, REASON_BAD_NAME, NULL);
    unit_name("", true, REASON_BAD_NAME, NULL);
    unit_name("", false, REASON_BAD_NAME, NULL);
    unit_name("a/", false, REASON_BAD_NAME, NULL);
    unit_name("a//", true, REASON_BAD_NAME, NULL);
    unit_name("a//b", false, REASON_BAD_NAME, NULL);
    unit_name(".//a", false, REASON_BAD_NAME, NULL);
    unit_name("././a", false, REASON_BAD_NAME, NULL);
    unit_name("a/.", true, REASON_BAD_NAME, NULL);
    unit_name("a/./b", false, REASON_BAD_NAME, NULL);
    unit_name("a\nb", false, REASON_BAD_NAME, NULL);
    unit_name("a/\001", false, REASON_BAD_NAME, NULL);
    unit_name("a\x7f", false, REASON_BAD_NAME, NULL);
    unit_name("/", true, REASON_ESCAPES, NULL);
    unit_name("/a", false, REASON_ESCAPES, NULL);
    unit_name("//a", false, REASON_ESCAPES, NULL);
    unit_name("..", true, REASON_ESCAPES, NULL);
    unit_name("./..", true, REASON_ESCAPES, NULL);
    unit_name("a/../b", false, REASON_ESCAPES, NULL);
    unit_name("a/..", true, REASON_ESCAPES, NULL);

    char raw[PATH_MAX + 8], name[PATH_MAX];
    struct fault fault;
    memset(raw, 'n', sizeof raw);
    raw[NAME_MAX] = '\0';
    unit_name(raw, false, REASON_OK, raw);
    raw[NAME_MAX] = 'n';
    raw[NAME_MAX + 1] = '\0';
    unit_name(raw, false, REASON_BAD_NAME, NULL);
    memset(raw, 'n', sizeof raw);
    for (size_t at = 1; at < sizeof raw; at += 2)
        raw[at] = '/';
    raw[PATH_MAX - 1] = '\0';
    unit_claim(member_normalize(raw, PATH_MAX - 1, false, name, &fault) == REASON_OK && strcmp(raw, name) == 0,
               "a name of PATH_MAX - 1 bytes is taken");
    raw[PATH_MAX - 1] = '/';
    raw[PATH_MAX + 1] = '\0';
    unit_claim(member_normalize(raw, PATH_MAX + 1, false, name, &fault) == REASON_BAD_NAME, "a longer one is not");
    unit_claim(member_depth("") == 0 && member_depth("a") == 1 && member_depth("a/b/c") == 3,
               "depth counts components");
    unit_claim(strcmp(member_basename("a/b/c"), "c") == 0 && strcmp(member_basename("a"), "a") == 0,
               "the last component is found");
}

static bool same(const struct ending *a, const struct ending *b)
{
    return a->reason == b->reason && a->files == b->files && a->bytes == b->bytes && a->skipped == b->skipped &&
           a->changed_count == b->changed_count &&
           memcmp(a->changed, b->changed, a->changed_count * sizeof a->changed[0]) == 0;
}

static void unit_endings(void)
{
    struct ending ending = {.reason = REASON_PARTIAL, .files = 7, .bytes = 4711, .skipped = 2, .changed_count = 2};
    ending.changed[0] = 3;
    ending.changed[1] = 7;
    char text[ENDING_TEXT_MAX];
    size_t length = ending_format(&ending, text);
    static const char expected[] = "sbx-end 1 reason=partial files=7 bytes=4711 skipped=2 changed=3,7";
    unit_claim(length == strlen(expected) && memcmp(text, expected, length) == 0,
               "an end record reads as its page says");

    struct ending back;
    memset(&back, 0, sizeof back);
    unit_claim(ending_parse(&back, text, length) && same(&back, &ending), "and is read back");
    bool all = true;
    for (enum reason reason = REASON_OK; reason < REASON_COUNT; reason++) {
        ending.reason = reason;
        length = ending_format(&ending, text);
        all = all && ending_parse(&back, text, length) && back.reason == reason;
    }
    unit_claim(all, "with every reason there is");

    ending.files = ending.bytes = ending.skipped = UINT64_MAX;
    ending.changed_count = ENDING_CHANGED_MAX;
    for (unsigned at = 0; at < ENDING_CHANGED_MAX; at++)
        ending.changed[at] = UINT64_MAX - ENDING_CHANGED_MAX + at;
    length = ending_format(&ending, text);
    unit_claim(length < ENDING_TEXT_MAX && ending_parse(&back, text, length) && same(&back, &ending),
               "at its longest it has %zu bytes", length);

    static const char *const wrong[] = {
        "sbx-end 2 reason=ok files=1 bytes=1 skipped=0 changed=",
        "sbx-end 1 reason=fine files=1 bytes=1 skipped=0 changed=",
        "sbx-end 1 reason= files=1 bytes=1 skipped=0 changed=",
        "sbx-end 1 reason=ok files=1 bytes=1 skipped=0 changed=2",
        "sbx-end 1 reason=ok files=2 bytes=1 skipped=0 changed=2,1",
        "sbx-end 1 reason=ok files=2 bytes=1 skipped=0 changed=1,1",
        "sbx-end 1 reason=ok files=2 bytes=1 skipped=0 changed=0",
        "sbx-end 1 reason=ok files=2 bytes=1 skipped=0 changed=1,",
        "sbx-end 1 reason=ok files=2 bytes=1 skipped=0 changed=,1",
        "sbx-end 1 reason=ok files=01 bytes=1 skipped=0 changed=",
        "sbx-end 1 reason=ok files=+1 bytes=1 skipped=0 changed=",
        "sbx-end 1 reason=ok files=18446744073709551616 bytes=1 skipped=0 changed=",
        "sbx-end 1 reason=ok files=1 bytes=1 skipped=0",
        "sbx-end 1 reason=ok files=1 bytes=1 skipped=0 changed= ",
        "sbx-end 1 reason=ok  files=1 bytes=1 skipped=0 changed=",
        "sbx-end 1 reason=ok bytes=1 files=1 skipped=0 changed=",
        "sbx-end ",
    };
    for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++) {
        unit_claim(ending_claimed(wrong[at], strlen(wrong[at])) && !ending_parse(&back, wrong[at], strlen(wrong[at])),
                   "no end record: %s", wrong[at]);
    }
}

int main(void)
{
    unit_numbers();
    unit_checksums();
    unit_records();
    unit_times();
    unit_names();
    unit_endings();
    return unit_end();
}
