/*
 * unit-lookup: the walk that stands in for openat2 gives the same file, or the same errno, for every path and rule.
 *
 * Needs no root. Where the kernel has no openat2, lookup_open is the walk itself, and there is nothing to compare: that
 * is a failure, since this machine cannot show the claim.
 */
#include "path/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "unit.h"

struct unit_answer {
    int error;
    dev_t device;
    ino_t inode;
};

static struct unit_answer unit_ask(int (*open_by)(int, const char *, int, enum lookup_rule), int directory,
                                   const char *path, int flags, enum lookup_rule rule)
{
    struct unit_answer answer = {0};
    struct stat stat;
    int descriptor = open_by(directory, path, flags, rule);
    if (descriptor < 0)
        answer.error = errno;
    else if (fstat(descriptor, &stat) == 0) {
        answer.device = stat.st_dev;
        answer.inode = stat.st_ino;
    }
    if (descriptor >= 0)
        close(descriptor);
    return answer;
}

static void unit_compare(int directory, const char *path, int flags, enum lookup_rule rule, const char *what)
{
    struct unit_answer call = unit_ask(lookup_open, directory, path, flags, rule);
    struct unit_answer walk = unit_ask(lookup_walk, directory, path, flags, rule);
    unit_claim(call.error == walk.error && call.device == walk.device && call.inode == walk.inode,
               "%s %.40s: openat2 says %s, the walk %s", what, path, call.error ? strerror(call.error) : "a file",
               walk.error ? strerror(walk.error) : "a file");
}

static void unit_make(const char *top)
{
    char long_link[PATH_MAX];
    bool made = chdir(top) == 0 && mkdir("d", 0700) == 0 && mkdir("d/e", 0700) == 0 && mkdir("closed", 0) == 0 &&
                close(creat("d/e/file", 0600)) == 0 && close(creat("file", 0600)) == 0 &&
                symlink("file", "link") == 0 && symlink("d", "to-d") == 0 && symlink("nowhere", "dangling") == 0 &&
                symlink("loop", "loop") == 0 && symlink("/", "to-root") == 0 && symlink("..", "up") == 0 &&
                symlink("to-d/e", "d/two") == 0 && symlink("../to-d/e/", "d/slash") == 0 && mkfifo("fifo", 0600) == 0;
    snprintf(long_link, sizeof long_link, "%s/d/e", top);
    made = made && symlink(long_link, "absolute") == 0;
    if (!made) {
        perror("unit-lookup");
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    static const char *const paths[] = {"file",
                                        "d/e/file",
                                        "d//e///file",
                                        "./d/./e/file",
                                        "d",
                                        "d/",
                                        "d/.",
                                        "d/e",
                                        "link",
                                        "link/",
                                        "to-d",
                                        "to-d/",
                                        "to-d/e/file",
                                        "to-d/.",
                                        "dangling",
                                        "dangling/x",
                                        "loop",
                                        "loop/x",
                                        "to-root/etc/passwd",
                                        "to-root",
                                        "up/x",
                                        "d/two/file",
                                        "d/slash/file",
                                        "absolute/file",
                                        "file/",
                                        "file/x",
                                        "missing",
                                        "missing/x",
                                        "d/missing",
                                        "fifo",
                                        "fifo/x",
                                        "closed/x",
                                        "closed",
                                        "",
                                        ".",
                                        "/etc/passwd",
                                        "/proc/self/status",
                                        "/proc/self/cwd/file",
                                        "/proc/self/root/etc/passwd",
                                        "/proc/self/fd/0",
                                        "/proc/self/exe",
                                        "/proc/self/ns/pid",
                                        "/proc/self",
                                        "..",
                                        "../x",
                                        "d/../file",
                                        "/proc/thread-self/status",
                                        "/proc/mounts",
                                        "/proc/self/fd/0/x"};
    char top[] = "/tmp/unit-lookup.XXXXXX";
    char longest[PATH_MAX + 16];
    if (!mkdtemp(top))
        return EXIT_FAILURE;
    unit_make(top);
    int directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    unit_claim(kernel_openat2(directory, ".", O_PATH, RESOLVE_BENEATH) >= 0, "this kernel has openat2");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const int reading = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
        unit_compare(directory, paths[i], reading, LOOKUP_PLAIN, "plain");
        if (paths[i][0] == '/' || strstr(paths[i], "..")) {
            struct unit_answer answer = unit_ask(lookup_open, directory, paths[i], reading, LOOKUP_BENEATH);
            unit_claim(answer.error == EXDEV, "beneath %s is EXDEV", paths[i]);
            continue;
        }
        unit_compare(directory, paths[i], reading, LOOKUP_BENEATH, "beneath");
        unit_compare(directory, paths[i], O_PATH | O_DIRECTORY, LOOKUP_BENEATH, "directory beneath");
    }
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    unit_compare(directory, longest, O_RDONLY, LOOKUP_BENEATH, "a path too long");
    longest[NAME_MAX + 1] = '\0';
    unit_compare(directory, longest, O_RDONLY, LOOKUP_BENEATH, "a name too long");
    longest[NAME_MAX] = '\0';
    unit_compare(directory, longest, O_RDONLY, LOOKUP_BENEATH, "the longest name");

    static const char *const made[] = {"d/e/file", "d/two", "d/slash", "file", "link", "to-d",
                                       "dangling", "loop",  "to-root", "up",   "fifo", "absolute"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        unlink(made[i]);
    return unit_end() | (rmdir("d/e") + rmdir("d") + rmdir("closed") + rmdir(top) != 0);
}
