/*
 * attack-lease FILE: holds a write lease (fcntl(2), F_SETLEASE) on FILE and does not give it up, so that an open that
 * waits does so until the kernel breaks the lease (/proc/sys/fs/lease-break-time, 45 s). Prints "held", then waits for
 * SIGTERM.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

#ifndef F_SETLEASE
#define F_SETLEASE 1024
#endif

int main(int argc, char **argv)
{
    if (argc != 2)
        errx(ATTACK_MISUSED, "usage: attack-lease FILE");

    attack_until_term();
    /* The request to give it up comes as SIGIO, whose default is to die. */
    if (signal(SIGIO, SIG_IGN) == SIG_ERR)
        err(ATTACK_FAILED, "signal");
    int file = open(argv[1], O_RDWR | O_NOFOLLOW);
    if (file < 0 || fcntl(file, F_SETLEASE, F_WRLCK) != 0)
        err(ATTACK_FAILED, "%s", argv[1]);
    puts("held");
    fflush(stdout);
    while (!attack_over)
        pause();
    return 0;
}
