/*
 * tool-stream: the writer and the reader of streams as a program, for the tests that set them beside other tars.
 *
 *   tool-stream write ITEM...     writes a stream to stdout
 *       directory NAME | file NAME SIZE | program NAME SIZE | symlink NAME TARGET | changed | end REASON
 *   tool-stream list [sealed]     prints a line for each member of the stream on stdin, names escaped, and one for its
 * end tool-stream data [sealed]     writes the data of all files, one after the other
 *
 * A file's data are the letters a to z over and over, or, from HOLE_SIZE on, a hole in stdout, which is a file then.
 * A stream that is refused ends list and sums with its reason on stderr and as the status.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "stream/reader.h"
#include "stream/writer.h"

enum { HOLE_SIZE = 1 << 20, CHUNK_SIZE = 64 << 10, FAILED = 1, MISUSED = 2 };

static void tool_put(const void *bytes, size_t length)
{
    if (fwrite(bytes, 1, length, stdout) != length)
        err(FAILED, "stdout");
}

static void tool_put_data(uint64_t size)
{
    if (size >= HOLE_SIZE) {
        if (fseeko(stdout, (off_t)size, SEEK_CUR) != 0)
            err(FAILED, "stdout");
        return;
    }
    for (uint64_t at = 0; at < size; at++)
        putchar((int)('a' + at % 26));
}

static const char *tool_word(char ***at)
{
    if (**at == NULL)
        errx(MISUSED, "an item lacks a word");
    return *(*at)++;
}

static bool tool_member(char ***at, struct member *member)
{
    static const char *const items[] = {"file", "directory", "symlink", "program"};
    static const enum member_type types[] = {MEMBER_FILE, MEMBER_DIRECTORY, MEMBER_SYMLINK, MEMBER_FILE};
    for (size_t item = 0; item < sizeof items / sizeof *items; item++) {
        if (strcmp(**at, items[item]) != 0)
            continue;
        ++*at;
        member->type = types[item];
        member->executable = item == 3;
        member->name = tool_word(at);
        if (member->type == MEMBER_FILE)
            member->size = strtoull(tool_word(at), NULL, 10);
        if (member->type == MEMBER_SYMLINK)
            member->target = tool_word(at);
        return true;
    }
    return false;
}

static void tool_refused(const struct fault *fault)
{
    errx(reason_code(fault->reason), "%s: %s", reason_name(fault->reason), fault->detail);
}

static void tool_write_member(struct writer *writer, const struct member *member)
{
    static unsigned char buffer[WRITER_MEMBER_MAX];
    static const unsigned char zeros[BLOCK_SIZE];
    size_t length;
    struct fault fault;
    if (writer_member(writer, member, buffer, &length, &fault) != REASON_OK)
        tool_refused(&fault);
    tool_put(buffer, length);
    tool_put_data(member->size);
    tool_put(zeros, writer_padding(member->size));
}

static void tool_write_end(struct writer *writer, const char *name)
{
    static unsigned char buffer[WRITER_END_MAX];
    enum reason reason = reason_find(name, strlen(name));
    if (reason == REASON_COUNT)
        errx(MISUSED, "no reason: %s", name);
    tool_put(buffer, writer_end(writer, reason, 0, 0755, 1700000000, buffer));
}

static void tool_write(char **at)
{
    struct writer writer;
    struct fault fault;
    writer_init(&writer);
    while (*at != NULL) {
        struct member member = {.mtime = 1700000000};
        if (tool_member(&at, &member)) {
            tool_write_member(&writer, &member);
            continue;
        }
        const char *item = tool_word(&at);
        if (strcmp(item, "end") == 0)
            tool_write_end(&writer, tool_word(&at));
        else if (strcmp(item, "changed") != 0)
            errx(MISUSED, "no item: %s", item);
        else if (writer_changed(&writer, &fault) != REASON_OK)
            tool_refused(&fault);
    }
}

static const char *tool_escape(const char *name)
{
    static char escaped[PATH_MAX * DIAGNOSTIC_ESCAPED];
    diagnostic_escape(escaped, sizeof escaped, name, strlen(name));
    return escaped;
}

static void tool_list_member(const struct member *member)
{
    static const char *const types[] = {"file", "directory", "symlink", "hard-link", "character", "block", "fifo"};
    printf("%s %llu %lld %s", member->executable ? "program" : types[member->type], (unsigned long long)member->size,
           (long long)member->mtime, tool_escape(member->name));
    if (member->target[0] != '\0')
        printf(" -> %s", tool_escape(member->target));
    printf("\n");
}

static void tool_list_end(const struct reader *reader)
{
    const struct ending *ending = &reader->ending;
    printf("end %s %s %llu %llu %llu", reader->ours ? "ours" : "other", reason_name(ending->reason),
           (unsigned long long)ending->files, (unsigned long long)ending->bytes, (unsigned long long)ending->skipped);
    for (unsigned at = 0; at < ending->changed_count; at++)
        printf(" %llu", (unsigned long long)ending->changed[at]);
    printf("\n");
}

/* Fills input. At a hole's worth of data on a stdin that can be sought, leaves the data out. False at end of file. */
static bool tool_fill(struct reader *reader, struct reader_span *input, bool list)
{
    static unsigned char chunk[CHUNK_SIZE];
    uint64_t remaining = reader_remaining(reader);
    if (list && remaining >= HOLE_SIZE && lseek(STDIN_FILENO, (off_t)remaining, SEEK_CUR) >= 0)
        reader_advance(reader, remaining);
    ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
    if (got < 0)
        err(FAILED, "stdin");
    *input = (struct reader_span){chunk, (size_t)got};
    return got > 0;
}

/* The data of one file, to be summed up in one go. */
static char tool_data[HOLE_SIZE];
static size_t tool_data_length;

static void tool_keep(const struct reader_span *data)
{
    if (data->length > sizeof tool_data - tool_data_length)
        errx(MISUSED, "a file is too large for sums");
    memcpy(tool_data + tool_data_length, data->bytes, data->length);
    tool_data_length += data->length;
}

static void tool_sum(const struct member *member)
{
    struct block block;
    block_put_crc(&block, tool_data, tool_data_length);
    printf("%.*s %zu %s\n", (int)sizeof block.crc, block.crc, tool_data_length, tool_escape(member->name));
    tool_data_length = 0;
}

/* Prints what there is to tell of an event. */
static void tool_tell(const struct reader *reader, enum reader_event event, bool list)
{
    if (event == READER_MEMBER && list)
        tool_list_member(&reader->member);
    else if (event == READER_DATA && !list)
        tool_keep(&reader->data);
    else if (event == READER_CLOSE && !list)
        tool_sum(&reader->member);
    else if (event == READER_CLOSE && reader->changed)
        printf("changed\n");
    else if (event == READER_END && list)
        tool_list_end(reader);
}

static int tool_read(bool list, enum reader_kind kind)
{
    static struct reader reader;
    struct reader_span input = {NULL, 0};
    struct fault fault = {.reason = REASON_OK};
    enum reader_event event;
    reader_init(&reader, kind);
    do {
        event = reader_next(&reader, &input, &fault);
        tool_tell(&reader, event, list);
    } while (event != READER_END && event != READER_REFUSED &&
             (event != READER_MORE || tool_fill(&reader, &input, list)));
    if (reader_finish(&reader, &fault) != REASON_OK)
        warnx("%s: %s: %s", reason_name(fault.reason), tool_escape(fault.path), fault.detail);
    return reason_code(fault.reason);
}

int main(int argc, char **argv)
{
    enum reader_kind kind = argc == 3 && strcmp(argv[2], "sealed") == 0 ? READER_SEALED : READER_TREE;
    int status = 0;
    if (argc >= 2 && strcmp(argv[1], "write") == 0)
        tool_write(argv + 2);
    else if (argc >= 2 && (strcmp(argv[1], "list") == 0 || strcmp(argv[1], "sums") == 0))
        status = tool_read(argv[1][0] == 'l', kind);
    else
        errx(MISUSED, "usage: tool-stream write ITEM... | list [sealed] | sums");
    if (fflush(stdout) != 0)
        err(FAILED, "stdout");
    return status;
}
