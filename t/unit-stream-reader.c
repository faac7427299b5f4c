/*
 * unit-stream-reader: what the reader takes of another tar's stream, and what it refuses, one wrong thing at a time.
 */
#include <assert.h>

#include "foreign.h"
#include "unit.h"

static struct stream made; /* the stream that a case makes and a verdict uses up */

static void stream_reset(void)
{
    free(made.bytes);
    made = (struct stream){.length = 0};
}

/* Ends the stream as tars do and reads it, in pieces of an odd size. */
static void verdict(const char *what, enum reason reason, const char *text)
{
    struct reading reading;
    stream_zeros(&made, 2 * BLOCK_SIZE);
    reading_take(&reading, made.bytes, made.length, 333, READER_TREE);
    bool right = reading.reason == reason && (text == NULL || strcmp(reading.text, text) == 0);
    unit_claim(right, "%s: %s", what, reason_name(reason));
    if (!right)
        printf("# %s (%s), %s\n", reason_name(reading.reason), reading.fault.detail, reading.text);
    free(reading.text);
    stream_reset();
}

static void refused(const char *what)
{
    verdict(what, REASON_CORRUPT, NULL);
}

static void taken(const char *what, const char *text)
{
    verdict(what, REASON_OK, text);
}

#define TIME " mtime=1700000000.000000000"

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
    block = foreign("f", '0', 0);
    memset(block.magic, 0, sizeof block.magic);
    foreign_put(&made, block);
    refused("a header without a magic");
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
    memset(block.mode, 0, sizeof block.mode);
    foreign_put(&made, block);
    refused("no mode");
    block = foreign("f", '0', 0);
    memset(block.mtime, 0xff, sizeof block.mtime);
    foreign_put(&made, block);
    taken("a time before 1970 in base 256", "file \"f\" size=0 mtime=-1.000000000 number=1\nclose\nok\n");
}

static void unit_pax(void)
{
    PAX(&made, "mtime", "1.25", "path", "./a/b", "atime", "x", "SCHILY.xattr.user.a", "\1=\n", "uid", "9");
    foreign_member(&made, "ignored", '0');
    foreign_member(&made, "g", '0');
    taken("a pax header describes one member", "file \"a/b\" size=0 mtime=1.250000000 number=1\nclose\n"
                                               "file \"g\" size=0" TIME " number=2\nclose\nok\n");
    PAX(&made, "linkpath", "a/long/target");
    foreign_target(&made, "l", '2', "short");
    taken("a linkpath wins over the header", "symlink \"l\" size=0" TIME " number=0 -> \"a/long/target\"\nok\n");
    PAX(&made, "hdrcharset", "BINARY", "path", "\xff");
    foreign_member(&made, "f", '0');
    taken("a name in BINARY", "file \"\\xff\" size=0" TIME " number=1\nclose\nok\n");
    PAX(&made, "hdrcharset", "ISO-IR 10646 2000 UTF-8", "path", "\xc3\xa9");
    foreign_member(&made, "f", '0');
    taken("a name in UTF-8", "file \"\\xc3\\xa9\" size=0" TIME " number=1\nclose\nok\n");
    PAX(&made, "size", "9663676416");
    foreign_member(&made, "f", '0');
    verdict("9 GiB in a pax header alone", REASON_TRUNCATED, NULL);
    PAX(&made, "size", "9663676416");
    foreign_put(&made, foreign("f", '0', 1));
    refused("9 GiB in a pax header, a byte in the other");
    PAX(&made, "size", "8589934591");
    foreign_member(&made, "f", '0');
    refused("8 GiB - 1 in a pax header alone, which would have fitted the other");
    PAX(&made, "size", "3");
    foreign_put(&made, foreign("f", '0', 3));
    foreign_data(&made, "ab\n", 3);
    taken("a pax size that says what the header says", "file \"f\" size=3" TIME " number=1\nab\nclose\nok\n");
    GLOBAL(&made, "comment", "0123456789abcdef", "vendor.key", "x");
    foreign_member(&made, "f", '0');
    taken("a global comment", "file \"f\" size=0" TIME " number=1\nclose\nok\n");

    static const struct {
        const char *what, *key, *value;
    } wrong[] = {
        {"a pax size of 1 for a header of 0", "size", "1"},
        {"a negative pax size", "size", "-1"},
        {"an empty pax size", "size", ""},
        {"a pax size past 2^63", "size", "9223372036854775808"},
        {"an empty path", "path", ""},
        {"a target for a file", "linkpath", "t"},
        {"a wrong mtime", "mtime", "yesterday"},
        {"a name in another character set", "hdrcharset", "ISO-IR 8859 1 1998"},
        {"GNU.sparse.major", "GNU.sparse.major", "1"},
        {"GNU.sparse.map", "GNU.sparse.map", "0,1"},
        {"SCHILY.realsize", "SCHILY.realsize", "1"},
        {"SUN.holesdata", "SUN.holesdata", " 0 1"},
        {"our end record", "comment", "sbx-end 1 reason=ok files=0 bytes=0 skipped=0 changed="},
        {"an end record of another version", "comment", "sbx-end 2 reason=ok"},
    };
    for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++) {
        PAX(&made, wrong[at].key, wrong[at].value);
        foreign_member(&made, "f", '0');
        refused(wrong[at].what);
    }
    PAX(&made, "size", "4");
    foreign_put(&made, foreign("f", '0', 3));
    foreign_data(&made, "abc", 3);
    refused("a pax size that contradicts its header");
    static const char *const twice[] = {"path", "linkpath", "size", "mtime"};
    for (size_t at = 0; at < 4; at++) {
        PAX(&made, twice[at], "0", twice[at], "0");
        foreign_target(&made, "f", twice[at][0] == 'l' ? '2' : '0', "");
        refused(twice[at]);
    }
    static const char *const global[] = {"path", "linkpath", "size", "mtime", "GNU.sparse.name"};
    for (size_t at = 0; at < 5; at++) {
        char what[40];
        snprintf(what, sizeof what, "a global %s", global[at]);
        GLOBAL(&made, global[at], "0");
        foreign_member(&made, "f", '0');
        refused(what);
    }
    foreign_described(&made, 'x', "9 path=\0\n", 9);
    foreign_member(&made, "f", '0');
    refused("a NUL in a path");
    foreign_described(&made, 'x', "99 path=a\n", 10);
    foreign_member(&made, "f", '0');
    refused("a record that is longer than its header");
    foreign_put(&made, foreign("h", 'x', 0));
    foreign_member(&made, "f", '0');
    refused("a pax header without data");
    foreign_put(&made, foreign("h", 'x', READER_BODY_MAX + 1));
    stream_zeros(&made, READER_BODY_MAX + 512);
    refused("a pax header of 64 KiB and a byte");
    foreign_put(&made, foreign("h", 'x', INT64_MAX));
    refused("a pax header of 8 EiB");
    char *value = stream_allocate(READER_BODY_MAX);
    memset(value, 'v', READER_BODY_MAX);
    char *body = stream_allocate(READER_BODY_MAX + RECORD_OVERHEAD_MAX);
    size_t length = record_put(body, "comment", value, READER_BODY_MAX - 15);
    assert(length == READER_BODY_MAX);
    foreign_described(&made, 'x', body, length);
    foreign_member(&made, "f", '0');
    taken("one of 64 KiB", NULL);
    free(body);
    free(value);
    for (unsigned count = 16; count <= 17; count++) {
        for (unsigned at = 0; at < count; at++)
            GLOBAL(&made, "comment", "c");
        foreign_member(&made, "f", '0');
        verdict(count == 16 ? "16 global headers" : "17 global headers", count == 16 ? REASON_OK : REASON_CORRUPT,
                NULL);
    }
}

static void unit_long_names(void)
{
    char name[5001];
    memset(name, 'n', sizeof name - 1);
    name[5000] = '\0';
    for (size_t at = 255; at < 5000; at += 256)
        name[at] = '/';
    foreign_described(&made, 'L', "a/b", 4);
    foreign_described(&made, 'K', "t", 1);
    foreign_target(&made, "ignored", '2', "ignored");
    foreign_member(&made, "g", '0');
    taken("long name headers, with a NUL and without", "symlink \"a/b\" size=0" TIME " number=0 -> \"t\"\n"
                                                       "file \"g\" size=0" TIME " number=1\nclose\nok\n");
    foreign_described(&made, 'K', "t", 2);
    foreign_described(&made, 'L', "a/b", 4);
    foreign_member(&made, "ignored", '2');
    taken("in the other order", "symlink \"a/b\" size=0" TIME " number=0 -> \"t\"\nok\n");
    foreign_described(&made, 'L', name, 5000);
    foreign_member(&made, "f", '0');
    verdict("a name of 5000 bytes", REASON_BAD_NAME, NULL);
    PAX(&made, "path", name);
    foreign_member(&made, "f", '0');
    verdict("the same in a pax header", REASON_BAD_NAME, NULL);
    char raw[PATH_MAX + 3] = "./";
    memcpy(raw + 2, name, PATH_MAX - 1);
    raw[PATH_MAX + 1] = '/';
    foreign_described(&made, 'L', raw, PATH_MAX + 2);
    foreign_member(&made, "f", '5');
    taken("the longest name, a directory's, with ./ in front and a slash behind", NULL);
    raw[PATH_MAX + 1] = 'n';
    foreign_described(&made, 'L', raw, PATH_MAX + 2);
    foreign_member(&made, "f", '5');
    verdict("one byte more", REASON_BAD_NAME, NULL);
    for (size_t length = PATH_MAX - 1; length <= PATH_MAX; length++) {
        foreign_described(&made, 'K', name, length);
        foreign_member(&made, "l", '2');
        verdict(length == PATH_MAX ? "a target of 4096 bytes" : "a target of 4095 bytes",
                length == PATH_MAX ? REASON_BAD_NAME : REASON_OK, NULL);
    }
    foreign_described(&made, 'L', "a\0b", 4);
    foreign_member(&made, "f", '0');
    refused("a NUL in a long name");
    foreign_described(&made, 'L', "", 1);
    foreign_member(&made, "f", '0');
    refused("an empty long name");
    foreign_described(&made, 'K', "t", 2);
    foreign_member(&made, "f", '0');
    refused("a long target for a file");
}

/* Pairs of headers about headers, "then" the member or the end. */
static void unit_pairs(void)
{
    static const char *const pairs[] = {"xx", "xL", "xK", "xg", "Lx", "LL", "Lg", "Kx", "KK", "Kg", "LKL", "LKx"};
    for (size_t at = 0; at < sizeof pairs / sizeof *pairs; at++) {
        for (const char *type = pairs[at]; *type != '\0'; type++) {
            if (*type == 'x' || *type == 'g')
                foreign_pax(&made, *type, (const char *const[]){"comment", "c", NULL});
            else
                foreign_described(&made, *type, "n", 2);
        }
        foreign_target(&made, "f", '2', "t");
        refused(pairs[at]);
    }
    static const char alone[] = "xLK";
    for (size_t at = 0; at < strlen(alone); at++) {
        if (alone[at] == 'x')
            PAX(&made, "comment", "c");
        else
            foreign_described(&made, alone[at], "n", 2);
        refused("a header about nothing");
    }
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
    stream_reset();
    for (size_t at = 0; at < 64; at++)
        stream_append(&made, "#!/bin/sh exec tar and so on ---", 32);
    refused("text");
}

int main(void)
{
    unit_types();
    unit_headers();
    unit_pax();
    unit_long_names();
    unit_pairs();
    unit_names();
    unit_ends();
    stream_reset();
    return unit_end();
}
