/*
 * bench-splice: moves stdin to stdout, a pipe, by one splice(2) in a loop, with nothing checked, counted or bounded:
 * what a transfer costs without its care.
 */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

enum { PIPE_SIZE = 1024 * 1024 };

int main(void)
{
    ssize_t got;
    fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_SIZE);
    do
        got = splice(STDIN_FILENO, NULL, STDOUT_FILENO, NULL, PIPE_SIZE, SPLICE_F_MOVE);
    while (got > 0);
    if (got < 0)
        err(1, "splice");
    return 0;
}
