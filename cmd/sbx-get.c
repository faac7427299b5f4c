/*
 * sbx-get: write one regular file to stdout, as the agent.
 *
 * Threat: the file, and every directory on the way, is the agent's. It may be a link to what the caller can read, a
 * FIFO that never ends, larger than the caller's disk, or change while it is read. So it is opened in one guarded call
 * (path/regular.h), judged by its descriptor, bounded before the first byte and again at the last, and compared with
 * itself afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/progress.h"
#include "base/quantity.h"
#include "base/transfer.h"
#include "path/name.h"
#include "path/regular.h"
#include "send.h"
#include "tool.h"

static struct tool_common common;
static const char *beneath;
static uint64_t max = 100 * 1024 * 1024;
static uint64_t offset;
static uint64_t length = QUANTITY_UNLIMITED;
static bool live;
static bool sealed;

static struct options_row options[] = {
    {"beneath", "DIR", OPTIONS_TEXT, &beneath, "Resolve PATH, a relative one, beneath DIR and through no link", false},
    {"max", "SIZE", OPTIONS_SIZE, &max, "Refuse more than SIZE bytes (default 100M)", false},
    {"offset", "N", OPTIONS_SIZE, &offset, "Begin after the first N bytes", false},
    {"length", "N", OPTIONS_SIZE, &length, "Write at most N bytes", false},
    {"live", NULL, OPTIONS_FLAG, &live, "Accept a file that changes while it is read, such as a log", false},
    {"sealed", NULL, OPTIONS_FLAG, &sealed, "Write a stream that sbx-put --sealed takes, complete or not at all",
     false},
    TOOL_PROGRESS_OPTION(common),
    TOOL_COMMON_OPTIONS(common),
};

static const struct tool tool = {
    .name = "sbx-get",
    .synopsis = "sbx-get [--beneath DIR] [--max SIZE] [--offset N] [--length N] [--live]\n"
                "        [--sealed] PATH",
    .purpose = "Write one regular file to stdout, following no link and waiting for nobody",
    .options = options,
    .common = &common,
};

/* Opens the file where the options say. */
static enum reason get_open(const char *path, struct regular *regular, struct fault *fault)
{
    int directory = AT_FDCWD;
    if (beneath) {
        directory = open(beneath, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0)
            return fault_errno(fault, beneath, "open", errno);
    }
    enum reason reason = regular_open(directory, path, beneath ? LOOKUP_BENEATH : LOOKUP_PLAIN, regular, fault);
    if (beneath)
        close(directory);
    return reason;
}

/* Finds how many bytes there are to write, and refuses too many before the first. */
static enum reason get_measure(const struct regular *regular, const char *path, uint64_t *count, struct fault *fault)
{
    uint64_t size = (uint64_t)regular->stat.st_size;
    if (offset > size)
        return fault_set(fault, REASON_TRUNCATED, path, "%llu bytes, offset %llu", (unsigned long long)size,
                         (unsigned long long)offset);
    *count = size - offset < length ? size - offset : length;
    if (*count > max)
        return fault_set(fault, REASON_TOO_LARGE, path, "%llu bytes, limit %llu", (unsigned long long)*count,
                         (unsigned long long)max);
    if (offset > 0 && lseek(regular->descriptor, (off_t)offset, SEEK_SET) < 0)
        return fault_errno(fault, path, "lseek", errno);
    return REASON_OK;
}

/* Writes the file, of which count bytes are expected, and what it has grown by meanwhile, up to the limits. */
static enum reason get_write(const struct regular *regular, const char *path, uint64_t count, struct fault *fault)
{
    struct transfer transfer = {
        .from = regular->descriptor,
        .from_name = path,
        .to = STDOUT_FILENO,
        .to_name = DESCRIPTOR_STDOUT,
        .expected = count,
    };
    progress_expect(count);
    enum reason reason = transfer_run(&transfer, length < max ? length : max, fault);
    bool ended = true;
    if (reason == REASON_OK && transfer.moved == max && length > max)
        reason = transfer_at_end(&transfer, &ended, fault);
    if (!ended)
        reason = fault_set(fault, REASON_TOO_LARGE, path, "grew over the limit of %llu bytes while it was read",
                           (unsigned long long)max);
    return reason;
}

/* The name in a stream: the last component; a byte that no stream carries becomes "_", since whoever lands the file
 * names it anew. */
static void get_name(const char *path, char name[NAME_LONGEST + 1])
{
    const char *last = strrchr(path, '/');
    snprintf(name, NAME_LONGEST + 1, "%s", last ? last + 1 : path);
    for (char *at = name; *at; at++)
        if (!name_carries((unsigned char)*at))
            *at = '_';
}

/* Writes count bytes as the one file of a stream: its header has promised them. */
static enum reason get_seal(struct send *send, const struct regular *regular, const char *path, uint64_t count,
                            struct fault *fault)
{
    char name[NAME_LONGEST + 1];
    get_name(path, name);
    struct send_file file = {
        .name = name, .path = path, .descriptor = regular->descriptor, .offset = offset, .size = count, .live = live};
    if (kernel_facts(regular->descriptor, &file.facts) < 0)
        return fault_errno(fault, path, "statx", errno);
    progress_expect(count);
    return send_file(send, &file, fault);
}

static enum reason get(const char *path, struct send *send, struct fault *fault)
{
    struct regular regular = {0};
    uint64_t count = 0;
    enum reason reason = get_open(path, &regular, fault);
    if (reason == REASON_OK)
        reason = get_measure(&regular, path, &count, fault);
    if (reason == REASON_OK && sealed)
        return get_seal(send, &regular, path, count, fault);
    if (reason == REASON_OK)
        reason = get_write(&regular, path, count, fault);
    if (reason == REASON_OK && !live)
        reason = regular_check_unchanged(&regular, path, fault);
    if (reason == REASON_OK)
        reason = descriptor_settle(STDOUT_FILENO, DESCRIPTOR_STDOUT, fault);
    return reason;
}

static enum reason get_check(int operands, const char *path, struct fault *fault)
{
    if (operands != 1)
        return fault_set(fault, REASON_USAGE, NULL, "takes one PATH; see --help");
    /* What root reads, the agent can choose by a link in the middle: that is the bug this tool exists to end. */
    if (tool_is_bare_root(&tool))
        return fault_set(fault, REASON_ROOT_REFUSED, NULL,
                         "root reads where an agent steers; use docker exec -u AGENT, or --as AGENT");
    return tool_check_path(&tool, path, fault);
}

int main(int argc, char **argv)
{
    static struct fault fault;
    static struct send send;
    int at = tool_begin(&tool, argc, argv);
    enum reason reason = descriptor_check_stream(STDOUT_FILENO, DESCRIPTOR_STDOUT, &fault);
    if (reason != REASON_OK)
        tool_end(reason, &fault);
    if (sealed)
        send_begin(&send);
    reason = get_check(argc - at, argv[at], &fault);
    if (reason == REASON_OK)
        reason = get(argv[at], &send, &fault);
    /* What failed is for the receiver to know as well. */
    if (sealed)
        reason = send_end(&send, reason, reason != REASON_OK, SEND_MODE, 0, &fault);
    tool_end(reason, &fault);
}
