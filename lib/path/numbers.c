#include "numbers.h"

#include <stdlib.h>

enum { NUMBERS_FIRST = 64, NUMBERS_FREE = 0 };

#define NUMBERS_REMOVED UINT64_MAX

/* Spreads numbers that follow one another, as inodes do (Fibonacci hashing). */
static const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15);

/* The slot of the number, or the free one where it would be. size is a power of two, and one slot at least is free. */
static size_t numbers_slot(const struct numbers *numbers, uint64_t number)
{
    size_t slot = (size_t)((number * spread) >> 32) & (numbers->size - 1);
    while (numbers->slots[slot] != NUMBERS_FREE && numbers->slots[slot] != number)
        slot = (slot + 1) & (numbers->size - 1);
    return slot;
}

static bool numbers_grow(struct numbers *numbers)
{
    struct numbers larger = {.size = numbers->size ? 2 * numbers->size : NUMBERS_FIRST};
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < numbers->size; i++)
        if (numbers->slots[i] != NUMBERS_FREE && numbers->slots[i] != NUMBERS_REMOVED) {
            larger.slots[numbers_slot(&larger, numbers->slots[i])] = numbers->slots[i];
            larger.used++;
        }
    free(numbers->slots);
    *numbers = larger;
    return true;
}

bool numbers_add(struct numbers *numbers, uint64_t number)
{
    if (2 * (numbers->used + 1) > numbers->size && !numbers_grow(numbers))
        return false;
    size_t slot = numbers_slot(numbers, number);
    if (numbers->slots[slot] == NUMBERS_FREE)
        numbers->used++;
    numbers->slots[slot] = number;
    return true;
}

bool numbers_has(const struct numbers *numbers, uint64_t number)
{
    return numbers->size > 0 && numbers->slots[numbers_slot(numbers, number)] == number;
}

bool numbers_remove(struct numbers *numbers, uint64_t number)
{
    if (!numbers_has(numbers, number))
        return false;
    numbers->slots[numbers_slot(numbers, number)] = NUMBERS_REMOVED;
    return true;
}

void numbers_free(struct numbers *numbers)
{
    free(numbers->slots);
}
