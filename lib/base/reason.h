/*
 * reason: why a tool ended, as a name, an exit code and a sentence.
 *
 * This table is the only place where a code or a name is written down. The enum, --reasons, --help, the EXIT STATUS of
 * the man pages and the end record of a stream are all made from it.
 *
 * The codes keep clear of 1 and 2 (shells, getopt), 125-127 (docker, podman, env) and 128+n (death by a signal), share
 * 124 with timeout(1), and follow sysexits.h where it has the meaning.
 */
#ifndef SBX_BASE_REASON_H
#define SBX_BASE_REASON_H

#define REASON_TABLE(X)                                                                                                \
    X(OK, "ok", 0, "done, complete")                                                                                   \
    X(USAGE, "usage", 64, "the command line, or how the tool was called, is wrong")                                    \
    X(BAD_NAME, "bad_name", 65,                                                                                        \
      "a name that is empty, too long, . or .., or holds / or a control byte; or a trailing / or /. on a file path")   \
    X(MISSING, "missing", 66, "no such file or directory")                                                             \
    X(UNSUPPORTED, "unsupported", 69, "kernel or runtime lacks what this needs; nothing was run or weakened")          \
    X(SYSTEM, "system", 71, "a system call failed in a way no other reason names; errno is printed")                   \
    X(IO, "io", 74, "reading or writing failed, or the reader of stdout went away")                                    \
    X(PERMISSION_DENIED, "permission_denied", 77, "the identity it runs as may not")                                   \
    X(LINK, "link", 80, "a symbolic link where none may be")                                                           \
    X(NOT_REGULAR, "not_regular", 81, "a directory, FIFO, socket, device, or a file of a kernel pseudo file system")   \
    X(TOO_LARGE, "too_large", 82, "over a byte, entry, depth or output limit")                                         \
    X(ESCAPES, "escapes", 83, "would leave the given directory or cross a mount")                                      \
    X(EXISTS, "exists", 84, "the destination is there and must not be")                                                \
    X(CHANGED, "changed", 85, "what was read, or where it was placed, changed under the tool")                         \
    X(TRUNCATED, "truncated", 86, "the input ended early, or without its end record")                                  \
    X(CORRUPT, "corrupt", 87, "the stream is malformed or contradicts its own end record")                             \
    X(NO_SPACE, "no_space", 88, "the file system or the quota is full")                                                \
    X(READ_ONLY, "read_only", 89, "the file system is read-only")                                                      \
    X(BUSY, "busy", 90, "a leased or locked file, a mount point, or a program that is running")                        \
    X(UNSAFE_DIRECTORY, "unsafe_directory", 91, "someone other than root may write where only root may")               \
    X(ROOT_REFUSED, "root_refused", 92, "will not do this as root without --as")                                       \
    X(CANNOT_DROP, "cannot_drop", 93, "the identity asked for could not be taken on")                                  \
    X(PARTIAL, "partial", 94, "done, but something was left out; stderr and the end record say what")                  \
    X(DEADLINE, "deadline", 124, "the time was up (as timeout)")

enum reason {
#define REASON_ENUM(constant, name, code, text) REASON_##constant,
    REASON_TABLE(REASON_ENUM)
#undef REASON_ENUM
        REASON_COUNT
};

/* The name as printed and as carried in an end record, such as "too_large". */
const char *reason_name(enum reason reason);

/* The exit code. */
int reason_code(enum reason reason);

/* One sentence for people. */
const char *reason_text(enum reason reason);

/* Finds the reason of this name (length bytes, no NUL needed). Gives REASON_COUNT when there is none. */
enum reason reason_find(const char *name, unsigned long length);

/*
 * The reason that an errno of errno(3) stands for wherever a call has no better word for it. What names no reason of
 * its own is REASON_SYSTEM.
 */
enum reason reason_from_errno(int error);

#endif
