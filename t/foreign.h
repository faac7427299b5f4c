/*
 * foreign: members of a stream that another tar wrote, right or wrong, for the unit tests of lib/stream.
 */
#ifndef SBX_T_FOREIGN_H
#define SBX_T_FOREIGN_H

#include "stream.h"
#include "stream/record.h"

/* A header as any tar writes it; the caller may change it before foreign_put seals and appends it. */
static inline struct block foreign(const char *name, char type, uint64_t size)
{
    struct block block;
    memset(&block, 0, sizeof block);
    memcpy(block.name, name, strlen(name));
    block_put_number(block.mode, sizeof block.mode, type == BLOCK_DIRECTORY ? 0755 : 0644);
    block_put_number(block.size, sizeof block.size, size);
    block_put_number(block.mtime, sizeof block.mtime, 1700000000);
    block.type = type;
    memcpy(block.magic,
           "ustar\0"
           "00",
           8);
    return block;
}

static inline void foreign_put(struct stream *stream, struct block block)
{
    block_seal(&block);
    stream_append(stream, &block, sizeof block);
}

static inline void foreign_data(struct stream *stream, const void *data, size_t length)
{
    stream_append(stream, data, length);
    stream_zeros(stream, writer_padding(length));
}

static inline void foreign_member(struct stream *stream, const char *name, char type)
{
    foreign_put(stream, foreign(name, type, 0));
}

static inline void foreign_target(struct stream *stream, const char *name, char type, const char *target)
{
    struct block block = foreign(name, type, 0);
    memcpy(block.target, target, strlen(target));
    foreign_put(stream, block);
}

static inline void foreign_described(struct stream *stream, char type, const void *data, size_t length)
{
    foreign_put(stream, foreign("h", type, length));
    foreign_data(stream, data, length);
}

/* A pax header of records, given as pairs of key and value up to a NULL. */
static inline void foreign_pax(struct stream *stream, char type, const char *const *pairs)
{
    char body[4 * PATH_MAX];
    size_t length = 0;
    for (; *pairs != NULL; pairs += 2)
        length += record_put(body + length, pairs[0], pairs[1], strlen(pairs[1]));
    foreign_described(stream, type, body, length);
}

#define PAX(stream, ...)    foreign_pax(stream, BLOCK_PAX, (const char *const[]){__VA_ARGS__, NULL})
#define GLOBAL(stream, ...) foreign_pax(stream, BLOCK_PAX_GLOBAL, (const char *const[]){__VA_ARGS__, NULL})

#endif
