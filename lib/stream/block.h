/*
 * block: the 512-byte header block of a tar archive, its numbers and its checksum. Pure.
 *
 * POSIX.1-2017, pax(1), "ustar Interchange Format": the table of fields and the rules for their contents. Base 256 is
 * GNU tar's extension ("Basic Tar Format": numbers too large for octal), which all tars of today read.
 */
#ifndef SBX_STREAM_BLOCK_H
#define SBX_STREAM_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BLOCK_SIZE = 512,
    BLOCK_NAME_SIZE = 100,
    BLOCK_PREFIX_SIZE = 155,
    BLOCK_CHECKSUM_SIZE = 8,
    BLOCK_CRC_SIZE = 8,
};

#define BLOCK_OCTAL_MAX UINT64_C(077777777777) /* of a 12-byte field: eleven digits and a NUL */

/* A header block. Every field is bytes, so that it has no padding and may lie anywhere. */
struct block {
    char name[BLOCK_NAME_SIZE]; /* NUL-terminated unless full */
    char mode[8];
    char uid[8];
    char gid[8];
    char size[12];
    char mtime[12];
    char checksum[BLOCK_CHECKSUM_SIZE];
    char type;
    char target[BLOCK_NAME_SIZE];
    char magic[8]; /* with the version */
    char user[32];
    char group[32];
    char device_major[8];
    char device_minor[8];
    char prefix[BLOCK_PREFIX_SIZE];
    char mark[4]; /* the last twelve bytes are unused in ustar; what is in them is in writer.h */
    char crc[BLOCK_CRC_SIZE];
};

_Static_assert(sizeof(struct block) == BLOCK_SIZE, "a header block has 512 bytes");

enum block_type {
    BLOCK_FILE = '0',
    BLOCK_FILE_OLD = '\0',
    BLOCK_HARD_LINK = '1',
    BLOCK_SYMLINK = '2',
    BLOCK_CHARACTER_DEVICE = '3',
    BLOCK_BLOCK_DEVICE = '4',
    BLOCK_DIRECTORY = '5',
    BLOCK_FIFO = '6',
    BLOCK_FILE_CONTIGUOUS = '7',
    BLOCK_PAX = 'x',
    BLOCK_PAX_GLOBAL = 'g',
    BLOCK_LONG_NAME = 'L', /* GNU: the data is the next member's name */
    BLOCK_LONG_TARGET = 'K',
    BLOCK_SPARSE = 'S', /* GNU: the data is a map and what is in it */
};

#define BLOCK_MAGIC_USTAR                                                                                              \
    "ustar\0"                                                                                                          \
    "00"
#define BLOCK_MAGIC_GNU "ustar  " /* and a NUL */

/* Which dialect a header is written in. The seventh edition's, without a magic, is not taken. */
enum block_format {
    BLOCK_UNKNOWN,
    BLOCK_USTAR, /* POSIX, with a prefix field */
    BLOCK_GNU,   /* GNU tar's and busybox's own, with other things where ustar has the prefix */
};

/* What a checksum is worth. */
enum block_seal {
    BLOCK_UNSEALED,
    BLOCK_SEALED,
    BLOCK_SEALED_EXACTLY,
};

/* What the mark says. */
enum block_mark {
    BLOCK_MARK_NONE,    /* another tar's */
    BLOCK_MARK_OURS,    /* ours */
    BLOCK_MARK_CHANGED, /* ours, and the file before this header changed while it was read */
};

bool block_is_zero(const struct block *block);

enum block_format block_format(const struct block *block);

/* Writes a number in octal, all digits, NUL-terminated; in base 256 if it is past BLOCK_OCTAL_MAX. size bytes. */
void block_put_number(char *field, size_t size, uint64_t value);

/*
 * Reads an octal number: blanks, at least one digit, then nothing but blanks and NULs to the end of the field; or a
 * number in base 256. False for all else, and for what fits no int64_t.
 */
bool block_get_number(const char *field, size_t size, int64_t *value);

/* Sets the checksum: six octal digits, NUL, blank. */
void block_seal(struct block *block);

/*
 * What is to be said of the checksum: whether it is the sum of the block's unsigned bytes, and whether it also stands
 * there exactly as block_seal writes it. (Other tars end or fill the field otherwise, and a blank that was flipped into
 * a NUL in it has no weight.) Some tars of the eighties summed signed bytes: a sum that may be either leaves a flipped
 * bit undetected.
 */
enum block_seal block_check(const struct block *block);

enum block_mark block_get_mark(const struct block *block);
void block_put_mark(struct block *block, bool changed);

/* CRC-32 (ISO-HDLC, as in gzip) of the data of a header, in eight lower-case hex digits. */
void block_put_crc(struct block *block, const void *data, size_t length);
bool block_has_crc(const struct block *block, const void *data, size_t length);

#endif
