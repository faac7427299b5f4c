#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x8 /* linux/fs.h */
#endif

enum { SINK_TERMINAL = 256 /* bytes that a terminal takes once poll(2) says that it takes some, n_tty.c */ };

void sink_begin(struct sink *sink, int descriptor)
{
    struct stat stat;
    bool known = fstat(descriptor, &stat) == 0;
    *sink = (struct sink){descriptor, known && S_ISFIFO(stat.st_mode), known && S_ISREG(stat.st_mode), false};
}

/* What a pipe takes without waiting when poll(2) says that it takes some is PIPE_BUF, pipe(7). */
static ssize_t sink_write_ready(const struct sink *sink, const void *bytes, size_t size)
{
    struct pollfd ready = {.fd = sink->descriptor, .events = POLLOUT};
    size_t most = sink->pipe ? PIPE_BUF : SINK_TERMINAL;
    int count = poll(&ready, 1, 0);
    if (count < 0)
        return -1;
    if (count == 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(sink->descriptor, bytes, size < most ? size : most);
}

ssize_t sink_write(struct sink *sink, const void *bytes, size_t size)
{
    if (sink->file)
        return write(sink->descriptor, bytes, size);
    if (!sink->no_flag) {
        ssize_t count = kernel_write(sink->descriptor, bytes, size, RWF_NOWAIT);
        if (count >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL))
            return count;
        sink->no_flag = true;
    }
    return sink_write_ready(sink, bytes, size);
}

ssize_t sink_splice(const struct sink *sink, int from, size_t size)
{
    return splice(from, NULL, sink->descriptor, NULL, size, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
}
