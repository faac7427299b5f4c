/*
 * attack-nonblock COMMAND [ARG...]: sets O_NONBLOCK on stdin, stdout and stderr and runs COMMAND. The flag belongs to
 * the open file, not to the descriptor: whoever shares a pipe with a tool can set it under it at any time.
 */
#include <fcntl.h>
#include <unistd.h>

#include "attack.h"

int main(int argc, char **argv)
{
    if (argc < 2)
        errx(ATTACK_MISUSED, "usage: attack-nonblock COMMAND [ARG...]");
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        int flags = fcntl(stream, F_GETFL);
        if (flags < 0 || fcntl(stream, F_SETFL, flags | O_NONBLOCK) != 0)
            err(ATTACK_FAILED, "descriptor %d", stream);
    }
    execv(argv[1], argv + 1);
    err(127, "%s", argv[1]);
}
