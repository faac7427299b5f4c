/*
 * fuzz-stream-reader: whatever the bytes, the reader gives no wrong name, contradicts neither itself nor its end
 * record, says the same however the bytes are cut, and takes no part of a stream of ours for the whole.
 *
 * Random bytes would end at the first checksum. So after each mutation the checksums are mostly made right again.
 */
#include <stdint.h>

#include "path/budget.h"
#include "path/name.h"
#include "stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t max);

enum { UNREPAIRED = 8 /* one in so many */, CAP_FILES = 4, CAP_NAMES = 64, CAP_TOTAL = 2048, TAIL = 4096 };

static void must(bool holds)
{
    if (!holds)
        __builtin_trap();
}

/* What has been seen of one stream. */
struct seen {
    struct budget budget;
    uint64_t files, bytes, left, changed;
    bool open;
};

static void check_name(const char *name, bool directory)
{
    char again[PATH_MAX];
    struct fault fault;
    if (directory && name[0] == '\0')
        return;
    must(strlen(name) < PATH_MAX && member_normalize(name, strlen(name), false, again, &fault) == REASON_OK);
    must(strcmp(name, again) == 0 && name[0] != '/' && !name_climbs(name));
}

static void check_member(struct seen *seen, const struct member *member)
{
    struct fault fault;
    must(!seen->open);
    check_name(member->name, member->type == MEMBER_DIRECTORY);
    must((member->target[0] != '\0') == (member->type == MEMBER_SYMLINK || member->type == MEMBER_HARD_LINK));
    must(strlen(member->target) < PATH_MAX);
    if (member->type == MEMBER_HARD_LINK)
        check_name(member->target, false);
    must(member->mtime_nanoseconds < 1000000000);
    must(member->size <= INT64_MAX && (member->size == 0 || member->type == MEMBER_FILE));
    must(!member->executable || member->type == MEMBER_FILE);
    must((member->number != 0) == (member->type == MEMBER_FILE));
    if (member->type != MEMBER_FILE)
        return;
    must(member->number == ++seen->files);
    seen->left = member->size;
    seen->bytes += member->size;
    seen->open = true;
    if (budget_check_file(&seen->budget, member->name, member->size, &fault) == REASON_OK)
        budget_charge_file(&seen->budget, member->size);
    must(seen->budget.files <= CAP_FILES && seen->budget.total <= CAP_TOTAL);
}

static void check_close(struct seen *seen, const struct reader *reader)
{
    must(seen->open && seen->left == 0 && (!reader->changed || reader->ours));
    seen->open = false;
    seen->changed += reader->changed;
}

static void check_end(const struct seen *seen, const struct reader *reader)
{
    const struct ending *ending = &reader->ending;
    must(!seen->open && ending->files == seen->files && ending->bytes == seen->bytes);
    must(ending->changed_count == seen->changed && (reader->ours || ending->reason == REASON_OK));
    must(ending->reason < REASON_COUNT && (ending->changed_count == 0 || ending->reason != REASON_OK));
}

/* Reads a stream in one piece and checks what comes. Gives how many bytes it took; *ours if it was complete and ours.
 */
static size_t check_whole(const uint8_t *bytes, size_t length, enum reader_kind kind, bool *ours)
{
    static struct reader reader;
    struct reader_span input = {bytes, length};
    struct fault fault;
    struct seen seen = {.open = false};
    budget_init(&seen.budget);
    seen.budget.max_files = CAP_FILES;
    seen.budget.max_total = CAP_TOTAL;
    reader_init(&reader, kind);
    *ours = false;
    for (;;) {
        switch (reader_next(&reader, &input, &fault)) {
        case READER_MEMBER:
            check_member(&seen, &reader.member);
            must(kind == READER_TREE || (seen.files == 1 && reader.ours && strchr(reader.member.name, '/') == NULL));
            break;
        case READER_DATA:
            must(seen.open && reader.data.length > 0 && reader.data.length <= seen.left);
            must(reader.data.bytes >= bytes && reader.data.bytes + reader.data.length <= bytes + length);
            seen.left -= reader.data.length;
            must(reader_remaining(&reader) == seen.left);
            break;
        case READER_CLOSE:
            check_close(&seen, &reader);
            break;
        case READER_END:
            check_end(&seen, &reader);
            *ours = reader.ours;
            return length - input.length;
        case READER_REFUSED:
            must(fault.reason == REASON_CORRUPT || fault.reason == REASON_TRUNCATED ||
                 fault.reason == REASON_BAD_NAME || fault.reason == REASON_ESCAPES);
            must(reader_finish(&reader, &fault) == fault.reason);
            return length - input.length;
        case READER_MORE:
            must(input.length == 0 && reader_finish(&reader, &fault) == REASON_TRUNCATED);
            return length;
        }
    }
}

static void check_pieces(const uint8_t *bytes, size_t length, size_t piece)
{
    struct reading whole, pieces;
    reading_take(&whole, bytes, length, length, READER_TREE);
    reading_take(&pieces, bytes, length, piece, READER_TREE);
    must(whole.reason == pieces.reason && strcmp(whole.fault.detail, pieces.fault.detail) == 0);
    must(whole.text_length == pieces.text_length && memcmp(whole.text, pieces.text, whole.text_length) == 0);
    free(whole.text);
    free(pieces.text);
}

/* Cuts a complete stream of ours somewhere before the last byte of its last header that is not zero. */
static void check_cut(const uint8_t *bytes, size_t taken, size_t at)
{
    size_t cut = at % (taken - 2 * BLOCK_SIZE - BLOCK_CRC_SIZE);
    unsigned char *copy = calloc(1, cut + TAIL);
    must(copy != NULL);
    memcpy(copy, bytes, cut);
    struct reading reading;
    reading_take(&reading, copy, cut, cut, READER_TREE);
    must(reading.reason != REASON_OK);
    free(reading.text);
    reading_take(&reading, copy, cut + TAIL, cut + TAIL, READER_TREE);
    must(reading.reason != REASON_OK);
    free(reading.text);
    free(copy);
}

/* A number that depends on every byte, for the choices that the input has no byte for. */
static size_t digest(const uint8_t *bytes, size_t length)
{
    size_t sum = length;
    for (size_t at = 0; at < length; at++)
        sum = sum * 31 + bytes[at];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    bool ours, sealed;
    size_t choice = digest(bytes, length);
    size_t taken = check_whole(bytes, length, READER_TREE, &ours);
    check_whole(bytes, length, READER_SEALED, &sealed);
    must(!sealed || ours);
    check_pieces(bytes, length, 1 + choice % 1025);
    if (ours)
        check_cut(bytes, taken, choice / 1025);
    return 0;
}

static bool has_data(char type)
{
    return description_is(type) || type == BLOCK_FILE || type == BLOCK_FILE_OLD || type == BLOCK_FILE_CONTIGUOUS;
}

/* Sets the sums of every header, as far as they can be told from data. */
static void repair(uint8_t *bytes, size_t length)
{
    while (length >= BLOCK_SIZE) {
        struct block *block = (struct block *)bytes;
        bytes += BLOCK_SIZE;
        length -= BLOCK_SIZE;
        if (block_is_zero(block))
            continue;
        int64_t size = 0;
        size_t rest = 0;
        if (has_data(block->type) && block_get_number(block->size, sizeof block->size, &size) && size >= 0)
            rest = (uint64_t)size < length ? (size_t)size : length;
        if (description_is(block->type) && block_get_mark(block) != BLOCK_MARK_NONE)
            block_put_crc(block, bytes, rest);
        block_seal(block);
        rest += writer_padding(rest);
        rest = rest < length ? rest : length;
        bytes += rest;
        length -= rest;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t max, unsigned seed)
{
    length = LLVMFuzzerMutate(bytes, length, max);
    if (seed % UNREPAIRED != 0)
        repair(bytes, length);
    return length;
}
