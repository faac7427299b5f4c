#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "descriptor.h"
#include "interrupt.h"
#include "progress.h"

enum {
    BUFFER_SIZE = 128 * 1024,
    WORTH_SPLICING = 64 * 1024, /* below this a copy is as fast as the calls that set a pipe up */
    PIPE_SIZE = 1024 * 1024,    /* what /proc/sys/fs/pipe-max-size allows everyone */
    LOCK_SIZE = 256 * 1024      /* more gains nothing */
};

/* The lock's ends, where bytes come out and go in; kept open for the next transfer, since a tree has many files. */
static int lock_out = -1;
static int lock_in = -1;

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

/*
 * A pipe of our own between input and output, as a canal has a lock. Between a file and a pipe splice(2) holds the
 * mutex of the pipe while it looks up or copies the file's pages, and whoever is at the other end of the pipe waits for
 * that. Nobody waits for this pipe, and from pipe to pipe only pointers move.
 */
static bool transfer_open_lock(void)
{
    int ends[2];
    if (lock_out >= 0)
        return true;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    if (fcntl(ends[1], F_SETPIPE_SZ, LOCK_SIZE) < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    lock_out = ends[0];
    lock_in = ends[1];
    return true;
}

/* What a failure has left in the lock belongs to no later transfer. */
static void transfer_drop_lock(void)
{
    close(lock_out);
    close(lock_in);
    lock_out = lock_in = -1;
}

static void transfer_count(struct transfer *transfer, size_t bytes)
{
    transfer->moved += bytes;
    progress_add(bytes);
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
        transfer_count(transfer, done);
        if (reason == REASON_OK)
            reason = interrupt_check(fault, transfer->from_name);
        if (reason != REASON_OK)
            return reason;
        count -= got;
    }
    return REASON_OK;
}

/* Moves on the size bytes that are in the lock. */
static enum reason transfer_empty_lock(struct transfer *transfer, size_t size, struct fault *fault)
{
    enum reason reason = REASON_OK;
    while (size > 0 && reason == REASON_OK) {
        ssize_t got = splice(lock_out, NULL, transfer->to, NULL, size, SPLICE_F_MOVE);
        if (got > 0) {
            transfer_count(transfer, (size_t)got);
            size -= (size_t)got;
        } else if (got < 0 && errno == EINTR)
            reason = interrupt_check(fault, transfer->to_name);
        else if (got < 0 && errno == EAGAIN)
            reason = descriptor_wait(transfer->to, POLLOUT, transfer->to_name, fault);
        else {
            /* EINVAL: the output does not splice. Any other error comes again from write. */
            struct transfer rest = *transfer;
            rest.from = lock_out;
            reason = transfer_copy(&rest, size, fault);
            transfer->moved = rest.moved;
            size = 0;
        }
    }
    return reason;
}

/* Splices what it can of *count through the lock; *unable says that the input does not splice, and nothing is lost. */
static enum reason transfer_splice(struct transfer *transfer, uint64_t *count, bool *unable, struct fault *fault)
{
    enum reason reason = REASON_OK;
    while (*count > 0 && reason == REASON_OK) {
        size_t most = *count < LOCK_SIZE ? (size_t)*count : LOCK_SIZE;
        ssize_t got = splice(transfer->from, NULL, lock_in, NULL, most, SPLICE_F_MOVE);
        if (got == 0)
            return REASON_OK;
        if (got > 0) {
            reason = transfer_empty_lock(transfer, (size_t)got, fault);
            if (reason == REASON_OK)
                reason = interrupt_check(fault, transfer->from_name);
            *count -= (uint64_t)got;
        } else if (errno == EINTR)
            reason = interrupt_check(fault, transfer->from_name);
        else if (errno == EAGAIN)
            reason = descriptor_wait(transfer->from, POLLIN, transfer->from_name, fault);
        else {
            /* EINVAL: the input does not splice. Any other error comes again from read. */
            *unable = true;
            return REASON_OK;
        }
    }
    return reason;
}

enum reason transfer_run(struct transfer *transfer, uint64_t count, struct fault *fault)
{
    bool unable = true;
    if (transfer->expected > WORTH_SPLICING) {
        bool from_pipe = transfer_prepare(transfer->from);
        bool to_pipe = transfer_prepare(transfer->to);
        unable = !(from_pipe || to_pipe) || !transfer_open_lock();
    }
    if (!unable) {
        enum reason reason = transfer_splice(transfer, &count, &unable, fault);
        if (reason != REASON_OK)
            transfer_drop_lock();
        if (!unable)
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
