#include "identity.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "diagnostic.h"
#include "quantity.h"

enum { IDENTITY_NAME_SIZE = 256 /* LOGIN_NAME_MAX of limits.h */ };

bool identity_protect(void)
{
    bool already = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return already;
}

bool identity_is_root(void)
{
    return geteuid() == 0;
}

/* A number that names an id: uid_t -1 means "unchanged" to setresuid(2), so it is none. */
static bool identity_number(const char *text, id_t *id)
{
    uint64_t number;
    if (!quantity_count(text, &number) || number >= UINT32_MAX)
        return false;
    *id = (id_t)number;
    return true;
}

/* Finds a user by its name, or by its uid where name is NULL. */
static bool identity_find_user(const char *name, uid_t uid, struct identity *identity)
{
    FILE *file = fopen("/etc/passwd", "re");
    const struct passwd *entry;
    bool found = false;
    while (file && !found && (entry = fgetpwent(file)) != NULL) {
        found = name ? strcmp(entry->pw_name, name) == 0 : entry->pw_uid == uid;
        if (found)
            *identity = (struct identity){entry->pw_uid, entry->pw_gid, false};
    }
    if (file)
        fclose(file);
    return found;
}

static bool identity_find_group(const char *name, gid_t *gid)
{
    FILE *file = fopen("/etc/group", "re");
    const struct group *entry;
    bool found = false;
    while (file && !found && (entry = fgetgrent(file)) != NULL) {
        found = strcmp(entry->gr_name, name) == 0;
        if (found)
            *gid = entry->gr_gid;
    }
    if (file)
        fclose(file);
    return found;
}

static enum reason identity_unknown(struct fault *fault, const char *name, const char *file)
{
    char shown[IDENTITY_NAME_SIZE];
    diagnostic_escape(shown, sizeof shown, name, strlen(name));
    return fault_set(fault, REASON_CANNOT_DROP, NULL, "%s is not in %s; a number needs no entry", shown, file);
}

enum reason identity_parse(const char *text, struct identity *identity, struct fault *fault)
{
    char user[IDENTITY_NAME_SIZE];
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof user || (colon && !colon[1]))
        return fault_set(fault, REASON_USAGE, NULL, "--as takes USER or USER:GROUP; see --help");
    memcpy(user, text, length);
    user[length] = '\0';

    id_t id;
    if (identity_number(user, &id)) {
        if (!identity_find_user(NULL, id, identity))
            *identity = (struct identity){id, id, false};
    } else if (!identity_find_user(user, 0, identity))
        return identity_unknown(fault, user, "/etc/passwd");

    identity->any_group = !colon;
    if (colon && identity_number(colon + 1, &id))
        identity->gid = id;
    else if (colon && !identity_find_group(colon + 1, &identity->gid))
        return identity_unknown(fault, colon + 1, "/etc/group");
    return REASON_OK;
}

static bool identity_holds_uid(uid_t uid)
{
    uid_t real, effective, saved;
    return getresuid(&real, &effective, &saved) == 0 && real == uid && effective == uid && saved == uid;
}

static bool identity_holds_gid(gid_t gid)
{
    gid_t real, effective, saved;
    return getresgid(&real, &effective, &saved) == 0 && real == gid && effective == gid && saved == gid;
}

/* CAP_SETPCAP is needed for each, and refused alike for each: without it the set stays, which no_new_privs makes moot.
 */
static void identity_empty_bounding_set(void)
{
    for (cap_value_t value = 0; cap_get_bound(value) >= 0; value++)
        if (cap_drop_bound(value) < 0)
            return;
}

static bool identity_empty_capabilities(void)
{
    cap_t none = cap_init();
    cap_t now = NULL;
    bool empty = none && cap_set_proc(none) == 0 && (now = cap_get_proc()) != NULL && cap_compare(none, now) == 0;
    cap_free(now);
    cap_free(none);
    return empty;
}

enum reason identity_assume(const struct identity *identity, struct fault *fault)
{
    if (identity_holds_uid(identity->uid) && (identity->any_group || identity_holds_gid(identity->gid)))
        return REASON_OK;
    /* The bounding set goes first: the change of uid takes CAP_SETPCAP away. Groups and gid need root's, too. */
    if (setgroups(0, NULL) < 0)
        return fault_set(fault, REASON_CANNOT_DROP, NULL,
                         "setgroups: %s; needs CAP_SETUID and CAP_SETGID, else use docker exec -u", strerror(errno));
    identity_empty_bounding_set();
    if (setresgid(identity->gid, identity->gid, identity->gid) < 0)
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "setresgid: %s", strerror(errno));
    if (setresuid(identity->uid, identity->uid, identity->uid) < 0)
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "setresuid: %s; needs CAP_SETUID", strerror(errno));
    /* The kernel makes a process dumpable or not by fs.suid_dumpable when its uid changes. */
    identity_protect();
    if (!identity_empty_capabilities())
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "a capability stayed");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "no_new_privs could not be set");
    if (!identity_holds_uid(identity->uid) || !identity_holds_gid(identity->gid) || getgroups(0, NULL) != 0)
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "the ids read back are not the ones that were set");
    return REASON_OK;
}
