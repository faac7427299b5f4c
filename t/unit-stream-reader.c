/*
 * unit-stream-reader: what the reader takes of another tar's stream, and what it refuses, one wrong thing at a time.
 */
#include "verdict.h"

static void unit_types(void)
{
    foreign_member(&made, "./", '5');
    foreign_member(&made, "d/", '5');
    foreign_put(&made, foreign("d/f", '0', 3));
    foreign_data(&made, "ab\n", 3);
    foreign_target(&made, "d/h", '1', "./d/f");
    foreign_target(&made, "d/l", '2', "../..//x\n");
    foreign_member(&made, "c", '3');
    foreign_member(&made, "b", '4');
    foreign_member(&made, "p", '6');
    foreign_member(&made, "z", '7');
    foreign_member(&made, "o", '\0');
    foreign_member(&made, "v/", '\0');
    taken("every type of POSIX", "directory \"\" size=0" TIME " number=0\n"
                                 "directory \"d\" size=0" TIME " number=0\n"
                                 "file \"d/f\" size=3" TIME " number=1\n"
                                 "ab\nclose\n"
                                 "hard-link \"d/h\" size=0" TIME " number=0 -> \"d/f\"\n"
                                 "symlink \"d/l\" size=0" TIME " number=0 -> \"../..//x\\n\"\n"
                                 "character \"c\" size=0" TIME " number=0\n"
                                 "block \"b\" size=0" TIME " number=0\n"
                                 "fifo \"p\" size=0" TIME " number=0\n"
                                 "file \"z\" size=0" TIME " number=2\nclose\n"
                                 "file \"o\" size=0" TIME " number=3\nclose\n"
                                 "directory \"v\" size=0" TIME " number=0\nok\n");

    static const char other[] = "8ADEIMNSVX? aZ\x80\xff";
    for (size_t at = 0; at < strlen(other); at++) {
        char what[40];
        snprintf(what, sizeof what, "a member of type 0x%02x", (unsigned char)other[at]);
        foreign_member(&made, "f", other[at]);
        refused(what);
    }
    static const char empty[] = "123456";
    for (size_t at = 0; at < strlen(empty); at++) {
        char what[40];
        snprintf(what, sizeof what, "data for a member of type %c", empty[at]);
        struct block block = foreign("f", empty[at], 5);
        block.target[0] = 't';
        foreign_put(&made, block);
        refused(what);
    }
}

/* A header with NULs for a field. */
static void refused_field(const char *what, size_t offset, size_t size)
{
    struct block block = foreign("f", '0', 0);
    memset((char *)&block + offset, 0, size);
    block_seal(&block);
    if (offset == offsetof(struct block, checksum))
        memset(block.checksum, 0, sizeof block.checksum);
    stream_append(&made, &block, sizeof block);
    refused(what);
}

static void unit_headers(void)
{
    struct block block = foreign("f", '0', 0);
    memcpy(block.magic, BLOCK_MAGIC_GNU, sizeof block.magic);
    block.prefix[0] = 'p';
    foreign_put(&made, block);
    taken("GNU tar's own header has no prefix", "file \"f\" size=0" TIME " number=1\nclose\nok\n");
    block = foreign("f", '0', 0);
    block.prefix[0] = 'p';
    block.mode[4] = '7';
    foreign_put(&made, block);
    taken("ustar's has one", "executable file \"p/f\" size=0" TIME " number=1\nclose\nok\n");
    refused_field("a header without a magic", offsetof(struct block, magic), sizeof block.magic);
    refused_field("a header without a mode", offsetof(struct block, mode), sizeof block.mode);
    refused_field("a header without a time", offsetof(struct block, mtime), sizeof block.mtime);
    refused_field("a header without a checksum", offsetof(struct block, checksum), sizeof block.checksum);
    block = foreign("f", '0', 0);
    block.magic[7] = '1';
    foreign_put(&made, block);
    refused("another version of ustar");
    block = foreign("f", '0', 0);
    block_seal(&block);
    block.name[1] = 'x';
    stream_append(&made, &block, sizeof block);
    refused("a wrong checksum");
    block = foreign("\xe9", '0', 0);
    block_seal(&block);
    snprintf(block.checksum, sizeof block.checksum, "%06llo", strtoull(block.checksum, NULL, 8) - 256);
    stream_append(&made, &block, sizeof block);
    refused("a checksum of signed bytes");

    static const char *const numbers[] = {"", "           ", "0000000008", "-0000000001", "1x", "\xff\xff\xff"};
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
        char what[60];
        snprintf(what, sizeof what, "the size \"%.12s\"", at == 5 ? "-1 in base 256" : numbers[at]);
        block = foreign("f", '0', 0);
        memset(block.size, at == 5 ? 0xff : 0, sizeof block.size);
        memcpy(block.size, numbers[at], strlen(numbers[at]));
        foreign_put(&made, block);
        refused(what);
    }
    block = foreign("f", '0', 0);
    memset(block.mtime, 0xff, sizeof block.mtime);
    foreign_put(&made, block);
    taken("a time before 1970 in base 256", "file \"f\" size=0 mtime=-1.000000000 number=1\nclose\nok\n");
}

static void unit_names(void)
{
    foreign_member(&made, "../f", '0');
    verdict("..", REASON_ESCAPES, NULL);
    foreign_member(&made, "/etc/passwd", '0');
    verdict("an absolute name", REASON_ESCAPES, NULL);
    foreign_member(&made, "a/../../f", '0');
    verdict(".. in the middle", REASON_ESCAPES, NULL);
    PAX(&made, "path", "../f");
    foreign_member(&made, "f", '0');
    verdict(".. in a pax path", REASON_ESCAPES, NULL);
    foreign_described(&made, 'L', "/f", 3);
    foreign_member(&made, "f", '0');
    verdict("an absolute long name", REASON_ESCAPES, NULL);
    foreign_target(&made, "h", '1', "/etc/passwd");
    verdict("a hard link to an absolute name", REASON_ESCAPES, NULL);
    foreign_target(&made, "h", '1', "../f");
    verdict("a hard link up", REASON_ESCAPES, NULL);
    foreign_target(&made, "h", '1', "");
    verdict("a hard link to nothing", REASON_BAD_NAME, NULL);
    foreign_target(&made, "l", '2', "");
    verdict("a symbolic link to nothing", REASON_BAD_NAME, NULL);
    foreign_member(&made, "f/", '0');
    verdict("a file with a slash", REASON_BAD_NAME, NULL);
    foreign_member(&made, "./", '2');
    verdict("a root that is a link", REASON_BAD_NAME, NULL);
    foreign_member(&made, "a\nb", '6');
    verdict("a newline in the name of what is left out", REASON_BAD_NAME, NULL);
    struct block block = foreign("/f", '0', 0);
    block.prefix[0] = 'p';
    foreign_put(&made, block);
    verdict("an empty component between prefix and name", REASON_BAD_NAME, NULL);
}

static void unit_ends(void)
{
    verdict("nothing but zeros", REASON_TRUNCATED, NULL);
    foreign_member(&made, "d", '5');
    stream_zeros(&made, 512);
    foreign_member(&made, "e", '5');
    refused("a member after a zero block");

    struct reading reading;
    foreign_member(&made, "d", '5');
    for (size_t zeros = 0; zeros < 1024; zeros += 256) {
        reading_take(&reading, made.bytes, made.length, 512, READER_TREE);
        unit_claim(reading.reason == REASON_TRUNCATED, "%zu zero bytes do not end a stream", zeros);
        free(reading.text);
        stream_zeros(&made, 256);
    }
    foreign_member(&made, "../f", '0');
    reading_take(&reading, made.bytes, made.length, made.length, READER_TREE);
    unit_claim(reading.reason == REASON_OK && reading.left == 512 && !reading.ours,
               "1024 do, and what comes then is left in the input");
    free(reading.text);
    reading_take(&reading, made.bytes, made.length, 512, READER_SEALED);
    unit_claim(reading.reason == REASON_CORRUPT, "another tar's stream is no sealed one");
    free(reading.text);
    reading_take(&reading, (const unsigned char *)"#!/bin/sh\n", 10, 10, READER_TREE);
    unit_claim(reading.reason == REASON_TRUNCATED, "a few bytes of anything are a cut stream");
    free(reading.text);
    made_reset();
    for (size_t at = 0; at < 64; at++)
        stream_append(&made, "#!/bin/sh exec tar and so on ---", 32);
    refused("text");
}

int main(void)
{
    unit_types();
    unit_headers();
    unit_names();
    unit_ends();
    made_reset();
    return unit_end();
}
