#!/usr/bin/env bats
# How sbx-jail tells how a run ended: by exit code, by the status file, by the last frame; and that they cannot be
# confused.

setup() {
    load place
    load jail
    place_make
    jail_make
    jail_hold landlock
}

teardown() {
    place_remove
}

# What the exit code, the status file and the last frame say of one call: ended CODE MEMBER=JSON... -- OPTION... -- COMMAND
ended() {
    local code=$1 wanted=()
    shift
    while [[ $1 != -- ]]; do
        wanted+=("$1")
        shift
    done
    shift
    rm -f "$WORK/status"
    try "${JAILED[@]}" --frames --status "$WORK/status" "$@" </dev/null
    [[ $status == "$code" ]] || disprove "exits $code"
    frames
    fields "${wanted[@]}"
    cmp <(tail -n 1 "$OUT") "$WORK/status" || disprove 'the last frame and the status file are the same'
}

@test "every exit code of a command is the jail's" {
    local code
    for code in 0 1 2 63 64 65 66 69 71 74 77 80 82 92 93 94 124 125 126 127 128 137 143 254 255; do
        ended "$code" "code=$code" signal=null 'reason="ok"' 'stage="run"' detail=null -- -- /bin/sh -c "exit $code"
        [[ ! -s $ERR ]] || disprove 'says nothing on stderr'
    done
}

@test "every exit code there is comes through, one after the other" {
    local code
    for ((code = 0; code < 256; code++)); do
        status=0
        "${JAILED[@]}" -- /bin/sh -c "exit $code" || status=$?
        [[ $status == "$code" ]] || return 1
    done
}

@test "500 runs in a row end as the command does" {
    local round
    for ((round = 0; round < 500; round++)); do
        status=0
        "${JAILED[@]}" -- /bin/sh -c 'exit 21' || status=$?
        [[ $status == 21 ]] || return 1
    done
}

@test "death by a signal is 128 and its number" {
    local number
    for number in 1 2 3 6 8 9 10 11 13 14 15 31 34 64; do
        ended "$((128 + number))" code=null "signal=$number" 'reason="ok"' 'stage="run"' -- -- \
            "$PYTHON" -c "import os, signal; $number in (9, 64) or signal.signal($number, signal.SIG_DFL); os.kill(os.getpid(), $number); import time; time.sleep(100)"
        [[ ! -s $ERR ]] || disprove 'says nothing on stderr'
    done
}

@test "a command's own 64, 66, 82, 124, 126 and 127 are told apart from the jail's" {
    ended 66 code=66 'reason="ok"' 'stage="run"' -- -- /bin/sh -c 'exit 66'
    ended 66 code=null 'reason="missing"' 'stage="setup"' -- --cwd /nowhere -- /bin/true
    ended 127 code=127 'reason="ok"' 'stage="run"' -- -- /bin/sh -c 'exit 127'
    ended 127 code=null 'reason="missing"' 'stage="exec"' -- -- no-such-command
    ended 126 code=126 'reason="ok"' 'stage="run"' -- -- /bin/sh -c 'exit 126'
    ended 126 code=null 'reason="permission_denied"' 'stage="exec"' -- -- /etc/passwd
    ended 124 code=124 'reason="ok"' 'stage="run"' -- -- /bin/sh -c 'exit 124'
    ended 124 code=null signal=15 'reason="deadline"' 'stage="run"' -- --deadline 200ms -- /bin/sleep 1000
    ended 82 code=82 'reason="ok"' 'stage="run"' truncated=false -- -- /bin/sh -c 'exit 82'
    ended 82 'reason="too_large"' 'stage="run"' truncated=true -- --max-output 1 -- /bin/echo text
    ended 64 code=64 'reason="ok"' 'stage="run"' -- -- /bin/sh -c 'exit 64'
    ended 64 code=null 'reason="usage"' 'stage="call"' -- --limit x=1 -- /bin/true
    ended 64 code=null 'reason="usage"' 'stage="call"' -- --no-such-option -- /bin/true
    ended 137 code=null signal=9 'reason="ok"' 'stage="run"' -- -- /bin/sh -c 'kill -KILL $$'
    ended 124 code=null signal=9 'reason="deadline"' 'stage="run"' -- --deadline 200ms --grace 1ms -- \
        /bin/sh -c 'trap "" TERM; while :; do sleep 1; done'
}

@test "a command that ends of itself within the grace was still late" {
    ended 124 code=0 signal=null 'reason="deadline"' 'stage="run"' -- --deadline 300ms -- \
        /bin/sh -c 'exec 2>/dev/null; trap "exit 0" TERM; while :; do sleep 0.05; done'
}

@test "what held is in the outcome" {
    ended 0 'hold="landlock"' 'supervisor="protected"' seccomp=true kept_groups=[] 'kept_bounding="0000000000000000"' -- -- /bin/true
    jail_hold pid_namespace
    install -d -m 0755 "$PLACE/root-only"
    try "${JAILED[@]}" --frames -- /bin/true
    fields 'hold="pid_namespace"' 'supervisor="protected"' seccomp=true
    jail_hold proc
    ended 0 'hold="proc"' 'supervisor="unprotected"' -- -- /bin/true
}

@test "--status replaces what an earlier run left, at once and as a whole" {
    echo old >"$WORK/status"
    chown "$AGENT" "$WORK/status"
    try "${JAILED[@]}" --status "$WORK/status" -- /bin/sh -c 'test ! -e status && exit 4'
    exited 4
    fields --of "$WORK/status" code=4
    [[ $(wc -l <"$WORK/status") == 1 ]] || disprove 'it is one line'
    has_only "$WORK" status
    [[ $(stat -c %a "$WORK/status") == 644 ]] || disprove 'its mode is 0644'
}

@test "--status where the file cannot be made refuses before anything runs" {
    try "${JAILED[@]}" --status "$PLACE/status" -- /bin/sh -c 'echo ran'
    refused permission_denied
    try "${JAILED[@]}" --status /nowhere/status -- /bin/sh -c 'echo ran'
    refused missing
    mkdir "$WORK/directory"
    try "${JAILED[@]}" --status "$WORK/directory" -- /bin/sh -c 'echo ran'
    refused not_regular
    try "${JAILED[@]}" --status "$WORK/" -- /bin/sh -c 'echo ran'
    refused bad_name
    has_only "$WORK" directory
}

@test "a link at the status file is replaced, and what it leads to is left alone" {
    echo kept >"$WORK/kept"
    ln -s kept "$WORK/status"
    try "${JAILED[@]}" --status "$WORK/status" -- /bin/true
    exited 0
    holds "$WORK/kept" $'kept\n'
    [[ ! -L $WORK/status ]] || disprove 'the file is none'
}

@test "a command that puts a directory in the way makes the run fail" {
    try "${JAILED[@]}" --status "$WORK/status" -- /bin/mkdir "$WORK/status"
    told not_regular status
}

@test "as root the status file lies where only root may write, whatever the command is" {
    jail_hold pid_namespace
    install -d -m 0755 "$PLACE/reports"
    # The command may not get at it, nor at its directory.
    try "${JAILED[@]}" --status "$WORK/status" -- /bin/sh -c 'echo ran'
    refused unsafe_directory
    try "${JAILED[@]}" --status status -- /bin/sh -c 'echo ran'
    refused usage
    has_only "$WORK"
}

@test "a status file of root's is there when its directory is root's alone" {
    local safe
    safe=$(mktemp -d /run/sbx-status.XXXXXX)
    chmod 0755 "$safe"
    jail_hold pid_namespace
    try "${JAILED[@]}" --status "$safe/status" -- /bin/sh -c 'exit 6'
    rm -rf "$PLACE/copy"
    cp "$safe/status" "$PLACE/copy"
    rm -rf "$safe"
    exited 6
    fields --of "$PLACE/copy" code=6 'reason="ok"'
}

@test "--quiet says nothing of any outcome, and the codes stay" {
    try "${JAILED[@]}" --quiet --deadline 100ms -- /bin/sleep 1000
    [[ $status == 124 && ! -s $ERR ]] || disprove '124'
    try "${JAILED[@]}" --quiet -- no-such-command
    [[ $status == 127 && ! -s $ERR ]] || disprove '127'
}

@test "signals to the jail are passed on to the command and what is in its process group" {
    local name run
    for name in TERM INT HUP QUIT; do
        rm -f "$WORK/child"
        "$PYTHON" -c 'import os, signal, sys
for name in ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "${AS_AGENT[@]}" "${JAILED[@]:1}" --status "$WORK/status" -- "$PYTHON" -c '
import os, signal, sys, time
name = "SIG" + sys.argv[1]
child = os.fork()
signal.signal(getattr(signal, name), lambda *_: (open("child", "w") if child == 0 else 0, os._exit(40)))
if child:
    print("there", flush=True)
    os.waitpid(child, 0)
    while True: time.sleep(1)
else:
    time.sleep(1000)' "$name" >"$PLACE/out" 2>"$PLACE/err" 3>&- &
        run=$!
        eventually grep -q there "$PLACE/out"
        sleep 0.2
        kill -"$name" "$run"
        status=0
        wait "$run" || status=$?
        [[ $status == 40 ]]
    done
}

@test "a signal that the caller ignores is not passed on" {
    local run
    "$PYTHON" -c 'import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$JAIL" --mode off --as root -- /bin/sh -c 'echo there; sleep 1; exit 5' >"$PLACE/out" 2>&1 3>&- &
    run=$!
    eventually grep -q there "$PLACE/out"
    kill -HUP "$run"
    status=0
    wait "$run" || status=$?
    [[ $status == 5 ]]
}

@test "--probe says what works here, and that is what a run then has" {
    try as_agent "$JAIL" --probe
    succeeded
    [[ $(field modes) == *'"hold": "landlock"'* ]] || disprove 'the agent would be held by Landlock'
    [[ $(field capabilities) != *true* ]] || disprove 'the agent has no capability'
    [[ $(field kernel) == "\"$(uname -r)\"" ]] || disprove 'the kernel is this one'
    try "$JAIL" --probe
    succeeded
    [[ $(field modes) == *'"hold": "pid_namespace"'* ]] || disprove 'root would hold by a PID namespace'
    try as_agent "$ATTACK-nosys" landlock_create_ruleset=ENOSYS -- "$JAIL" --probe
    succeeded
    [[ $(field modes) == *'"hold": "proc"'*'"unprotected"'* ]] || disprove 'without Landlock it walks /proc'
    fields landlock_abi=0 landlock_signal_scope=false
    try "$JAIL" --probe -- /bin/true
    refused usage
}

@test "without seccomp the command runs, and that is said" {
    try as_agent "$ATTACK-nosys" seccomp=EINVAL -- "$JAIL" --mode off --status "$WORK/status" -- /bin/sh -c 'echo ran; exit 3'
    [[ $status == 3 && $(cat "$OUT") == ran ]] || disprove 'it ran'
    [[ $(cat "$ERR") == 'sbx-jail: unsupported: no seccomp here: '* ]] || disprove 'it says so'
    fields --of "$WORK/status" seccomp=false
}

@test "a kernel without close_range runs nothing" {
    try as_agent "$ATTACK-nosys" close_range=ENOSYS -- "$JAIL" --mode off -- /bin/sh -c 'echo ran'
    refused unsupported close_range
}
