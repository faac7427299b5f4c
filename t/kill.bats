# The tools killed, or let down by the kernel, at every single system call: strace counts the calls of a run that works,
# then each run is stopped at one of them.

load place

setup() {
    [[ -n $(command -v strace) ]] || unable 'no strace'
    needs_static 'its runtime makes calls of its own, and does not stand it when they fail'
    place_make
    INPUT=$PLACE/input
    bytes 100000 >"$INPUT"
    agent_file "$PLACE/old" old
    cp -p "$PLACE/old" "$WORK/file"
}

teardown() {
    place_remove
}

# Lists the system calls of a command, each as "NAME N" for its Nth call of that name, from the one after execve to the
# last before exit.
calls() {
    strace -o "$PLACE/trace" "$@" <"$INPUT" >"$PLACE/sink" 2>&1 || true
    sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$PLACE/trace" | grep -vE '^(execve|exit_group)$' | awk '{ print $1, ++seen[$1] }'
}

# Runs a command with something done to it at one call: at_call NAME N WHAT COMMAND..., WHAT as strace -e inject has it.
at_call() {
    local name=$1 nth=$2 what=$3
    shift 3
    try strace -o /dev/null -e "inject=$name:$what:when=$nth" "$@" <"$INPUT"
    POINT="$name $nth $what"
}

# The cases below run their command once for each call; this many at least, else there was nothing to see.
FEWEST_CALLS=20

# PATH of --at is the old file or the new one, whole, and beside it there is nothing that has not a temporary's name.
path_is_old_or_new() {
    cmp -s "$WORK/file" "$PLACE/old" || cmp -s "$WORK/file" "$INPUT" || disprove "PATH is old or new ($POINT)"
    [[ -z $(find "$WORK" -mindepth 1 ! -name file ! -name '.sbx-*') ]] || disprove "nothing else is there ($POINT)"
}

@test "kill: sbx-put killed at any call: no path was printed for less than a whole drop, and --stale sweeps the rest" {
    local put=("$PUT" --drop-root "$DROPS" data) list name nth left=0 runs=0
    list=$(calls "${put[@]}")
    while read -r name nth; do
        rm -rf "$DROPS"
        at_call "$name" "$nth" signal=KILL "${put[@]}"
        [[ $status == 137 ]] || disprove "dies of SIGKILL ($POINT)"
        if [[ -s $OUT ]]; then
            cmp "$(<"$OUT")" "$INPUT"
        fi
        runs=$((runs + 1))
        [[ -d $DROPS ]] || continue
        [[ -z $(ls "$DROPS") ]] || left=$((left + 1))
        sleep 0.01
        try "$DISCARD" --drop-root "$DROPS" --stale 1ms </dev/null
        gave ''
        has_only "$DROPS"
    done <<<"$list"
    ((runs >= FEWEST_CALLS && left > 0))
}

@test "kill: sbx-put --at killed at any call leaves the old file or the new one, and at most a temporary" {
    local put=("$PUT" --as "$AGENT" --sync --at "$WORK/file") list name nth temporaries=0 placed=0 runs=0
    list=$(calls "${put[@]}")
    while read -r name nth; do
        rm -f "$WORK"/.sbx-* && cp -p "$PLACE/old" "$WORK/file"
        at_call "$name" "$nth" signal=KILL "${put[@]}"
        [[ $status == 137 ]] || disprove "dies of SIGKILL ($POINT)"
        path_is_old_or_new
        ! compgen -G "$WORK/.sbx-*" >/dev/null || temporaries=$((temporaries + 1))
        ! cmp -s "$WORK/file" "$INPUT" || placed=$((placed + 1))
        runs=$((runs + 1))
    done <<<"$list"
    ((runs >= FEWEST_CALLS && temporaries > 0 && placed > 0))
}

@test "kill: sbx-put --no-replace killed at any call leaves no file, or the whole one" {
    local put=("$PUT" --as "$AGENT" --no-replace --at "$WORK/new") list name nth placed=0 runs=0
    list=$(calls "${put[@]}")
    while read -r name nth; do
        rm -f "$WORK"/.sbx-* "$WORK/new"
        at_call "$name" "$nth" signal=KILL "${put[@]}"
        [[ $status == 137 ]] || disprove "dies of SIGKILL ($POINT)"
        if [[ -e $WORK/new ]]; then
            cmp "$WORK/new" "$INPUT" || disprove "PATH is whole ($POINT)"
            placed=$((placed + 1))
        fi
        runs=$((runs + 1))
    done <<<"$list"
    ((runs >= FEWEST_CALLS && placed > 0))
}

@test "kill: sbx-discard killed at any call has removed nothing else, and another one finishes" {
    local list name nth drop other runs=0
    other=$("$PUT" --drop-root "$DROPS" other <"$INPUT")
    drop=$("$PUT" --drop-root "$DROPS" data <"$INPUT")
    list=$(calls "$DISCARD" --drop-root "$DROPS" "$drop")
    while read -r name nth; do
        drop=$("$PUT" --drop-root "$DROPS" data <"$INPUT")
        at_call "$name" "$nth" signal=KILL "$DISCARD" --drop-root "$DROPS" "$drop"
        [[ $status == 137 ]] || disprove "dies of SIGKILL ($POINT)"
        cmp "$other" "$INPUT"
        try "$DISCARD" --drop-root "$DROPS" --force "${drop%/*}" </dev/null
        gave ''
        [[ $(ls "$DROPS") == "$(basename "${other%/*}")" ]]
        runs=$((runs + 1))
    done <<<"$list"
    ((runs >= FEWEST_CALLS))
}

@test "fault: sbx-put with any call failing: a whole drop and success, or a failure and nothing left" {
    local put=("$PUT" --drop-root "$DROPS" data) list name nth failures=0
    list=$(calls "${put[@]}")
    while read -r name nth; do
        rm -rf "$DROPS"
        at_call "$name" "$nth" error=EIO "${put[@]}"
        if [[ $status == 0 ]]; then
            cmp "$(<"$OUT")" "$INPUT" || disprove "success is a whole drop ($POINT)"
        else
            failures=$((failures + 1))
            # What comes after the path was printed can only be told; the drop is gone all the same.
            [[ ! -s $OUT || $name =~ ^(fcntl|close)$ ]] || disprove "no path is printed ($POINT)"
            [[ -z $(ls "$DROPS" 2>/dev/null) ]] || disprove "nothing is left ($POINT)"
        fi
    done <<<"$list"
    ((failures > 0))
}

@test "fault: sbx-put --at with any call failing: the new file and success, or a failure and no temporary" {
    local put=("$PUT" --as "$AGENT" --sync --at "$WORK/file") list name nth failures=0
    list=$(calls "${put[@]}")
    while read -r name nth; do
        cp -p "$PLACE/old" "$WORK/file"
        at_call "$name" "$nth" error=EIO "${put[@]}"
        path_is_old_or_new
        ! compgen -G "$WORK/.sbx-*" >/dev/null || disprove "no temporary is left ($POINT)"
        if [[ $status == 0 ]]; then
            cmp -s "$WORK/file" "$INPUT" || disprove "success is the new file ($POINT)"
            [[ $(stat -c %u "$WORK/file") == "$AGENT" ]] || disprove "success is the agent's file ($POINT)"
        else
            failures=$((failures + 1))
            # What comes after the rename can only be told.
            [[ $name =~ ^(fstat|newfstatat|fsync|stat)$ ]] || cmp -s "$WORK/file" "$PLACE/old" ||
                disprove "PATH is as it was ($POINT)"
        fi
    done <<<"$list"
    ((failures > 0))
}

@test "fault: sbx-get with any call failing: every byte and success, or a failure" {
    local list name nth failures=0
    cp "$INPUT" "$WORK/file"
    list=$(calls "$GET" --as "$AGENT" "$WORK/file")
    while read -r name nth; do
        at_call "$name" "$nth" error=EIO "$GET" --as "$AGENT" "$WORK/file"
        if [[ $status == 0 ]]; then
            cmp -s "$OUT" "$INPUT" || disprove "success is every byte ($POINT)"
        else
            failures=$((failures + 1))
        fi
    done <<<"$list"
    ((failures > 0))
}

@test "fault: a full disk at any write is no_space, and nothing is left" {
    local name nth list
    list=$(calls "$PUT" --drop-root "$DROPS" data | grep -E '^(splice|write|read|copy_file_range|sendfile) ')
    rm -rf "$DROPS"
    while read -r name nth; do
        at_call "$name" "$nth" error=ENOSPC "$PUT" --drop-root "$DROPS" data
        [[ $name == read ]] || refused no_space
        has_only "$DROPS"
    done <<<"$list"
}

@test "fault: an interrupted call is no failure, and a stream that is not ready is waited for" {
    local error name nth list
    cp "$INPUT" "$WORK/file"
    chown "$AGENT" "$WORK/file"
    for error in EINTR EAGAIN; do
        list=$(calls "$PUT" --drop-root "$DROPS" data | grep -E '^(splice|write|read|poll) ')
        while read -r name nth; do
            at_call "$name" "$nth" "error=$error" "$PUT" --drop-root "$DROPS" data
            succeeded
            cmp "$(<"$OUT")" "$INPUT"
        done <<<"$list"
        # Not read: --as reads /etc/passwd, before the tool has a handler that could interrupt it.
        list=$(calls "$GET" --as "$AGENT:$AGENT" "$WORK/file" | grep -E '^(splice|write|poll|sendfile) ')
        while read -r name nth; do
            at_call "$name" "$nth" "error=$error" "$GET" --as "$AGENT:$AGENT" "$WORK/file"
            gave_file "$INPUT"
        done <<<"$list"
    done
}
