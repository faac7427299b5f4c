/*
 * attack-socket PATH: leaves a unix socket at PATH, as a name that is neither a file nor to be opened.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "attack.h"

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path)
        errx(ATTACK_MISUSED, "usage: attack-socket PATH");
    memcpy(address.sun_path, argv[1], strlen(argv[1]));
    int endpoint = socket(AF_UNIX, SOCK_STREAM, 0);
    if (endpoint < 0 || bind(endpoint, (struct sockaddr *)&address, sizeof address) != 0)
        err(ATTACK_FAILED, "%s", argv[1]);
    return 0;
}
