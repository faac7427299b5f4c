#include "reader.h"

#include <string.h>

#include "writer.h"

enum {
    STATE_HEADER,  /* collecting a header block */
    STATE_READY,   /* it is there and in order, and is to be looked into */
    STATE_BODY,    /* collecting the data of a header that describes others */
    STATE_DATA,    /* passing on a file's data */
    STATE_PADDING, /* zeros up to the next block */
    STATE_END,
    STATE_REFUSED,
};

enum { ZERO_BLOCKS_AT_END = 2 };

static enum reason corrupt(struct fault *fault, const char *what)
{
    return fault_set(fault, REASON_CORRUPT, NULL, "%s", what);
}

void reader_init(struct reader *reader, enum reader_kind kind)
{
    /* The body is left as it is: pages that no header fills are never touched. */
    memset(reader, 0, offsetof(struct reader, body));
    reader->kind = kind;
    reader->member.name = reader->member.target = "";
}

static const unsigned char *span_take(struct reader_span *span, size_t length)
{
    const unsigned char *bytes = span->bytes;
    span->bytes += length;
    span->length -= length;
    return bytes;
}

/* Moves input into a buffer until it holds size bytes. Whether it does. */
static bool gather(void *buffer, size_t *fill, size_t size, struct reader_span *input)
{
    size_t wanted = size - *fill;
    size_t length = wanted < input->length ? wanted : input->length;
    if (length > 0)
        memcpy((char *)buffer + *fill, span_take(input, length), length);
    *fill += length;
    return *fill == size;
}

/* What was counted and what the end record says are two tellings of one stream. */
static enum reason check_ending(const struct reader *reader, struct fault *fault)
{
    const struct ending *said = &reader->description.ending, *counted = &reader->counted;
    if (said->files != counted->files || said->bytes != counted->bytes)
        return fault_set(fault, REASON_CORRUPT, NULL,
                         "%llu files and %llu bytes came, the end record says %llu and %llu",
                         (unsigned long long)counted->files, (unsigned long long)counted->bytes,
                         (unsigned long long)said->files, (unsigned long long)said->bytes);
    if (said->changed_count != counted->changed_count ||
        memcmp(said->changed, counted->changed, counted->changed_count * sizeof counted->changed[0]) != 0)
        return corrupt(fault, "the end record names other changed files than their headers did");
    if (said->reason == REASON_OK && said->changed_count > 0)
        return corrupt(fault, "the end record says ok, and that files changed");
    if (reader->kind == READER_SEALED && said->reason == REASON_OK && said->files != 1)
        return corrupt(fault, "a sealed stream without its file");
    return REASON_OK;
}

static enum reason take_zero_block(struct reader *reader, struct fault *fault)
{
    if (description_pending(&reader->description))
        return corrupt(fault, "a header that describes a member, and none comes");
    /* Zeros prove nothing about a stream of ours: whatever cuts it may be followed by some. */
    if (reader->ours && !reader->ending_seen)
        return fault_set(fault, REASON_TRUNCATED, NULL, "the stream ends without its end record");
    if (reader->members == 0 && !reader->ending_seen)
        return fault_set(fault, REASON_TRUNCATED, NULL, "the stream ends without any member");
    reader->zero_blocks++;
    return REASON_OK;
}

/* Looks at a header block as bytes, before it means anything. */
static enum reason take_block(struct reader *reader, struct fault *fault)
{
    const struct block *block = &reader->block;
    if (block_is_zero(block))
        return take_zero_block(reader, fault);
    if (reader->zero_blocks > 0)
        return corrupt(fault, "a header after a zero block");
    if (reader->ending_seen)
        return corrupt(fault, "a header after the end record");
    enum block_seal seal = block_check(block);
    if (seal == BLOCK_UNSEALED)
        return corrupt(fault, reader->started ? "a header with a wrong checksum" : "this is no tar stream");
    if (block_format(block) == BLOCK_UNKNOWN)
        return corrupt(fault, "a header that is neither ustar nor GNU tar's");

    enum block_mark mark = block_get_mark(block);
    if (!reader->started) {
        reader->started = true;
        reader->ours = mark != BLOCK_MARK_NONE;
    }
    if (reader->kind == READER_SEALED && !reader->ours)
        return corrupt(fault, "a tar archive, but not a sealed stream");
    if (reader->ours != (mark != BLOCK_MARK_NONE))
        return corrupt(fault, "headers of two writers in one stream");
    if (reader->ours && seal != BLOCK_SEALED_EXACTLY)
        return corrupt(fault, "a header with a wrong checksum");

    reader->changed = mark == BLOCK_MARK_CHANGED;
    if (!reader->changed)
        return REASON_OK;
    if (!reader->file_open)
        return corrupt(fault, "a header says that a file changed, and there is none before it");
    if (reader->counted.changed_count == ENDING_CHANGED_MAX)
        return corrupt(fault, "more changed files than an end record can name");
    reader->counted.changed[reader->counted.changed_count++] = reader->counted.files;
    return REASON_OK;
}

/* A header that describes others: makes room for its data. */
static enum reason open_body(struct reader *reader, struct fault *fault)
{
    const struct block *block = &reader->block;
    if (reader->ours && block->type == BLOCK_PAX_GLOBAL)
        return corrupt(fault, "a global header that sbx does not write");
    enum reason reason = description_expect(&reader->description, block->type, fault);
    if (reason != REASON_OK)
        return reason;
    int64_t size;
    if (!block_get_number(block->size, sizeof block->size, &size) || size <= 0)
        return corrupt(fault, "a header with a wrong size");
    /* Memory is what the reader has, never what a header asks for. */
    if (size > READER_BODY_MAX)
        return fault_set(fault, REASON_CORRUPT, NULL, "a header with %lld bytes of data, limit %d", (long long)size,
                         READER_BODY_MAX);
    reader->left = (uint64_t)size;
    reader->body_fill = 0;
    reader->state = STATE_BODY;
    return REASON_OK;
}

static enum reason close_body(struct reader *reader, struct fault *fault)
{
    const struct block *block = &reader->block;
    if (reader->ours && !block_has_crc(block, reader->body, reader->body_fill))
        return corrupt(fault, "a header whose data has another checksum");
    reader->padding_left = (unsigned)writer_padding(reader->body_fill);
    reader->state = STATE_PADDING;
    return description_add(&reader->description, block->type, reader->body, reader->body_fill, fault);
}

/* What a stream of ours does not hold, however well-formed. */
static enum reason check_ours(const struct reader *reader, const struct member *member, struct fault *fault)
{
    if (!reader->ours)
        return reader->description.has_ending ? corrupt(fault, "another tar's stream with our end record") : REASON_OK;
    if (reader->description.has_ending)
        return REASON_OK;
    if (member->type > MEMBER_SYMLINK || member->name[0] == '\0')
        return fault_set(fault, REASON_CORRUPT, member->name, "a member that sbx does not write");
    if (reader->kind == READER_SEALED &&
        (member->type != MEMBER_FILE || member_depth(member->name) != 1 || reader->members > 0))
        return fault_set(fault, REASON_CORRUPT, member->name, "more than one file in a sealed stream");
    return REASON_OK;
}

static enum reason take_member(struct reader *reader, struct fault *fault)
{
    struct member *member = &reader->member;
    enum reason reason = description_member(&reader->description, &reader->block, member, fault);
    if (reason == REASON_OK)
        reason = check_ours(reader, member, fault);
    if (reason != REASON_OK)
        return reason;
    reader->state = STATE_HEADER;
    if (reader->description.has_ending) {
        reader->ending_seen = true;
        reader->ending = reader->description.ending;
        return check_ending(reader, fault);
    }
    reader->members++;
    member->number = 0;
    if (member->type != MEMBER_FILE)
        return REASON_OK;
    if (__builtin_add_overflow(reader->counted.bytes, member->size, &reader->counted.bytes))
        return corrupt(fault, "more bytes than can be counted");
    member->number = ++reader->counted.files;
    reader->left = member->size;
    reader->padding_left = (unsigned)writer_padding(member->size);
    reader->file_open = true;
    reader->state = STATE_DATA;
    return REASON_OK;
}

/*
 * The steps of the states. Each gives true when there is something to tell, and what; false when the next step is to be
 * taken at once.
 */

static bool tell(enum reader_event *event, enum reader_event what)
{
    *event = what;
    return true;
}

static bool refuse(struct reader *reader, enum reader_event *event, enum reason reason)
{
    reader->state = STATE_REFUSED;
    reader->refused = reason;
    return tell(event, READER_REFUSED);
}

static bool step_header(struct reader *reader, struct reader_span *input, enum reader_event *event, struct fault *fault)
{
    if (!gather(&reader->block, &reader->block_fill, BLOCK_SIZE, input))
        return tell(event, READER_MORE);
    reader->block_fill = 0;
    enum reason reason = take_block(reader, fault);
    if (reason != REASON_OK)
        return refuse(reader, event, reason);
    reader->state = STATE_READY;
    if (!reader->file_open)
        return false;
    reader->file_open = false;
    return tell(event, READER_CLOSE);
}

static bool step_zero_block(struct reader *reader, enum reader_event *event)
{
    reader->state = STATE_HEADER;
    if (reader->zero_blocks < ZERO_BLOCKS_AT_END)
        return false;
    if (!reader->ours)
        reader->ending = reader->counted; /* its reason is ok */
    reader->state = STATE_END;
    return tell(event, READER_END);
}

static bool step_ready(struct reader *reader, enum reader_event *event, struct fault *fault)
{
    if (block_is_zero(&reader->block))
        return step_zero_block(reader, event);
    bool describes = description_is(reader->block.type);
    enum reason reason = describes ? open_body(reader, fault) : take_member(reader, fault);
    if (reason != REASON_OK)
        return refuse(reader, event, reason);
    return !describes && !reader->ending_seen && tell(event, READER_MEMBER);
}

static bool step_body(struct reader *reader, struct reader_span *input, enum reader_event *event, struct fault *fault)
{
    if (!gather(reader->body, &reader->body_fill, (size_t)reader->left, input))
        return tell(event, READER_MORE);
    enum reason reason = close_body(reader, fault);
    return reason != REASON_OK && refuse(reader, event, reason);
}

static bool step_data(struct reader *reader, struct reader_span *input, enum reader_event *event)
{
    if (reader->left == 0) {
        reader->state = STATE_PADDING;
        return false;
    }
    if (input->length == 0)
        return tell(event, READER_MORE);
    size_t length = reader->left < input->length ? (size_t)reader->left : input->length;
    reader->data = (struct reader_span){span_take(input, length), length};
    reader->left -= length;
    return tell(event, READER_DATA);
}

/* Whether the padding was as it may be. Other tars may leave there what was in their buffers. */
static bool skip_padding(struct reader *reader, struct reader_span *input)
{
    size_t length = reader->padding_left < input->length ? reader->padding_left : input->length;
    const unsigned char *bytes = span_take(input, length);
    reader->padding_left -= (unsigned)length;
    while (reader->ours && length > 0) {
        if (bytes[--length] != 0)
            return false;
    }
    return true;
}

static bool step_padding(struct reader *reader, struct reader_span *input, enum reader_event *event,
                         struct fault *fault)
{
    if (reader->padding_left == 0) {
        reader->state = STATE_HEADER;
        return false;
    }
    if (input->length == 0)
        return tell(event, READER_MORE);
    return !skip_padding(reader, input) && refuse(reader, event, corrupt(fault, "padding that is not zero"));
}

static bool step(struct reader *reader, struct reader_span *input, enum reader_event *event, struct fault *fault)
{
    switch (reader->state) {
    case STATE_HEADER:
        return step_header(reader, input, event, fault);
    case STATE_READY:
        return step_ready(reader, event, fault);
    case STATE_BODY:
        return step_body(reader, input, event, fault);
    case STATE_DATA:
        return step_data(reader, input, event);
    case STATE_PADDING:
        return step_padding(reader, input, event, fault);
    case STATE_END:
        return tell(event, READER_END);
    default:
        return tell(event, READER_REFUSED);
    }
}

enum reader_event reader_next(struct reader *reader, struct reader_span *input, struct fault *fault)
{
    enum reader_event event;
    bool told;
    do {
        told = step(reader, input, &event, fault);
    } while (!told);
    return event;
}

/* What was still to come when the input ended. */
static const char *missing_end(const struct reader *reader)
{
    if (!reader->started)
        return reader->block_fill == 0 ? "the stream is empty" : "the stream ends within its first header";
    return reader->ours && !reader->ending_seen ? "the stream ends without its end record"
                                                : "the stream ends without its two zero blocks";
}

enum reason reader_finish(const struct reader *reader, struct fault *fault)
{
    switch (reader->state) {
    case STATE_END:
        return REASON_OK;
    case STATE_REFUSED:
        return reader->refused;
    case STATE_DATA:
        return fault_set(fault, REASON_TRUNCATED, reader->member.name,
                         "the stream ends with %llu of %llu bytes to come", (unsigned long long)reader->left,
                         (unsigned long long)reader->member.size);
    default:
        return fault_set(fault, REASON_TRUNCATED, NULL, "%s", missing_end(reader));
    }
}

uint64_t reader_remaining(const struct reader *reader)
{
    return reader->state == STATE_DATA ? reader->left : 0;
}

void reader_advance(struct reader *reader, uint64_t bytes)
{
    reader->left -= bytes;
}
