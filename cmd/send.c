#include "send.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/transfer.h"

enum { SEND_GRACE = 2000 /* milliseconds that stdout has to take the end record after the deadline */ };

_Static_assert(SEND_BUFFER >= SEND_SMALL + BLOCK_SIZE + WRITER_MEMBER_MAX, "a small file fits with its header");
_Static_assert(SEND_BUFFER >= (int)WRITER_END_MAX, "the end record fits");

/* Takes note of a failure that is one of the whole stream. */
static enum reason send_stop(struct send *send, enum reason reason)
{
    if (reason != REASON_OK)
        send->stopped = true;
    return reason;
}

/* Writes some bytes; *done says how many went out. */
static enum reason send_write(struct send *send, const void *bytes, size_t size, size_t *done, struct fault *fault)
{
    struct fault unheard;
    enum reason reason = descriptor_write_counted(STDOUT_FILENO, bytes, size, done, DESCRIPTOR_STDOUT, fault);
    progress_add(*done);
    /* When only the time was up, stdout may take the rest in a moment. */
    if (reason != REASON_OK && interrupt_check(&unheard, NULL) == REASON_OK)
        send->broken = true;
    return send_stop(send, reason);
}

static enum reason send_flush(struct send *send, struct fault *fault)
{
    size_t done;
    if (send->fill == 0)
        return REASON_OK;
    enum reason reason = send_write(send, send->buffer, send->fill, &done, fault);
    send->fill -= done;
    memmove(send->buffer, send->buffer + done, send->fill);
    return reason;
}

/* Makes room for so many bytes. */
static enum reason send_reserve(struct send *send, size_t size, struct fault *fault)
{
    return sizeof send->buffer - send->fill < size ? send_flush(send, fault) : REASON_OK;
}

/* Writes what the open member's header promised and its file did not give, as zeros from the buffer. */
static enum reason send_pay(struct send *send, struct fault *fault)
{
    enum reason reason = send_flush(send, fault);
    if (reason == REASON_OK && send->owed > 0)
        memset(send->buffer, 0, send->owed < sizeof send->buffer ? (size_t)send->owed : sizeof send->buffer);
    while (reason == REASON_OK && send->owed > 0) {
        size_t done;
        size_t size = send->owed < sizeof send->buffer ? (size_t)send->owed : sizeof send->buffer;
        reason = send_write(send, send->buffer, size, &done, fault);
        send->owed -= done;
    }
    return reason;
}

static enum reason send_header(struct send *send, const struct member *member, struct fault *fault)
{
    size_t length = 0;
    enum reason reason = send_reserve(send, WRITER_MEMBER_MAX, fault);
    if (reason == REASON_OK)
        reason = writer_member(&send->writer, member, send->buffer + send->fill, &length, fault);
    send->fill += length;
    return reason;
}

void send_begin(struct send *send)
{
    writer_init(&send->writer);
    transfer_prepare(STDOUT_FILENO);
}

enum reason send_name(struct send *send, enum member_type type, const char *name, const char *target, int64_t mtime,
                      struct fault *fault)
{
    const struct member member = {.type = type, .name = name, .target = target ? target : "", .mtime = mtime};
    return send_header(send, &member, fault);
}

static enum reason send_check_unchanged(const struct send_file *file, struct fault *fault)
{
    struct kernel_facts now;
    if (file->live)
        return REASON_OK;
    if (kernel_facts(file->descriptor, &now) < 0)
        return fault_errno(fault, file->path, "statx", errno);
    if (!kernel_facts_agree(&now, &file->facts))
        return fault_set(fault, REASON_CHANGED, file->path, "written to, or its inode changed, while it was read");
    return REASON_OK;
}

static struct member send_member(const struct send_file *file)
{
    return (struct member){.type = MEMBER_FILE,
                           .name = file->name,
                           .target = "",
                           .size = file->size,
                           .mtime = file->facts.mtime.tv_sec,
                           .executable = (file->facts.mode & S_IXUSR) != 0};
}

/* Reads a small file whole, behind where its header will be at most. */
static enum reason send_read(const struct send_file *file, unsigned char *data, struct fault *fault)
{
    size_t done = 0;
    while (done < file->size) {
        ssize_t got = pread(file->descriptor, data + done, (size_t)file->size - done, (off_t)(file->offset + done));
        if (got == 0)
            return fault_set(fault, REASON_CHANGED, file->path, "shrank while it was read");
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            return fault_errno(fault, file->path, "read", errno);
        else if (interrupt_check(fault, file->path) != REASON_OK)
            return fault->reason;
    }
    return REASON_OK;
}

static enum reason send_small(struct send *send, const struct send_file *file, struct fault *fault)
{
    const struct member member = send_member(file);
    enum reason reason = send_reserve(send, WRITER_MEMBER_MAX + (size_t)file->size + BLOCK_SIZE, fault);
    if (reason != REASON_OK)
        return reason;
    unsigned char *data = send->buffer + send->fill + WRITER_MEMBER_MAX;
    reason = send_read(file, data, fault);
    if (reason == REASON_OK && file->size > 0)
        reason = send_check_unchanged(file, fault);
    if (reason == REASON_OK)
        reason = send_header(send, &member, fault);
    if (reason != REASON_OK)
        return interrupt_check(fault, file->path) == REASON_OK ? reason : send_stop(send, fault->reason);
    memmove(send->buffer + send->fill, data, (size_t)file->size);
    send->fill += (size_t)file->size;
    size_t padding = writer_padding(file->size);
    memset(send->buffer + send->fill, 0, padding);
    send->fill += padding;
    return REASON_OK;
}

/* Sends the data of a larger file behind its header. */
static enum reason send_data(struct send *send, const struct send_file *file, struct fault *fault)
{
    struct transfer transfer = {
        .from = file->descriptor,
        .from_name = file->path,
        .to = STDOUT_FILENO,
        .to_name = DESCRIPTOR_STDOUT,
        .expected = file->size,
    };
    if (lseek(file->descriptor, (off_t)file->offset, SEEK_SET) < 0)
        return fault_errno(fault, file->path, "lseek", errno);
    enum reason reason = transfer_run(&transfer, file->size, fault);
    send->owed -= transfer.moved;
    if (reason == REASON_OK && transfer.moved < file->size)
        reason = fault_set(fault, REASON_CHANGED, file->path, "shrank while it was read");
    if (reason == REASON_OK)
        reason = send_check_unchanged(file, fault);
    return reason;
}

static enum reason send_large(struct send *send, const struct send_file *file, struct fault *fault)
{
    const struct member member = send_member(file);
    struct fault later;
    enum reason reason = send_header(send, &member, fault);
    if (reason != REASON_OK)
        return reason;
    send->owed = file->size + writer_padding(file->size);
    reason = send_flush(send, fault);
    if (reason == REASON_OK)
        reason = send_data(send, file, fault);
    /* Its header is out and promises what may no longer come: the end record must be able to name it. */
    if (reason != REASON_OK && writer_changed(&send->writer, &later) != REASON_OK) {
        *fault = later;
        return send_stop(send, later.reason);
    }
    if (interrupt_check(fault, file->path) != REASON_OK)
        return send_stop(send, fault->reason);
    /* A failure of stdout comes once more here. */
    if (send_pay(send, &later) == REASON_OK)
        return reason;
    *fault = later;
    return later.reason;
}

enum reason send_file(struct send *send, const struct send_file *file, struct fault *fault)
{
    return file->size <= SEND_SMALL ? send_small(send, file, fault) : send_large(send, file, fault);
}

enum reason send_bytes(struct send *send, const void *bytes, size_t size, struct fault *fault)
{
    enum reason reason = send_reserve(send, size, fault);
    if (reason != REASON_OK)
        return reason;
    memcpy(send->buffer + send->fill, bytes, size);
    send->fill += size;
    return REASON_OK;
}

/* Lets stdout say whether it has all that was written: a failure there is told unless there was one before. */
static enum reason send_close(enum reason ended, struct fault *later, enum reason reason, struct fault *fault)
{
    if (ended == REASON_OK)
        ended = descriptor_settle(STDOUT_FILENO, DESCRIPTOR_STDOUT, later);
    if (ended == REASON_OK || (reason != REASON_OK && reason != REASON_PARTIAL))
        return reason;
    *fault = *later;
    return ended;
}

/* Writes what is due and the end record behind it, or the rest of them. */
static enum reason send_last(struct send *send, enum reason reason, uint64_t skipped, unsigned mode, int64_t mtime,
                             struct fault *fault)
{
    enum reason ended = send_pay(send, fault);
    if (ended != REASON_OK || send->ended)
        return ended;
    send->fill = writer_end(&send->writer, reason, skipped, mode, mtime, send->buffer);
    send->ended = true;
    return send_flush(send, fault);
}

enum reason send_end(struct send *send, enum reason reason, uint64_t skipped, unsigned mode, int64_t mtime,
                     struct fault *fault)
{
    struct fault later;
    if (send->broken)
        return reason;
    bool granted = interrupt_check(&later, NULL) != REASON_OK;
    if (granted)
        interrupt_grant(SEND_GRACE);
    enum reason ended = send_last(send, reason, skipped, mode, mtime, &later);
    /* The time was up while the last of it was written. */
    if (ended != REASON_OK && !granted && !send->broken) {
        interrupt_grant(SEND_GRACE);
        ended = send_last(send, reason, skipped, mode, mtime, &later);
    }
    return send_close(ended, &later, reason, fault);
}

enum reason send_end_bytes(struct send *send, enum reason reason, struct fault *fault)
{
    struct fault later;
    return send->broken ? reason : send_close(send_flush(send, &later), &later, reason, fault);
}
