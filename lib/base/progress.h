/*
 * progress: one line on a terminal, for a transfer that takes its time.
 *
 * Drawn only when stderr is a terminal and the transfer has run for a second, and taken away at the end, so that logs
 * never hold it.
 */
#ifndef SBX_BASE_PROGRESS_H
#define SBX_BASE_PROGRESS_H

#include <stdint.h>

/* Starts to draw, where stderr is a terminal. Without this call the others do nothing. */
void progress_begin(const char *tool);

/* Says how many bytes there will be, QUANTITY_UNLIMITED for not known. */
void progress_expect(uint64_t bytes);

/* Counts bytes that have moved. */
void progress_add(uint64_t bytes);

/* Takes the line away. */
void progress_end(void);

#endif
