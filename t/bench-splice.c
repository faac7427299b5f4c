/*
 * bench-splice: moves stdin to stdout, a pipe, by splice(2) alone, with nothing checked, counted or bounded. What the
 * kernel can do at best: the limit that a transfer is measured against.
 */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

enum { PIPE_SIZE = 1024 * 1024 };

int main(void)
{
    ssize_t got;
    fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_SIZE);
    while ((got = splice(STDIN_FILENO, NULL, STDOUT_FILENO, NULL, PIPE_SIZE, SPLICE_F_MOVE)) > 0)
        continue;
    if (got < 0)
        err(1, "splice");
    return 0;
}
