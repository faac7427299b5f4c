/*
 * attack-move FROM TO [ROUNDS]: moves FROM to TO and back, over and over, so that whatever was opened or resolved by
 * the name FROM is somewhere else a moment later, and the name is missing half of the time. Prints the number of moves.
 *
 * Where a tool has made something anew at FROM meanwhile, the way back may be barred: that does not end the attack.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4)
        errx(ATTACK_MISUSED, "usage: attack-move FROM TO [ROUNDS]");
    unsigned long rounds = attack_rounds(argv[3]), moves = 0;

    attack_until_term();
    for (unsigned long round = 0; !attack_over && (rounds == 0 || round < rounds); round++) {
        int away = round % 2 == 0;
        if (rename(argv[away ? 1 : 2], argv[away ? 2 : 1]) == 0)
            moves++;
        else if (errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
            err(ATTACK_FAILED, "rename");
    }
    printf("%lu\n", moves);
    return moves > 0 ? 0 : ATTACK_FAILED;
}
