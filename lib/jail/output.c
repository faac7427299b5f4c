#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/quantity.h"
#include "json.h"

enum { OUTPUT_PIPE = 1024 * 1024 /* bytes; what pipe-max-size of proc(5) allows anyone */ };

static const char *const stream_names[OUTPUT_STREAMS] = {"stdout", "stderr"};

static enum reason output_open(struct output_stream *stream, int *command, struct fault *fault)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return fault_errno(fault, NULL, "pipe2", errno);
    /* A larger pipe means fewer switches between the command and here; one may be refused, pipe(7). */
    fcntl(ends[0], F_SETPIPE_SZ, OUTPUT_PIPE);
    /* The read end alone: the command's descriptors stay as it expects them. */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    stream->source = ends[0];
    *command = ends[1];
    return REASON_OK;
}

enum reason output_begin(struct output *output, bool frames, uint64_t limit, int command[OUTPUT_STREAMS],
                         struct fault *fault)
{
    memset(output, 0, sizeof *output);
    output->frames = frames;
    for (unsigned i = 0; i < OUTPUT_STREAMS; i++) {
        struct output_stream *stream = &output->streams[i];
        *stream = (struct output_stream){.source = -1, .left = limit, .to = frames ? 0 : i};
        enum reason reason = output_open(stream, &command[i], fault);
        if (reason != REASON_OK)
            return reason;
        sink_begin(&output->sinks[i].sink, STDOUT_FILENO + (int)i);
        output->sinks[i].buffer = malloc(OUTPUT_BUFFER);
        if (!output->sinks[i].buffer)
            return fault_set(fault, REASON_SYSTEM, NULL, "out of memory for the output");
    }
    return REASON_OK;
}

static bool output_is_idle(const struct output_sink *sink)
{
    return sink->begin == sink->end && !sink->full;
}

void output_poll(const struct output *output, struct pollfd polled[OUTPUT_POLLED])
{
    for (unsigned i = 0; i < OUTPUT_STREAMS; i++) {
        const struct output_stream *stream = &output->streams[i];
        const struct output_sink *sink = &output->sinks[i];
        bool reads = stream->source >= 0 && output_is_idle(&output->sinks[stream->to]);
        polled[2 * i] = (struct pollfd){.fd = reads ? stream->source : -1, .events = POLLIN};
        polled[2 * i + 1] = (struct pollfd){.fd = output_is_idle(sink) ? -1 : sink->sink.descriptor, .events = POLLOUT};
    }
}

static enum reason output_failed(unsigned to, const char *call, struct fault *fault)
{
    return fault_errno(fault, to == 0 ? DESCRIPTOR_STDOUT : "standard error", call, errno);
}

/* Writes what waits in the sink's buffer, as far as it takes it. */
static enum reason output_flush(struct output *output, unsigned to, struct fault *fault)
{
    struct output_sink *sink = &output->sinks[to];
    sink->full = false;
    while (sink->begin < sink->end) {
        ssize_t count = sink_write(&sink->sink, sink->buffer + sink->begin, sink->end - sink->begin);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return REASON_OK;
        if (count < 0)
            return output_failed(to, "write", fault);
        sink->begin += (size_t)count;
    }
    sink->begin = sink->end = 0;
    return REASON_OK;
}

static void output_close(struct output_stream *stream)
{
    close(stream->source);
    stream->source = -1;
}

/* How many bytes are in the stream's pipe. */
static size_t output_waiting(const struct output_stream *stream)
{
    int waiting = 0;
    return ioctl(stream->source, FIONREAD, &waiting) == 0 && waiting > 0 ? (size_t)waiting : 0;
}

/* Counts bytes that were taken. */
static void output_count(const struct output *output, struct output_stream *stream, size_t count)
{
    if (stream->left != QUANTITY_UNLIMITED)
        stream->left -= count;
    if (output->is_sealed)
        stream->sealed -= count;
}

static void output_frame(struct output *output, unsigned which, const unsigned char *bytes, size_t length)
{
    struct output_sink *sink = &output->sinks[output->streams[which].to];
    struct json json = json_into(sink->buffer, OUTPUT_BUFFER);
    json_begin(&json, NULL, '{');
    json_text(&json, "t", stream_names[which]);
    json_number(&json, "seq", (int64_t)output->sequence++);
    json_base64(&json, "data", bytes, length);
    json_end(&json, '}');
    json_raw(&json, "\n", 1);
    sink->begin = 0;
    sink->end = json.used;
}

/* Takes one chunk of the stream into its sink's buffer. Gives what read(2) gave. */
static ssize_t output_read(struct output *output, unsigned which, size_t most)
{
    static unsigned char chunk[OUTPUT_CHUNK];
    struct output_stream *stream = &output->streams[which];
    struct output_sink *sink = &output->sinks[stream->to];
    char *to = output->frames ? (char *)chunk : sink->buffer;
    ssize_t count = read(stream->source, to, most < OUTPUT_CHUNK ? most : OUTPUT_CHUNK);
    if (count <= 0)
        return count;
    if (output->frames)
        output_frame(output, which, chunk, (size_t)count);
    else {
        sink->begin = 0;
        sink->end = (size_t)count;
    }
    return count;
}

/* What came is all that may come: is there more? */
static enum reason output_probe(struct output *output, unsigned which, struct fault *fault)
{
    struct output_stream *stream = &output->streams[which];
    char byte;
    ssize_t count = read(stream->source, &byte, sizeof byte);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR ? REASON_OK : output_failed(stream->to, "read", fault);
    output_close(stream);
    if (count == 0)
        return REASON_OK;
    output->over = true;
    return fault_set(fault, REASON_TOO_LARGE, NULL, "the command wrote more to its %s than --max-output allows",
                     stream_names[which]);
}

/* Moves one chunk of a stream whose sink is idle. */
static enum reason output_take(struct output *output, unsigned which, struct fault *fault)
{
    struct output_stream *stream = &output->streams[which];
    struct output_sink *sink = &output->sinks[stream->to];
    size_t most = output->is_sealed ? (size_t)stream->sealed : OUTPUT_PIPE;
    if (most == 0) {
        output_close(stream);
        return REASON_OK;
    }
    if (stream->left == 0)
        return output_probe(output, which, fault);
    if (stream->left < most)
        most = (size_t)stream->left;
    bool splices = !output->frames && sink->sink.pipe;
    ssize_t count = splices ? sink_splice(&sink->sink, stream->source, most) : output_read(output, which, most);
    if (count > 0) {
        output_count(output, stream, (size_t)count);
        return splices ? REASON_OK : output_flush(output, stream->to, fault);
    }
    if (count == 0)
        output_close(stream);
    else if (errno == EAGAIN)
        sink->full = splices && output_waiting(stream) > 0;
    else if (errno != EINTR)
        return output_failed(stream->to, splices ? "splice" : "read", fault);
    return REASON_OK;
}

enum reason output_move(struct output *output, struct fault *fault)
{
    enum reason reason = REASON_OK;
    for (unsigned i = 0; i < OUTPUT_STREAMS && reason == REASON_OK; i++)
        reason = output_flush(output, i, fault);
    /* One chunk of each in turn, so that a flood on one does not keep the other back, nor the supervisor busy. */
    for (unsigned i = 0; i < OUTPUT_STREAMS && reason == REASON_OK; i++) {
        unsigned which = (output->turn + i) % OUTPUT_STREAMS;
        const struct output_stream *stream = &output->streams[which];
        if (stream->source >= 0 && output_is_idle(&output->sinks[stream->to]))
            reason = output_take(output, which, fault);
    }
    output->turn = (output->turn + 1) % OUTPUT_STREAMS;
    return reason;
}

void output_seal(struct output *output)
{
    output->is_sealed = true;
    for (unsigned i = 0; i < OUTPUT_STREAMS; i++)
        if (output->streams[i].source >= 0)
            output->streams[i].sealed = output_waiting(&output->streams[i]);
}

bool output_cut(struct output *output)
{
    bool left = false;
    for (unsigned i = 0; i < OUTPUT_STREAMS; i++) {
        if (output->streams[i].source < 0)
            continue;
        left |= output_waiting(&output->streams[i]) > 0;
        output_close(&output->streams[i]);
    }
    return left;
}

bool output_finished(const struct output *output)
{
    for (unsigned i = 0; i < OUTPUT_STREAMS; i++)
        if (output->streams[i].source >= 0 || output->sinks[i].begin < output->sinks[i].end)
            return false;
    return true;
}

void output_add(struct output *output, const char *line, size_t length)
{
    struct output_sink *sink = &output->sinks[0];
    memcpy(sink->buffer + sink->end, line, length);
    sink->end += length;
}
