#include "account.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "quantity.h"

enum { PASSWD_FIELDS = 7, GROUP_FIELDS = 4, NAME = 0, ID = 2, GROUP_ID = 3, HOME = 5 };

/* A file that is read line by line. */
struct account_lines {
    int descriptor;
    size_t at;
    size_t fill;
    char buffer[ACCOUNT_LINE_SIZE];
};

bool account_parse_id(const char *text, id_t *id)
{
    uint64_t number;
    if (!quantity_count(text, &number) || number >= UINT32_MAX)
        return false;
    *id = (id_t)number;
    return true;
}

/* Takes a line apart at its colons; false unless it has exactly so many fields, the first of them not empty. */
static bool account_split(char *line, char *fields[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fields[i] = line;
        line = strchr(line, ':');
        if (!line != (i + 1 == count))
            return false;
        if (line)
            *line++ = '\0';
    }
    return *fields[NAME] != '\0';
}

static bool account_copy(char *out, size_t size, const char *field)
{
    size_t length = strlen(field);
    if (length < size)
        memcpy(out, field, length + 1);
    return length < size;
}

bool account_parse_user(char *line, struct account *account)
{
    char *fields[PASSWD_FIELDS];
    return account_split(line, fields, PASSWD_FIELDS) && account_parse_id(fields[ID], &account->uid) &&
           account_parse_id(fields[GROUP_ID], &account->gid) &&
           account_copy(account->name, sizeof account->name, fields[NAME]) &&
           account_copy(account->home, sizeof account->home, fields[HOME]);
}

bool account_parse_group(char *line, const char **name, gid_t *gid)
{
    char *fields[GROUP_FIELDS];
    if (!account_split(line, fields, GROUP_FIELDS) || !account_parse_id(fields[ID], gid))
        return false;
    *name = fields[NAME];
    return true;
}

static void account_open(struct account_lines *lines, const char *file)
{
    lines->descriptor = open(file, O_RDONLY | O_CLOEXEC);
    lines->at = lines->fill = 0;
}

/* Moves what is left to the front and reads more behind it; false at the end of the file. */
static bool account_read(struct account_lines *lines)
{
    lines->fill -= lines->at;
    memmove(lines->buffer, lines->buffer + lines->at, lines->fill);
    lines->at = 0;
    ssize_t got = read(lines->descriptor, lines->buffer + lines->fill, sizeof lines->buffer - 1 - lines->fill);
    lines->fill += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* The next line, NUL instead of newline; NULL, and the file closed, at its end. What does not fit is passed over. */
static char *account_line(struct account_lines *lines)
{
    bool whole = true;
    for (;;) {
        char *line = lines->buffer + lines->at;
        char *end = memchr(line, '\n', lines->fill - lines->at);
        if (end) {
            *end = '\0';
            lines->at = (size_t)(end - lines->buffer) + 1;
            if (whole)
                return line;
            whole = true;
        } else if (lines->at == 0 && lines->fill == sizeof lines->buffer - 1) {
            lines->at = lines->fill;
            whole = false;
        } else if (lines->descriptor < 0 || !account_read(lines)) {
            if (lines->descriptor >= 0)
                close(lines->descriptor);
            lines->descriptor = -1;
            if (lines->at == lines->fill || !whole)
                return NULL;
            /* The last line, without a newline. */
            lines->buffer[lines->fill] = '\0';
            line = lines->buffer + lines->at;
            lines->at = lines->fill;
            return line;
        }
    }
}

static void account_close(const struct account_lines *lines)
{
    if (lines->descriptor >= 0)
        close(lines->descriptor);
}

/* Finds a user by its name, or by its uid where name is NULL. */
static bool account_find(const char *name, uid_t uid, struct account *account)
{
    struct account_lines lines;
    char *line;
    bool found = false;
    account_open(&lines, "/etc/passwd");
    while (!found && (line = account_line(&lines)) != NULL)
        found = account_parse_user(line, account) && (name ? strcmp(account->name, name) == 0 : account->uid == uid);
    account_close(&lines);
    return found;
}

bool account_find_name(const char *name, struct account *account)
{
    return account_find(name, 0, account);
}

bool account_find_uid(uid_t uid, struct account *account)
{
    return account_find(NULL, uid, account);
}

bool account_find_group(const char *name, gid_t *gid)
{
    struct account_lines lines;
    char *line;
    bool found = false;
    account_open(&lines, "/etc/group");
    while (!found && (line = account_line(&lines)) != NULL) {
        const char *entry;
        found = account_parse_group(line, &entry, gid) && strcmp(entry, name) == 0;
    }
    account_close(&lines);
    return found;
}
