#include "diagnostic.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *tool_name = "sbx";
static bool quiet;
static unsigned long reports;

void diagnostic_begin(const char *tool, bool quietly)
{
    tool_name = tool;
    quiet = quietly;
}

/*
 * The agent chooses the names that are printed here, and a terminal obeys what it is shown: a name may hold sequences
 * that retitle the window, move the cursor over an earlier line or, as bidirectional controls, reorder what is read.
 * Only printable ASCII passes.
 */
size_t diagnostic_escape(char *out, size_t size, const char *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        char form[DIAGNOSTIC_ESCAPED];
        size_t need = 2;
        form[0] = '\\';
        if (byte == '\\')
            form[1] = '\\';
        else if (byte == '\n')
            form[1] = 'n';
        else if (byte == '\t')
            form[1] = 't';
        else if (byte < ' ' || byte > '~') {
            form[1] = 'x';
            form[2] = digits[byte >> 4];
            form[3] = digits[byte & 15];
            need = sizeof form;
        } else {
            form[0] = (char)byte;
            need = 1;
        }
        if (used + need >= size)
            break;
        memcpy(out + used, form, need);
        used += need;
    }
    out[used] = '\0';
    return used;
}

/* poll(2) promises PIPE_BUF bytes of room in a pipe: a line that is longer may still have to wait. */
static void diagnostic_write(const char *line, size_t length)
{
    struct pollfd waiting = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&waiting, 1, DIAGNOSTIC_PATIENCE) <= 0 || write(STDERR_FILENO, line, length) < 0)
        quiet = true;
}

/* One write for one line, so that lines of two processes on one stderr do not mix. Its failure has nowhere to go. */
static void diagnostic_line(const struct fault *fault)
{
    static char path[DIAGNOSTIC_ESCAPED * PATH_MAX];
    static char line[sizeof path + FAULT_DETAIL_SIZE + 64];
    if (quiet)
        return;
    diagnostic_escape(path, sizeof path, fault->path, strlen(fault->path));
    int length = snprintf(line, sizeof line, "%s: %s: %s%s%s\n", tool_name, reason_name(fault->reason), path,
                          path[0] && fault->detail[0] ? ": " : "", fault->detail);
    diagnostic_write(line, (size_t)length);
}

void diagnostic_fault(const struct fault *fault)
{
    diagnostic_line(fault);
}

void diagnostic_report(const struct fault *fault)
{
    if (reports++ < DIAGNOSTIC_REPORTS)
        diagnostic_line(fault);
}

void diagnostic_end(void)
{
    if (quiet || reports <= DIAGNOSTIC_REPORTS)
        return;
    char line[128];
    int length = snprintf(line, sizeof line, "%s: %lu more were left out and are not listed\n", tool_name,
                          reports - DIAGNOSTIC_REPORTS);
    diagnostic_write(line, (size_t)length);
}
