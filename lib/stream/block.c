#include "block.h"

#include <stdio.h>
#include <string.h>

enum {
    BASE256_POSITIVE = 0x80, /* the field's first byte: the rest is a big-endian number, */
    BASE256_NEGATIVE = 0xff, /* or a negative one in two's complement */
};

bool block_is_zero(const struct block *block)
{
    static const struct block zero;
    return memcmp(block, &zero, BLOCK_SIZE) == 0;
}

enum block_format block_format(const struct block *block)
{
    if (memcmp(block->magic, BLOCK_MAGIC_USTAR, sizeof block->magic) == 0)
        return BLOCK_USTAR;
    if (memcmp(block->magic, BLOCK_MAGIC_GNU, sizeof block->magic) == 0)
        return BLOCK_GNU;
    return BLOCK_UNKNOWN;
}

/* All digits, without an end. By hand: a million headers have eight million numbers. */
static void octal_put(char *field, size_t digits, uint64_t value)
{
    for (; digits > 0; value >>= 3)
        field[--digits] = (char)('0' + (value & 7));
}

void block_put_number(char *field, size_t size, uint64_t value)
{
    if (value <= BLOCK_OCTAL_MAX) {
        octal_put(field, size - 1, value);
        field[size - 1] = '\0';
        return;
    }
    memset(field, 0, size);
    field[0] = (char)BASE256_POSITIVE;
    for (size_t at = size; value > 0; value >>= 8)
        field[--at] = (char)(value & 0xff);
}

static bool octal_get(const char *field, size_t size, int64_t *value)
{
    size_t at = 0;
    while (at < size && field[at] == ' ')
        at++;
    size_t first = at;
    int64_t number = 0;
    /* No field is long enough for a number that passes INT64_MAX: twelve digits are 36 bits. */
    for (; at < size && field[at] >= '0' && field[at] <= '7'; at++)
        number = number * 8 + (field[at] - '0');
    if (at == first)
        return false;
    for (; at < size; at++) {
        if (field[at] != ' ' && field[at] != '\0')
            return false;
    }
    *value = number;
    return true;
}

static bool base256_get(const char *field, size_t size, int64_t *value)
{
    int64_t sign = (unsigned char)field[0] == BASE256_NEGATIVE ? -1 : 0;
    uint64_t number = (uint64_t)sign;
    for (size_t at = 1; at < size; at++) {
        /* The byte that is shifted out may hold nothing but the sign. */
        if (number >> 56 != (uint64_t)(sign & 0xff))
            return false;
        number = number << 8 | (unsigned char)field[at];
    }
    *value = (int64_t)number;
    return (*value < 0) == (sign < 0);
}

bool block_get_number(const char *field, size_t size, int64_t *value)
{
    switch ((unsigned char)field[0]) {
    case BASE256_POSITIVE:
    case BASE256_NEGATIVE:
        return base256_get(field, size, value);
    default:
        return octal_get(field, size, value);
    }
}

/*
 * The sum of all bytes, those of the checksum field counted as blanks. Eight bytes at a time, in four lanes of 16 bits:
 * 128 bytes of at most 255 come to each, which is below 65536.
 */
static unsigned checksum(const struct block *block)
{
    const unsigned char *bytes = (const unsigned char *)block;
    const uint64_t lanes = UINT64_C(0x00ff00ff00ff00ff);
    uint64_t sums = 0;
    for (size_t at = 0; at < BLOCK_SIZE; at += sizeof sums) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        sums += (word & lanes) + (word >> 8 & lanes);
    }
    unsigned sum = ' ' * sizeof block->checksum;
    for (; sums > 0; sums >>= 16)
        sum += sums & 0xffff;
    for (size_t at = 0; at < sizeof block->checksum; at++)
        sum -= (unsigned char)block->checksum[at];
    return sum;
}

static void checksum_put(char field[static BLOCK_CHECKSUM_SIZE], unsigned sum)
{
    octal_put(field, 6, sum);
    field[6] = '\0';
    field[7] = ' ';
}

void block_seal(struct block *block)
{
    checksum_put(block->checksum, checksum(block));
}

enum block_seal block_check(const struct block *block)
{
    unsigned sum = checksum(block);
    char exact[BLOCK_CHECKSUM_SIZE];
    checksum_put(exact, sum);
    if (memcmp(exact, block->checksum, sizeof exact) == 0)
        return BLOCK_SEALED_EXACTLY;
    int64_t said;
    return octal_get(block->checksum, sizeof block->checksum, &said) && said == sum ? BLOCK_SEALED : BLOCK_UNSEALED;
}

void block_put_mark(struct block *block, bool changed)
{
    memcpy(block->mark, changed ? "sbx!" : "sbx-", sizeof block->mark);
}

enum block_mark block_get_mark(const struct block *block)
{
    if (memcmp(block->mark, "sbx-", sizeof block->mark) == 0)
        return BLOCK_MARK_OURS;
    if (memcmp(block->mark, "sbx!", sizeof block->mark) == 0)
        return BLOCK_MARK_CHANGED;
    return BLOCK_MARK_NONE;
}

/* The reflected polynomial 0xedb88320, four bits at a time. */
static uint32_t crc32(const unsigned char *bytes, size_t length)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t crc = ~UINT32_C(0);
    for (size_t at = 0; at < length; at++) {
        crc ^= bytes[at];
        crc = crc >> 4 ^ table[crc & 0xf];
        crc = crc >> 4 ^ table[crc & 0xf];
    }
    return ~crc;
}

void block_put_crc(struct block *block, const void *data, size_t length)
{
    char digits[BLOCK_CRC_SIZE + 1];
    snprintf(digits, sizeof digits, "%08x", (unsigned)crc32(data, length));
    memcpy(block->crc, digits, sizeof block->crc);
}

bool block_has_crc(const struct block *block, const void *data, size_t length)
{
    struct block other;
    block_put_crc(&other, data, length);
    return memcmp(other.crc, block->crc, sizeof other.crc) == 0;
}
