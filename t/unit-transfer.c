/*
 * unit-transfer: whichever way bytes go (copied, spliced, or both), they are the same, moved counts what has gone out
 * and nothing else, and what a failure leaves behind is in no later transfer.
 */
#include "base/transfer.h"

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "unit.h"

enum {
    BLOCK = 4096,
    LARGE = 3 * 1024 * 1024 + 5,
    SLOWLY = 2000 /* microseconds between blocks */,
    STUCK = 100 /* seconds */
};

static struct fault fault;

/* Starts what kills this process if it hangs, so that this is a failure soon. */
static pid_t unit_guard(void)
{
    pid_t tested = getpid();
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sleep(STUCK);
        kill(tested, SIGKILL);
        _exit(0);
    }
    return child;
}

/* The byte at a place of every input here: no two blocks of it are alike. */
static unsigned char unit_byte(size_t at)
{
    return (unsigned char)(at * 31 + at / BLOCK * 7 + at / 65521);
}

/* A file of that many bytes; flags are those of open(2) for its end. */
static int unit_file(size_t size, int flags)
{
    char path[] = "/tmp/unit-transfer.XXXXXX";
    int file = mkstemp(path);
    if (file < 0)
        err(1, "%s", path);
    FILE *stream = fdopen(dup(file), "w");
    for (size_t at = 0; at < size; at++)
        putc(unit_byte(at), stream);
    fclose(stream);
    close(file);
    file = open(path, O_RDWR | flags);
    unlink(path);
    return file;
}

static void unit_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) < 0)
        err(1, "pipe2");
}

/* Reads to the end; whether it is the bytes of an input from the first on, so many of them. */
static bool unit_holds(int from, size_t size, useconds_t pause)
{
    unsigned char block[BLOCK];
    size_t at = 0;
    ssize_t got;
    bool same = true;
    while ((got = read(from, block, sizeof block)) > 0) {
        for (ssize_t i = 0; i < got; i++)
            same = same && block[i] == unit_byte(at++);
        usleep(pause);
    }
    return got == 0 && same && at == size;
}

/* Starts a process that reads the pipe and says by its status whether it holds that. */
static pid_t unit_reader(int ends[2], size_t size, useconds_t pause)
{
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(!unit_holds(ends[0], size, pause));
    }
    close(ends[0]);
    return child;
}

/* Starts a process that writes an input of that size into the pipe, in blocks. */
static pid_t unit_writer(int ends[2], size_t size, useconds_t pause)
{
    pid_t child = fork();
    if (child == 0) {
        unsigned char block[BLOCK];
        for (size_t at = 0; at < size; at += sizeof block) {
            size_t most = size - at < sizeof block ? size - at : sizeof block;
            for (size_t i = 0; i < most; i++)
                block[i] = unit_byte(at + i);
            if (write(ends[1], block, most) != (ssize_t)most)
                _exit(1);
            usleep(pause);
        }
        _exit(0);
    }
    close(ends[1]);
    return child;
}

static bool unit_ended_well(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && status == 0;
}

static struct transfer unit_transfer(int from, int to, uint64_t expected)
{
    return (struct transfer){.from = from, .from_name = "input", .to = to, .to_name = "output", .expected = expected};
}

/* A file into a pipe. */
static void unit_out(size_t size, uint64_t count, uint64_t expected, int flags, useconds_t pause)
{
    int ends[2];
    int file = unit_file(size, 0);
    size_t wanted = count < size ? (size_t)count : size;
    unit_pipe(ends);
    pid_t reader = unit_reader(ends, wanted, pause);
    fcntl(ends[1], F_SETFL, flags);
    struct transfer transfer = unit_transfer(file, ends[1], expected);
    enum reason reason = transfer_run(&transfer, count, &fault);
    close(ends[1]);
    bool held = unit_ended_well(reader);
    unit_claim(reason == REASON_OK && held && transfer.moved == wanted,
               "file of %zu into a pipe%s: %llu of them, %llu expected", size, flags ? ", non-blocking" : "",
               (unsigned long long)count, (unsigned long long)expected);
    unit_claim(lseek(file, 0, SEEK_CUR) == (off_t)wanted, "and no more is read than goes out");
    close(file);
}

/* A pipe into a file. */
static void unit_in(size_t size, uint64_t expected, int pipe_flags, int file_flags, useconds_t pause)
{
    int ends[2];
    int file = unit_file(0, file_flags);
    unit_pipe(ends);
    pid_t writer = unit_writer(ends, size, pause);
    fcntl(ends[0], F_SETFL, pipe_flags);
    struct transfer transfer = unit_transfer(ends[0], file, expected);
    enum reason reason = transfer_run(&transfer, UINT64_MAX, &fault);
    bool written = unit_ended_well(writer);
    lseek(file, 0, SEEK_SET);
    unit_claim(reason == REASON_OK && written && transfer.moved == size && unit_holds(file, size, 0),
               "pipe%s into a file%s: %zu, %llu expected", pipe_flags ? ", non-blocking," : "",
               file_flags ? " that does not splice" : "", size, (unsigned long long)expected);
    close(ends[0]);
    close(file);
}

static void unit_ways(void)
{
    static const size_t sizes[] = {0, 1, 65536, 65537, 262144, 262145, LARGE};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unit_out(sizes[i], UINT64_MAX, sizes[i], 0, 0);
        unit_in(sizes[i], UINT64_MAX, 0, 0, 0);
    }
    unit_out(LARGE, LARGE - 7, LARGE - 7, 0, 0);
    unit_out(LARGE, 300000, LARGE, 0, 0);
    unit_out(LARGE, UINT64_MAX, 1, 0, 0);
    unit_out(1, UINT64_MAX, LARGE, 0, 0);
    unit_out(LARGE, UINT64_MAX, LARGE, O_NONBLOCK, SLOWLY);
    unit_in(100000, UINT64_MAX, O_NONBLOCK, 0, SLOWLY);
    unit_in(100000, 1, O_NONBLOCK, 0, SLOWLY);
    unit_in(LARGE, UINT64_MAX, 0, O_APPEND, 0);
}

/* After a failure with bytes under way, what comes next begins with its own first byte. */
static void unit_clean_after(const char *failure)
{
    int ends[2];
    int file = unit_file(LARGE, 0);
    unit_pipe(ends);
    pid_t reader = unit_reader(ends, LARGE, 0);
    struct transfer transfer = unit_transfer(file, ends[1], LARGE);
    enum reason reason = transfer_run(&transfer, LARGE, &fault);
    close(ends[1]);
    unit_claim(unit_ended_well(reader) && reason == REASON_OK, "nothing of it is in the next transfer, after %s",
               failure);
    close(file);
}

static void unit_reader_gone(void)
{
    int ends[2];
    int file = unit_file(LARGE, 0);
    unit_pipe(ends);
    close(ends[0]);
    struct transfer transfer = unit_transfer(file, ends[1], LARGE);
    enum reason reason = transfer_run(&transfer, LARGE, &fault);
    unit_claim(reason == REASON_IO && transfer.moved == 0, "a pipe that nobody reads any more is io: %s",
               reason_name(reason));
    close(ends[1]);
    close(file);
    unit_clean_after("a reader that went away");
}

static void unit_full(void)
{
    int ends[2];
    int full = open("/dev/full", O_WRONLY);
    unit_pipe(ends);
    pid_t writer = unit_writer(ends, BLOCK, 0);
    struct transfer transfer = unit_transfer(ends[0], full, UINT64_MAX);
    enum reason reason = transfer_run(&transfer, UINT64_MAX, &fault);
    unit_claim(reason == REASON_NO_SPACE && transfer.moved == 0, "a full device is no_space: %s", reason_name(reason));
    unit_ended_well(writer);
    close(ends[0]);
    close(full);
    unit_clean_after("a full device");
}

/* The file may not become as large as what comes. */
static void unit_file_limit(int flags)
{
    const struct rlimit limit = {100001, RLIM_INFINITY};
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    int ends[2];
    int file = unit_file(0, flags);
    unit_pipe(ends);
    pid_t writer = unit_writer(ends, 200000, 0);
    setrlimit(RLIMIT_FSIZE, &limit);
    struct transfer transfer = unit_transfer(ends[0], file, UINT64_MAX);
    enum reason reason = transfer_run(&transfer, UINT64_MAX, &fault);
    setrlimit(RLIMIT_FSIZE, &none);
    close(ends[0]);
    unit_ended_well(writer);
    off_t size = lseek(file, 0, SEEK_END);
    lseek(file, 0, SEEK_SET);
    unit_claim(reason == REASON_IO && size == (off_t)limit.rlim_cur && transfer.moved == (uint64_t)size &&
                   unit_holds(file, (size_t)size, 0),
               "a file limit%s is io, and moved is what the file has: %s, %llu", flags ? " where nothing splices" : "",
               reason_name(reason), (unsigned long long)transfer.moved);
    close(file);
    unit_clean_after("a file limit");
}

/* Ends the watch over deadlines, so it comes last. */
static void unit_deadline(void)
{
    int ends[2];
    int filled = 0;
    int file = unit_file(LARGE, 0);
    unit_pipe(ends);
    interrupt_begin(50);
    struct transfer transfer = unit_transfer(file, ends[1], LARGE);
    enum reason reason = transfer_run(&transfer, LARGE, &fault);
    interrupt_end();
    ioctl(ends[0], FIONREAD, &filled);
    unit_claim(reason == REASON_DEADLINE && filled > 0 && transfer.moved == (uint64_t)filled,
               "the time being up while nobody reads is deadline, and moved is what the pipe has: %s, %d",
               reason_name(reason), filled);
    close(ends[0]);
    close(ends[1]);
    close(file);
    unit_clean_after("a deadline");
}

int main(void)
{
    pid_t guard = unit_guard();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* What a forked reader or writer inherits must not be printed again by it. */
    setvbuf(stdout, NULL, _IONBF, 0);
    unit_ways();
    unit_reader_gone();
    unit_full();
    unit_file_limit(0);
    unit_file_limit(O_APPEND);
    unit_deadline();
    kill(guard, SIGKILL);
    return unit_end();
}
