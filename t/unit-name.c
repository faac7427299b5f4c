/* unit-name: which names pass, and how all names are printed. */
#include "path/name.h"

#include <limits.h>
#include <string.h>

#include "base/diagnostic.h"
#include "path/drop.h"
#include "unit.h"

static struct fault fault;

static void unit_names(void)
{
    static const char *const bad[] = {"", ".", "..", "a/b", "/", "a\nb", "\x7f", "\x1b[2J", "a\tb"};
    static const char *const good[] = {"a", "...", "-rf", " ", "a b", "\xff\xfe", ".hidden", "[x]*?:\\", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        unit_claim(name_check(bad[i], strlen(bad[i]), &fault) == REASON_BAD_NAME, "name %zu is refused", i);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        unit_claim(name_check(good[i], strlen(good[i]), &fault) == REASON_OK, "%s is a name", good[i]);
    char longest[NAME_LONGEST + 1]; /* and no NUL */
    memset(longest, 'n', sizeof longest);
    unit_claim(name_check(longest, NAME_LONGEST, &fault) == REASON_OK, "255 bytes are a name");
    unit_claim(name_check(longest, NAME_LONGEST + 1, &fault) == REASON_BAD_NAME, "256 bytes are none");
}

static void unit_paths(void)
{
    static const char *const bad[] = {"", "/", "a/", "a/.", "a/..", ".", "..", "/a//", "link/"};
    const char *last;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        unit_claim(name_split(bad[i], &last, &fault) == REASON_BAD_NAME, "'%s' names no file", bad[i]);
    unit_claim(name_split("/a/../b c", &last, &fault) == REASON_OK && strcmp(last, "b c") == 0, "the last is found");
    unit_claim(name_split("a", &last, &fault) == REASON_OK && strcmp(last, "a") == 0, "a name alone is a path");
    unit_claim(name_climbs("..") && name_climbs("a/..") && name_climbs("../a") && name_climbs("a/../b") &&
                   name_climbs("//..//"),
               ".. is seen in every place");
    unit_claim(!name_climbs("...") && !name_climbs("a..") && !name_climbs("..a/b") && !name_climbs("") &&
                   !name_climbs("a/.../b"),
               "and nowhere else");
}

static void unit_drops(void)
{
#define HEX "0123456789abcdef0123456789abcdef"
    static const char *const bad[] = {
        "/run/sbx/drop",
        "/run/sbx/drop/",
        "/run/sbx/drop/" HEX "/",
        "/run/sbx/drop/" HEX "0/x",
        "/run/sbx/drop/" HEX "xy",
        "/run/sbx/dropx" HEX "/x",
        "/run/abc/drop/" HEX "/x",
        "/run/sbx/drop/" HEX "/a/b",
        "/run/sbx/drop/" HEX "/..",
        "/run/sbx/drop/" HEX "/.",
        "/run/sbx/drop//" HEX "/x",
        "/run/sbx/drop/./" HEX "/x",
        "//run/sbx/drop/" HEX "/x",
        "/run/sbx/drop/0123456789ABCDEF0123456789abcdef/x",
        "/run/sbx/drop/0123456789abcdef0123456789abcde/x",
        "/run/sbx/drop/" HEX "/a\nb",
        "/run/sbx/drops/" HEX "/x",
        "/run/sbx/" HEX "/x",
        "run/sbx/drop/" HEX "/x",
        "/tmp/" HEX "/x",
        "/",
        "x",
    };
    static const char *const bad_roots[] = {"/", "", "x", "/a/", "/a//b", "/a/./b", "/a/../b", "/..", "/.", "//"};
    char hex[DROP_HEX + 1];
    const char *name;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        unit_claim(drop_parse(DROP_ROOT, bad[i], hex, &name, &fault) == REASON_BAD_NAME, "shape %zu is no drop", i);
    unit_claim(drop_parse(DROP_ROOT, DROP_ROOT "/" HEX "/a b", hex, &name, &fault) == REASON_OK &&
                   strcmp(hex, HEX) == 0 && strcmp(name, "a b") == 0,
               "root/hex/NAME is a drop");
    unit_claim(drop_parse(DROP_ROOT, DROP_ROOT "/" HEX, hex, &name, &fault) == REASON_OK && !name,
               "and so is root/hex");
    for (size_t i = 0; i < sizeof bad_roots / sizeof bad_roots[0]; i++)
        unit_claim(drop_check_root(bad_roots[i], &fault) == REASON_USAGE, "'%s' is no drop root", bad_roots[i]);
    unit_claim(drop_check_root("/a", &fault) == REASON_OK && drop_check_root("/a/..b/.c/...", &fault) == REASON_OK,
               "dots within a name are");
}

static void unit_escapes(void)
{
    char out[64];
    bool clean = true;
    for (int byte = 0; byte < 256; byte++) {
        char raw = (char)byte;
        size_t length = diagnostic_escape(out, sizeof out, &raw, 1);
        for (size_t i = 0; i < length; i++)
            clean = clean && out[i] >= ' ' && out[i] <= '~';
        clean = clean && out[length] == '\0' && (length == 1 || out[0] == '\\');
    }
    unit_claim(clean, "whatever byte is printed comes out as printable ASCII");
    unit_claim(diagnostic_escape(out, sizeof out, "a\\\n\t\x1b\xff", 6) == 15 &&
                   strcmp(out, "a\\\\\\n\\t\\x1b\\xff") == 0,
               "the forms are \\\\, \\n, \\t and \\xNN");
    unit_claim(diagnostic_escape(out, 6, "aa\xff", 3) == 2 && strcmp(out, "aa") == 0,
               "a form that does not fit is left out whole");
}

int main(void)
{
    unit_names();
    unit_paths();
    unit_drops();
    unit_escapes();
    return unit_end();
}
