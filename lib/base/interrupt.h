/*
 * interrupt: the deadline and the signals that end a tool early, seen by every call that may block.
 *
 * A tool must clean up before it ends, so neither may kill it outright. The handlers only take note, without
 * SA_RESTART: a blocked call gives EINTR, its caller asks interrupt_check and goes on or returns. A signal that comes
 * between the check and the call would be missed, so the first one starts a timer that repeats until the tool ends.
 *
 * POSIX signal-safety(7), setitimer(2), sigaction(2).
 */
#ifndef SBX_BASE_INTERRUPT_H
#define SBX_BASE_INTERRUPT_H

#include <stdint.h>

#include "fault.h"

/*
 * Starts to watch: TERM, INT and all others that end a process by default (where they are not ignored), and a deadline
 * in milliseconds from now, 0 for none. SIGPIPE and SIGXFSZ become EPIPE and EFBIG. Call once, before anything is made
 * that must be cleaned up.
 */
void interrupt_begin(int64_t deadline);

/*
 * Gives REASON_OK to go on; REASON_DEADLINE when the time is up, REASON_SYSTEM when a signal asked the tool to end,
 * with the fault filled for path.
 */
enum reason interrupt_check(struct fault *fault, const char *path);

/*
 * After the time was up or a signal came: gives so many more milliseconds, in which interrupt_check gives REASON_OK, to
 * tell a reader why the stream ends. Another signal ends them.
 */
void interrupt_grant(int64_t milliseconds);

/* Stops watching: from here on interrupt_check gives REASON_OK, so that cleaning up is not disturbed. */
void interrupt_end(void);

/* The signal that asked the tool to end, 0 if none did; also after interrupt_end. */
int interrupt_signal(void);

#endif
