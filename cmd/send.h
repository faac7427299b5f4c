/*
 * send: the stream that sbx-collect and sbx-get --sealed write to stdout.
 *
 * Small files are gathered with their headers in one buffer; what is larger goes from file to pipe by splice(2). The
 * memory is that buffer, whatever the sizes.
 */
#ifndef SBX_CMD_SEND_H
#define SBX_CMD_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/kernel.h"
#include "stream/writer.h"

enum {
    SEND_SMALL = 64 * 1024,
    SEND_BUFFER = 512 * 1024,
    SEND_MODE = 0755 /* for the end where there is no directory */
};

struct send {
    struct writer writer;
    uint64_t owed; /* bytes of the open member, padding included, that its header promised and that have not gone out */
    bool stopped;  /* no member can follow: stdout failed, time was up, or more files changed than can be named */
    bool broken;   /* stdout takes nothing more, the end record neither */
    bool ended;    /* the end record is in buffer, or out */
    size_t fill;   /* bytes in buffer */
    unsigned char buffer[SEND_BUFFER];
};

struct send_file {
    const char *name; /* in the stream */
    const char *path; /* for faults */
    int descriptor;
    uint64_t offset;           /* in the file, where to begin */
    uint64_t size;             /* bytes to send */
    struct kernel_facts facts; /* as it was opened */
    bool live;                 /* may change while it is read, if only it does not shrink */
};

void send_begin(struct send *send);

/* A directory, or with a target a symbolic link. Reasons of writer_member; or of stdout, and then .stopped is set. */
enum reason send_name(struct send *send, enum member_type type, const char *name, const char *target, int64_t mtime,
                      struct fault *fault);

/*
 * A file. REASON_CHANGED, or what read(2) or writer_member say, of a file that did not go out as it was: a small one is
 * not in the stream then, a larger one is there, padded, and named in the end record. Any reason with .stopped set is
 * one for the whole stream.
 */
enum reason send_file(struct send *send, const struct send_file *file, struct fault *fault);

/* Bytes as they are, at most SEND_SMALL, for what is no stream. */
enum reason send_bytes(struct send *send, const void *bytes, size_t size, struct fault *fault);

/*
 * Ends the stream with this reason and number of what was skipped, for a directory of this mode and mtime. Where the
 * deadline or a signal ended the rest, stdout gets a moment more to take it. Gives the reason, or REASON_IO and the
 * like of a stdout that fails now.
 */
enum reason send_end(struct send *send, enum reason reason, uint64_t skipped, unsigned mode, int64_t mtime,
                     struct fault *fault);

/* Ends what send_bytes wrote. Gives the reason, or the one of a stdout that fails now. */
enum reason send_end_bytes(struct send *send, enum reason reason, struct fault *fault);

#endif
