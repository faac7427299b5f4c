# place: a directory on this machine with two identities that meet in it, for what needs no container: the agent, and root
# as it is inside one (uid 0 without a capability).
#
#   place_make     in setup: $PLACE, root's, with $WORK, the agent's, and $DROPS, where a drop root may be made
#   place_remove   in teardown
#   as_agent CMD   runs CMD as $AGENT:$AGENT, with no capabilities and no_new_privs
#   as_root CMD    runs CMD as uid 0, the same
# shellcheck shell=bash
load claims

AGENT=60001
OTHER=60002

# The same as arrays, for what runs in the background: there $! is the command itself, not a shell around it.
AS_AGENT=("${ATTACK%/*}/become" "$AGENT")
AS_OTHER=("${ATTACK%/*}/become" "$OTHER")
AS_ROOT=("${ATTACK%/*}/become" 0)

as_agent() {
    "${AS_AGENT[@]}" "$@"
}

as_other() {
    "${AS_OTHER[@]}" "$@"
}

as_root() {
    "${AS_ROOT[@]}" "$@"
}

place_make() {
    umask 022
    [[ $EUID == 0 ]] || unable 'only root has two identities to give'
    # Not under TMPDIR or bats' own directory: the agent must get there, and root's drops need safe components.
    PLACE=$(mktemp -d /tmp/sbx-place.XXXXXXXX)
    chmod 0755 "$PLACE"
    WORK=$PLACE/work
    # shellcheck disable=SC2034 # for the cases of sbx-put and sbx-discard
    DROPS=$PLACE/drops
    install -d -o "$AGENT" -g "$AGENT" -m 0755 "$WORK"
    as_agent true || unable 'cannot take on another uid here'
    as_agent test -x "$PUT" || place_tools
}

# The tools may lie where only their builder gets, such as below /root: then the agent runs copies.
place_tools() {
    COPIES=$(mktemp -d /tmp/sbx-tools.XXXXXXXX)
    chmod 0755 "$COPIES"
    cp "$PUT" "$GET" "$DISCARD" "$COLLECT" "$ATTACK"-* "${ATTACK%/*}/tool-repeat" "$COPIES/"
    PUT=$COPIES/${PUT##*/} GET=$COPIES/${GET##*/} DISCARD=$COPIES/${DISCARD##*/} COLLECT=$COPIES/${COLLECT##*/}
    ATTACK=$COPIES/attack
}

place_remove() {
    local target
    [[ -n ${PLACE:-} ]] || return 0
    if [[ -n ${ATTACKER:-} ]]; then
        kill -KILL "$ATTACKER" 2>/dev/null || true
    fi
    while read -r target; do
        umount -l "$target"
    done < <(awk -v place="$PLACE/" 'index($2, place) == 1 { print $2 }' /proc/self/mounts | sort -r)
    rm -rf "$PLACE" "${COPIES:-$PLACE}"
}

# Makes a file of the agent's in its place: agent_file PATH TEXT [MODE].
agent_file() {
    printf %s "$2" >"$1"
    chown "$AGENT:$AGENT" "$1"
    chmod "${3:-0644}" "$1"
}

# Mounts a small tmpfs, to be filled up, made read-only or made noexec: place_mount DIRECTORY OPTIONS.
place_mount() {
    mkdir -p "$1"
    mount -t tmpfs -o "$2" tmpfs "$1" || unable 'cannot mount here'
}
