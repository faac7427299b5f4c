/*
 * attack-pause: waits for ever, as the first process of an image that holds nothing else. It lets the kernel reap what
 * is orphaned to it, and unlike most first processes it dies of SIGTERM.
 */
#include <unistd.h>

#include "attack.h"

int main(void)
{
    attack_until_term();
    if (signal(SIGCHLD, SIG_IGN) == SIG_ERR)
        err(ATTACK_FAILED, "signal");
    while (!attack_over)
        pause();
    return 0;
}
