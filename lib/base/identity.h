/*
 * identity: who the tool runs as, and giving up root for good.
 *
 * capabilities(7), credentials(7), prctl(2), libcap's cap_set_proc(3) and cap_drop_bound(3).
 */
#ifndef SBX_BASE_IDENTITY_H
#define SBX_BASE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"

struct identity {
    uid_t uid;
    gid_t gid;
    bool any_group; /* no GROUP was named: whoever is USER already may keep its gid */
};

enum { IDENTITY_KEPT_GROUPS = 64 };

/* What could not be given up, for want of the capability to do so. */
struct identity_kept {
    unsigned groups; /* how many supplementary ones other than the gid itself */
    gid_t group[IDENTITY_KEPT_GROUPS];
    uint64_t bounding; /* the bounding set */
};

/*
 * Makes the process non-dumpable (PR_SET_DUMPABLE): others of its uid can then neither trace it nor open its
 * descriptors by /proc. Gives whether it was so already, which a binary of mode 0711 is from its first instruction for
 * whoever may not read it.
 */
bool identity_protect(void);

/* Whether the effective uid is 0. */
bool identity_is_root(void);

/* Whether a capability (CAP_KILL and so on) is effective. */
bool identity_can(int capability);

/*
 * Reads USER[:GROUP], each a name or a number. Names come from account.h. A numeric USER needs no entry there; where
 * neither GROUP nor an entry gives a group, it is the one of the same number. REASON_CANNOT_DROP for a name that is not
 * there.
 */
enum reason identity_parse(const char *text, struct identity *identity, struct fault *fault);

/*
 * Whether the text, which identity_parse read, says that root is meant wherever the identity has a part of root: by
 * the name root itself, not by a 0 and not by what an entry gives.
 */
bool identity_means_root(const char *text, const struct identity *identity);

/*
 * Becomes that identity, for good: no supplementary groups, gid and uid in all three places, the bounding set emptied
 * where CAP_SETPCAP allows, no capability left, no_new_privs, and all of it read back. Being it already succeeds.
 * REASON_CANNOT_DROP when anything of it did not happen.
 */
enum reason identity_assume(const struct identity *identity, struct fault *fault);

/*
 * The same, and whoever is that identity already (NULL: whoever it is) gives up what there is to be given up too. What
 * then has to stay is in *kept.
 */
enum reason identity_shed(const struct identity *identity, struct identity_kept *kept, struct fault *fault);

#endif
