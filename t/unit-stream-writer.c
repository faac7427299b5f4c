/*
 * unit-stream-writer: the bytes of a stream, and that the reader gives back what the writer was given.
 */
#include "stream.h"
#include "unit.h"

/* Whether a field of a block is this text and then NULs. */
static bool field_is(const char *field, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length > size || memcmp(field, text, length) != 0)
        return false;
    while (length < size && field[length] == '\0')
        length++;
    return length == size;
}

#define FIELD_IS(block, name, text) field_is((block)->name, sizeof(block)->name, text)

static bool header_is(const unsigned char *bytes, const char *name, const char *mode, const char *size, char type)
{
    const struct block *block = (const struct block *)bytes;
    return FIELD_IS(block, name, name) && FIELD_IS(block, mode, mode) && FIELD_IS(block, uid, "0000000") &&
           FIELD_IS(block, gid, "0000000") && FIELD_IS(block, size, size) && block->type == type &&
           block_format(block) == BLOCK_USTAR && FIELD_IS(block, user, "") && FIELD_IS(block, group, "") &&
           FIELD_IS(block, device_major, "0000000") && FIELD_IS(block, device_minor, "0000000") &&
           FIELD_IS(block, mark, "sbx-") && block_check(block) == BLOCK_SEALED_EXACTLY;
}

static void unit_bytes(void)
{
    struct stream stream = {.length = 0};
    stream_directory(&stream, "d");
    unit_claim(stream.length == 512 && header_is(stream.bytes, "d/", "0000755", "00000000000", '5') &&
                   FIELD_IS((struct block *)stream.bytes, mtime, "14524770400"),
               "a directory is one header, its name ending in /");
    stream.length = 0;
    stream_file(&stream, "d/f", "hello", 5);
    unit_claim(stream.length == 1024 && header_is(stream.bytes, "d/f", "0000644", "00000000005", '0') &&
                   field_is((char *)stream.bytes + 512, 512, "hello"),
               "a file is a header and its data, padded with zeros");
    stream.length = 0;
    stream_file(&stream, "e", "", 0);
    unit_claim(stream.length == 512 && header_is(stream.bytes, "e", "0000644", "00000000000", '0'),
               "an empty file is a header alone");
    stream.length = 0;
    stream_header(&stream, &(struct member){.type = MEMBER_FILE, .name = "p", .executable = true, .mtime = -1});
    unit_claim(header_is(stream.bytes, "p", "0000755", "00000000000", '0') &&
                   FIELD_IS((struct block *)stream.bytes, mtime, "00000000000"),
               "a program has mode 0755, and a time before 1970 becomes 0");
    stream.length = 0;
    stream_header(&stream, &(struct member){.type = MEMBER_FILE, .name = "p", .mtime = INT64_MAX});
    unit_claim(FIELD_IS((struct block *)stream.bytes, mtime, "77777777777"), "one after 2242 the last of 2242");
    stream.length = 0;
    stream_symlink(&stream, "l", "d/f");
    unit_claim(stream.length == 512 && header_is(stream.bytes, "l", "0000777", "00000000000", '2') &&
                   FIELD_IS((struct block *)stream.bytes, target, "d/f"),
               "a symbolic link is a header with its target");
    stream.length = 0;
    stream_end(&stream, REASON_OK, 3);
    static const char text[] = "66 comment=sbx-end 1 reason=ok files=4 bytes=5 skipped=3 changed=\n";
    unit_claim(stream.length == 2560 && field_is((char *)stream.bytes + 512, 512, text) &&
                   header_is(stream.bytes + 1024, "./", "0000755", "00000000000", '5') &&
                   field_is((char *)stream.bytes + 1536, 1024, ""),
               "the end is a comment, the directory and two zero blocks");
    stream.length = 0;
    stream.length += writer_end(&stream.writer, REASON_OK, 0, 07777, 0, stream_grow(&stream, WRITER_END_MAX));
    bool open = header_is(stream.bytes + 1024, "./", "0000755", "00000000000", '5');
    writer_end(&stream.writer, REASON_OK, 0, 0, 0, stream.bytes);
    unit_claim(open && header_is(stream.bytes + 1024, "./", "0000700", "00000000000", '5'),
               "the last directory's mode lets nobody else write and locks nobody out");
    free(stream.bytes);
}

/* The headers that describe another, byte for byte. */
static void unit_described(void)
{
    struct stream stream = {.length = 0};
    char name[102], record[] = "111 path=";
    memset(name, 'n', 101);
    name[101] = '\0';
    stream_file(&stream, name, "", 0);
    const struct block *block = (const struct block *)stream.bytes;
    unit_claim(stream.length == 1536 && FIELD_IS(block, name, "././@PaxHeader") && block->type == 'x' &&
                   FIELD_IS(block, size, "00000000157") && FIELD_IS(block, mark, "sbx-") &&
                   block_has_crc(block, stream.bytes + 512, 111) && block_check(block) == BLOCK_SEALED_EXACTLY &&
                   memcmp(stream.bytes + 512, record, 9) == 0 && memcmp(stream.bytes + 521, name, 101) == 0 &&
                   field_is((char *)stream.bytes + 622, 402, "\n"),
               "a pax header has one record, and its sum in the mark");
    stream.length = 0;
    name[0] = '\xfe';
    stream_file(&stream, name, "", 0);
    block = (const struct block *)stream.bytes;
    unit_claim(stream.length == 1536 && FIELD_IS(block, name, "././@LongLink") && block->type == 'L' &&
                   FIELD_IS(block, size, "00000000146") && block_has_crc(block, stream.bytes + 512, 102) &&
                   field_is((char *)stream.bytes + 512, 512, name),
               "a long name header has the name and a NUL");
    free(stream.bytes);
}

/* What stands in front of a member's own header, for a name or target of this many bytes. */
enum form { FORM_NONE, FORM_PAX, FORM_LONG_NAME, FORM_LONG_TARGET };

static enum form form_of(const struct stream *stream)
{
    switch (((const struct block *)stream->bytes)->type) {
    case BLOCK_PAX:
        return FORM_PAX;
    case BLOCK_LONG_NAME:
        return FORM_LONG_NAME;
    case BLOCK_LONG_TARGET:
        return FORM_LONG_TARGET;
    default:
        return FORM_NONE;
    }
}

/* Writes one member, reads it back and compares. */
static bool member_returns(const struct member *member, enum form form, size_t length)
{
    struct stream stream = {.length = 0};
    if (stream_header(&stream, member) != REASON_OK || form_of(&stream) != form ||
        (length > 0 && stream.length != length)) {
        printf("# form %d, %zu bytes\n", form_of(&stream), stream.length);
        free(stream.bytes);
        return false;
    }
    struct reader *reader = stream_allocate(sizeof *reader);
    struct fault fault;
    reader_init(reader, READER_TREE);
    struct reader_span input = {stream.bytes, stream.length};
    bool right = reader_next(reader, &input, &fault) == READER_MEMBER && reader->ours &&
                 reader->member.type == member->type && strcmp(reader->member.name, member->name) == 0 &&
                 strcmp(reader->member.target, member->target ? member->target : "") == 0 &&
                 reader->member.size == member->size && reader->member.mtime == member->mtime &&
                 reader->member.executable == member->executable && input.length == 0;
    if (!right)
        printf("# %s: %s\n", reason_name(fault.reason), fault.detail);
    free(reader);
    free(stream.bytes);
    return right;
}

/* A name of components of these lengths, up to five, made of this byte. */
static char *name_make(char *name, char byte, const size_t lengths[5])
{
    size_t length = 0;
    for (size_t at = 0; at < 5 && lengths[at] > 0; at++) {
        if (at > 0)
            name[length++] = '/';
        memset(name + length, byte, lengths[at]);
        length += lengths[at];
    }
    name[length] = '\0';
    return name;
}

static void unit_name(const char *what, const size_t lengths[5], enum member_type type, enum form ascii,
                      enum form other)
{
    char name[PATH_MAX];
    struct member member = {.type = type, .name = name_make(name, 'n', lengths), .mtime = 1700000000};
    if (type == MEMBER_SYMLINK)
        member.target = "t";
    bool right = member_returns(&member, ascii, 0);
    name_make(name, '\xfe', lengths);
    unit_claim(right && member_returns(&member, other, 0), "a name of %s comes back, whatever its bytes", what);
}

static void unit_names(void)
{
    unit_name("one byte", (const size_t[5]){1}, MEMBER_FILE, FORM_NONE, FORM_NONE);
    unit_name("100 bytes", (const size_t[5]){100}, MEMBER_FILE, FORM_NONE, FORM_NONE);
    unit_name("101 bytes", (const size_t[5]){101}, MEMBER_FILE, FORM_PAX, FORM_LONG_NAME);
    unit_name("255 bytes", (const size_t[5]){255}, MEMBER_FILE, FORM_PAX, FORM_LONG_NAME);
    unit_name("1/99 bytes", (const size_t[5]){1, 99}, MEMBER_FILE, FORM_NONE, FORM_NONE);
    unit_name("1/100 bytes", (const size_t[5]){1, 100}, MEMBER_FILE, FORM_NONE, FORM_NONE);
    unit_name("155/100 bytes", (const size_t[5]){155, 100}, MEMBER_FILE, FORM_NONE, FORM_NONE);
    unit_name("156/100 bytes", (const size_t[5]){156, 100}, MEMBER_FILE, FORM_PAX, FORM_LONG_NAME);
    unit_name("155/101 bytes", (const size_t[5]){155, 101}, MEMBER_FILE, FORM_PAX, FORM_LONG_NAME);
    unit_name("77/77/100 bytes", (const size_t[5]){77, 77, 100}, MEMBER_FILE, FORM_NONE, FORM_NONE);
    unit_name("99 bytes (a directory)", (const size_t[5]){99}, MEMBER_DIRECTORY, FORM_NONE, FORM_NONE);
    unit_name("100 bytes (a directory)", (const size_t[5]){100}, MEMBER_DIRECTORY, FORM_PAX, FORM_LONG_NAME);
    unit_name("155/99 bytes (a directory)", (const size_t[5]){155, 99}, MEMBER_DIRECTORY, FORM_NONE, FORM_NONE);
    unit_name("155/100 bytes (a directory)", (const size_t[5]){155, 100}, MEMBER_DIRECTORY, FORM_PAX, FORM_LONG_NAME);
    unit_name("4/255/255/255/255 bytes", (const size_t[5]){4, 255, 255, 255, 255}, MEMBER_SYMLINK, FORM_PAX,
              FORM_LONG_NAME);

    char name[PATH_MAX], target[PATH_MAX];
    memset(name, 'n', sizeof name);
    for (size_t at = 255; at < sizeof name; at += 256)
        name[at] = '/';
    name[PATH_MAX - 1] = '\0';
    memset(target, 't', sizeof target);
    target[PATH_MAX - 1] = '\0';
    struct member member = {.type = MEMBER_SYMLINK, .name = name, .target = target};
    unit_claim(member_returns(&member, FORM_PAX, 0), "a name and a target of 4095 bytes come back in one pax header");
    target[0] = '\xfe';
    unit_claim(member_returns(&member, FORM_LONG_NAME, 0), "in two long name headers if one of them is not ASCII");
    member.type = MEMBER_DIRECTORY;
    member.target = NULL;
    unit_claim(member_returns(&member, FORM_PAX, 0), "a directory's name of 4095 bytes too");
    member = (struct member){.type = MEMBER_SYMLINK, .name = "l", .target = target};
    unit_claim(member_returns(&member, FORM_LONG_TARGET, 0), "and a long target by itself");
}

static void unit_sizes(void)
{
    struct member member = {.type = MEMBER_FILE, .name = "s", .size = BLOCK_OCTAL_MAX};
    unit_claim(member_returns(&member, FORM_NONE, 512), "8 GiB - 1 fits the header");
    member.size++;
    unit_claim(member_returns(&member, FORM_PAX, 1536), "8 GiB needs a pax header");
    member.size = UINT64_C(9) << 30;
    unit_claim(member_returns(&member, FORM_PAX, 1536), "9 GiB come back");
    char name[102];
    memset(name, 0xfe, sizeof name);
    name[101] = '\0';
    member.name = name;
    unit_claim(member_returns(&member, FORM_LONG_NAME, 1536),
               "9 GiB under a long name that is not ASCII need no pax header");
    member.size = INT64_MAX;
    member.name = "s";
    unit_claim(member_returns(&member, FORM_PAX, 1536), "the largest size comes back");
    unit_claim(writer_padding(0) == 0 && writer_padding(1) == 511 && writer_padding(512) == 0 &&
                   writer_padding(INT64_MAX) == 1,
               "padding goes up to the next block");
}

static void unit_refusal(const char *what, enum reason reason, const struct member *member)
{
    struct stream stream = {.length = 0};
    unit_claim(stream_header(&stream, member) == reason && stream.length == 0 && stream.writer.ending.files == 0,
               "%s is not written: %s", what, reason_name(reason));
    free(stream.bytes);
}

static void unit_refusals(void)
{
    static const char *const names[] = {"", ".", "./a", "a/", "a//b", "a\nb"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        unit_refusal(at == 5 ? "a newline in a name" : names[at], REASON_BAD_NAME, &(struct member){.name = names[at]});
    unit_refusal("../a", REASON_ESCAPES, &(struct member){.name = "../a"});
    unit_refusal("/a", REASON_ESCAPES, &(struct member){.name = "/a"});
    char target[PATH_MAX + 1];
    memset(target, 't', PATH_MAX);
    target[PATH_MAX] = '\0';
    unit_refusal("a target of 4096 bytes", REASON_BAD_NAME,
                 &(struct member){.type = MEMBER_SYMLINK, .name = "l", .target = target});
    unit_refusal("an empty target", REASON_BAD_NAME,
                 &(struct member){.type = MEMBER_SYMLINK, .name = "l", .target = ""});
    unit_refusal("a size past INT64_MAX", REASON_TOO_LARGE,
                 &(struct member){.name = "s", .size = (uint64_t)INT64_MAX + 1});
    unit_refusal("a FIFO", REASON_NOT_REGULAR, &(struct member){.type = MEMBER_FIFO, .name = "p"});
    unit_refusal("a hard link", REASON_NOT_REGULAR,
                 &(struct member){.type = MEMBER_HARD_LINK, .name = "h", .target = "f"});
}

static void unit_round_trip(void)
{
    struct stream stream = {.length = 0};
    struct reading reading;
    stream_directory(&stream, "d");
    stream_file(&stream, "d/a", "one\n", 4);
    stream_file(&stream, "d/b", "", 0);
    stream_file(&stream, "d/c", "three\n", 6);
    stream_changed(&stream);
    stream_symlink(&stream, "l", "d/a");
    stream_file(&stream, "z", "last\n", 5);
    stream_changed(&stream);
    stream_end(&stream, REASON_PARTIAL, 9);
    reading_take(&reading, stream.bytes, stream.length, stream.length, READER_TREE);
    static const char expected[] = "directory \"d\" size=0 mtime=1700000000.000000000 number=0\n"
                                   "file \"d/a\" size=4 mtime=1700000000.000000000 number=1\n"
                                   "one\n"
                                   "close\n"
                                   "file \"d/b\" size=0 mtime=1700000000.000000000 number=2\n"
                                   "close\n"
                                   "file \"d/c\" size=6 mtime=1700000000.000000000 number=3\n"
                                   "three\n"
                                   "close changed\n"
                                   "symlink \"l\" size=0 mtime=0.000000000 number=0 -> \"d/a\"\n"
                                   "file \"z\" size=5 mtime=1700000000.000000000 number=4\n"
                                   "last\n"
                                   "close changed\n"
                                   "ok\n";
    unit_claim(strcmp(reading.text, expected) == 0, "a stream comes back, with word of the files that changed");
    unit_claim(reading.ours && reading.ending.reason == REASON_PARTIAL && reading.ending.files == 4 &&
                   reading.ending.bytes == 15 && reading.ending.skipped == 9 && reading.ending.changed_count == 2 &&
                   reading.ending.changed[0] == 3 && reading.ending.changed[1] == 4,
               "and its end record");
    free(reading.text);

    struct stream again = {.length = 0};
    stream_directory(&again, "d");
    stream_file(&again, "d/a", "one\n", 4);
    unit_claim(memcmp(again.bytes, stream.bytes, again.length) == 0, "the same members are the same bytes");
    free(again.bytes);
    free(stream.bytes);
}

static void unit_many_changed(void)
{
    struct stream stream = {.length = 0};
    struct reading reading;
    for (unsigned file = 0; file < ENDING_CHANGED_MAX; file++) {
        stream_file(&stream, "f", "", 0);
        stream_changed(&stream);
    }
    stream_file(&stream, "f", "", 0);
    struct fault fault;
    unit_claim(writer_changed(&stream.writer, &fault) == REASON_CHANGED && fault.reason == REASON_CHANGED,
               "after %d changed files another one fails the stream", ENDING_CHANGED_MAX);
    stream_end(&stream, REASON_CHANGED, 0);
    reading_take(&reading, stream.bytes, stream.length, 512, READER_TREE);
    unit_claim(reading.reason == REASON_OK && reading.ending.reason == REASON_CHANGED &&
                   reading.ending.changed_count == ENDING_CHANGED_MAX && reading.ending.changed[99] == 100,
               "which says so in its end record");
    free(reading.text);
    free(stream.bytes);
}

int main(void)
{
    unit_bytes();
    unit_described();
    unit_names();
    unit_sizes();
    unit_refusals();
    unit_round_trip();
    unit_many_changed();
    return unit_end();
}
