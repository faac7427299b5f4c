#include "put_input.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/transfer.h"
#include "path/regular.h"

enum reason put_input_check(struct put_input *input, bool sized, struct fault *fault)
{
    input->sized = sized;
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
    uint64_t most = input->sized ? input->size : input->max;
    progress_expect(input->sized ? input->size : QUANTITY_UNLIMITED);
    enum reason reason = transfer_run(transfer, most, fault);
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

enum reason put_input_copy(const struct put_input *input, int file, const char *path, struct fault *fault)
{
    struct transfer transfer = {STDIN_FILENO, DESCRIPTOR_STDIN, file, path, 0};
    if (!input->from)
        return put_input_transfer(input, &transfer, fault);

    struct regular regular;
    enum reason reason = regular_open(AT_FDCWD, input->from, LOOKUP_PLAIN, &regular, fault);
    if (reason != REASON_OK)
        return reason;
    transfer.from = regular.descriptor;
    transfer.from_name = input->from;
    reason = put_input_transfer(input, &transfer, fault);
    if (reason == REASON_OK)
        reason = regular_check_unchanged(&regular, input->from, fault);
    close(regular.descriptor);
    return reason;
}
