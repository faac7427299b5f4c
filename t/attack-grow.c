/*
 * attack-grow grow|shrink|touch FILE [ROUNDS]: changes FILE under whoever reads it, over and over: appends a byte, or
 * cuts it to nothing and back to its size, or rewrites its first byte in place. Prints the number of changes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attack.h"

static int attack_change(int file, const char *how, off_t size)
{
    if (strcmp(how, "grow") == 0) {
        off_t end = lseek(file, 0, SEEK_END);
        return end >= 0 && pwrite(file, "+", 1, end) == 1;
    }
    if (strcmp(how, "shrink") == 0)
        return ftruncate(file, 0) == 0 && ftruncate(file, size) == 0;
    return pwrite(file, "+", 1, 0) == 1;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        errx(ATTACK_MISUSED, "usage: attack-grow grow|shrink|touch FILE [ROUNDS]");
    unsigned long rounds = attack_rounds(argv[3]), changes = 0;
    struct stat status;
    int file = open(argv[2], O_WRONLY | O_NOFOLLOW);
    if (file < 0 || fstat(file, &status) != 0)
        err(ATTACK_FAILED, "%s", argv[2]);

    attack_until_term();
    for (; !attack_over && (rounds == 0 || changes < rounds); changes++)
        if (!attack_change(file, argv[1], status.st_size))
            err(ATTACK_FAILED, "%s", argv[2]);
    printf("%lu\n", changes);
    return 0;
}
