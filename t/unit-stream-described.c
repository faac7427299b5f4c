/*
 * unit-stream-described: what the reader takes and refuses of headers that describe others: pax headers, global ones
 * and GNU tar's long names.
 */
#include <assert.h>

#include "verdict.h"

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

int main(void)
{
    unit_pax();
    unit_long_names();
    unit_pairs();
    made_reset();
    return unit_end();
}
