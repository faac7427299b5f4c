/*
 * attack-link PATH TARGET [ROUNDS]: puts a symbolic link to TARGET where PATH is, over and over, by rename(2), so that
 * PATH never goes missing. Whoever opens PATH for writing without O_NOFOLLOW writes into TARGET. Prints the number of
 * links placed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        errx(ATTACK_MISUSED, "usage: attack-link PATH TARGET [ROUNDS]");
    const char *path = argv[1], *target = argv[2];
    unsigned long rounds = attack_rounds(argv[3]), placed = 0;
    char beside[PATH_MAX];
    if (snprintf(beside, sizeof beside, "%s.attack", path) >= (int)sizeof beside)
        errx(ATTACK_MISUSED, "%s: too long", path);

    attack_until_term();
    while (!attack_over && (rounds == 0 || placed < rounds)) {
        if (symlink(target, beside) != 0 && errno != EEXIST)
            err(ATTACK_FAILED, "symlink");
        if (rename(beside, path) != 0)
            err(ATTACK_FAILED, "rename");
        placed++;
    }
    printf("%lu\n", placed);
    return 0;
}
