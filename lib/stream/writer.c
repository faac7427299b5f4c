#include "writer.h"

#include <stdio.h>
#include <string.h>

#include "record.h"

enum {
    MODE_FILE = 0644,
    MODE_EXECUTABLE = 0755,
    MODE_DIRECTORY = 0755,
    MODE_SYMLINK = 0777,
    MODE_OWNER = 0700,
};

/* The names of the headers that describe the next one, as GNU tar and Python call them. No tar makes them a file. */
#define NAME_PAX  "././@PaxHeader"
#define NAME_LONG "././@LongLink"

/* A buffer that is being filled; whoever gave it made it large enough. */
struct output {
    struct writer *writer;
    unsigned char *bytes;
    size_t length;
};

/* What is the same in all header blocks: nobody's, of this dialect, and no device. */
static const struct block block_common = {
    .uid = "0000000",
    .gid = "0000000",
    .magic = BLOCK_MAGIC_USTAR,
    .device_major = "0000000",
    .device_minor = "0000000",
};

/* Begins a header block with all but its names and, which comes last, its checksum. */
static struct block *block_begin(struct output *output, enum block_type type, unsigned mode, uint64_t size,
                                 uint64_t mtime)
{
    struct block *block = (struct block *)(output->bytes + output->length);
    output->length += BLOCK_SIZE;
    *block = block_common;
    block_put_number(block->mode, sizeof block->mode, mode);
    block_put_number(block->size, sizeof block->size, size);
    block_put_number(block->mtime, sizeof block->mtime, mtime);
    block->type = (char)type;
    block_put_mark(block, output->writer->changed);
    output->writer->changed = false;
    return block;
}

/* A header that describes the next one. The data is behind it already, one block further on; it is padded here. */
static void put_described(struct output *output, enum block_type type, const char *name, size_t length)
{
    struct block *block = block_begin(output, type, MODE_FILE, length, 0);
    unsigned char *data = output->bytes + output->length;
    memcpy(block->name, name, strlen(name));
    block_put_crc(block, data, length);
    block_seal(block);
    memset(data + length, 0, writer_padding(length));
    output->length += length + writer_padding(length);
}

static void put_long(struct output *output, enum block_type type, const char *value, size_t length)
{
    char *data = (char *)output->bytes + output->length + BLOCK_SIZE;
    memcpy(data, value, length);
    data[length] = '\0';
    put_described(output, type, NAME_LONG, length + 1);
}

/* Where a name is cut into prefix and name: the last "/" that leaves a prefix that fits. 0 if it needs no prefix. */
static bool prefix_find(const char *name, size_t length, size_t *prefix)
{
    *prefix = 0;
    if (length <= BLOCK_NAME_SIZE)
        return true;
    /* Not the last byte: that is a directory's own "/", and would leave no name. */
    size_t at = length - 2 < BLOCK_PREFIX_SIZE ? length - 2 : BLOCK_PREFIX_SIZE;
    while (at > 0 && name[at] != '/')
        at--;
    *prefix = at;
    return at > 0 && length - at - 1 <= BLOCK_NAME_SIZE;
}

static bool ascii_is(const char *bytes, size_t length)
{
    while (length > 0 && (unsigned char)bytes[length - 1] < 0x80)
        length--;
    return length == 0;
}

/* The names and the size of one member, and which of them the ustar header has no room for. */
struct fit {
    char name[PATH_MAX + 1]; /* of a directory, with a "/" at the end */
    size_t name_length;
    const char *target;
    size_t target_length;
    uint64_t size;
    size_t prefix;
    bool long_name, long_target, long_size;
};

static void fit_member(struct fit *fit, const struct member *member)
{
    fit->name_length = strlen(member->name);
    memcpy(fit->name, member->name, fit->name_length);
    if (member->type == MEMBER_DIRECTORY)
        fit->name[fit->name_length++] = '/';
    fit->target = member->type == MEMBER_SYMLINK ? member->target : "";
    fit->target_length = strlen(fit->target);
    fit->size = member->type == MEMBER_FILE ? member->size : 0;
    fit->long_name = !prefix_find(fit->name, fit->name_length, &fit->prefix);
    fit->long_target = fit->target_length > BLOCK_NAME_SIZE;
    fit->long_size = fit->size > BLOCK_OCTAL_MAX;
}

static void put_pax(struct output *output, const struct fit *fit)
{
    char *body = (char *)output->bytes + output->length + BLOCK_SIZE;
    size_t length = 0;
    if (fit->long_name)
        length += record_put(body + length, "path", fit->name, fit->name_length);
    if (fit->long_target)
        length += record_put(body + length, "linkpath", fit->target, fit->target_length);
    if (fit->long_size) {
        char digits[32];
        int width = snprintf(digits, sizeof digits, "%llu", (unsigned long long)fit->size);
        length += record_put(body + length, "size", digits, (size_t)width);
    }
    put_described(output, BLOCK_PAX, NAME_PAX, length);
}

/* What does not fit, in the form that all four tars take without a word: see the head of writer.h. */
static void put_descriptions(struct output *output, const struct fit *fit)
{
    bool ascii = (!fit->long_name || ascii_is(fit->name, fit->name_length)) &&
                 (!fit->long_target || ascii_is(fit->target, fit->target_length));
    if (ascii && (fit->long_name || fit->long_target || fit->long_size)) {
        put_pax(output, fit);
        return;
    }
    if (!ascii && fit->long_name)
        put_long(output, BLOCK_LONG_NAME, fit->name, fit->name_length);
    if (!ascii && fit->long_target)
        put_long(output, BLOCK_LONG_TARGET, fit->target, fit->target_length);
}

/* A name that did not fit stands in the header as far as it goes, as GNU tar has it. */
static void put_names(struct block *block, const struct fit *fit)
{
    size_t skip = fit->prefix > 0 && !fit->long_name ? fit->prefix + 1 : 0;
    size_t rest = fit->name_length - skip;
    if (skip > 0)
        memcpy(block->prefix, fit->name, fit->prefix);
    memcpy(block->name, fit->name + skip, rest < BLOCK_NAME_SIZE ? rest : BLOCK_NAME_SIZE);
    memcpy(block->target, fit->target, fit->target_length < BLOCK_NAME_SIZE ? fit->target_length : BLOCK_NAME_SIZE);
}

static uint64_t mtime_fit(int64_t mtime)
{
    if (mtime < 0)
        return 0;
    return (uint64_t)mtime > BLOCK_OCTAL_MAX ? BLOCK_OCTAL_MAX : (uint64_t)mtime;
}

/* A stream that our own reader would refuse is never written, whatever the caller found on a disk. */
static enum reason member_check(const struct member *member, struct fault *fault)
{
    if (member->type > MEMBER_SYMLINK)
        return fault_set(fault, REASON_NOT_REGULAR, member->name, "neither a file, a directory nor a symbolic link");
    char name[PATH_MAX];
    enum reason reason = member_normalize(member->name, strlen(member->name), false, name, fault);
    if (reason != REASON_OK)
        return reason;
    if (strcmp(name, member->name) != 0)
        return fault_set(fault, REASON_BAD_NAME, member->name, "a name that begins with \"./\"");
    if (member->type == MEMBER_SYMLINK && (member->target[0] == '\0' || strlen(member->target) >= PATH_MAX))
        return fault_set(fault, REASON_BAD_NAME, member->name, "a link's target is empty or too long");
    if (member->type == MEMBER_FILE && member->size > INT64_MAX)
        return fault_set(fault, REASON_TOO_LARGE, member->name, "%llu bytes", (unsigned long long)member->size);
    return REASON_OK;
}

void writer_init(struct writer *writer)
{
    *writer = (struct writer){.changed = false};
}

enum reason writer_member(struct writer *writer, const struct member *member,
                          unsigned char buffer[static WRITER_MEMBER_MAX], size_t *length, struct fault *fault)
{
    enum reason reason = member_check(member, fault);
    if (reason != REASON_OK)
        return reason;

    struct output output = {.writer = writer};
    output.bytes = buffer;
    struct fit fit;
    fit_member(&fit, member);
    put_descriptions(&output, &fit);

    enum block_type type = BLOCK_FILE;
    unsigned mode = member->executable ? MODE_EXECUTABLE : MODE_FILE;
    if (member->type == MEMBER_DIRECTORY) {
        type = BLOCK_DIRECTORY;
        mode = MODE_DIRECTORY;
    } else if (member->type == MEMBER_SYMLINK) {
        type = BLOCK_SYMLINK;
        mode = MODE_SYMLINK;
    } else {
        writer->ending.files++;
        writer->ending.bytes += fit.size;
    }
    struct block *block = block_begin(&output, type, mode, fit.size, mtime_fit(member->mtime));
    put_names(block, &fit);
    block_seal(block);
    *length = output.length;
    return REASON_OK;
}

size_t writer_padding(uint64_t size)
{
    return (size_t)(-size % BLOCK_SIZE);
}

enum reason writer_changed(struct writer *writer, struct fault *fault)
{
    struct ending *ending = &writer->ending;
    if (ending->changed_count == ENDING_CHANGED_MAX)
        return fault_set(fault, REASON_CHANGED, NULL, "more than %d files changed while they were read",
                         ENDING_CHANGED_MAX);
    writer->changed = true;
    ending->changed[ending->changed_count++] = ending->files;
    return REASON_OK;
}

size_t writer_end(struct writer *writer, enum reason reason, uint64_t skipped, unsigned mode, int64_t mtime,
                  unsigned char buffer[static WRITER_END_MAX])
{
    struct output output = {writer, buffer, 0};
    char text[ENDING_TEXT_MAX];
    writer->ending.reason = reason;
    writer->ending.skipped = skipped;
    size_t text_length = ending_format(&writer->ending, text);
    size_t length = record_put((char *)buffer + BLOCK_SIZE, "comment", text, text_length);
    put_described(&output, BLOCK_PAX, NAME_PAX, length);

    /* The agent chose the directory's mode, and tar -x gives it to a directory of the caller's. */
    struct block *block =
        block_begin(&output, BLOCK_DIRECTORY, (mode & MODE_DIRECTORY) | MODE_OWNER, 0, mtime_fit(mtime));
    memcpy(block->name, "./", 2);
    block_seal(block);

    memset(buffer + output.length, 0, 2 * BLOCK_SIZE);
    return output.length + 2 * BLOCK_SIZE;
}
