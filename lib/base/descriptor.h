/*
 * descriptor: reading, writing and waiting that is complete or has a reason.
 *
 * EINTR asks interrupt_check and goes on; EAGAIN, which a non-blocking stream inherited from another process gives,
 * waits by poll(2); a short write goes on where it stopped. The names given are for the fault alone.
 */
#ifndef SBX_BASE_DESCRIPTOR_H
#define SBX_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

/* What a fault calls the streams. */
#define DESCRIPTOR_STDIN  "standard input"
#define DESCRIPTOR_STDOUT "standard output"

/*
 * Requires 0, 1 and 2 to be open: REASON_USAGE else, since the next file that is opened would take the place of the one
 * that is missing. POSIX execve: a program may rely on them.
 */
enum reason descriptor_check_standard(struct fault *fault);

/* Requires that a stream is no terminal: REASON_USAGE else. */
enum reason descriptor_check_stream(int descriptor, const char *name, struct fault *fault);

/* Whether the descriptor is /dev/null. */
bool descriptor_is_null_device(int descriptor);

/* Waits until poll(2) sees one of the events: REASON_OK, or what interrupt_check says. */
enum reason descriptor_wait(int descriptor, short events, const char *name, struct fault *fault);

/* Reads up to size bytes, at least one unless the end was reached; *got says how many, 0 at the end. */
enum reason descriptor_read(int descriptor, void *buffer, size_t size, size_t *got, const char *name,
                            struct fault *fault);

/* Writes all of it. */
enum reason descriptor_write(int descriptor, const void *buffer, size_t size, const char *name, struct fault *fault);

/* The same, and *done says how many bytes went out, also when it fails. */
enum reason descriptor_write_counted(int descriptor, const void *buffer, size_t size, size_t *done, const char *name,
                                     struct fault *fault);

/*
 * Lets a file system say now what it would say at the last close(2) (NFS writes back then), while the file can still be
 * taken away: closes a duplicate.
 */
enum reason descriptor_settle(int descriptor, const char *name, struct fault *fault);

#endif
