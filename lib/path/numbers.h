/*
 * numbers: a set of numbers, for asking whether one is in it. Pure, apart from memory.
 *
 * A hash table with open addressing: whoever chooses the numbers, such as the order in which a stream makes
 * directories, gets no list that is searched for each of them.
 */
#ifndef SBX_PATH_NUMBERS_H
#define SBX_PATH_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Empty when it is all zeros. Holds no 0 and no UINT64_MAX. */
struct numbers {
    uint64_t *slots;
    size_t size;
    size_t used; /* slots that are not free, those of removed numbers too */
};

/* False when there is no memory. */
bool numbers_add(struct numbers *numbers, uint64_t number);

bool numbers_has(const struct numbers *numbers, uint64_t number);

/* Takes the number out; whether it was there. */
bool numbers_remove(struct numbers *numbers, uint64_t number);

void numbers_free(struct numbers *numbers);

#endif
