#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "descriptor.h"
#include "interrupt.h"
#include "progress.h"

enum {
    BUFFER_SIZE = 128 * 1024,
    WORTH_SPLICING = 64 * 1024, /* below this a copy is as fast as the calls that set a pipe up */
    PIPE_SIZE = 1024 * 1024     /* what /proc/sys/fs/pipe-max-size allows everyone */
};

static bool transfer_is_pipe(int descriptor)
{
    struct stat stat;
    return fstat(descriptor, &stat) == 0 && S_ISFIFO(stat.st_mode);
}

/* A large pipe is most of the speed. Failing to get one (fs.pipe-user-pages-soft) costs nothing else. */
bool transfer_prepare(int descriptor)
{
    if (!transfer_is_pipe(descriptor))
        return false;
    if (fcntl(descriptor, F_GETPIPE_SZ) < PIPE_SIZE)
        fcntl(descriptor, F_SETPIPE_SZ, PIPE_SIZE);
    return true;
}

/* splice(2) does not say which side would block, so both are waited for, the input first. */
static enum reason transfer_wait(const struct transfer *transfer, struct fault *fault)
{
    enum reason reason = descriptor_wait(transfer->from, POLLIN, transfer->from_name, fault);
    if (reason == REASON_OK)
        reason = descriptor_wait(transfer->to, POLLOUT, transfer->to_name, fault);
    return reason;
}

/* Splices what it can of *count; *unable says that these descriptors do not splice, and nothing is lost. */
static enum reason transfer_splice(struct transfer *transfer, uint64_t *count, bool *unable, struct fault *fault)
{
    while (*count > 0) {
        size_t most = *count < PIPE_SIZE ? (size_t)*count : PIPE_SIZE;
        ssize_t got = splice(transfer->from, NULL, transfer->to, NULL, most, SPLICE_F_MOVE);
        enum reason reason = REASON_OK;
        if (got == 0)
            return REASON_OK;
        if (got > 0) {
            transfer->moved += (uint64_t)got;
            *count -= (uint64_t)got;
            progress_add((uint64_t)got);
            reason = interrupt_check(fault, transfer->from_name);
        } else if (errno == EINTR)
            reason = interrupt_check(fault, transfer->from_name);
        else if (errno == EAGAIN)
            reason = transfer_wait(transfer, fault);
        else {
            /* EINVAL: one of them does not splice. Any other error comes again, with its side, from read or write. */
            *unable = true;
            return REASON_OK;
        }
        if (reason != REASON_OK)
            return reason;
    }
    return REASON_OK;
}

static enum reason transfer_copy(struct transfer *transfer, uint64_t count, struct fault *fault)
{
    static char buffer[BUFFER_SIZE];
    while (count > 0) {
        size_t most = count < sizeof buffer ? (size_t)count : sizeof buffer;
        size_t got;
        enum reason reason = descriptor_read(transfer->from, buffer, most, &got, transfer->from_name, fault);
        if (reason == REASON_OK && got == 0)
            return REASON_OK;
        size_t done = 0;
        if (reason == REASON_OK)
            reason = descriptor_write_counted(transfer->to, buffer, got, &done, transfer->to_name, fault);
        transfer->moved += done;
        progress_add(done);
        if (reason == REASON_OK)
            reason = interrupt_check(fault, transfer->from_name);
        if (reason != REASON_OK)
            return reason;
        count -= got;
    }
    return REASON_OK;
}

enum reason transfer_run(struct transfer *transfer, uint64_t count, struct fault *fault)
{
    bool unable = true;
    if (count > WORTH_SPLICING) {
        bool from_pipe = transfer_prepare(transfer->from);
        unable = !(transfer_prepare(transfer->to) || from_pipe);
    }
    if (!unable) {
        enum reason reason = transfer_splice(transfer, &count, &unable, fault);
        if (reason != REASON_OK || !unable)
            return reason;
    }
    return transfer_copy(transfer, count, fault);
}

enum reason transfer_at_end(struct transfer *transfer, bool *ended, struct fault *fault)
{
    char byte;
    size_t got;
    enum reason reason = descriptor_read(transfer->from, &byte, sizeof byte, &got, transfer->from_name, fault);
    *ended = got == 0;
    return reason;
}
