/*
 * probe: what the kernel and the container allow here, found by trying.
 */
#ifndef SBX_JAIL_PROBE_H
#define SBX_JAIL_PROBE_H

#include <stddef.h>

enum { PROBE_SIZE = 4096 };

/* Writes one line of JSON to PROBE_SIZE bytes, and no NUL; gives its length. */
size_t probe_write(char *line);

#endif
