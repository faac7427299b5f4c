#include "receive.h"

#include "base/descriptor.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/transfer.h"

enum { WORTH_PASSING_BY = 64 * 1024 /* below this a copy is as fast as the calls that a splice needs */ };

void receive_begin(struct receive *receive, enum reader_kind kind, int input, const char *name, uint64_t max)
{
    reader_init(&receive->reader, kind);
    receive->input = input;
    receive->name = name;
    receive->max = max;
    transfer_prepare(input);
}

static enum reason receive_count(struct receive *receive, uint64_t bytes, struct fault *fault)
{
    receive->arrived += bytes;
    if (receive->arrived > receive->max)
        return fault_set(fault, REASON_TOO_LARGE, receive->name, "more than the limit of %llu bytes (--max)",
                         (unsigned long long)receive->max);
    return interrupt_check(fault, receive->name);
}

/* Reads more of the stream. Its end is a failure here: the reader would have said before that it is complete. */
static enum reason receive_fill(struct receive *receive, struct fault *fault)
{
    size_t got = 0;
    enum reason reason =
        descriptor_read(receive->input, receive->buffer, sizeof receive->buffer, &got, receive->name, fault);
    if (reason == REASON_OK && got == 0)
        return reader_finish(&receive->reader, fault);
    receive->span = (struct reader_span){receive->buffer, got};
    progress_add(got);
    return reason == REASON_OK ? receive_count(receive, got, fault) : reason;
}

/* The next event that is one. */
static enum reason receive_event(struct receive *receive, enum reader_event *event, struct fault *fault)
{
    enum reason reason = REASON_OK;
    do {
        *event = reader_next(&receive->reader, &receive->span, fault);
        if (*event == READER_MORE)
            reason = receive_fill(receive, fault);
        else if (*event == READER_REFUSED)
            reason = fault->reason;
    } while (reason == REASON_OK && *event == READER_MORE);
    return reason;
}

enum reason receive_member(struct receive *receive, bool *end, struct fault *fault)
{
    enum reader_event event = READER_MORE;
    enum reason reason = receive_event(receive, &event, fault);
    *end = event == READER_END;
    return reason;
}

/* Moves what is left of a large file past the reader, which needs no look at it. */
static enum reason receive_pass_by(struct receive *receive, int file, const char *path, struct fault *fault)
{
    struct transfer transfer = {
        .from = receive->input,
        .from_name = receive->name,
        .to = file,
        .to_name = path,
        .expected = reader_remaining(&receive->reader),
    };
    enum reason reason = transfer_run(&transfer, transfer.expected, fault);
    reader_advance(&receive->reader, transfer.moved);
    return reason == REASON_OK ? receive_count(receive, transfer.moved, fault) : reason;
}

enum reason receive_file(struct receive *receive, int file, const char *path, bool *changed, struct fault *fault)
{
    enum reader_event event = READER_DATA;
    enum reason reason = REASON_OK;
    while (reason == REASON_OK && event != READER_CLOSE) {
        if (receive->span.length == 0 && reader_remaining(&receive->reader) >= WORTH_PASSING_BY)
            reason = receive_pass_by(receive, file, path, fault);
        if (reason == REASON_OK)
            reason = receive_event(receive, &event, fault);
        if (reason == REASON_OK && event == READER_DATA)
            reason = descriptor_write(file, receive->reader.data.bytes, receive->reader.data.length, path, fault);
    }
    *changed = receive->reader.changed;
    return reason;
}

enum reason receive_drain(struct receive *receive, struct fault *fault)
{
    enum reason reason = REASON_OK;
    size_t got = 1;
    /* Nothing that comes counts; a sender that never ends may have its EPIPE. */
    const uint64_t last = receive->arrived + RECEIVE_DRAINED;
    while (reason == REASON_OK && got > 0 && receive->arrived < last) {
        reason = descriptor_read(receive->input, receive->buffer, sizeof receive->buffer, &got, receive->name, fault);
        if (reason == REASON_OK)
            reason = receive_count(receive, got, fault);
    }
    return reason;
}
