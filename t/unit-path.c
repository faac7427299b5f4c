/*
 * unit-path: what functions of lib/path promise and no tool asks of them, since it looks first: a path that is cut
 * short, or that begins where it should not, leads nowhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path/drop.h"
#include "path/lookup.h"
#include "path/parent.h"
#include "path/trusted.h"
#include "unit.h"

static struct fault fault;

/* Fills the path with "./" after what it begins with, to more than PATH_MAX bytes. */
static void unit_stretch(char path[3 * PATH_MAX], const char *start)
{
    size_t length = strlen(start);
    memcpy(path, start, length);
    for (; length < 2 * PATH_MAX; length += 2)
        memcpy(path + length, "./", 2);
    path[length] = '\0';
}

static void unit_walk(void)
{
    char path[3 * PATH_MAX];
    unit_stretch(path, "./");
    unit_claim(lookup_walk(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, LOOKUP_PLAIN) < 0 && errno == ENAMETOOLONG,
               "the walk does not open the beginning of a path that is too long");
}

static void unit_trusted(void)
{
    char path[3 * PATH_MAX];
    int directory = -1;
    unit_claim(trusted_open(".", TRUSTED_MUST_EXIST, &directory, &fault) == REASON_USAGE,
               "only an absolute path is trusted");
    unit_stretch(path, "/");
    unit_claim(trusted_open(path, TRUSTED_MUST_EXIST, &directory, &fault) == REASON_BAD_NAME,
               "a path of more than PATH_MAX bytes is refused");
}

/* What is too long for a buffer is found before it is copied there: a sanitizer's build shows it. */
static void unit_components(void)
{
    char path[PATH_MAX] = "/";
    struct parent parent;
    int directory = -1;
    memset(path + 1, 'n', PATH_MAX - 8);
    memcpy(path + PATH_MAX - 7, "/file", sizeof "/file");
    unit_claim(lookup_walk(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, LOOKUP_PLAIN) < 0 && errno == ENAMETOOLONG,
               "the walk refuses a component that is too long");
    unit_claim(parent_open(NULL, path + 1, PARENT_PLAIN, true, &parent, &fault) == REASON_BAD_NAME,
               "no parent is made of one");
    unit_claim(trusted_open(path, TRUSTED_MUST_EXIST, &directory, &fault) == REASON_BAD_NAME, "and none is trusted");
}

static void unit_drop(void)
{
    static const char *const bad[] = {"", "..", "a/b", "a\nb"};
    char place[] = "/tmp/unit-path.XXXXXX";
    char root[sizeof place + sizeof "/drops"];
    struct drop drop;
    bool refused = mkdtemp(place) != NULL;
    snprintf(root, sizeof root, "%s/drops", place);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        enum reason reason = drop_begin(&drop, root, bad[i], &fault);
        refused = refused && reason == REASON_BAD_NAME;
        if (reason == REASON_OK)
            drop_undo(&drop);
    }
    unit_claim(refused && access(root, F_OK) < 0, "a drop is not begun for what is no name");
    rmdir(root);
    rmdir(place);
}

int main(void)
{
    unit_walk();
    unit_trusted();
    unit_components();
    unit_drop();
    return unit_end();
}
