/*
 * fuzz-stream-writer: whatever members the writer is given, it refuses them or the reader gives them back, and the
 * stream that it made is complete, with the end record that was asked for.
 *
 * The input is a program: a byte says what comes (a file, a directory, a link, a change), a few more how long and with
 * which names; the last one is the reason of the end.
 */
#include <stdint.h>

#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MEMBERS_MAX = 32 };

static void must(bool holds)
{
    if (!holds)
        __builtin_trap();
}

/* What the input still holds; zeros when it is used up. */
struct program {
    const uint8_t *bytes;
    size_t length;
};

static uint8_t program_byte(struct program *program)
{
    if (program->length == 0)
        return 0;
    program->length--;
    return *program->bytes++;
}

/* A name: a length, a number of times, and the bytes that are repeated so often. */
static char *program_name(struct program *program, char name[static PATH_MAX + 256])
{
    size_t length = program_byte(program) % 32, times = 1 + program_byte(program), total = 0;
    char piece[32];
    for (size_t at = 0; at < length; at++)
        piece[at] = (char)program_byte(program);
    for (; times > 0 && total + length < PATH_MAX + 255; times--, total += length)
        memcpy(name + total, piece, length);
    name[total] = '\0';
    return name;
}

/* One member as it was written, to be compared with what comes back. */
struct wanted {
    struct member member;
    char name[PATH_MAX + 256], target[PATH_MAX + 256];
    bool changed;
};

static struct wanted wanted[MEMBERS_MAX];
static size_t wanted_count;

/* Writes one member. Only so much data as is left of the input goes along: a file is small. */
static void write_member(struct stream *stream, struct program *program, unsigned what)
{
    static const enum member_type types[8] = {MEMBER_FILE, MEMBER_DIRECTORY, MEMBER_SYMLINK, MEMBER_FILE,
                                              MEMBER_FILE, MEMBER_DIRECTORY, MEMBER_SYMLINK, MEMBER_FIFO};
    struct wanted *want = &wanted[wanted_count];
    memset(&want->member, 0, sizeof want->member);
    want->changed = false;
    want->member.type = types[what % 8];
    want->member.name = program_name(program, want->name);
    want->member.target = want->member.type == MEMBER_SYMLINK ? program_name(program, want->target) : "";
    want->member.executable = want->member.type == MEMBER_FILE && what & 16;
    want->member.mtime = (int64_t)program_byte(program) << (program_byte(program) % 32);
    want->member.size = want->member.type == MEMBER_FILE ? program_byte(program) : 0;
    uint64_t files = stream->writer.ending.files;
    size_t before = stream->length;
    if (stream_header(stream, &want->member) != REASON_OK) {
        must(stream->length == before && stream->writer.ending.files == files);
        return;
    }
    uint8_t data[UINT8_MAX];
    for (uint64_t at = 0; at < want->member.size; at++)
        data[at] = program_byte(program);
    stream_append(stream, data, want->member.size);
    stream_zeros(stream, writer_padding(want->member.size));
    must(stream->length % BLOCK_SIZE == 0 && stream->length - before <= WRITER_MEMBER_MAX + BLOCK_SIZE);
    if (want->member.type == MEMBER_FILE && what & 32) {
        stream_changed(stream);
        want->changed = true;
    }
    wanted_count++;
}

static void check_member(const struct member *member, const struct member *want)
{
    must(member->type == want->type && strcmp(member->name, want->name) == 0);
    must(strcmp(member->target, want->target) == 0 && member->size == want->size);
    must(member->executable == want->executable && member->mtime_nanoseconds == 0);
    int64_t mtime = want->mtime > (int64_t)BLOCK_OCTAL_MAX ? (int64_t)BLOCK_OCTAL_MAX : want->mtime;
    must(member->mtime == mtime);
}

static void read_back(const struct stream *stream, enum reason reason)
{
    static struct reader reader;
    struct reader_span input = {stream->bytes, stream->length};
    struct fault fault;
    size_t at = 0;
    reader_init(&reader, READER_TREE);
    for (;;) {
        switch (reader_next(&reader, &input, &fault)) {
        case READER_MEMBER:
            must(at < wanted_count);
            check_member(&reader.member, &wanted[at++].member);
            break;
        case READER_CLOSE:
            must(reader.changed == wanted[at - 1].changed);
            break;
        case READER_DATA:
            break;
        case READER_END:
            must(at == wanted_count && input.length == 0 && reader.ours && reader.ending.reason == reason);
            return;
        default:
            must(false);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct program program = {bytes, length};
    struct stream stream = {.length = 0};
    wanted_count = 0;
    while (program.length > 1 && wanted_count < MEMBERS_MAX)
        write_member(&stream, &program, program_byte(&program));
    enum reason reason = program_byte(&program) % REASON_COUNT;
    if (reason == REASON_OK && stream.writer.ending.changed_count > 0)
        reason = REASON_PARTIAL;
    stream_end(&stream, reason, program.length);
    read_back(&stream, reason);
    free(stream.bytes);
    return 0;
}
