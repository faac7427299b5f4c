#!/usr/bin/env bats
# What sbx-jail ends: all that a command started, on this machine, by each of the three ways to hold it, and nothing else.

setup() {
    load place
    load jail
    place_make
    jail_make
    mark
}

teardown() {
    local process
    for process in $(marked "$MARK"); do
        kill -KILL "$process" 2>/dev/null || true
    done
    [[ -z ${BYSTANDER:-} ]] || kill -KILL "$BYSTANDER" || true
    place_remove
}

# Runs a command under each hold, and nothing of it may be left: ends STATUS OPTION... -- COMMAND...
ends() {
    local wanted=$1 hold
    shift
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        try "${JAILED[@]}" --env "SBX_MARK=$MARK" "$@" </dev/null
        [[ $status == "$wanted" ]] || disprove "exits $wanted where it holds by $hold"
        nothing_is_left "$MARK"
    done
}

# The two processes of the jail whose command is marked: the supervisor, and the reaper that it started.
supervisor() {
    pgrep -f -- "^$JAIL --mode off.*$MARK" | sort -n | head -n 1
}

reaper() {
    pgrep -f -- "^$JAIL --mode off.*$MARK" | sort -n | tail -n 1
}

@test "what a command leaves running ends with it: its children, those in other sessions, and nohup's" {
    ends 3 -- /bin/sh -c 'sleep 1000 & setsid sleep 1000 & nohup sleep 1000 & (setsid sleep 1000 &) ; exit 3'
}

@test "daemons that double-forked end with the command that started them" {
    ends 7 -- "$ATTACK-family" orphans 50
}

@test "a thousand children end at the deadline" {
    ends 124 --deadline 2 --grace 100ms -- "$ATTACK-family" many 1000
}

@test "daemons end at the deadline" {
    ends 124 --deadline 1 --grace 100ms -- "$ATTACK-family" daemons 100
}

@test "a child that ignores TERM ends when the grace is over" {
    ends 124 --deadline 300ms --grace 100ms -- /bin/sh -c 'trap "" TERM HUP INT; while :; do sleep 1; done'
}

@test "stopped and traced children end" {
    ends 124 --deadline 300ms --grace 100ms -- "$ATTACK-family" stopped 20
    ends 124 --deadline 300ms --grace 100ms -- "$ATTACK-family" traced 20
}

@test "children that tell nobody when they end, and children of the parent's, end" {
    ends 124 --deadline 300ms --grace 100ms -- "$ATTACK-family" clones 20
    ends 124 --deadline 300ms --grace 100ms -- "$ATTACK-family" parents 20
}

@test "400 chains of forks that race the kill end, held by Landlock and by a PID namespace" {
    JAIL_HOLDS=(landlock pid_namespace)
    ends 124 --deadline 1 --grace 1ms -- "$ATTACK-family" chains 400
}

@test "a fork bomb within a limit of processes ends" {
    ends 124 --deadline 1 --grace 1ms --limit nproc=200 -- "$ATTACK-family" bomb
}

@test "a child that holds stdout open does not hold the jail up" {
    ends 0 --frames -- /bin/sh -c 'sleep 1000 & exit 0'
    ends 0 --max-output 1M -- /bin/sh -c 'sleep 1000 & exit 0'
}

@test "TERM comes first: a command that cleans up within the grace has the time to" {
    local hold
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        try "${JAILED[@]}" --deadline 500ms --grace 1m -- \
            /bin/sh -c 'exec 2>/dev/null; trap "echo cleaned; exit 9" TERM; echo begun; while :; do sleep 0.05; done'
        told deadline
        [[ $(cat "$OUT") == $'begun\ncleaned' ]] || disprove 'the command saw TERM'
    done
}

@test "TERM goes to everything, and wakes what is stopped" {
    local hold
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        rm -f "$WORK/child"
        try "${JAILED[@]}" --deadline 500ms --grace 1m -- /bin/sh -c \
            'exec 2>/dev/null; setsid /bin/sh -c "trap \"echo >child; exit\" TERM; kill -STOP \$\$; while :; do sleep 0.05; done" &
             trap "while [ ! -e child ]; do sleep 0.05; done; exit" TERM; while :; do sleep 0.05; done'
        told deadline
        [[ -e $WORK/child ]] || disprove "a stopped child in another session saw TERM ($hold)"
    done
}

@test "processes of the same uid outside are left alone" {
    local hold
    bystander
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        try "${JAILED[@]}" --deadline 300ms --grace 1ms -- "$ATTACK-family" many 10
        told deadline
        unharmed
    done
}

@test "a command that kills everything it can reaches its own tree alone" {
    bystander
    jail_hold landlock
    try "${JAILED[@]}" -- /bin/sh -c 'sleep 1000 & kill -KILL -1; wait 2>/dev/null; exit 5'
    [[ $status == 5 ]] || disprove 'exits 5'
    unharmed
}

@test "the jail killed by SIGKILL leaves nothing of the command" {
    local hold
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        "${JAILED[@]}" --env "SBX_MARK=$MARK" -- /bin/sh -c 'trap "" TERM; (setsid sleep 1000 &); sleep 1000 & echo there; wait' \
            >"$PLACE/out" 2>"$PLACE/err" 3>&- &
        eventually grep -q there "$PLACE/out"
        kill -KILL "$(supervisor)"
        eventually nothing_is_left "$MARK"
        eventually test -z "$(pgrep -f "$MARK" || true)"
        wait || true
    done
}

@test "KILL to the jail's process group leaves nothing of the command" {
    jail_hold landlock
    setsid "$BASH" -c 'exec "$@"' sh setpriv --reuid="$AGENT" --regid="$AGENT" --clear-groups --no-new-privs -- \
        "$JAIL" --mode off --env "SBX_MARK=$MARK" -- /bin/sh -c '(setsid sleep 1000 &); echo there; sleep 1000' \
        >"$PLACE/out" 2>"$PLACE/err" 3>&- &
    local group
    eventually grep -q there "$PLACE/out"
    group=$(supervisor)
    kill -KILL -- "-$(ps -o pgid= -p "$group" | tr -d ' ')"
    eventually nothing_is_left "$MARK"
}

@test "the reaper killed from outside takes the command with it and nothing else, and the jail says so" {
    local hold run
    bystander
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        "${JAILED[@]}" --env "SBX_MARK=$MARK" -- /bin/sh -c '(setsid sleep 1000 &); echo there; sleep 1000' \
            >"$PLACE/out" 2>"$PLACE/err" 3>&- &
        local run=$!
        eventually grep -q there "$PLACE/out"
        kill -KILL "$(reaper)"
        await "$run" "$PLACE/out" "$PLACE/err"
        told system 'reaper'
        nothing_is_left "$MARK"
        unharmed
    done
}

@test "the reaper stopped from outside does not stop the deadline" {
    local reaper run
    jail_hold landlock
    "${JAILED[@]}" --deadline 2 --grace 100ms --env "SBX_MARK=$MARK" -- \
        /bin/sh -c 'trap "" TERM; (setsid sleep 1000 &); echo there; while :; do sleep 1; done' \
        >"$PLACE/out" 2>"$PLACE/err" 3>&- &
    run=$!
    eventually grep -q there "$PLACE/out"
    reaper=$(reaper)
    kill -STOP "$reaper"
    await "$run" "$PLACE/out" "$PLACE/err"
    told deadline
    nothing_is_left "$MARK"
    [[ ! -e /proc/$reaper ]] || disprove 'the reaper is gone too'
}

@test "both killed at once leave nothing in a PID namespace, and otherwise what the command started, without it" {
    local hold both
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        mark
        "${JAILED[@]}" --env "SBX_MARK=$MARK" -- /bin/sh -c '(setsid sleep 1000 &); echo there; exec sleep 2000' \
            >"$PLACE/out" 2>"$PLACE/err" 3>&- &
        eventually grep -q there "$PLACE/out"
        both=("$(supervisor)" "$(reaper)")
        # What is stopped does not see the other one's end, and so does nothing about it.
        kill -STOP "${both[@]}"
        kill -KILL "${both[@]}"
        eventually ended "$hold"
        wait || true
    done
}

# What then is left of the command.
ended() {
    local process
    for process in $(marked "$MARK"); do
        [[ $1 != pid_namespace && $(tr '\0' ' ' <"/proc/$process/cmdline") == 'sleep 1000 ' ]] || return 1
    done
    for process in $(marked "$MARK"); do
        kill -KILL "$process"
    done
}

@test "what cannot die is counted, and does not keep the jail" {
    local cgroup=/sys/fs/cgroup/freezer/sbx-test-$BATS_SUITE_TEST_NUMBER$RANDOM hold
    mkdir "$cgroup" 2>/dev/null || unable 'no cgroup v1 freezer to make a process that does not die'
    for hold in landlock proc pid_namespace; do
        jail_hold "$hold"
        mark
        "${JAILED[@]}" --deadline 2 --grace 1ms --env "SBX_MARK=$MARK" --frames -- /bin/sh -c 'echo there; exec sleep 1000' \
            >"$PLACE/out" 2>"$PLACE/err" 3>&- &
        local run=$!
        eventually grep -q stdout "$PLACE/out"
        for process in $(marked "$MARK"); do
            echo "$process" >"$cgroup/cgroup.procs"
        done
        echo FROZEN >"$cgroup/freezer.state"
        await "$run" "$PLACE/out" "$PLACE/err"
        echo THAWED >"$cgroup/freezer.state"
        told deadline
        frames
        fields survivors=1 'reason="deadline"'
        eventually nothing_is_left "$MARK"
    done
    eventually rmdir "$cgroup"
}
