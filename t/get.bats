# sbx-get: one regular file, opened so that nobody can steer or stall it, and whole or with a reason.

load place

setup() {
    place_make
}

teardown() {
    place_remove
}

get() {
    try as_agent "$GET" "$@" </dev/null
}

# One of each kind of thing that may stand where a file is expected.
plant() {
    agent_file "$WORK/plain" text
    ln -s plain "$WORK/link"
    ln -s link "$WORK/link-to-link"
    ln -s nowhere "$WORK/dangling"
    ln -s loop "$WORK/loop"
    as_agent mkdir "$WORK/directory"
    agent_file "$WORK/directory/inside" inside
    ln -s directory "$WORK/directory-link"
    as_agent mkfifo "$WORK/fifo"
    as_agent "$ATTACK-socket" "$WORK/socket"
    mknod -m 0666 "$WORK/zero" c 1 5
    mknod -m 0666 "$WORK/tape" b 7 200
    agent_file "$WORK/locked" locked 0000
    printf secret >"$WORK/roots"
    chmod 0600 "$WORK/roots"
    install -d -m 0700 "$WORK/closed"
    printf secret >"$WORK/closed/file"
}

# A tool whose stdout is a pipe of which only one byte has been read: it has opened its file, and waits once the pipe is
# full, which may take 1 MiB. Descriptor 8 is the end for reading.
get_in_background() {
    mkfifo "$PLACE/pipe"
    exec 9<>"$PLACE/pipe"
    "${AS_AGENT[@]}" env --default-signal=INT,QUIT,HUP,TERM "$GET" "$@" </dev/null >"$PLACE/pipe" 2>"$PLACE/err" 3>&- 9>&- &
    TOOL=$!
    exec 8<"$PLACE/pipe"
    exec 9>&-
    # It has opened its file once the first bytes are there.
    head -c 1 <&8 >"$PLACE/out"
}

# Reads the rest of its output and takes its end as try does.
get_finished() {
    cat <&8 >>"$PLACE/out"
    exec 8<&-
    await "$TOOL" "$PLACE/out" "$PLACE/err"
}

@test "get: the agent's 0600 file in its 0700 directory: the agent reads it, root cannot" {
    as_agent mkdir -m 0700 "$WORK/private"
    agent_file "$WORK/private/file" mine 0600
    get "$WORK/private/file"
    gave mine
    run ! as_root cat "$WORK/private/file"
    try as_root "$GET" --as root "$WORK/private/file" </dev/null
    refused permission_denied
}

@test "get: every byte, NULs too, into a file, a pipe and the null device" {
    head -c 3000001 /dev/urandom >"$WORK/file"
    get "$WORK/file"
    gave_file "$WORK/file"
    as_agent "$GET" "$WORK/file" </dev/null | cmp - "$WORK/file"
    as_agent "$GET" "$WORK/file" </dev/null >/dev/null
    as_agent "$GET" "$WORK/file" </dev/null | (sleep 0.2 && cmp - "$WORK/file")
}

@test "get: appends to a stdout opened for appending" {
    agent_file "$WORK/file" two
    printf one- >"$PLACE/log"
    as_agent "$GET" "$WORK/file" </dev/null >>"$PLACE/log"
    holds "$PLACE/log" one-two
}

@test "get: an empty file is empty, and ok" {
    agent_file "$WORK/file" ''
    get "$WORK/file"
    gave ''
}

@test "get: whatever is no plain file has its reason, at once" {
    plant
    local reason path
    while read -r reason path; do
        get "$path"
        refused "$reason"
    done <<-END
		link $WORK/link
		link $WORK/link-to-link
		link $WORK/dangling
		link $WORK/loop
		bad_name $WORK/link/
		bad_name $WORK/directory-link/
		bad_name $WORK/plain/
		bad_name $WORK/directory/
		bad_name $WORK/directory/.
		bad_name $WORK/directory/..
		bad_name /
		bad_name .
		bad_name ..
		not_regular $WORK/directory
		not_regular $WORK/fifo
		not_regular $WORK/socket
		not_regular $WORK/zero
		not_regular $WORK/tape
		not_regular /dev/null
		not_regular /proc/version
		not_regular /proc/self/status
		not_regular /proc/sys/kernel/osrelease
		not_regular /sys/kernel/mm/transparent_hugepage/enabled
		link /proc/self/exe
		link /proc/self/fd/0
		missing $WORK/none
		missing $WORK/none/file
		missing $WORK/plain/file
		permission_denied $WORK/locked
		permission_denied $WORK/roots
		permission_denied $WORK/closed/file
	END
}

@test "get: control arm: cat follows the link, reads the procfs file, and hangs on the FIFO" {
    plant
    [[ $(as_agent cat "$WORK/link") == text ]]
    [[ -n $(as_agent cat /proc/version) ]]
    run -124 as_agent timeout 1 cat "$WORK/fifo"
}

@test "get: a cgroup file is not_regular" {
    local file
    file=$(find /sys/fs/cgroup -maxdepth 2 -type f -readable 2>/dev/null | head -n 1)
    [[ -n $file ]] || unable 'no cgroup file system'
    get "$file"
    refused not_regular
}

@test "get: never through a magic link" {
    agent_file "$WORK/file" text
    cd "$WORK"
    get /proc/self/cwd/file
    refused link
    get /proc/self/root/etc/passwd
    refused link
    run -0 as_agent cat /proc/self/cwd/file
}

@test "get: a link in the middle leads on, as the caller's rights do, unless --beneath says no" {
    plant
    get "$WORK/directory-link/inside"
    gave inside
    get --beneath "$WORK" directory-link/inside
    refused link
}

@test "get: a leased file is busy, at once" {
    agent_file "$WORK/file" text
    attack "${AS_AGENT[@]}" "$ATTACK-lease" "$WORK/file"
    eventually grep -q held "$BATS_TEST_TMPDIR/attack"
    try timeout 20 "${AS_AGENT[@]}" "$GET" "$WORK/file" </dev/null
    refused busy
}

@test "get: --max is the last byte that fits; one more is refused before a byte is written" {
    bytes 1025 >"$WORK/file"
    get --max 1025 "$WORK/file"
    gave_file "$WORK/file"
    get --max 1K "$WORK/file"
    refused too_large "$WORK/file: 1025 bytes, limit 1024"
    [[ $(<"$ERR") == "sbx-get: too_large: $WORK/file: 1025 bytes, limit 1024"* ]]
    get --max 0 "$WORK/file"
    refused too_large
}

@test "get: the default limit is 100M, and unlimited lifts it" {
    truncate -s 104857600 "$WORK/file"
    [[ $(as_agent "$GET" "$WORK/file" </dev/null | wc -c) == 104857600 ]]
    truncate -s 104857601 "$WORK/file"
    get "$WORK/file"
    refused too_large '104857601 bytes, limit 104857600'
    [[ $(as_agent "$GET" --max unlimited "$WORK/file" </dev/null | wc -c) == 104857601 ]]
    truncate -s 4T "$WORK/file"
    get "$WORK/file"
    refused too_large
}

@test "get: --offset and --length" {
    agent_file "$WORK/file" 0123456789
    get --offset 3 "$WORK/file"
    gave 3456789
    get --length 3 "$WORK/file"
    gave 012
    get --offset 3 --length 4 "$WORK/file"
    gave 3456
    get --offset 8 --length 10 "$WORK/file"
    gave 89
    get --offset 10 "$WORK/file"
    gave ''
    get --length 0 "$WORK/file"
    gave ''
    get --offset 11 "$WORK/file"
    refused truncated
    get --offset 18446744073709551614 "$WORK/file"
    refused truncated
    get --offset 9223372036854775808 --length 9223372036854775808 "$WORK/file"
    refused truncated
}

@test "get: --max counts the bytes that would be written" {
    agent_file "$WORK/file" 0123456789
    get --max 4 --offset 6 "$WORK/file"
    gave 6789
    get --max 4 --length 4 "$WORK/file"
    gave 0123
    get --max 3 --offset 6 "$WORK/file"
    refused too_large '4 bytes, limit 3'
    get --max 3 --length 4 "$WORK/file"
    refused too_large
    get --max 3 --length 100 --offset 8 "$WORK/file"
    gave 89
}

@test "get: --beneath reads what is below its directory" {
    plant
    get --beneath "$WORK" plain
    gave text
    get --beneath "$WORK" directory/inside
    gave inside
    get --beneath "$WORK" ./directory//./inside
    gave inside
    agent_file "$WORK/..dots" dots
    get --beneath "$WORK" ..dots
    gave dots
    cd "$WORK"
    get --beneath directory inside
    gave inside
    get --beneath "$WORK/none" file
    refused missing
}

# What --beneath refuses, also where openat2 is missing or forbidden and descriptors are walked instead.
beneath_refuses() {
    local prefix=("$@") reason path
    plant
    printf secret >"$PLACE/secret"
    mkdir "$PLACE/outside"
    printf secret >"$PLACE/outside/file"
    ln -s ../secret "$WORK/out"
    ln -s "$PLACE/secret" "$WORK/absolute"
    ln -s ../outside "$WORK/out-directory"
    ln -s "$PLACE/outside" "$WORK/absolute-directory"
    while read -r reason path; do
        try as_agent "${prefix[@]}" "$GET" --beneath "$WORK" "$path" </dev/null
        refused "$reason"
    done <<-END
		escapes ../secret
		escapes directory/../../secret
		escapes directory/../plain
		escapes none/../../secret
		bad_name ..
		escapes $PLACE/secret
		escapes $WORK/plain
		link out
		link absolute
		link link
		link out-directory/file
		link absolute-directory/file
		link directory-link/inside
		link dangling/file
		bad_name link/
		bad_name directory/
		bad_name directory/.
		not_regular directory
		not_regular fifo
		not_regular socket
		not_regular zero
		missing none
		missing none/file
		missing plain/file
		permission_denied locked
		permission_denied closed/file
	END
    try as_agent "${prefix[@]}" "$GET" --beneath "$WORK" directory/inside </dev/null
    gave inside
    try as_agent "${prefix[@]}" "$GET" "$WORK/directory-link/inside" </dev/null
    gave inside
    try as_agent "${prefix[@]}" "$GET" "$WORK/link" </dev/null
    refused link
    try as_agent "${prefix[@]}" "$GET" /proc/self/cwd/file </dev/null
    refused link
}

@test "get: --beneath refuses every way out, and every link, by openat2" {
    beneath_refuses
}

@test "get: --beneath refuses the same where openat2 is ENOSYS" {
    beneath_refuses "$ATTACK-nosys" openat2=ENOSYS --
}

@test "get: --beneath refuses the same where openat2 is EPERM" {
    beneath_refuses "$ATTACK-nosys" openat2=EPERM --
}

@test "get: control arm: without --beneath the same paths lead to the secret" {
    printf secret >"$PLACE/secret"
    as_agent mkdir "$WORK/directory"
    ln -s ../.. "$WORK/directory/out"
    get "$WORK/directory/out/secret"
    gave secret
    get "$WORK/../secret"
    gave secret
}

@test "get: PATH is bytes: spaces, newlines, dashes, glob characters, 255 bytes, not UTF-8" {
    local name
    for name in 'two words' $'a\nb' $'\e[31m' -dash --max '[a]:\b*?' $'caf\xe9' "$(printf 'n%.0s' {1..255})" ... '#'; do
        agent_file "$WORK/$name" "$name"
        get "$WORK/$name"
        gave "$name"
        get --beneath "$WORK" -- "$name"
        gave "$name"
    done
    get "$WORK/$(printf 'n%.0s' {1..256})"
    refused bad_name
    get "/$(printf 'n/%.0s' {1..3000})file"
    refused bad_name
}

@test "get: a name in a message is escaped, so that it cannot drive the terminal" {
    get $'/none/\e]0;owned\a\n\t\\\xff'
    refused missing '/none/\x1b]0;owned\x07\n\t\\\xff'
}

@test "get: root without --as is root_refused, with --as root is meant" {
    printf text >"$PLACE/file"
    try as_root "$GET" "$PLACE/file" </dev/null
    refused root_refused
    try as_root "$GET" --as root "$PLACE/file" </dev/null
    gave text
    try "$GET" --as "$AGENT" "$PLACE/file" </dev/null
    gave text
    chmod 0600 "$PLACE/file"
    try "$GET" --as "$AGENT" "$PLACE/file" </dev/null
    refused permission_denied
    try as_root "$GET" --as "$AGENT" "$PLACE/file" </dev/null
    refused cannot_drop
}

@test "get: a file that grows while it is read is changed, and --live takes it" {
    truncate -s 8M "$WORK/file"
    chown "$AGENT" "$WORK/file"
    get_in_background "$WORK/file"
    printf more >>"$WORK/file"
    get_finished
    told changed
    [[ $(stat -c %s "$OUT") -le 8388612 ]]

    rm "$PLACE/pipe"
    truncate -s 8M "$WORK/file"
    get_in_background --live "$WORK/file"
    printf more >>"$WORK/file"
    get_finished
    succeeded
}

@test "get: a file that grows over the limit while it is read is too_large at the limit, also with --live" {
    local live
    for live in '' --live; do
        rm -f "$PLACE/pipe"
        truncate -s 8M "$WORK/file"
        # shellcheck disable=SC2086 # no option at all is no word at all
        get_in_background $live --max 8M "$WORK/file"
        printf more >>"$WORK/file"
        get_finished
        told too_large
        [[ $(stat -c %s "$OUT") == 8388608 ]]
    done
}

@test "get: a file that is rewritten or cut while it is read is changed, and --live takes it" {
    local live change
    for change in 'printf x | dd of="$1" conv=notrunc status=none' 'truncate -s 7000000 "$1"' 'touch -d @1 "$1"'; do
        for live in '' --live; do
            rm -f "$PLACE/pipe" "$WORK/file"
            truncate -s 8M "$WORK/file"
            chown "$AGENT" "$WORK/file"
            # shellcheck disable=SC2086 # no option at all is no word at all
            get_in_background $live "$WORK/file"
            sh -c "$change" - "$WORK/file"
            get_finished
            if [[ $live ]]; then
                succeeded
            else
                told changed
            fi
        done
    done
}

@test "get: a file that is only read, or replaced by rename, meanwhile is not changed" {
    bytes 8388608 >"$WORK/file"
    cp "$WORK/file" "$PLACE/copy"
    chown "$AGENT" "$WORK/file"
    get_in_background "$WORK/file"
    cat "$WORK/file" >/dev/null
    get_finished
    gave_file "$PLACE/copy"
}

@test "get: a full disk under stdout is a failure, a closed reader too, and neither kills it by a signal" {
    bytes 8000000 >"$WORK/file"
    try as_agent sh -c 'exec "$@" >/dev/full' - "$GET" "$WORK/file" </dev/null
    refused no_space 'standard output'
    set +o pipefail
    { as_agent "$GET" "$WORK/file" </dev/null 2>"$PLACE/err" || echo $? >"$PLACE/status"; } | head -c 1 >/dev/null
    [[ $(<"$PLACE/status") == "${REASONS[io]}" ]]
    grep -q '^sbx-get: io: ' "$PLACE/err"
}

@test "get: a file size limit on stdout is io, not a death by SIGXFSZ" {
    bytes 1000000 >"$WORK/file"
    try as_agent sh -c 'ulimit -f 8; exec "$@"' - "$GET" "$WORK/file" </dev/null
    told io
}

@test "get: the time being up is 124, also when nobody reads" {
    truncate -s 10M "$WORK/file"
    get_in_background --deadline 0.3 "$WORK/file"
    await "$TOOL" "$PLACE/out" "$PLACE/err"
    exec 8<&-
    told deadline
}

@test "get: TERM, INT, HUP and QUIT end it, and it dies of them" {
    local signal
    truncate -s 10M "$WORK/file"
    for signal in TERM INT HUP QUIT; do
        rm -f "$PLACE/pipe"
        get_in_background "$WORK/file"
        kill -"$signal" "$TOOL"
        await "$TOOL" "$PLACE/out" "$PLACE/err"
        exec 8<&-
        [[ $status == $((128 + $(kill -l "$signal"))) ]]
    done
}

@test "get: --quiet says nothing, and the code and the bytes are the same" {
    agent_file "$WORK/file" text
    get --quiet "$WORK/none"
    [[ $status == "${REASONS[missing]}" && ! -s $OUT && ! -s $ERR ]]
    get --quiet "$WORK/file"
    gave text
}

@test "get: opens without following, waiting, or taking a terminal" {
    [[ -n $(command -v strace) ]] || unable 'no strace'
    agent_file "$WORK/file" text
    try strace -f -e trace=openat,openat2,open -o "$PLACE/trace" "${AS_AGENT[@]}" "$GET" "$WORK/file" </dev/null
    gave text
    grep -F "$WORK/file" "$PLACE/trace" | grep -v execve | grep O_NOFOLLOW | grep O_NONBLOCK | grep -q O_NOCTTY
}
