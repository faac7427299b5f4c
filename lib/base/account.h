/*
 * account: users and groups, as /etc/passwd and /etc/group have them.
 *
 * The files themselves are read, passwd(5) and group(5), never NSS or nscd: a static tool must not load what an image's
 * nsswitch.conf(5) names. A line that is malformed, or longer than ACCOUNT_LINE_SIZE, is no entry.
 */
#ifndef SBX_BASE_ACCOUNT_H
#define SBX_BASE_ACCOUNT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum { ACCOUNT_NAME_SIZE = 256 /* LOGIN_NAME_MAX of limits.h */, ACCOUNT_LINE_SIZE = 2 * PATH_MAX };

struct account {
    uid_t uid;
    gid_t gid;
    char name[ACCOUNT_NAME_SIZE];
    char home[PATH_MAX];
};

/* Reads a uid or gid: a decimal number below 2^32 - 1, which setresuid(2) takes for "unchanged". Pure. */
bool account_parse_id(const char *text, id_t *id);

/*
 * Reads a line of /etc/passwd, without its newline; the line is taken apart. False for one that is no entry. Pure.
 */
bool account_parse_user(char *line, struct account *account);

/* The same for a line of /etc/group: *name points into the line. Pure. */
bool account_parse_group(char *line, const char **name, gid_t *gid);

/* Finds a user by its name or by its uid; false where there is no entry. */
bool account_find_name(const char *name, struct account *account);
bool account_find_uid(uid_t uid, struct account *account);

/* Finds the gid of a group by its name. */
bool account_find_group(const char *name, gid_t *gid);

#endif
