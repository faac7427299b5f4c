/*
 * attack-exchange A B [ROUNDS]: swaps the names A and B, over and over, with renameat2(2) RENAME_EXCHANGE: at every
 * moment both exist, and which is which has just changed. Prints the number of swaps.
 *
 * A name that has gone for a moment (a tool renamed onto it) does not end the attack and counts as a round.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        errx(ATTACK_MISUSED, "usage: attack-exchange A B [ROUNDS]");
    unsigned long rounds = attack_rounds(argv[3]), swaps = 0;

    attack_until_term();
    for (unsigned long round = 0; !attack_over && (rounds == 0 || round < rounds); round++) {
        if (syscall(SYS_renameat2, AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) == 0)
            swaps++;
        else if (errno != ENOENT)
            err(ATTACK_FAILED, "renameat2");
    }
    printf("%lu\n", swaps);
    return swaps > 0 ? 0 : ATTACK_FAILED;
}
