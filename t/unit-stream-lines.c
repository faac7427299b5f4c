/*
 * unit-stream-lines: what single lines of lib/stream are for that the other units do not show: each claim here fails
 * when one of them is undone (t/mutants).
 */
#include "stream/description.h"

#include "verdict.h"

static const char ending[] = "sbx-end 1 reason=ok files=0 bytes=0 skipped=0 changed=";

/* A pax header with these records, up to a NULL. */
static enum reason add(struct description *description, const char *const *pairs)
{
    char body[1024];
    struct fault fault;
    size_t length = 0;
    for (; *pairs != NULL; pairs += 2)
        length += record_put(body + length, pairs[0], pairs[1], strlen(pairs[1]));
    return description_add(description, BLOCK_PAX, body, length, &fault);
}

static void unit_lengths(void)
{
    struct description *description = stream_allocate(sizeof *description);
    char *name = stream_allocate(2 * PATH_MAX);
    struct fault fault;
    bool untouched = true;
    memset(description, 0, sizeof *description);
    memset(name, 'n', 2 * PATH_MAX);
    unit_claim(description_add(description, BLOCK_LONG_NAME, name, 2 * PATH_MAX, &fault) == REASON_BAD_NAME,
               "a name that is longer than its buffer is refused");
    for (size_t at = 0; at < sizeof description->raw_target; at++)
        untouched = untouched && description->raw_target[at] == '\0';
    unit_claim(untouched, "and nothing is written behind it");
    free(name);
    free(description);
}

static enum reason member_of(const char *name, char type, const char *const *pairs)
{
    struct description *description = stream_allocate(sizeof *description);
    struct block header = foreign(name, type, 0);
    struct member member;
    struct fault fault;
    memset(description, 0, sizeof *description);
    header.target[0] = type == BLOCK_SYMLINK ? 't' : '\0';
    enum reason reason = add(description, pairs);
    if (reason == REASON_OK)
        reason = description_member(description, &header, &member, &fault);
    free(description);
    return reason;
}

#define MEMBER_OF(name, type, ...) member_of(name, type, (const char *const[]){__VA_ARGS__, NULL})

static void unit_endings(void)
{
    unit_claim(MEMBER_OF("./", BLOCK_DIRECTORY, "comment", ending) == REASON_OK, "the root may have an end record");
    unit_claim(MEMBER_OF("./", BLOCK_DIRECTORY, "comment", ending, "comment", ending) == REASON_CORRUPT, "but not two");
    unit_claim(MEMBER_OF("./", BLOCK_DIRECTORY, "comment", "sbx-end 2 reason=ok") == REASON_CORRUPT,
               "and none of another version");
    unit_claim(MEMBER_OF("d/", BLOCK_DIRECTORY, "comment", ending) == REASON_CORRUPT, "another directory may not");
    unit_claim(MEMBER_OF("f", BLOCK_FILE, "comment", ending) == REASON_CORRUPT, "nor a file");
    unit_claim(MEMBER_OF("l", BLOCK_SYMLINK, "comment", ending) == REASON_CORRUPT, "nor a link");
    unit_claim(MEMBER_OF("d/", BLOCK_DIRECTORY, "path", "./", "comment", ending) == REASON_CORRUPT,
               "nor what only a record calls the root");
    unit_claim(MEMBER_OF("./", BLOCK_DIRECTORY, "size", "0", "comment", ending) == REASON_CORRUPT,
               "nor a root with a size");
    unit_claim(MEMBER_OF("./", BLOCK_DIRECTORY, "mtime", "1", "comment", ending) == REASON_CORRUPT,
               "nor a root with a time of its own");
}

static void unit_described(void)
{
    static const struct {
        const char *what, *key, *value;
    } wrong[] = {
        {"a pax size with something behind it", "size", "0x"},
        {"our end record for another tar's root", "comment", ending},
    };
    for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++) {
        PAX(&made, wrong[at].key, wrong[at].value);
        foreign_member(&made, "./", '5');
        refused(wrong[at].what);
    }
    PAX(&made, "size", "8589934592");
    foreign_put(&made, foreign("f", '0', 3));
    foreign_data(&made, "abc", 3);
    refused("a pax size of 8 GiB that contradicts its header");
    GLOBAL(&made, "comment", ending);
    foreign_member(&made, "f", '0');
    refused("a global end record");

    static char value[READER_BODY_MAX], body[READER_BODY_MAX + RECORD_OVERHEAD_MAX];
    memset(value, 'v', sizeof value);
    size_t length = record_put(body, "comment", value, READER_BODY_MAX - 14);
    unit_claim(length == READER_BODY_MAX + 1, "a record of 64 KiB and a byte");
    foreign_described(&made, 'x', body, length);
    foreign_member(&made, "f", '0');
    refused("a header with it");
}

static void unit_cut(void)
{
    struct reading reading;
    foreign_put(&made, foreign("f", '0', 600));
    stream_zeros(&made, 100);
    reading_take(&reading, made.bytes, made.length, 512, READER_TREE);
    unit_claim(reading.reason == REASON_TRUNCATED, "a file of which bytes are to come is cut");
    free(reading.text);
    made_reset();
}

static bool is_record(const char *text, size_t length)
{
    struct record record;
    return record_next(&text, &length, &record);
}

static void unit_records(void)
{
    unit_claim(!is_record("07 a=b\n", 7), "a length with a leading zero is none");
    unit_claim(!is_record("8ab=bbb\n", 8), "a record without a blank is none");
    unit_claim(!is_record("4 a\n6 b=c\n", 10), "a \"=\" in the next record is not this one's");
    unit_claim(!is_record("8 a=bcd\n", 6), "a record does not end behind its header's data");
}

static void unit_names(void)
{
    struct {
        char name[PATH_MAX], behind[PATH_MAX];
    } guarded = {.behind = ""};
    static char longer[2 * PATH_MAX - 1];
    static const char untouched[sizeof guarded.behind];
    struct fault fault;
    memset(longer, 'n', sizeof longer);
    unit_claim(member_normalize(longer, sizeof longer, false, guarded.name, &fault) == REASON_BAD_NAME &&
                   memcmp(guarded.behind, untouched, sizeof untouched) == 0,
               "of a name that is too long nothing is written behind its buffer");
}

static void unit_changed(void)
{
    struct ending said = {.reason = REASON_PARTIAL, .files = ENDING_CHANGED_MAX + 1};
    struct {
        struct ending ending;
        uint64_t behind;
    } guarded = {.behind = 0};
    char text[ENDING_TEXT_MAX];
    for (said.changed_count = 0; said.changed_count < ENDING_CHANGED_MAX; said.changed_count++)
        said.changed[said.changed_count] = said.changed_count + 1;
    size_t length = ending_format(&said, text);
    length += (size_t)sprintf(text + length, ",%d", ENDING_CHANGED_MAX + 1);
    unit_claim(!ending_parse(&guarded.ending, text, length) && guarded.behind == 0,
               "one changed file more than there is room for is refused");
}

int main(void)
{
    unit_lengths();
    unit_endings();
    unit_described();
    unit_cut();
    unit_records();
    unit_names();
    unit_changed();
    return unit_end();
}
