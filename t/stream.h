/*
 * stream: makes small streams in memory and reads them into a text, for the unit tests and fuzzers of lib/stream.
 */
#ifndef SBX_T_STREAM_H
#define SBX_T_STREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostic.h"
#include "stream/reader.h"
#include "stream/writer.h"

static inline void *stream_allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL)
        abort();
    return memory;
}

/* A stream in the making. Zero it to begin; free bytes at the end. */
struct stream {
    struct writer writer;
    unsigned char *bytes;
    size_t length, size;
};

/* Makes room for so many bytes more and gives their place. */
static inline unsigned char *stream_grow(struct stream *stream, size_t length)
{
    if (stream->bytes == NULL || stream->size - stream->length < length) {
        size_t size = 2 * (stream->length + length) + BLOCK_SIZE;
        unsigned char *bytes = realloc(stream->bytes, size);
        if (bytes == NULL)
            abort();
        stream->bytes = bytes;
        stream->size = size;
    }
    return stream->bytes + stream->length;
}

static inline void stream_append(struct stream *stream, const void *bytes, size_t length)
{
    memcpy(stream_grow(stream, length), bytes, length);
    stream->length += length;
}

static inline void stream_zeros(struct stream *stream, size_t length)
{
    memset(stream_grow(stream, length), 0, length);
    stream->length += length;
}

/*
 * Writes a member's headers by the writer and gives its reason. The buffer is just as large as it must be, so that ASan
 * sees a step beside it.
 */
static inline enum reason stream_header(struct stream *stream, const struct member *member)
{
    static unsigned char buffer[WRITER_MEMBER_MAX];
    struct fault fault;
    size_t length = 0;
    enum reason reason = writer_member(&stream->writer, member, buffer, &length, &fault);
    stream_append(stream, buffer, length);
    return reason;
}

/* Writes a whole file. */
static inline enum reason stream_file(struct stream *stream, const char *name, const void *data, size_t size)
{
    const struct member member = {.type = MEMBER_FILE, .name = name, .size = size, .mtime = 1700000000};
    enum reason reason = stream_header(stream, &member);
    if (reason != REASON_OK)
        return reason;
    stream_append(stream, data, size);
    stream_zeros(stream, writer_padding(size));
    return REASON_OK;
}

static inline enum reason stream_directory(struct stream *stream, const char *name)
{
    return stream_header(stream, &(struct member){.type = MEMBER_DIRECTORY, .name = name, .mtime = 1700000000});
}

static inline enum reason stream_symlink(struct stream *stream, const char *name, const char *target)
{
    return stream_header(stream, &(struct member){.type = MEMBER_SYMLINK, .name = name, .target = target});
}

static inline void stream_changed(struct stream *stream)
{
    struct fault fault;
    if (writer_changed(&stream->writer, &fault) != REASON_OK)
        abort();
}

static inline void stream_end(struct stream *stream, enum reason reason, uint64_t skipped)
{
    static unsigned char buffer[WRITER_END_MAX];
    stream_append(stream, buffer, writer_end(&stream->writer, reason, skipped, 0755, 1700000000, buffer));
}

/* What a reader said of a stream. */
struct reading {
    char *text; /* a line for each event, data in one piece for each file; the caller's to free */
    size_t text_length;
    enum reason reason; /* of the reader; REASON_OK when the stream was complete */
    struct ending ending;
    struct fault fault;
    bool ours;
    size_t left; /* input that was not used up at the end */
};

static inline void reading_name(FILE *out, const char *name)
{
    char escaped[PATH_MAX * DIAGNOSTIC_ESCAPED];
    diagnostic_escape(escaped, sizeof escaped, name, strlen(name));
    fprintf(out, "\"%s\"", escaped);
}

static inline void reading_member(FILE *out, const struct member *member)
{
    static const char *const types[] = {"file", "directory", "symlink", "hard-link", "character", "block", "fifo"};
    fprintf(out, "%s%s ", member->executable ? "executable " : "", types[member->type]);
    reading_name(out, member->name);
    fprintf(out, " size=%llu mtime=%lld.%09u number=%llu", (unsigned long long)member->size, (long long)member->mtime,
            (unsigned)member->mtime_nanoseconds, (unsigned long long)member->number);
    if (member->target[0] != '\0') {
        fprintf(out, " -> ");
        reading_name(out, member->target);
    }
    fprintf(out, "\n");
}

/* Reads a stream in pieces of this many bytes, each in memory of its own, so that ASan sees a step beside it. */
static inline void reading_take(struct reading *reading, const unsigned char *bytes, size_t length, size_t piece,
                                enum reader_kind kind)
{
    memset(reading, 0, sizeof *reading);
    struct reader *reader = stream_allocate(sizeof *reader);
    FILE *out = open_memstream(&reading->text, &reading->text_length);
    unsigned char *own = stream_allocate(piece > 0 ? piece : 1);
    if (out == NULL)
        abort();
    memset(reader, 0xa5, sizeof *reader);
    reader_init(reader, kind);
    struct reader_span input = {own, 0};
    for (enum reader_event event = READER_MORE; event != READER_END && event != READER_REFUSED;) {
        event = reader_next(reader, &input, &reading->fault);
        switch (event) {
        case READER_MORE:
            if (length == 0) {
                event = READER_REFUSED;
                break;
            }
            input.length = piece < length ? piece : length;
            input.bytes = own + (piece - input.length);
            memcpy(own + (piece - input.length), bytes, input.length);
            bytes += input.length;
            length -= input.length;
            break;
        case READER_MEMBER:
            reading_member(out, &reader->member);
            break;
        case READER_DATA:
            fwrite(reader->data.bytes, 1, reader->data.length, out);
            break;
        case READER_CLOSE:
            fprintf(out, "close%s\n", reader->changed ? " changed" : "");
            break;
        default:
            break;
        }
    }
    reading->reason = reader_finish(reader, &reading->fault);
    reading->ending = reader->ending;
    reading->ours = reader->ours;
    reading->left = input.length + length;
    fprintf(out, "%s\n", reason_name(reading->reason));
    fclose(out);
    free(own);
    free(reader);
}

#endif
