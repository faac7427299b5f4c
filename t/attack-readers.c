/*
 * attack-readers PATH SIZE BYTES [ROUNDS]: opens and reads PATH, over and over, and checks what every reader of an
 * atomic replacement may rely on: it is there, a regular file, has SIZE bytes, and these are all the same one, out of
 * BYTES. Prints "N whole, M torn"; exits 1 when any was torn.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

/* 1 when the file at path is size times the same byte, one of bytes. */
static int attack_is_whole(const char *path, size_t size, const char *bytes)
{
    static char buffer[1 << 16];
    int file = open(path, O_RDONLY | O_NOFOLLOW);
    if (file < 0)
        return 0;
    size_t total = 0;
    char first = '\0';
    int whole = 1;
    ssize_t got;
    while ((got = read(file, buffer, sizeof buffer)) > 0) {
        if (total == 0)
            first = buffer[0];
        for (ssize_t i = 0; i < got; i++)
            whole &= buffer[i] == first;
        total += (size_t)got;
    }
    close(file);
    return whole && got == 0 && total == size && first != '\0' && strchr(bytes, first) != NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5)
        errx(ATTACK_MISUSED, "usage: attack-readers PATH SIZE BYTES [ROUNDS]");
    size_t size = attack_rounds(argv[2]);
    unsigned long rounds = attack_rounds(argv[4]), whole = 0, torn = 0;

    attack_until_term();
    while (!attack_over && (rounds == 0 || whole + torn < rounds)) {
        if (attack_is_whole(argv[1], size, argv[3]))
            whole++;
        else
            torn++;
    }
    printf("%lu whole, %lu torn\n", whole, torn);
    return torn == 0 && whole > 0 ? 0 : ATTACK_FAILED;
}
