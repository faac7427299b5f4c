#!/usr/bin/env bats
# What a command may under sbx-jail: the identity that was asked for, and not one privilege more.

setup() {
    load place
    load jail
    place_make
    jail_make
}

teardown() {
    place_remove
}

STATUS='grep -E "^(Uid|Gid|Groups|Cap...|NoNewPrivs|Seccomp):" /proc/self/status | sed "s/[[:space:]]\+/ /g; s/ $//"'

# uid, gid, groups, and nothing else.
bare() {
    printf '%s\n' "Uid: $1 $1 $1 $1" "Gid: $2 $2 $2 $2" "Groups:${3:+ $3}" CapInh:\ 0000000000000000 \
        CapPrm:\ 0000000000000000 CapEff:\ 0000000000000000 CapBnd:\ 0000000000000000 CapAmb:\ 0000000000000000 \
        'NoNewPrivs: 1' 'Seccomp: 2'
}

@test "root gives up everything: ids, groups, every set of capabilities" {
    try setpriv --groups=4,5,6 --inh-caps=+chown,+kill --ambient-caps=+chown,+kill -- "$JAIL" --mode off --as "$AGENT" -- /bin/sh -c "$STATUS"
    gave "$(bare "$AGENT" "$AGENT")"$'\n'
    try setpriv --groups=4,5,6 -- "$JAIL" --mode off --as "$AGENT:$OTHER" -- /bin/sh -c "$STATUS"
    gave "$(bare "$AGENT" "$OTHER")"$'\n'
    try setpriv --groups=4,5,6 -- "$JAIL" --mode off --as root -- /bin/sh -c "$STATUS"
    gave "$(bare 0 0)"$'\n'
}

@test "an identity may be a name with an entry, a number with one or a number without" {
    try "$JAIL" --mode off --as daemon -- /bin/sh -c "$STATUS; echo \$USER \$HOME"
    gave "$(bare 1 1)"$'\ndaemon /usr/sbin\n'
    try "$JAIL" --mode off --as 1 -- /bin/sh -c 'id -u; echo $USER'
    gave $'1\ndaemon\n'
    try "$JAIL" --mode off --as "$AGENT:daemon" -- /bin/sh -c 'id -u; id -g; echo $USER $HOME'
    gave "$AGENT"$'\n1\n'"$AGENT /"$'\n'
    try "$JAIL" --mode off --as nobody-here -- /bin/true
    refused cannot_drop
}

@test "what an ordinary uid cannot give up is in the outcome" {
    local kept
    kept=$(setpriv --reuid="$AGENT" --regid="$AGENT" --groups="$AGENT,77,78" -- awk '/CapBnd/ { print $2 }' /proc/self/status)
    try setpriv --reuid="$AGENT" --regid="$AGENT" --groups="$AGENT,77,78" -- "$JAIL" --mode off --frames -- /bin/sh -c "$STATUS"
    frames
    fields 'kept_groups=[77, 78]' "kept_bounding=\"$kept\""
    [[ $(cat "$OUT.stdout") == "$(bare "$AGENT" "$AGENT" "77 78 $AGENT" | sed "s/^CapBnd.*/CapBnd: $kept/")" ]] ||
        disprove 'and nothing else stayed'
}

@test "as bare root it refuses, with any command" {
    try "$JAIL" --mode off -- /bin/sh -c 'echo ran'
    refused root_refused
}

@test "root is meant only where it is named" {
    local text
    for text in 0 0:0 0:root "root:0" "$AGENT:0" 1:0; do
        try "$JAIL" --mode off --as "$text" -- /bin/sh -c 'echo ran'
        refused root_refused
    done
    for text in root root:root "$AGENT:root"; do
        try "$JAIL" --mode off --as "$text" -- /bin/true
        exited 0
    done
}

@test "what cannot be become or could not be ended is not started" {
    try as_root "$JAIL" --mode off --as "$AGENT" -- /bin/sh -c 'echo ran'
    refused cannot_drop CAP_SETUID
    try as_agent "$JAIL" --mode off --as "$OTHER" -- /bin/sh -c 'echo ran'
    refused cannot_drop
    try setpriv --bounding-set=-all,+setuid,+setgid --inh-caps=-all -- "$JAIL" --mode off --as "$AGENT" -- /bin/sh -c 'echo ran'
    refused permission_denied CAP_KILL
    try setpriv --bounding-set=-all,+setgid,+kill --inh-caps=-all -- "$JAIL" --mode off --as "$AGENT" -- /bin/sh -c 'echo ran'
    refused cannot_drop
    try setpriv --bounding-set=-all,+setuid,+setgid,+kill --inh-caps=-all -- "$JAIL" --mode off --as "$AGENT" -- /bin/sh -c \
        "$STATUS"
    [[ $(grep -v CapBnd "$OUT") == "$(bare "$AGENT" "$AGENT" | grep -v CapBnd)" ]] || disprove 'three capabilities are enough'
    [[ $status == 0 ]] || disprove 'exits 0'
}

@test "with those three capabilities and another uid, the deadline ends it, held by Landlock and by /proc" {
    local nosys
    for nosys in openat2=ENOSYS landlock_create_ruleset=ENOSYS; do
        try setpriv --bounding-set=-all,+setuid,+setgid,+kill --inh-caps=-all -- "$ATTACK-nosys" "$nosys" -- \
            "$JAIL" --mode off --as "$AGENT" --deadline 300ms --grace 100ms --status /dev/null/x -- /bin/true
        [[ $status == 66 ]] || disprove 'a status file that cannot be'
        try setpriv --bounding-set=-all,+setuid,+setgid,+kill --inh-caps=-all -- "$ATTACK-nosys" "$nosys" -- \
            "$JAIL" --mode off --as "$AGENT" --deadline 300ms --grace 100ms --frames -- \
            /bin/sh -c 'trap "" TERM; (setsid sleep 1000 &); sleep 1000; sleep 1000'
        told deadline
        frames
        fields 'supervisor="protected"' survivors=0
    done
}

@test "a setuid program gains nothing, nor does one with file capabilities" {
    cp /bin/cat "$PLACE/cat"
    cp /bin/cat "$PLACE/capable"
    chmod 6755 "$PLACE/cat"
    setcap cap_setuid,cap_dac_override+ep "$PLACE/capable" || unable 'cannot give a file capabilities here'
    local hold
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        try "${JAILED[@]}" -- "$PLACE/cat" /proc/self/status
        [[ $(awk '/^Uid/ { print $2 $3 $4 $5 }' "$OUT") == "$AGENT$AGENT$AGENT$AGENT" ]] || disprove 'it is still the agent'
        # Where the bounding set is empty, the kernel does not run it at all.
        try "${JAILED[@]}" -- "$PLACE/capable" /proc/self/status
        [[ $status == 126 ]] || [[ $(awk '/^Cap(Prm|Eff)/ { print $2 }' "$OUT" | sort -u) == 0000000000000000 ]] ||
            disprove 'no capability came'
    done
}

@test "the user cannot be had by a kernel that refuses the change" {
    try "$ATTACK-nosys" setresuid=EPERM -- "$JAIL" --mode off --as "$AGENT" -- /bin/sh -c 'echo ran'
    refused cannot_drop setresuid
    try "$ATTACK-nosys" setgroups=EPERM -- "$JAIL" --mode off --as "$AGENT" -- /bin/sh -c 'echo ran'
    refused cannot_drop setgroups
}

@test "a PID namespace is used only where a new /proc shows nothing that was hidden" {
    try unshare --mount -- /bin/sh -c 'mount --bind /dev/null /proc/keys && exec "$@"' sh "$JAIL" --mode off --as "$AGENT" --frames -- /bin/true
    fields 'hold="landlock"'
    try unshare --mount -- /bin/sh -c 'mount -o remount,ro,bind /proc && exec "$@"' sh "$JAIL" --mode off --as root --frames -- \
        /bin/sh -c ': >/proc/sys/kernel/core_pattern'
    fields 'hold="landlock"' code=2
    try unshare --mount -- /bin/sh -c 'umount -l /proc && exec "$@"' sh "$JAIL" --mode off --as root --frames -- /bin/true
    fields 'hold="landlock"' code=0
}

@test "the new /proc is the command's alone: nothing of it shows outside" {
    local before
    before=$(cat /proc/self/mountinfo)
    jail_hold pid_namespace
    try "${JAILED[@]}" -- /bin/sh -c 'ls -d /proc/[0-9]* | wc -l'
    ((status == 0 && $(cat "$OUT") <= 4)) || disprove 'it shows the few processes of the command'
    [[ $(cat /proc/self/mountinfo) == "$before" ]] || disprove 'no mount is left'
}
