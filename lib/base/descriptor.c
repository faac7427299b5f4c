#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "interrupt.h"

enum { NULL_DEVICE_MAJOR = 1, NULL_DEVICE_MINOR = 3 };

enum reason descriptor_check_standard(struct fault *fault)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0)
            return fault_set(fault, REASON_USAGE, NULL, "descriptor %d is closed; give it /dev/null", descriptor);
    return REASON_OK;
}

enum reason descriptor_check_stream(int descriptor, const char *name, struct fault *fault)
{
    /* A terminal turns \n into \r\n and eats control bytes: the bytes would be other ones, and nobody would know. */
    if (isatty(descriptor))
        return fault_set(fault, REASON_USAGE, NULL,
                         "%s is a terminal, which changes bytes; use a file or a pipe, and docker exec without -t",
                         name);
    return REASON_OK;
}

bool descriptor_is_null_device(int descriptor)
{
    struct stat stat;
    return fstat(descriptor, &stat) == 0 && S_ISCHR(stat.st_mode) &&
           stat.st_rdev == makedev(NULL_DEVICE_MAJOR, NULL_DEVICE_MINOR);
}

enum reason descriptor_wait(int descriptor, short events, const char *name, struct fault *fault)
{
    struct pollfd waiting = {.fd = descriptor, .events = events};
    for (;;) {
        enum reason reason = interrupt_check(fault, name);
        if (reason != REASON_OK)
            return reason;
        if (poll(&waiting, 1, -1) > 0)
            return REASON_OK;
        if (errno != EINTR)
            return fault_errno(fault, name, "poll", errno);
    }
}

/* After a failed read or write: REASON_OK to try again. */
static enum reason descriptor_again(int descriptor, short events, const char *call, const char *name,
                                    struct fault *fault)
{
    if (errno == EINTR)
        return interrupt_check(fault, name);
    if (errno == EAGAIN)
        return descriptor_wait(descriptor, events, name, fault);
    return fault_errno(fault, name, call, errno);
}

enum reason descriptor_read(int descriptor, void *buffer, size_t size, size_t *got, const char *name,
                            struct fault *fault)
{
    for (;;) {
        ssize_t count = read(descriptor, buffer, size);
        if (count >= 0) {
            *got = (size_t)count;
            return REASON_OK;
        }
        enum reason reason = descriptor_again(descriptor, POLLIN, "read", name, fault);
        if (reason != REASON_OK)
            return reason;
    }
}

enum reason descriptor_write_counted(int descriptor, const void *buffer, size_t size, size_t *done, const char *name,
                                     struct fault *fault)
{
    const char *bytes = buffer;
    *done = 0;
    while (*done < size) {
        ssize_t count = write(descriptor, bytes + *done, size - *done);
        if (count >= 0) {
            *done += (size_t)count;
            continue;
        }
        enum reason reason = descriptor_again(descriptor, POLLOUT, "write", name, fault);
        if (reason != REASON_OK)
            return reason;
    }
    return REASON_OK;
}

enum reason descriptor_write(int descriptor, const void *buffer, size_t size, const char *name, struct fault *fault)
{
    size_t done;
    return descriptor_write_counted(descriptor, buffer, size, &done, name, fault);
}

enum reason descriptor_settle(int descriptor, const char *name, struct fault *fault)
{
    int twin = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (twin < 0)
        return fault_errno(fault, name, "fcntl", errno);
    /* close(2): the descriptor is gone also after EINTR, and EINTR tells nothing of the bytes. */
    if (close(twin) < 0 && errno != EINTR)
        return fault_errno(fault, name, "close", errno);
    return REASON_OK;
}
