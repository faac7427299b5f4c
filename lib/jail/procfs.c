#include "procfs.h"

#include <stdlib.h>
#include <string.h>

/* Fields of /proc/PID/stat behind the name: the state is the first of them, the start time the twentieth. */
enum { STAT_STARTED = 20 };

/* Fields of a line of mountinfo up to the optional ones, which end with a "-". */
enum { MOUNT_POINT = 4, MOUNT_OPTIONS = 5, MOUNT_OPTIONAL = 6 };

bool procfs_read_stat(const char *line, size_t length, struct procfs_stat *stat)
{
    char text[1024];
    char *end;
    if (length >= sizeof text)
        return false;
    memcpy(text, line, length);
    text[length] = '\0';
    /* A process gives itself its name, which may hold spaces and brackets: the fields begin behind the last one. */
    const char *field = strrchr(text, ')');
    if (!field || field[1] != ' ' || !field[2] || field[3] != ' ')
        return false;
    stat->pid = (pid_t)strtol(text, &end, 10);
    if (end == text || *end != ' ')
        return false;
    stat->state = field[2];
    field += 4;
    stat->parent = (pid_t)strtol(field, &end, 10);
    if (end == field || *end != ' ')
        return false;
    for (int i = 2; i < STAT_STARTED - 1; i++) {
        field = strchr(end, ' ');
        if (!field)
            return false;
        end = strchr(field + 1, ' ');
        if (!end)
            return false;
    }
    stat->started = strtoull(end, NULL, 10);
    return true;
}

/* Whether field number of a line (from 0, words split at single spaces) is the word, or begins with it. */
static const char *procfs_field(const char *line, const char *end, int number)
{
    while (number-- > 0) {
        line = memchr(line, ' ', (size_t)(end - line));
        if (!line)
            return NULL;
        line++;
    }
    return line;
}

static bool procfs_begins(const char *text, const char *end, const char *with)
{
    size_t length = strlen(with);
    return text && (size_t)(end - text) >= length && memcmp(text, with, length) == 0;
}

/* Whether the options at text, up to the next space, have one that begins so. */
static bool procfs_has_option(const char *text, const char *end, const char *option)
{
    for (const char *at = text; at && at < end && *at != ' '; at++)
        if ((at == text || at[-1] == ',') && procfs_begins(at, end, option))
            return true;
    return false;
}

/* The mount at /proc itself. */
static bool procfs_is_whole(const char *line, const char *end)
{
    const char *field = procfs_field(line, end, MOUNT_OPTIONAL);
    while (field && !procfs_begins(field, end, "- "))
        field = procfs_field(field, end, 1);
    if (!procfs_begins(field, end, "- proc ") || procfs_has_option(procfs_field(line, end, MOUNT_OPTIONS), end, "ro"))
        return false;
    const char *options = procfs_field(field, end, 3);
    return !procfs_has_option(options, end, "ro") && !procfs_has_option(options, end, "hidepid=") &&
           !procfs_has_option(options, end, "subset=");
}

bool procfs_hides_nothing(const char *text)
{
    /* Where systemd mounts on demand; the kernel keeps that directory empty otherwise. */
    static const char harmless[] = "/proc/sys/fs/binfmt_misc ";
    bool whole = false;
    while (*text) {
        const char *end = strchr(text, '\n');
        if (!end)
            end = text + strlen(text);
        const char *point = procfs_field(text, end, MOUNT_POINT);
        if (procfs_begins(point, end, "/proc "))
            whole = procfs_is_whole(text, end);
        else if (procfs_begins(point, end, "/proc/") && !procfs_begins(point, end, harmless))
            return false;
        text = *end ? end + 1 : end;
    }
    return whole;
}
