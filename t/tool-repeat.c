/*
 * tool-repeat COUNT SECRET COMMAND [ARG...]: runs COMMAND so many times, with its stdout in memory, while attackers are
 * at work: a shell would take longer for one run than the tool does. Each run must end by itself, with 0 or 94
 * (partial), and no byte sequence SECRET may be in what it wrote. Prints "N runs: N ok, N partial"; exits 1 at the
 * first run that is otherwise, with its output on stderr.
 */
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 1, MISUSED = 64, PARTIAL = 94, OUTPUT_MAX = 4 << 20, PATIENCE = 60 /* seconds that a run may hang */ };

static char output[OUTPUT_MAX];

/* Runs it once: its status as wait(2) gives it, and the bytes that it wrote. */
static int repeat_run(char **command, size_t *length)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        err(FAILED, "pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int error = posix_spawn(&child, command[0], &actions, NULL, command, environ);
    if (error != 0)
        errx(FAILED, "%s: %s", command[0], strerror(error));
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *length = 0;
    for (ssize_t got; (got = read(ends[0], output + *length, sizeof output - *length)) > 0;)
        *length += (size_t)got;
    close(ends[0]);
    int status;
    if (waitpid(child, &status, 0) != child)
        err(FAILED, "waitpid");
    return status;
}

int main(int argc, char **argv)
{
    char *end;
    if (argc < 4)
        errx(MISUSED, "usage: tool-repeat COUNT SECRET COMMAND [ARG...]");
    unsigned long count = strtoul(argv[1], &end, 10), partial = 0;
    if (*end != '\0' || count == 0)
        errx(MISUSED, "%s: not a count", argv[1]);
    for (unsigned long run = 1; run <= count; run++) {
        size_t length;
        alarm(PATIENCE);
        int status = repeat_run(argv + 3, &length);
        bool shown = memmem(output, length, argv[2], strlen(argv[2])) != NULL;
        if (shown || !WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != PARTIAL)) {
            fwrite(output, 1, length, stderr);
            errx(FAILED, "run %lu: status %#x%s", run, (unsigned)status, shown ? ", and the secret" : "");
        }
        partial += WEXITSTATUS(status) == PARTIAL;
    }
    printf("%lu runs: %lu ok, %lu partial\n", count, count - partial, partial);
    return 0;
}
