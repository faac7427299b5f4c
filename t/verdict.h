/*
 * verdict: makes another tar's stream and says what the reader must make of it, for the unit tests of the reader.
 */
#ifndef SBX_T_VERDICT_H
#define SBX_T_VERDICT_H

#include "foreign.h"
#include "unit.h"

static struct stream made; /* the stream that a case makes and a verdict uses up */

static inline void made_reset(void)
{
    free(made.bytes);
    made = (struct stream){.length = 0};
}

/* Ends the stream as tars do and reads it, in pieces of an odd size. */
static inline void verdict(const char *what, enum reason reason, const char *text)
{
    struct reading reading;
    stream_zeros(&made, 2 * BLOCK_SIZE);
    reading_take(&reading, made.bytes, made.length, 333, READER_TREE);
    bool right = reading.reason == reason && (text == NULL || strcmp(reading.text, text) == 0);
    unit_claim(right, "%s: %s", what, reason_name(reason));
    if (!right)
        printf("# %s (%s), %s\n", reason_name(reading.reason), reading.fault.detail, reading.text);
    free(reading.text);
    made_reset();
}

static inline void refused(const char *what)
{
    verdict(what, REASON_CORRUPT, NULL);
}

static inline void taken(const char *what, const char *text)
{
    verdict(what, REASON_OK, text);
}

/* The time of every member here, as a reading has it. */
#define TIME " mtime=1700000000.000000000"

#endif
