#include "put_input.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/transfer.h"
#include "receive.h"

enum reason put_input_check(struct put_input *input, bool sized, struct fault *fault)
{
    input->sized = sized;
    if (sized && input->size == QUANTITY_UNLIMITED)
        return fault_set(fault, REASON_USAGE, NULL, "--size takes a number of bytes; see --help");
    if (sized && input->size > input->max)
        return fault_set(fault, REASON_TOO_LARGE, NULL, "--size %llu, limit %llu", (unsigned long long)input->size,
                         (unsigned long long)input->max);
    if (input->from)
        return REASON_OK;
    enum reason reason = descriptor_check_stream(STDIN_FILENO, DESCRIPTOR_STDIN, fault);
    /* docker exec without -i gives the null device: the forgotten letter would put an empty file, with success. */
    if (reason == REASON_OK && !(sized && input->size == 0) && descriptor_is_null_device(STDIN_FILENO))
        reason = fault_set(fault, REASON_USAGE, NULL,
                           "standard input is /dev/null: docker exec needs -i; for an empty file use --size 0");
    return reason;
}

/* Copies up to the limit, and looks whether more was there. The limit counts what arrives, whatever was announced. */
static enum reason put_input_transfer(const struct put_input *input, struct transfer *transfer, struct fault *fault)
{
    transfer->expected = input->sized ? input->size : QUANTITY_UNLIMITED;
    progress_expect(transfer->expected);
    enum reason reason = transfer_run(transfer, input->sized ? input->size : input->max, fault);
    if (reason != REASON_OK)
        return reason;
    if (input->sized && transfer->moved < input->size)
        return fault_set(fault, REASON_TRUNCATED, transfer->from_name, "%llu bytes, --size says %llu",
                         (unsigned long long)transfer->moved, (unsigned long long)input->size);
    bool ended = true;
    if (!input->sized && transfer->moved == input->max)
        reason = transfer_at_end(transfer, &ended, fault);
    if (!ended)
        reason = fault_set(fault, REASON_TOO_LARGE, transfer->from_name, "more than the limit of %llu bytes",
                           (unsigned long long)input->max);
    return reason;
}

enum reason put_input_open(const struct put_input *input, struct put_source *source, struct fault *fault)
{
    source->descriptor = STDIN_FILENO;
    source->name = DESCRIPTOR_STDIN;
    if (!input->from)
        return REASON_OK;
    enum reason reason = regular_open(AT_FDCWD, input->from, LOOKUP_PLAIN, &source->file, fault);
    source->descriptor = source->file.descriptor;
    source->name = input->from;
    return reason;
}

enum reason put_input_close(const struct put_input *input, struct put_source *source, enum reason reason,
                            struct fault *fault)
{
    if (!input->from)
        return reason;
    enum reason unchanged = REASON_OK;
    if (reason == REASON_OK || reason == REASON_PARTIAL)
        unchanged = regular_check_unchanged(&source->file, input->from, fault);
    close(source->descriptor);
    return unchanged == REASON_OK ? reason : unchanged;
}

enum reason put_input_sent(enum reason reason, const char *name, struct fault *fault)
{
    if (reason == REASON_OK)
        return reason;
    return fault_set(fault, reason, name, "the sender says: %s", reason_text(reason));
}

/* Takes the one file of a sealed stream, if the sender had it. */
static enum reason put_input_unseal(const struct put_input *input, const struct put_source *source, int file,
                                    const char *path, struct fault *fault)
{
    static struct receive receive;
    const struct reader *reader = &receive.reader;
    bool end = false;
    bool changed;
    receive_begin(&receive, READER_SEALED, source->descriptor, source->name, QUANTITY_UNLIMITED);
    enum reason reason = receive_member(&receive, &end, fault);
    if (reason == REASON_OK && !end) {
        if (reader->member.size > input->max)
            return fault_set(fault, REASON_TOO_LARGE, source->name, "%llu bytes, limit %llu",
                             (unsigned long long)reader->member.size, (unsigned long long)input->max);
        progress_expect(reader->member.size);
        reason = receive_file(&receive, file, path, &changed, fault);
        if (reason == REASON_OK)
            reason = receive_member(&receive, &end, fault);
    }
    if (reason != REASON_OK)
        return reason;
    /* A file is whole or not: what changed while it was read has a reason of its own. */
    if (reader->ending.reason == REASON_PARTIAL)
        return fault_set(fault, REASON_CORRUPT, source->name, "a sealed file of which something was left out");
    return put_input_sent(reader->ending.reason, source->name, fault);
}

enum reason put_input_copy(const struct put_input *input, int file, const char *path, struct fault *fault)
{
    struct put_source source;
    enum reason reason = put_input_open(input, &source, fault);
    if (reason != REASON_OK)
        return reason;
    struct transfer transfer = {.from = source.descriptor, .from_name = source.name, .to = file, .to_name = path};
    reason = input->sealed ? put_input_unseal(input, &source, file, path, fault)
                           : put_input_transfer(input, &transfer, fault);
    return put_input_close(input, &source, reason, fault);
}
