/*
 * quantity: the numbers of a command line.
 *
 * Pure and strict: no sign, no space, nothing behind the number, nothing that does not fit. Each function gives false,
 * and leaves its result alone, for a text that is not exactly such a quantity.
 */
#ifndef SBX_BASE_QUANTITY_H
#define SBX_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#define QUANTITY_UNLIMITED UINT64_MAX

/* A plain decimal number, or "unlimited". */
bool quantity_count(const char *text, uint64_t *count);

/* Bytes: a decimal number and K, M, G or T for powers of 1024, or "unlimited". */
bool quantity_size(const char *text, uint64_t *bytes);

/*
 * Milliseconds: a decimal number, with a fraction if it likes, of seconds, or of the unit behind it (ms, s, m, h). A
 * part of a millisecond counts as a whole one, so that only 0 is 0.
 */
bool quantity_duration(const char *text, int64_t *milliseconds);

/* Permission bits in octal, up to 7777. */
bool quantity_mode(const char *text, unsigned *mode);

#endif
