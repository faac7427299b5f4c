/*
 * unit-stream-cut: no part of a stream of ours is ever taken for a whole one, and no changed one for the real one.
 */
#include "foreign.h"
#include "unit.h"

enum { END_ZEROS = 2 * BLOCK_SIZE, TAIL_MAX = 10240 };

/* The parts of a stream that are members' data, in which a flipped bit means another file, not another stream. */
struct data {
    size_t from, to;
};

static struct data data[8];
static size_t data_count;

static void file(struct stream *stream, const char *name, const char *text)
{
    stream_file(stream, name, text, strlen(text));
    size_t to = stream->length - writer_padding(strlen(text));
    data[data_count++] = (struct data){to - strlen(text), to};
}

static bool data_holds(size_t at)
{
    for (size_t part = 0; part < data_count; part++) {
        if (at >= data[part].from && at < data[part].to)
            return true;
    }
    return false;
}

/* A tree with one of everything that a stream of ours can hold. */
static void tree(struct stream *stream)
{
    *stream = (struct stream){.length = 0};
    char name[151], target[PATH_MAX];
    memset(name, 'n', 150);
    name[150] = '\0';
    memset(target, 't', 130);
    target[130] = '\0';
    data_count = 0;
    stream_directory(stream, "d");
    file(stream, "d/a", "one\n");
    file(stream, "d/e", "");
    file(stream, name, "a pax header\n");
    stream_changed(stream);
    memset(name, 0xe9, 150);
    file(stream, name, "a long name header\n");
    stream_symlink(stream, "l", "d/a");
    target[0] = '\xe9';
    stream_symlink(stream, name, target);
    file(stream, "z", "last\n");
    stream_changed(stream);
    stream_end(stream, REASON_PARTIAL, 1);
}

static void sealed(struct stream *stream)
{
    *stream = (struct stream){.length = 0};
    data_count = 0;
    file(stream, "report", "sealed\n");
    stream_end(stream, REASON_OK, 0);
}

static enum reason reason_of(const unsigned char *bytes, size_t length, enum reader_kind kind)
{
    struct reading reading;
    reading_take(&reading, bytes, length, length, kind);
    free(reading.text);
    return reading.reason;
}

static bool refused_as_cut(enum reason reason)
{
    return reason == REASON_TRUNCATED || reason == REASON_CORRUPT;
}

static void unit_prefixes(const char *what, const struct stream *stream, enum reader_kind kind)
{
    bool alone = true, closed = true, padded = true;
    unsigned char *cut = stream_allocate(stream->length + TAIL_MAX);
    for (size_t length = 0; length < stream->length; length++) {
        memcpy(cut, stream->bytes, length);
        memset(cut + length, 0, TAIL_MAX);
        alone = alone && refused_as_cut(reason_of(cut, length, kind));
        if (length < stream->length - END_ZEROS)
            closed = closed && refused_as_cut(reason_of(cut, length + END_ZEROS, kind));
        /* The last eight bytes of the last header are zero: with enough zeros after it, nothing is missing. */
        if (length < stream->length - END_ZEROS - BLOCK_CRC_SIZE)
            padded = padded && refused_as_cut(reason_of(cut, length + TAIL_MAX, kind));
    }
    free(cut);
    unit_claim(reason_of(stream->bytes, stream->length, kind) == REASON_OK, "%s of %zu bytes is taken", what,
               stream->length);
    unit_claim(alone, "every prefix of it is refused");
    unit_claim(closed, "every prefix and two zero blocks, short of the real ones, too");
    unit_claim(padded, "and every prefix and a record of zeros");
}

static void unit_flips(const char *what, struct stream *stream, enum reader_kind kind)
{
    size_t passed_outside = 0, refused_inside = 0;
    for (size_t bit = 0; bit < 8 * stream->length; bit++) {
        stream->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        enum reason reason = reason_of(stream->bytes, stream->length, kind);
        if (data_holds(bit / 8))
            refused_inside += reason != REASON_OK;
        else if (reason == REASON_OK && passed_outside++ == 0)
            printf("# bit %zu of byte %zu passes\n", bit % 8, bit / 8);
        stream->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    unit_claim(passed_outside == 0, "%s: one flipped bit anywhere but in a file's data is refused", what);
    unit_claim(refused_inside == 0, "and one in a file's data is the file's own business");
}

static void unit_pieces(const struct stream *stream)
{
    struct reading whole, piecewise;
    static const size_t pieces[] = {1, 2, 3, 7, 64, 511, 512, 513, 1024, 4096};
    bool same = true;
    reading_take(&whole, stream->bytes, stream->length, stream->length, READER_TREE);
    for (size_t at = 0; at < sizeof pieces / sizeof *pieces; at++) {
        reading_take(&piecewise, stream->bytes, stream->length, pieces[at], READER_TREE);
        same = same && strcmp(whole.text, piecewise.text) == 0;
        free(piecewise.text);
    }
    unit_claim(whole.reason == REASON_OK && same, "the events are the same however the bytes are cut");
    free(whole.text);
}

int main(void)
{
    struct stream stream;
    tree(&stream);
    unit_prefixes("a tree", &stream, READER_TREE);
    unit_flips("a tree", &stream, READER_TREE);
    unit_pieces(&stream);
    free(stream.bytes);
    sealed(&stream);
    unit_prefixes("a sealed file", &stream, READER_SEALED);
    unit_flips("a sealed file", &stream, READER_SEALED);
    unit_prefixes("a sealed file, read as a tree", &stream, READER_TREE);
    free(stream.bytes);
    return unit_end();
}
