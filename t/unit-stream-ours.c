/*
 * unit-stream-ours: streams with our mark that contradict themselves, or hold what is not ours, byte by byte in order:
 * none is taken. And what the reader makes of data that are taken past it.
 */
#include "foreign.h"
#include "unit.h"

enum { END_ZEROS = 2 * BLOCK_SIZE };

static void sealed(struct stream *stream)
{
    *stream = (struct stream){.length = 0};
    stream_file(stream, "report", "sealed\n", 7);
    stream_end(stream, REASON_OK, 0);
}

/* Reads a stream, says what comes of it, and frees it. */
static void verdict(const char *what, struct stream *stream, enum reader_kind kind, enum reason reason)
{
    struct reading reading;
    reading_take(&reading, stream->bytes, stream->length, 512, kind);
    unit_claim(reading.reason == reason, "%s: %s", what, reason_name(reason));
    if (reading.reason != reason)
        printf("# %s: %s\n", reason_name(reading.reason), reading.fault.detail);
    free(reading.text);
    free(stream->bytes);
    *stream = (struct stream){.length = 0};
}

static void unit_contradictions(void)
{
    struct stream stream = {.length = 0};
    stream_file(&stream, "f", "abc", 3);
    stream.writer.ending.files++;
    stream_end(&stream, REASON_OK, 0);
    verdict("one file less than the end record says", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "abc", 3);
    stream_file(&stream, "g", "abc", 3);
    stream.writer.ending.files--;
    stream_end(&stream, REASON_OK, 0);
    verdict("one file more", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "abc", 3);
    stream.writer.ending.bytes++;
    stream_end(&stream, REASON_PARTIAL, 0);
    verdict("one byte less", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "abc", 3);
    stream_changed(&stream);
    stream_end(&stream, REASON_OK, 0);
    verdict("ok, and a file that changed", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "abc", 3);
    stream_changed(&stream);
    stream.writer.changed = false;
    stream_end(&stream, REASON_PARTIAL, 0);
    verdict("a changed file that only the end record names", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "abc", 3);
    stream.writer.changed = true;
    stream_end(&stream, REASON_PARTIAL, 0);
    verdict("one that only the next header names", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "abc", 3);
    stream_changed(&stream);
    stream_file(&stream, "g", "abc", 3);
    stream.writer.ending.changed[0] = 2;
    stream_end(&stream, REASON_PARTIAL, 0);
    verdict("another one than the headers name", &stream, READER_TREE, REASON_CORRUPT);
    stream_directory(&stream, "d");
    stream.writer.changed = true;
    stream_end(&stream, REASON_PARTIAL, 0);
    verdict("a directory that changed", &stream, READER_TREE, REASON_CORRUPT);
}

/* A file that is said to have changed too late, when it has been closed already; and more of them than can be named. */
static void unit_wrong_flags(void)
{
    struct stream stream = {.length = 0};
    stream_file(&stream, "f", "abc", 3);
    stream_directory(&stream, "d");
    stream_changed(&stream);
    stream_end(&stream, REASON_PARTIAL, 0);
    verdict("a changed file that is named one header late", &stream, READER_TREE, REASON_CORRUPT);
    for (unsigned count = 0; count <= ENDING_CHANGED_MAX; count++) {
        stream_file(&stream, "f", "", 0);
        if (count < ENDING_CHANGED_MAX)
            stream_changed(&stream);
        stream.writer.changed = true;
    }
    stream_end(&stream, REASON_PARTIAL, 0);
    struct reading reading;
    reading_take(&reading, stream.bytes, stream.length, 512, READER_TREE);
    unit_claim(reading.reason == REASON_CORRUPT && strstr(reading.fault.detail, "more changed files") != NULL,
               "one changed file more than an end record can name: %s", reading.fault.detail);
    free(reading.text);
    free(stream.bytes);
}

/* Moves the two zero blocks behind what is added. */
static void reopen(struct stream *stream)
{
    stream->length -= END_ZEROS;
}

static void unit_mixtures(void)
{
    struct stream stream, other;
    sealed(&stream);
    sealed(&other);
    reopen(&stream);
    stream_file(&stream, "late", "x", 1);
    stream_zeros(&stream, END_ZEROS);
    verdict("a member after the end record", &stream, READER_TREE, REASON_CORRUPT);
    sealed(&stream);
    reopen(&stream);
    stream_append(&stream, other.bytes, other.length);
    verdict("a stream after the end record", &stream, READER_TREE, REASON_CORRUPT);
    sealed(&stream);
    size_t complete = stream.length;
    stream_append(&stream, other.bytes, other.length);
    struct reading reading;
    reading_take(&reading, stream.bytes, stream.length, stream.length, READER_TREE);
    unit_claim(reading.reason == REASON_OK && reading.left == stream.length - complete,
               "the reader stops at the end of a stream, whatever comes");
    free(reading.text);
    free(stream.bytes);
    free(other.bytes);

    stream = (struct stream){.length = 0};
    foreign_member(&stream, "f", '0');
    stream_file(&stream, "g", "", 0);
    stream_end(&stream, REASON_OK, 0);
    verdict("another tar's header before ours", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "", 0);
    foreign_member(&stream, "g", '0');
    stream_zeros(&stream, END_ZEROS);
    verdict("one after ours", &stream, READER_TREE, REASON_CORRUPT);
    sealed(&stream);
    sealed(&other);
    reopen(&stream);
    stream_append(&stream, other.bytes + 1024, other.length - 1024);
    free(other.bytes);
    verdict("an end record after the end record", &stream, READER_TREE, REASON_CORRUPT);
    sealed(&stream);
    reopen(&stream);
    struct block root = foreign("./", '5', 0);
    block_put_mark(&root, false);
    foreign_put(&stream, root);
    stream_zeros(&stream, END_ZEROS);
    verdict("a second root after the end record", &stream, READER_TREE, REASON_CORRUPT);
    stream_file(&stream, "f", "", 0);
    stream_zeros(&stream, END_ZEROS);
    verdict("a stream without its end record", &stream, READER_TREE, REASON_TRUNCATED);
    struct block global = foreign("h", 'g', 14);
    block_put_mark(&global, false);
    block_put_crc(&global, "14 comment=gg\n", 14);
    foreign_put(&stream, global);
    foreign_data(&stream, "14 comment=gg\n", 14);
    stream_end(&stream, REASON_OK, 0);
    verdict("a global header with our mark", &stream, READER_TREE, REASON_CORRUPT);
    static const char strange[] = "1346S";
    for (size_t at = 0; at < strlen(strange); at++) {
        char what[40];
        snprintf(what, sizeof what, "a member of type %c with our mark", strange[at]);
        struct block block = foreign("f", strange[at], 0);
        block.target[0] = 't';
        block_put_mark(&block, false);
        foreign_put(&stream, block);
        stream_end(&stream, REASON_OK, 0);
        verdict(what, &stream, READER_TREE, REASON_CORRUPT);
    }
    foreign_put(&stream, root);
    stream_end(&stream, REASON_OK, 0);
    verdict("a root without its end record", &stream, READER_TREE, REASON_CORRUPT);
}

static void unit_sealed(void)
{
    struct stream stream = {.length = 0};
    stream_file(&stream, "a", "a", 1);
    stream_file(&stream, "b", "b", 1);
    stream_end(&stream, REASON_OK, 0);
    verdict("two files in a sealed stream", &stream, READER_SEALED, REASON_CORRUPT);
    stream_directory(&stream, "d");
    stream_end(&stream, REASON_OK, 0);
    verdict("a directory", &stream, READER_SEALED, REASON_CORRUPT);
    stream_symlink(&stream, "l", "t");
    stream_end(&stream, REASON_OK, 0);
    verdict("a link", &stream, READER_SEALED, REASON_CORRUPT);
    stream_file(&stream, "d/f", "a", 1);
    stream_end(&stream, REASON_OK, 0);
    verdict("a path", &stream, READER_SEALED, REASON_CORRUPT);
    stream_file(&stream, "a", "a", 1);
    stream_file(&stream, "b", "b", 1);
    stream_end(&stream, REASON_IO, 0);
    verdict("two files, and a failure", &stream, READER_SEALED, REASON_CORRUPT);
    stream_directory(&stream, "d");
    stream_end(&stream, REASON_IO, 0);
    verdict("a directory, and a failure", &stream, READER_SEALED, REASON_CORRUPT);
    stream_end(&stream, REASON_OK, 0);
    verdict("no file, and ok", &stream, READER_SEALED, REASON_CORRUPT);

    bool all = true;
    for (enum reason reason = REASON_USAGE; reason < REASON_COUNT; reason++) {
        struct reading reading;
        stream_end(&stream, reason, 0);
        reading_take(&reading, stream.bytes, stream.length, 100, READER_SEALED);
        all = all && reading.reason == REASON_OK && reading.ending.reason == reason && reading.ending.files == 0;
        free(reading.text);
        free(stream.bytes);
        stream = (struct stream){.length = 0};
    }
    unit_claim(all, "no file, and any other reason: complete, with the sender's reason");
}

/* Data that the consumer takes past the reader, and what the reader makes of more of it than there can be. */
static void unit_advance(void)
{
    struct stream stream = {.length = 0};
    struct reader *reader = stream_allocate(sizeof *reader);
    struct fault fault;
    stream_file(&stream, "f", "0123456789", 10);
    stream_end(&stream, REASON_OK, 0);
    reader_init(reader, READER_TREE);
    struct reader_span input = {stream.bytes, BLOCK_SIZE + 4};
    bool right = reader_next(reader, &input, &fault) == READER_MEMBER && reader_remaining(reader) == 10 &&
                 reader_next(reader, &input, &fault) == READER_DATA && reader_remaining(reader) == 6;
    reader_advance(reader, 5);
    right = right && reader_remaining(reader) == 1 && reader_next(reader, &input, &fault) == READER_MORE;
    input = (struct reader_span){stream.bytes + BLOCK_SIZE + 9, stream.length - BLOCK_SIZE - 9};
    right = right && reader_next(reader, &input, &fault) == READER_DATA && *reader->data.bytes == '9' &&
            reader->data.length == 1 && reader_next(reader, &input, &fault) == READER_CLOSE &&
            reader_remaining(reader) == 0 && reader_next(reader, &input, &fault) == READER_END;
    unit_claim(right, "data may be taken past the reader, from the middle on");
    unit_claim(reader_next(reader, &input, &fault) == READER_END && reader_finish(reader, &fault) == REASON_OK,
               "the end stays the end");
    free(stream.bytes);
    free(reader);
}

/* Feeds bytes to a reader that stays, and gives the last event of them. */
static enum reader_event feed(struct reader *reader, const void *bytes, size_t length, struct fault *fault)
{
    struct reader_span input = {bytes, length};
    enum reader_event event;
    do {
        event = reader_next(reader, &input, fault);
    } while (event == READER_CLOSE);
    return event;
}

/* Three files of 8 EiB. Their data are taken past the reader, save the one byte of padding that is 2^63. */
static void unit_too_many_bytes(void)
{
    struct reader *reader = stream_allocate(sizeof *reader);
    struct fault fault;
    struct block block = foreign("f", '0', INT64_MAX);
    block_seal(&block);
    reader_init(reader, READER_TREE);
    for (unsigned files = 1; files <= 2; files++) {
        unit_claim(feed(reader, &block, sizeof block, &fault) == READER_MEMBER, "file %u of 2^63 - 1 bytes", files);
        reader_advance(reader, reader_remaining(reader));
        feed(reader, "", 1, &fault);
    }
    unit_claim(feed(reader, &block, sizeof block, &fault) == READER_REFUSED && fault.reason == REASON_CORRUPT,
               "more than 2^64 bytes are not counted: %s", fault.detail);
    unit_claim(feed(reader, "", 0, &fault) == READER_REFUSED && reader_finish(reader, &fault) == REASON_CORRUPT,
               "what is refused stays refused");
    free(reader);
}

/* Changes one byte of a sealed stream. */
static void changed_byte(const char *what, size_t at, unsigned char byte)
{
    struct stream stream;
    sealed(&stream);
    unit_claim(at > 0 && at < stream.length && stream.bytes[at] != byte, "%s is another byte", what);
    stream.bytes[at] = byte;
    verdict(what, &stream, READER_TREE, REASON_CORRUPT);
}

static void unit_bytes(void)
{
    static const char skipped[] = "skipped=0";
    struct stream stream;
    sealed(&stream);
    const unsigned char *found = memmem(stream.bytes, stream.length, skipped, sizeof skipped - 1);
    size_t end = found ? (size_t)(found - stream.bytes) + sizeof skipped - 2 : 0;
    free(stream.bytes);
    changed_byte("a checksum that ends in another byte", offsetof(struct block, checksum) + 7, '\0');
    changed_byte("a byte behind a file's data", BLOCK_SIZE + 7, 'x');
    changed_byte("an end record that is in order, and not the one that was written", end, '1');
}

int main(void)
{
    unit_contradictions();
    unit_wrong_flags();
    unit_mixtures();
    unit_sealed();
    unit_advance();
    unit_too_many_bytes();
    unit_bytes();
    return unit_end();
}
