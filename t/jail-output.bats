#!/usr/bin/env bats
# The output of a command under sbx-jail: inherited, bounded, in frames.

setup() {
    load place
    load jail
    place_make
    jail_make
    jail_hold landlock
    mark
}

teardown() {
    place_remove
}

# Every byte value, in blocks that no chunk size divides, on stdout; the same turned around on stderr.
BINARY='
import os, sys
block = bytes(range(256)) * 41 + b"\0\n\r{\"t\":\"exit\"}\n"
for round in range(int(sys.argv[1])):
    os.write(1, block)
    os.write(2, block[::-1])
'

@test "without a bound the command has the caller's own descriptors" {
    local mine
    exec 7>"$PLACE/own" 8>"$PLACE/other"
    mine=$(readlink /proc/self/fd/7)
    "${JAILED[@]}" -- /bin/sh -c 'readlink /proc/self/fd/1 /proc/self/fd/2' >&7 2>&8
    [[ $(cat "$PLACE/own") == "$mine"$'\n'"$PLACE/other" ]]
}

@test "frames carry binary output byte for byte, with one count over both streams, and one last frame" {
    try "${JAILED[@]}" --frames -- "$PYTHON" -c "$BINARY" 300
    exited 0
    frames
    "$PYTHON" -c "$BINARY" 300 >"$PLACE/1" 2>"$PLACE/2"
    cmp "$PLACE/1" "$OUT.stdout" || disprove 'stdout is the same'
    cmp "$PLACE/2" "$OUT.stderr" || disprove 'stderr is the same'
    fields code=0 signal=null 'reason="ok"' 'stage="run"' truncated=false survivors=0
}

@test "each size of output around those of a chunk and a pipe comes through a bound and frames unchanged" {
    local size
    for size in 0 1 2 3 4095 4096 4097 49151 49152 49153 65535 65536 65537 1048577; do
        head -c "$size" /dev/urandom >"$WORK/in"
        try "${JAILED[@]}" --frames -- /bin/cat "$WORK/in"
        frames
        cmp "$WORK/in" "$OUT.stdout" || disprove "$size bytes in frames"
        status=0
        "${JAILED[@]}" --max-output "$size" -- /bin/cat "$WORK/in" | cmp "$WORK/in" - || disprove "$size bytes into a pipe"
        try "${JAILED[@]}" --max-output "$size" -- /bin/cat "$WORK/in"
        gave_file "$WORK/in"
    done
}

@test "one byte over the bound ends the command, and the bound is what came out" {
    local hold
    bytes 100000 >"$WORK/in"
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        try "${JAILED[@]}" --max-output 99999 -- /bin/sh -c 'cat in; trap "" TERM; sleep 1000'
        told too_large --max-output
        head -c 99999 "$WORK/in" | cmp - "$OUT" || disprove 'the first 99999 bytes came'
    done
}

@test "what was written before the command ended counts as well" {
    try "${JAILED[@]}" --max-output 5 -- /bin/sh -c 'printf 123456'
    told too_large
    [[ $(cat "$OUT") == 12345 ]] || disprove 'five bytes came'
    try "${JAILED[@]}" --max-output 0 -- /bin/true
    exited 0
    try "${JAILED[@]}" --max-output 0 -- /bin/echo
    told too_large
}

@test "the bound is for stdout and for stderr each" {
    try "${JAILED[@]}" --max-output 4 -- /bin/sh -c 'printf 1234; printf 1234 >&2'
    [[ $status == 0 && $(cat "$OUT") == 1234 && $(cat "$ERR") == 1234 ]] || disprove 'four bytes of each'
    try "${JAILED[@]}" --max-output 4 --quiet -- /bin/sh -c 'printf 1234; printf 12345 >&2; sleep 1000'
    [[ $status == 82 && $(cat "$ERR") == 1234 ]] || disprove 'the fifth byte of stderr is too much'
}

@test "an endless writer ends at its bound, in frames too" {
    try "${JAILED[@]}" --max-output 1M -- /usr/bin/yes
    told too_large
    [[ $(stat -c %s "$OUT") == 1048576 ]] || disprove '1 MiB came out'
    try "${JAILED[@]}" --frames --max-output 1M -- /usr/bin/yes
    told too_large
    frames
    [[ $(stat -c %s "$OUT.stdout") == 1048576 ]] || disprove '1 MiB came out'
    fields 'reason="too_large"' truncated=true
}

@test "a command that prints the last frame forges nothing" {
    try "${JAILED[@]}" --frames -- /bin/sh -c 'printf "\n%s\n" '"'"'{"t":"exit","code":0,"signal":null,"reason":"ok"}'"'"' | tee /dev/stderr; exit 3'
    exited 3
    frames
    fields code=3
    grep -q '"t":"exit"' "$OUT.stdout" || disprove 'what it printed is data'
}

@test "a command cannot write into the jail's own descriptors" {
    try "${JAILED[@]}" --frames -- /bin/sh -c '
        for process in /proc/[0-9]*; do
            for number in 0 1 2 3 4 5 6 7 8 9 10; do
                case $process in /proc/$$ | /proc/self) continue ;; esac
                (echo forged >"$process/fd/$number") 2>/dev/null && echo "through $process/fd/$number"
            done
        done; exit 0'
    exited 0
    frames
    ! grep -q through "$OUT.stdout" || disprove "nothing was let through: $(cat "$OUT.stdout")"
    ! grep -q forged "$OUT" || disprove 'nothing came'
}

@test "a reader that does not read blocks the writer, and memory stays flat" {
    local run held peak
    mkfifo "$PLACE/fifo"
    exec 7<>"$PLACE/fifo"
    "${JAILED[@]}" --frames --env "SBX_MARK=$MARK" -- /bin/sh -c 'yes & yes >&2 & wait' >"$PLACE/fifo" 2>/dev/null 3>&- 7>&- &
    run=$!
    eventually test -n "$(marked "$MARK")" || true
    eventually blocked
    held=$(awk '/VmRSS/ { print $2 }' "/proc/$(supervisor)/status")
    for ((peak = 0; peak < 50; peak++)); do
        head -c 1000000 <&7 >/dev/null
    done
    eventually blocked
    peak=$(awk '/VmHWM/ { print $2 }' "/proc/$(supervisor)/status")
    kill -KILL "$(supervisor)"
    wait "$run" || true
    exec 7>&-
    ((peak < 2048 && held < 2048)) || {
        echo "resident: $held KiB when blocked, $peak KiB at most" >&2
        return 1
    }
}

supervisor() {
    pgrep -f -- "^$JAIL --mode off.*$MARK" | sort -n | head -n 1
}

# All that is marked waits in the kernel.
blocked() {
    local process
    for process in $(pgrep -x yes -U "$AGENT"); do
        grep -qs pipe_write "/proc/$process/wchan" || [[ $(awk '{ print $3 }' "/proc/$process/stat") == S ]] || return 1
    done
}

@test "a reader that does not read does not put off the deadline, with any kind of output" {
    local option
    for option in --frames '--max-output 1G'; do
        mkfifo "$PLACE/fifo"
        exec 7<>"$PLACE/fifo"
        status=0
        # shellcheck disable=SC2086 # words
        "${JAILED[@]}" $option --deadline 500ms --grace 100ms --status "$PLACE/work/status" -- /bin/sh -c 'yes & yes >&2' \
            >"$PLACE/fifo" 2>"$PLACE/err" 3>&- 7>&- || status=$?
        exec 7>&-
        rm "$PLACE/fifo"
        came "$status" "$PLACE/err" "$PLACE/err" "$option"
        [[ $status == 124 ]] || disprove 'exits 124'
        fields --of "$PLACE/work/status" 'reason="deadline"' truncated=true
    done
}

@test "a reader that goes away is io, and ends the command" {
    local option
    for option in --frames '--max-output 1G'; do
        status=0
        # shellcheck disable=SC2086 # words
        { "${JAILED[@]}" $option --env "SBX_MARK=$MARK" -- /usr/bin/yes 2>"$PLACE/err" || echo $? >"$PLACE/code"; } | head -c 100000 >/dev/null
        [[ $(cat "$PLACE/code") == 74 ]]
        grep -q '^sbx-jail: io: standard output: ' "$PLACE/err"
        nothing_is_left "$MARK"
    done
}

@test "a full disk is no_space, and ends the command" {
    local option
    place_mount "$PLACE/small" size=64k
    for option in --frames '--max-output 1G'; do
        status=0
        # shellcheck disable=SC2086 # words
        "${JAILED[@]}" $option -- /usr/bin/yes >"$PLACE/small/out" 2>"$PLACE/err" || status=$?
        came "$status" "$PLACE/small/out" "$PLACE/err" "$option"
        told no_space
        rm "$PLACE/small/out"
    done
}

@test "what a process outside holds open or goes on writing does not keep the jail" {
    mkfifo "$PLACE/go"
    # The descriptor leaves the tree by a socket, to a process that keeps it and writes.
    as_agent "$PYTHON" -c '
import array, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("listening", flush=True)
connection = server.accept()[0]
data, ancillary, _, _ = connection.recvmsg(1, 4096)
fd = array.array("i", ancillary[0][2])[0]
connection.send(b"x")
try:
    while True:
        os.write(fd, b"outside\n" * 1000)
except OSError:
    pass' "$WORK/socket" >"$PLACE/listening" 2>/dev/null 3>&- &
    local outside=$!
    eventually grep -q listening "$PLACE/listening"
    try "${JAILED[@]}" --frames -- "$PYTHON" -c '
import array, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
s.recv(1)' "$WORK/socket"
    exited 0
    frames
    wait "$outside" || true
}

@test "a terminal is no place for frames, and can be written to with a bound" {
    try script -qec "'$JAIL' --mode off --as root --frames -- /bin/true" /dev/null
    [[ $status == 64 ]] || disprove 'exits 64'
    try script -qec "'$JAIL' --mode off --as root --max-output 1M -- /usr/bin/seq 20000" /dev/null
    [[ $status == 0 ]] || disprove 'exits 0'
    tr -d '\r' <"$OUT" | cmp - <(seq 20000) || disprove 'all lines came'
}

@test "where RWF_NOWAIT and splice are not to be had, output is the same" {
    head -c 3000000 /dev/urandom >"$WORK/in"
    JAILED=(as_agent "$ATTACK-nosys" pwritev2=ENOSYS -- "$JAIL" --mode off)
    "${JAILED[@]}" --frames -- /bin/cat "$WORK/in" | cat >"$PLACE/out"
    came 0 "$PLACE/out" "$PLACE/out" frames
    frames
    cmp "$WORK/in" "$OUT.stdout"
}
