#!/usr/bin/env bats
# sbx-jail by docker exec in a hardened container, where there are neither namespaces nor capabilities.

setup_file() {
    load sandbox
    sandbox_start base
}

teardown_file() {
    load sandbox
    sandbox_stop
}

setup() {
    load sandbox
    load jail
    mark
}

# The processes of a container, seen from outside: pids of this machine.
processes() {
    docker top "$1" -o pid | tail -n +2
}

# Only the container's first process is there.
quiet() {
    [[ $(processes "$SANDBOX" | wc -l) == 1 ]]
}

jailed() {
    as_agent "${FLAGS[@]}" -- "$BIN/sbx-jail" --mode off --env "SBX_MARK=$MARK" "$@"
}

@test "a command runs, its output and exit code come back, and nothing is left" {
    FLAGS=()
    try jailed --cwd /work -- /bin/sh -c 'echo out; echo err >&2; pwd; id -u; (setsid sleep 1000 &); exit 42'
    [[ $status == 42 && $(cat "$OUT") == $'out\n/work\n1000' && $(cat "$ERR") == err ]] || disprove 'all of it came'
    nothing_is_left "$MARK"
    quiet
}

@test "it holds by Landlock here, the supervisor is protected, and every privilege is gone" {
    FLAGS=()
    try jailed --frames -- /bin/sh -c 'grep -E "^(Cap...|NoNewPrivs|Seccomp):" /proc/self/status; ls /proc/self/fd; tty'
    [[ $status == 1 ]] || disprove 'tty says 1: none'
    frames
    fields 'hold="landlock"' 'supervisor="protected"' seccomp=true survivors=0 'kept_bounding="0000000000000000"'
    [[ $(grep -c 0000000000000000 "$OUT.stdout") == 5 ]] || disprove 'all five sets are empty'
    [[ $(grep -E '^[0-9]+$' "$OUT.stdout" | tr '\n' ' ') == '0 1 2 3 ' ]] || disprove '0 to 2, and that of ls itself'
}

@test "daemons, a thousand children, 400 chains, a bomb: nothing is left at the deadline, seen from outside" {
    local kind
    FLAGS=()
    for kind in 'daemons 100' 'many 1000' 'chains 400' 'stopped 20'; do
        # shellcheck disable=SC2086 # words
        try jailed --deadline 1 --grace 1ms -- /opt/attack/attack-family $kind
        told deadline
        nothing_is_left "$MARK"
        quiet || disprove "$kind: only the first process is left"
    done
    try jailed --deadline 1 --grace 1ms --limit nproc=300 -- /opt/attack/attack-family bomb
    told deadline
    nothing_is_left "$MARK"
    quiet
}

@test "other processes of the agent's in the container are left alone" {
    local before
    docker exec -d -u 1000 "$SANDBOX" /bin/sleep 1000
    eventually test "$(processes "$SANDBOX" | wc -l)" = 2
    before=$(processes "$SANDBOX")
    FLAGS=()
    try jailed --deadline 300ms --grace 1ms -- /bin/sh -c 'sleep 1000 & trap "" TERM; kill -KILL -1; sleep 1000; sleep 1000'
    told deadline
    [[ $(processes "$SANDBOX") == "$before" ]] || disprove 'they are the same'
    as_agent -- /bin/busybox killall sleep
}

@test "killing the client of a tethered command ends it, and everything it started" {
    local client
    mkfifo "$BATS_TEST_TMPDIR/stdin"
    exec 7<>"$BATS_TEST_TMPDIR/stdin"
    docker exec -i -u 1000 "$SANDBOX" "$BIN/sbx-jail" --mode off --tether --grace 100ms --env "SBX_MARK=$MARK" -- \
        /bin/sh -c 'trap "" TERM; (setsid sleep 1000 &); echo there; while :; do sleep 1; done' \
        <&7 >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- 7>&- &
    client=$!
    exec 7>&-
    eventually grep -q there "$BATS_TEST_TMPDIR/out"
    kill -KILL "$client"
    wait "$client" || true
    eventually nothing_is_left "$MARK"
    eventually quiet
}

@test "killing the client of a command without a tether leaves it to its deadline" {
    local client
    docker exec -u 1000 "$SANDBOX" "$BIN/sbx-jail" --mode off --deadline 3 --grace 100ms --env "SBX_MARK=$MARK" -- \
        /bin/sh -c '(setsid sleep 1000 &); echo there; sleep 1000' </dev/null >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
    client=$!
    eventually grep -q there "$BATS_TEST_TMPDIR/out"
    kill -KILL "$client"
    wait "$client" || true
    [[ -n $(marked "$MARK") ]]
    eventually nothing_is_left "$MARK"
    eventually quiet
}

@test "a tether holds as long as its other end does, and swallows what comes" {
    FLAGS=(-i)
    try jailed --tether -- /bin/sh -c 'sleep 1; echo done; cat; exit 6' < <(yes | head -c 1000000; sleep 5)
    exited 6
    [[ $(cat "$OUT") == 'done' ]] || disprove 'nothing of it comes to the command'
}

@test "a tether that is at its end at once is a hang-up, and without -i there is none to hang up" {
    FLAGS=(-i)
    try jailed --tether --grace 100ms -- /bin/sleep 1000 </dev/null
    told io tether
    FLAGS=()
    try jailed --tether -- /bin/sleep 1000 </dev/null
    refused usage 'docker exec needs -i'
}

@test "root cannot drop without capabilities, and refuses without --as" {
    try as_root -- "$BIN/sbx-jail" --mode off --as agent -- /bin/sh -c 'echo ran'
    refused cannot_drop 'docker exec -u'
    try as_root -- "$BIN/sbx-jail" --mode off -- /bin/sh -c 'echo ran'
    refused root_refused
    try as_root -- "$BIN/sbx-jail" --mode off --as root -- /bin/id -u
    gave $'0\n'
}

@test "a command of root's, as container root has it, is ended too, and cannot reach its supervisor" {
    try as_root -- "$BIN/sbx-jail" --mode off --as root --deadline 1 --grace 1ms --env "SBX_MARK=$MARK" -- \
        /opt/attack/attack-family daemons 50
    told deadline
    nothing_is_left "$MARK"
    try as_root -- "$BIN/sbx-jail" --mode off --as root -- /bin/sh -c 'kill -KILL $PPID 2>/dev/null; echo $?; exit 8'
    exited 8
    [[ $(cat "$OUT") == 1 ]] || disprove 'it was refused'
}

@test "with CAP_SETUID, CAP_SETGID and CAP_KILL root runs it as the agent; without CAP_KILL it does not start it" {
    local other
    other=$(sandbox_run "$SANDBOX_IMAGE" --cap-add SETUID --cap-add SETGID)
    try docker exec "$other" "$BIN/sbx-jail" --mode off --as agent -- /bin/sh -c 'echo ran'
    docker rm -f "$other" >/dev/null
    refused permission_denied CAP_KILL
    other=$(sandbox_run "$SANDBOX_IMAGE" --cap-add SETUID --cap-add SETGID --cap-add KILL)
    try docker exec "$other" "$BIN/sbx-jail" --mode off --as agent --deadline 1 --grace 1ms --env "SBX_MARK=$MARK" -- \
        /opt/attack/attack-family daemons 50
    docker rm -f "$other" >/dev/null
    told deadline
    nothing_is_left "$MARK"
}

@test "with CAP_SYS_ADMIN in a container whose /proc is masked, no PID namespace unmasks it" {
    local other
    other=$(sandbox_run "$SANDBOX_IMAGE" --cap-add SYS_ADMIN --security-opt apparmor=unconfined)
    try docker exec "$other" "$BIN/sbx-jail" --mode off --as root --frames -- /bin/sh -c 'echo x >/proc/sys/kernel/core_pattern'
    docker rm -f "$other" >/dev/null
    fields 'hold="landlock"' code=1
}

@test "as the first process of a container it passes signals on, reaps, and ends the container with its command's code" {
    local container
    container=$(docker run -d "${SANDBOX_FLAGS[@]}" -u 1000 "$SANDBOX_IMAGE" "$BIN/sbx-jail" --mode off -- \
        /bin/sh -c 'trap "exit 33" TERM; (setsid sh -c "sleep 0.1 &" &); echo there; while :; do sleep 0.1; done')
    eventually eval "docker logs $container | grep -q there"
    # A process that another docker exec leaves behind comes to the first one, and is none of the command's.
    docker exec -u 1000 "$container" /bin/sh -c 'setsid sleep 1000 &'
    docker stop -t 20 "$container" >/dev/null
    status=$(docker wait "$container")
    docker rm -f "$container" >/dev/null
    [[ $status == 33 ]]
}

@test "as the first process it returns at once although others' processes were left to it" {
    local container
    container=$(docker run -d "${SANDBOX_FLAGS[@]}" -u 1000 "$SANDBOX_IMAGE" "$BIN/sbx-jail" --mode off --status /work/s -- \
        /bin/sh -c 'while [ ! -e /tmp/go ]; do sleep 0.05; done; exit 34')
    docker exec -u 1000 "$container" /bin/sh -c 'setsid sleep 1000 & setsid true & touch /tmp/go'
    status=$(docker wait "$container")
    docker cp -q "$container:/work/s" "$BATS_TEST_TMPDIR/s"
    docker rm -f "$container" >/dev/null
    came "$status" "$BATS_TEST_TMPDIR/s" /dev/null "docker run"
    [[ $status == 34 ]] || disprove 'exits 34'
    fields code=34 survivors=0
}

@test "in an image with nothing in it, it runs a static program, and says what is missing" {
    local image container
    image=$(sandbox_image scratch)
    container=$(sandbox_run "$image")
    try docker exec -u 1000 "$container" "$BIN/sbx-jail" --mode off --deadline 200ms -- /pause
    docker exec -u 1000 "$container" "$BIN/sbx-jail" --mode off -- sh 2>"$BATS_TEST_TMPDIR/missing" || echo $? >"$BATS_TEST_TMPDIR/code"
    docker rm -f "$container" >/dev/null
    docker rmi -f "$image" >/dev/null
    told deadline
    [[ $(cat "$BATS_TEST_TMPDIR/code") == 127 ]]
}

@test "a terminal of docker exec -t is not typed into, and is not the command's" {
    try script -qec "docker exec -it -u 1000 $SANDBOX $BIN/sbx-jail --mode off --stdin inherit -- /opt/attack/attack-calls" /dev/null
    [[ $(tr -d '\r' <"$OUT" | sed 's,^\(\^@\)*,,' | grep '^TIOCSTI ') == 'TIOCSTI EPERM' ]] || disprove 'it is refused'
    try script -qec "docker exec -it -u 1000 $SANDBOX $BIN/sbx-jail --mode off --stdin inherit -- /bin/sh -c '(: </dev/tty) 2>/dev/null; echo \$?'" /dev/null
    [[ $(tr -d '\r' <"$OUT") != 0 ]] || disprove 'it has no controlling terminal'
}
