/*
 * supervise: one command from its start to the end of everything that it started.
 *
 * The supervisor has the clock, the tether, the signals to be passed on and the output, all in one loop that waits on
 * descriptors; the reaper (reaper.h) has the processes.
 */
#ifndef SBX_JAIL_SUPERVISE_H
#define SBX_JAIL_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "outcome.h"
#include "spawn.h"

struct supervision {
    struct spawn spawn;
    int64_t deadline; /* milliseconds, 0 for none */
    int64_t grace;    /* milliseconds between TERM and KILL */
    bool tether;      /* stdin is a pipe or socket whose hang-up ends the command */
    bool frames;
    uint64_t max_output; /* bytes of stdout and of stderr; QUANTITY_UNLIMITED for any */
};

/*
 * Runs the command and fills the outcome, whatever becomes of it. With frames, supervise_finish has to follow. Ends
 * with this process in a Landlock domain and with no_new_privs: to be called once.
 */
void supervise_run(const struct supervision *supervision, struct outcome *outcome);

/*
 * Writes what is the last frame, line, behind all others, or alone where nothing was run. Waits for a slow reader until
 * the time of supervise_run is up. REASON_IO when the reader is gone, REASON_DEADLINE when it did not read; nothing is
 * done, nor said again, where writing has failed before.
 */
enum reason supervise_finish(const char *line, size_t length, struct fault *fault);

#endif
