/*
 * regular: the guarded open of a file that someone else made.
 *
 * What the agent put there may be a link, a FIFO that nobody writes, a device, or a file of proc(5) that names the
 * reader itself. The open never follows, never waits and never takes a controlling terminal, and what it gave is judged
 * by its descriptor, which cannot be swapped any more.
 */
#ifndef SBX_PATH_REGULAR_H
#define SBX_PATH_REGULAR_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "lookup.h"

struct regular {
    int descriptor;   /* the caller's to close */
    struct stat stat; /* as it was opened */
};

/*
 * Opens path, seen from directory, for reading. REASON_LINK, REASON_NOT_REGULAR (a directory, FIFO, socket, device, a
 * file of a kernel pseudo file system), REASON_BUSY (leased, fcntl(2) F_SETLEASE), REASON_ESCAPES, REASON_BAD_NAME
 * (name_split), or what the errno of open(2) says. Nothing stays open unless it is REASON_OK.
 */
enum reason regular_open(int directory, const char *path, enum lookup_rule rule, struct regular *regular,
                         struct fault *fault);

/*
 * REASON_CHANGED when size, mtime or ctime are not as they were when it was opened: a help against honest writers, not
 * a snapshot.
 */
enum reason regular_check_unchanged(const struct regular *regular, const char *path, struct fault *fault);

/*
 * Whether a descriptor lies in a kernel pseudo file system (fstatfs(2)): its files lie about their size and may answer
 * with what the reader alone may know. Also where the call fails.
 */
bool regular_is_pseudo(int descriptor);

/* Fills the fault for the errno of an open that refused, as regular_open does. */
enum reason regular_refused(const char *path, int error, struct fault *fault);

/* The type of what is no regular file, in words. */
const char *regular_kind(mode_t mode);

#endif
