#include "identity.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "account.h"
#include "diagnostic.h"

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

bool identity_can(int capability)
{
    cap_flag_value_t value = CAP_CLEAR;
    cap_t now = cap_get_proc();
    bool can = now && cap_get_flag(now, capability, CAP_EFFECTIVE, &value) == 0 && value == CAP_SET;
    cap_free(now);
    return can;
}

static enum reason identity_unknown(struct fault *fault, const char *name, const char *file)
{
    char shown[ACCOUNT_NAME_SIZE];
    diagnostic_escape(shown, sizeof shown, name, strlen(name));
    return fault_set(fault, REASON_CANNOT_DROP, NULL, "%s is not in %s; a number needs no entry", shown, file);
}

enum reason identity_parse(const char *text, struct identity *identity, struct fault *fault)
{
    char user[ACCOUNT_NAME_SIZE];
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof user || (colon && !colon[1]))
        return fault_set(fault, REASON_USAGE, NULL, "--as takes USER or USER:GROUP; see --help");
    memcpy(user, text, length);
    user[length] = '\0';

    id_t id;
    struct account account;
    bool number = account_parse_id(user, &id);
    if (number ? account_find_uid(id, &account) : account_find_name(user, &account))
        *identity = (struct identity){account.uid, account.gid, false};
    else if (number)
        *identity = (struct identity){id, id, false};
    else
        return identity_unknown(fault, user, "/etc/passwd");

    identity->any_group = !colon;
    if (colon && account_parse_id(colon + 1, &id))
        identity->gid = id;
    else if (colon && !account_find_group(colon + 1, &identity->gid))
        return identity_unknown(fault, colon + 1, "/etc/group");
    return REASON_OK;
}

bool identity_means_root(const char *text, const struct identity *identity)
{
    static const char root[] = "root";
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    bool user = length == strlen(root) && memcmp(text, root, length) == 0;
    bool group = colon ? strcmp(colon + 1, root) == 0 : user;
    return (identity->uid != 0 || user) && (identity->gid != 0 || group);
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

/* Whether the process is that identity already. */
static bool identity_holds(const struct identity *identity)
{
    return identity_holds_uid(identity->uid) && (identity->any_group || identity_holds_gid(identity->gid));
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

/* Groups other than its own gid, and the bounding set, as they now are. */
static enum reason identity_look(struct identity_kept *kept, struct fault *fault)
{
    memset(kept, 0, sizeof *kept);
    int count = getgroups(0, NULL);
    gid_t *groups = calloc((size_t)count + 1, sizeof *groups);
    count = groups ? getgroups(count, groups) : -1;
    for (int i = 0; i < count; i++) {
        if (groups[i] == getegid())
            continue;
        if (kept->groups < IDENTITY_KEPT_GROUPS)
            kept->group[kept->groups] = groups[i];
        kept->groups++;
    }
    free(groups);
    int held;
    for (cap_value_t value = 0; (held = cap_get_bound(value)) >= 0; value++)
        kept->bounding |= (uint64_t)held << value;
    return count < 0 ? fault_set(fault, REASON_CANNOT_DROP, NULL, "the groups could not be read back") : REASON_OK;
}

enum reason identity_shed(const struct identity *identity, struct identity_kept *kept, struct fault *fault)
{
    bool already = !identity || identity_holds(identity);
    struct identity target = already ? (struct identity){geteuid(), getegid(), false} : *identity;
    /* The bounding set goes first: the change of uid takes CAP_SETPCAP away. Groups and gid need root's, too. */
    if (setgroups(0, NULL) < 0 && !already)
        return fault_set(fault, REASON_CANNOT_DROP, NULL,
                         "setgroups: %s; needs CAP_SETUID and CAP_SETGID, else use docker exec -u", strerror(errno));
    identity_empty_bounding_set();
    if (setresgid(target.gid, target.gid, target.gid) < 0)
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "setresgid: %s", strerror(errno));
    if (setresuid(target.uid, target.uid, target.uid) < 0)
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "setresuid: %s; needs CAP_SETUID", strerror(errno));
    /* The kernel makes a process dumpable or not by fs.suid_dumpable when its uid changes. */
    identity_protect();
    /* The ambient set goes with the permitted one. */
    if (!identity_empty_capabilities())
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "a capability stayed");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "no_new_privs could not be set");
    if (!identity_holds_uid(target.uid) || !identity_holds_gid(target.gid) || (!already && getgroups(0, NULL) != 0))
        return fault_set(fault, REASON_CANNOT_DROP, NULL, "the ids read back are not the ones that were set");
    return identity_look(kept, fault);
}

enum reason identity_assume(const struct identity *identity, struct fault *fault)
{
    struct identity_kept kept;
    return identity_holds(identity) ? REASON_OK : identity_shed(identity, &kept, fault);
}
