/*
 * bench-time: runs commands alternately, A B C A B C ..., and prints what one run of each takes.
 *
 *     bench-time [--rounds N] [--measure time|resident|dirty] [--uid N] [--input FILE | --feed BYTES] [--output BYTES]
 *                [--remove FILE] COMMAND [ARG...] [// COMMAND [ARG...]]...
 *
 * One line for each command: median, least, most, and the median of the ratios of the first command to this one, each
 * taken within one round, so that what slows the machine down for a while slows both. Nanoseconds from before the fork
 * to after the end; or bytes: the most that was resident, or what was private and dirty when it ended. An additional
 * first round is not counted.
 *
 * stdin is /dev/null, FILE opened anew, or a pipe into which another process writes BYTES. stdout is a pipe, out of
 * which another process reads meanwhile, unless BYTES are so few that they can stay there until the end. A command that
 * fails, or writes fewer than BYTES (default 0), ends the whole with status 1: its time would mean nothing. FILE of
 * --remove is removed before each run, with all that is in it, off the clock.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    FAILED = 1,
    MISUSED = 64,
    NOT_EXECUTED = 127,
    ROUNDS_MOST = 10000,
    COMMANDS_MOST = 16,
    BLOCK_SIZE = 1024 * 1024,
    LINE_SIZE = 256,
    KIBIBYTE = 1024,
    WALK_DESCRIPTORS = 64,
};

enum measure { MEASURE_TIME, MEASURE_RESIDENT, MEASURE_DIRTY };

static enum measure measure;
static unsigned long long rounds = 11, uid, feed, output;
static bool drop, fed;
static const char *input = "/dev/null";
static const char *stale;

/* The processes of one run; 0 for one that is not needed. */
struct run {
    pid_t command, feeder, drainer;
    int from_command; /* the pipe's end, where there is no drainer */
};

static char block[BLOCK_SIZE];

static unsigned long long bench_number(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || !*text || *end)
        errx(MISUSED, "%s: not a number", text);
    return number;
}

static uint64_t bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static pid_t bench_fork(void)
{
    pid_t child = fork();
    if (child < 0)
        err(FAILED, "fork");
    return child;
}

static void bench_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) < 0)
        err(FAILED, "pipe2");
}

static _Noreturn void bench_feed(int to)
{
    unsigned long long left = feed;
    while (left > 0) {
        ssize_t count = write(to, block, left < sizeof block ? (size_t)left : sizeof block);
        if (count < 0)
            _exit(FAILED);
        left -= (unsigned long long)count;
    }
    _exit(0);
}

/* Reads to the end; whether there was enough. */
static bool bench_drain(int from)
{
    unsigned long long total = 0;
    ssize_t count;
    while ((count = read(from, block, sizeof block)) > 0)
        total += (unsigned long long)count;
    return count == 0 && total >= output;
}

static _Noreturn void bench_execute(char **command, int from, int to)
{
    if (dup2(from, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0)
        err(NOT_EXECUTED, "dup2");
    if (drop && (setgroups(0, NULL) < 0 || setgid((gid_t)uid) < 0 || setuid((uid_t)uid) < 0))
        err(NOT_EXECUTED, "taking on uid %llu", uid);
    if (measure != MEASURE_TIME && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
        err(NOT_EXECUTED, "ptrace");
    execv(command[0], command);
    err(NOT_EXECUTED, "%s", command[0]);
}

static int bench_wait(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            err(FAILED, "waitpid");
    return status;
}

/* Starts what feeds and what drains the command before the clock runs, the command after. */
static struct run bench_start(char **command, uint64_t *began)
{
    struct run run = {0};
    int in[2] = {-1, -1}, out[2];
    bench_pipe(out);
    if (fed) {
        bench_pipe(in);
        run.feeder = bench_fork();
        if (run.feeder == 0) {
            close(in[0]);
            bench_feed(in[1]);
        }
        close(in[1]);
    } else {
        in[0] = open(input, O_RDONLY | O_CLOEXEC);
        if (in[0] < 0)
            err(FAILED, "%s", input);
    }
    if (output > PIPE_BUF) {
        run.drainer = bench_fork();
        if (run.drainer == 0) {
            close(in[0]);
            close(out[1]);
            _exit(bench_drain(out[0]) ? 0 : FAILED);
        }
    }
    *began = bench_now();
    run.command = bench_fork();
    if (run.command == 0)
        bench_execute(command, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    run.from_command = out[0];
    return run;
}

/* The number of kB on the line of a file in /proc/PID that begins with name, in bytes. */
static uint64_t bench_memory(pid_t process, const char *file, const char *name)
{
    char path[LINE_SIZE], line[LINE_SIZE];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, file);
    FILE *stream = fopen(path, "re");
    if (!stream)
        err(FAILED, "%s", path);
    size_t length = strlen(name);
    uint64_t bytes = 0;
    while (fgets(line, sizeof line, stream))
        if (strncmp(line, name, length) == 0)
            bytes = strtoull(line + length, NULL, 10) * KIBIBYTE;
    fclose(stream);
    if (bytes == 0)
        errx(FAILED, "%s: no %s", path, name);
    return bytes;
}

/* Follows the command to where it has ended but still has its memory, and reads what that is. */
static uint64_t bench_trace(pid_t command, int *status)
{
    uint64_t bytes = 0;
    *status = bench_wait(command);
    if (!WIFSTOPPED(*status))
        return bytes;
    if (ptrace(PTRACE_SETOPTIONS, command, NULL, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) < 0)
        err(FAILED, "ptrace");
    long signal = 0;
    while (WIFSTOPPED(*status)) {
        if (*status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
            bytes = measure == MEASURE_RESIDENT ? bench_memory(command, "status", "VmHWM:")
                                                : bench_memory(command, "smaps_rollup", "Private_Dirty:");
        ptrace(PTRACE_CONT, command, NULL, signal);
        *status = bench_wait(command);
        signal = WIFSTOPPED(*status) && *status >> 16 == 0 && WSTOPSIG(*status) != SIGTRAP ? WSTOPSIG(*status) : 0;
    }
    return bytes;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* One run; gives what was measured. */
static uint64_t bench_run(char **command)
{
    uint64_t began, result = 0;
    int status;
    if (stale && nftw(stale, remove_entry, WALK_DESCRIPTORS, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        err(FAILED, "%s", stale);
    struct run run = bench_start(command, &began);
    if (measure == MEASURE_TIME)
        status = bench_wait(run.command);
    else
        result = bench_trace(run.command, &status);
    int drained = run.drainer ? bench_wait(run.drainer) : 0;
    if (measure == MEASURE_TIME)
        result = bench_now() - began;

    if (!run.drainer && !bench_drain(run.from_command))
        drained = FAILED;
    close(run.from_command);
    if (run.feeder)
        bench_wait(run.feeder);
    if (status != 0)
        errx(FAILED, "%s: ended with wait status %#x", command[0], (unsigned)status);
    if (drained != 0)
        errx(FAILED, "%s: wrote less than %llu bytes", command[0], output);
    return result;
}

static int bench_compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* Sorts. */
static double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, bench_compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void bench_print(const double *first, double *samples, size_t count)
{
    static double ratios[ROUNDS_MOST];
    for (size_t i = 0; i < count; i++)
        ratios[i] = first[i] / samples[i];
    double ratio = bench_median(ratios, count);
    double median = bench_median(samples, count);
    printf("%.0f %.0f %.0f %.4f\n", median, samples[0], samples[count - 1], ratio);
}

/* Splits at each "//"; gives the number of commands. */
static size_t bench_split(char **words, char **commands[COMMANDS_MOST])
{
    size_t count = 0;
    bool begins = true;
    for (; *words; words++) {
        if (strcmp(*words, "//") == 0) {
            *words = NULL;
            begins = true;
        } else if (begins) {
            if (count == COMMANDS_MOST)
                errx(MISUSED, "more than %d commands", COMMANDS_MOST);
            commands[count++] = words;
            begins = false;
        }
    }
    if (count == 0)
        errx(MISUSED, "no command");
    return count;
}

static enum measure bench_which(const char *word)
{
    static const char *const words[] = {"time", "resident", "dirty"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum measure)i;
    errx(MISUSED, "%s: not a measure", word);
}

static char **bench_options(int argc, char **argv)
{
    static const struct option options[] = {
        {"rounds", required_argument, NULL, 'r'}, {"measure", required_argument, NULL, 'm'},
        {"uid", required_argument, NULL, 'u'},    {"input", required_argument, NULL, 'i'},
        {"feed", required_argument, NULL, 'f'},   {"output", required_argument, NULL, 'o'},
        {"remove", required_argument, NULL, 'x'}, {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
        switch (option) {
        case 'r':
            rounds = bench_number(optarg);
            break;
        case 'm':
            measure = bench_which(optarg);
            break;
        case 'u':
            uid = bench_number(optarg);
            drop = true;
            break;
        case 'i':
            input = optarg;
            break;
        case 'f':
            feed = bench_number(optarg);
            fed = true;
            break;
        case 'o':
            output = bench_number(optarg);
            break;
        case 'x':
            stale = optarg;
            break;
        default:
            exit(MISUSED);
        }
    }
    if (rounds < 1 || rounds > ROUNDS_MOST)
        errx(MISUSED, "--rounds takes 1 to %d", ROUNDS_MOST);
    return argv + optind;
}

int main(int argc, char **argv)
{
    static double samples[COMMANDS_MOST][ROUNDS_MOST], first[ROUNDS_MOST];
    char **commands[COMMANDS_MOST];
    size_t count = bench_split(bench_options(argc, argv), commands);

    signal(SIGPIPE, SIG_DFL);
    for (size_t i = 0; i < count; i++)
        bench_run(commands[i]);
    for (unsigned long long round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++)
            samples[i][round] = (double)bench_run(commands[i]);

    memcpy(first, samples[0], sizeof first);
    for (size_t i = 0; i < count; i++)
        bench_print(first, samples[i], (size_t)rounds);
    return 0;
}
