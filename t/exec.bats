# The tools over a real docker exec, in a container without capabilities, new privileges and network: what is done, what is
# refused and why, and what an attacker inside can do about it. One container serves all cases; each uses a directory of
# its own in it.

load sandbox

setup_file() {
    # small: a disk to fill up. fixed: one that cannot be written.
    sandbox_start base --tmpfs /small:size=64k,uid=1000,mode=0755 --tmpfs /fixed:ro
}

teardown_file() {
    sandbox_stop
}

setup() {
    AT=/work/case-$BATS_TEST_NUMBER
    as_agent -- mkdir "$AT"
}

# Runs a shell command as the agent in the directory of the case.
agent_shell() {
    as_agent -w "$AT" -- sh -ec "$1"
}

# The pids of the processes of this name in the sandbox: proc(5), comm, which is open to all. As root, since an attacker
# of the agent's may be writing into the output of its shells.
pids_of() {
    as_root -- sh -c '
        for process in /proc/[0-9]*; do
            read -r name <"$process/comm" && [ "$name" = "$1" ] && echo "${process#/proc/}"
        done 2>/dev/null
        true' - "$1"
}

runs() {
    [[ -n $(pids_of "$1") ]]
}

runs_no_more() {
    [[ -z $(pids_of "$1") ]]
}

# Ends the processes of this name.
end() {
    local pids
    mapfile -t pids < <(pids_of "$1")
    # What kill says may be forged, too.
    as_agent -- kill "${pids[@]}" >/dev/null
    eventually runs_no_more "$1"
}

# Nothing is in the directory of the case but these names.
inside_only() {
    local found wanted=''
    found=$(agent_shell 'ls -A')
    (($# == 0)) || wanted=$(printf '%s\n' "$@" | LC_ALL=C sort)
    [[ $found == "$wanted" ]] || {
        printf 'claim: %s has only: %s; it has: %s\n' "$AT" "$wanted" "$found" >&2
        return 1
    }
}

# The drops that are there.
drops() {
    as_root -- ls -A /run/sbx/drop 2>/dev/null || true
}

# The ways in which the kernel may answer openat2: as it does, not at all, or as an old seccomp profile has it.
NOSYS=/opt/attack/attack-nosys
kernels() {
    printf '%s\n' '' "$NOSYS openat2=ENOSYS --" "$NOSYS openat2=EPERM --"
}

@test "exec: root stages a file, the agent lands it and reads it back, and the drop is removed" {
    local drop
    bytes 100000 >"$BATS_TEST_TMPDIR/file"
    try as_root -i -- "$BIN/sbx-put" --size 100000 data <"$BATS_TEST_TMPDIR/file"
    succeeded
    drop=$(<"$OUT")
    [[ $drop =~ ^/run/sbx/drop/[0-9a-f]{32}/data$ ]]
    try as_agent -- "$BIN/sbx-put" --at "$AT/file" --from "$drop"
    gave ''
    try as_agent -- "$BIN/sbx-get" "$AT/file"
    gave_file "$BATS_TEST_TMPDIR/file"
    try as_root -- "$BIN/sbx-discard" "$drop"
    gave ''
    [[ -z $(drops) ]]
    inside_only file
}

@test "exec: a 0600 file in a 0700 directory of the agent's is read back; root cannot read it, the agent can" {
    agent_shell 'umask 077; mkdir private; printf mine >private/file'
    try as_root -- cat "$AT/private/file"
    [[ $status != 0 && ! -s $OUT ]]
    try as_root -- "$BIN/sbx-get" --as root "$AT/private/file"
    refused permission_denied
    try as_agent -- "$BIN/sbx-get" "$AT/private/file"
    gave mine
}

@test "exec: the agent reads a drop and a program in one runs, and it can change neither" {
    local drop
    drop=$(as_root -i -- "$BIN/sbx-put" --mode 0555 program < <(printf '#!/bin/sh\necho ran\n'))
    try as_agent -- "$drop"
    gave 'ran
'
    run ! as_agent -- sh -c "echo forged >$drop"
    run ! as_agent -- rm -f "$drop"
    run ! as_agent -- mv "${drop%/*}" "$AT/mine"
    run ! as_agent -- chmod 0777 "$drop"
    run ! as_agent -- ls /run/sbx/drop
    try as_agent -- "$BIN/sbx-discard" "$drop"
    refused permission_denied
    try as_agent -- "$drop"
    gave 'ran
'
    as_root -- "$BIN/sbx-discard" "$drop"
}

@test "exec: 30 MB arrive and come back as they were" {
    head -c 30000000 /dev/urandom >"$BATS_TEST_TMPDIR/file"
    try as_agent -i -- "$BIN/sbx-put" --size 30000000 --at "$AT/file" <"$BATS_TEST_TMPDIR/file"
    gave ''
    try as_agent -- "$BIN/sbx-get" "$AT/file"
    gave_file "$BATS_TEST_TMPDIR/file"
}

# Each kind of thing that may stand where a file is expected.
plant() {
    agent_shell '
        printf text >plain; ln -s plain link; ln -s nowhere dangling; mkdir directory; printf inside >directory/inside
        ln -s directory directory-link; mkfifo fifo; /opt/attack/attack-socket socket; printf x >locked; chmod 0 locked
        head -c 1025 /dev/zero >large; : >empty; printf leased >leased'
    docker exec -d -u 1000 "$SANDBOX" /opt/attack/attack-lease "$AT/leased"
    # /proc/locks tells when the lease is held.
    eventually as_agent -- grep -q LEASE /proc/locks
}

@test "exec: sbx-get has its reason for each, at once, whatever the kernel says to openat2" {
    local kernel words
    plant
    while read -r kernel; do
        while read -ra words; do
            # shellcheck disable=SC2086 # a command with its arguments
            try as_agent -- $kernel "$BIN/sbx-get" "${words[@]:1}"
            refused "${words[0]}"
        done <<-END
			link $AT/link
			link $AT/dangling
			link --beneath $AT link
			link --beneath $AT directory-link/inside
			bad_name $AT/link/
			not_regular $AT/fifo
			not_regular $AT/socket
			not_regular $AT/directory
			not_regular /dev/zero
			not_regular /dev/null
			not_regular /proc/version
			not_regular /proc/self/status
			busy $AT/leased
			missing $AT/none
			missing $AT/plain/none
			permission_denied $AT/locked
			too_large --max 1K $AT/large
			escapes --beneath $AT ../plain
			escapes --beneath $AT $AT/plain
			truncated --offset 1026 $AT/large
			usage --max 1KB $AT/plain
		END
        # shellcheck disable=SC2086
        try as_agent -- $kernel "$BIN/sbx-get" --max 1025 "$AT/large"
        [[ $status == 0 && $(stat -c %s "$OUT") == 1025 ]]
        # shellcheck disable=SC2086
        try as_agent -- $kernel "$BIN/sbx-get" "$AT/empty"
        gave ''
        # shellcheck disable=SC2086
        try as_agent -- $kernel "$BIN/sbx-get" --beneath "$AT" directory/inside
        gave inside
    done < <(kernels)
    end attack-lease
}

@test "exec: a file that grows or shrinks all the time is changed" {
    local how round seen
    for how in grow shrink; do
        agent_shell 'head -c 200000 /dev/zero >file'
        docker exec -d -u 1000 "$SANDBOX" "/opt/attack/attack-grow" "$how" "$AT/file"
        seen=0
        for ((round = 0; round < 200 && !seen; round++)); do
            try as_agent -- "$BIN/sbx-get" --max unlimited "$AT/file"
            [[ $status == 0 || $status == "${REASONS[changed]}" ]]
            [[ $status == 0 ]] || seen=1
        done
        end attack-grow
        [[ $seen == 1 ]]
        told changed
    done
}

@test "exec: sbx-put has its reason for each, whatever the kernel says to openat2" {
    local kernel words
    agent_shell 'mkdir directory parent; ln -s parent link; printf old >file'
    while read -r kernel; do
        while read -ra words; do
            # shellcheck disable=SC2086 # a command with its arguments
            try as_agent -i -- $kernel "$BIN/sbx-put" "${words[@]:1}" < <(printf text)
            refused "${words[0]}"
        done <<-END
			usage --at $AT/file name
			bad_name --at $AT/file/
			missing --at $AT/none/file
			permission_denied --at /etc/file
			permission_denied name
			link --beneath $AT --at link/file
			not_regular --at $AT/directory
			too_large --max 3 --at $AT/file
			escapes --beneath $AT --at ../file
			exists --no-replace --at $AT/file
			truncated --size 5 --at $AT/file
			read_only --at /fixed/file
			cannot_drop --as 1001 --at $AT/file
		END
        # shellcheck disable=SC2086
        try as_agent -i -- $kernel "$BIN/sbx-put" --at /small/file < <(head -c 1000000 /dev/zero)
        refused no_space
        # shellcheck disable=SC2086
        try as_agent -i -- $kernel /bin/sh -c 'ulimit -f 1; exec "$@"' - "$BIN/sbx-put" --at "$AT/file" \
            < <(head -c 1000000 /dev/zero)
        refused io
    done < <(kernels)
    inside_only directory file link parent
    [[ $(agent_shell 'cat file; ls parent directory /small') == $'olddirectory:\n\nparent:' ||
        $(agent_shell 'cat file') == old ]]
    [[ -z $(as_agent -- ls -A /small) ]]
}

@test "exec: the reasons of root's, whatever the kernel says to openat2" {
    local kernel words
    agent_shell 'printf text >file'
    while read -r kernel; do
        while read -ra words; do
            # shellcheck disable=SC2086 # a command with its arguments
            try as_root -i -- $kernel "$BIN/${words[1]}" "${words[@]:2}" < <(printf text)
            refused "${words[0]}"
        done <<-END
			root_refused sbx-get $AT/file
			cannot_drop sbx-get --as 1000 $AT/file
			cannot_drop sbx-get --as nobody $AT/file
			cannot_drop sbx-put --as 1000 --at $AT/file
			unsafe_directory sbx-put --at $AT/file
			unsafe_directory sbx-put --at /tmp/file
			unsafe_directory sbx-put --drop-root $AT name
			unsafe_directory sbx-discard --drop-root $AT $AT/0123456789abcdef0123456789abcdef
			busy sbx-put --at /etc/hostname
			usage sbx-put --at file
			bad_name sbx-put a/b
			bad_name sbx-discard $AT/file
			missing sbx-discard /run/sbx/drop/0123456789abcdef0123456789abcdef/name
			read_only sbx-put --drop-root /fixed/drops name
		END
    done < <(kernels)
    inside_only file
    [[ -z $(drops) ]]
}

# Does, in the sandbox, what must end with this reason; as root or as the agent, behind KERNEL, a command prefix.
provoke() {
    local put=("${KERNEL[@]}" "$BIN/sbx-put") get=("${KERNEL[@]}" "$BIN/sbx-get") round
    case $1 in
    ok) try as_agent -- "${get[@]}" "$AT/file" ;;
    usage) try as_agent -- "${get[@]}" --nonsense ;;
    bad_name) try as_agent -- "${get[@]}" "$AT/file/" ;;
    missing) try as_agent -- "${get[@]}" "$AT/none" ;;
    unsupported) try as_root -i -- $NOSYS getrandom=ENOSYS -- "${put[@]}" data < <(printf text) ;;
    system) try as_root -i -- $NOSYS getrandom=EINVAL -- "${put[@]}" data < <(printf text) ;;
    io) try as_agent -i -- "${KERNEL[@]}" /bin/sh -c 'ulimit -f 1; exec "$@"' - "$BIN/sbx-put" --at "$AT/new" < <(bytes 9999) ;;
    permission_denied) try as_agent -i -- "${put[@]}" --at /etc/file < <(printf text) ;;
    link) try as_agent -- "${get[@]}" "$AT/link" ;;
    not_regular) try as_agent -- "${get[@]}" /dev/zero ;;
    too_large) try as_agent -- "${get[@]}" --max 3 "$AT/file" ;;
    escapes) try as_agent -- "${get[@]}" --beneath "$AT" ../file ;;
    exists) try as_agent -i -- "${put[@]}" --no-replace --at "$AT/file" < <(printf text) ;;
    changed)
        docker exec -d -u 1000 "$SANDBOX" /opt/attack/attack-grow touch "$AT/large"
        for ((round = 0; round < 200; round++)); do
            try as_agent -- "${get[@]}" "$AT/large"
            [[ $status == 0 ]] || break
        done
        end attack-grow
        # What was read went out before it was found to have changed.
        : >"$OUT"
        ;;
    truncated) try as_agent -i -- "${put[@]}" --size 9 --at "$AT/new" < <(printf text) ;;
    corrupt) try as_agent -i -- "${put[@]}" --sealed --at "$AT/new" < <(bytes 5120) ;;
    no_space) try as_agent -i -- "${put[@]}" --at /small/file < <(bytes 1000000) ;;
    read_only) try as_root -i -- "${put[@]}" --drop-root /fixed/drops data < <(printf text) ;;
    busy) try as_root -i -- "${put[@]}" --at /etc/hostname < <(printf text) ;;
    unsafe_directory) try as_root -i -- "${put[@]}" --at "$AT/new" < <(printf text) ;;
    root_refused) try as_root -- "${get[@]}" "$AT/file" ;;
    cannot_drop) try as_agent -- "${get[@]}" --as 1001 "$AT/file" ;;
    partial)
        ln -sfn nowhere "$BATS_TEST_TMPDIR/link"
        try as_agent -i -- "${put[@]}" --tree --at "$AT/tree" < <(tar -C "$BATS_TEST_TMPDIR" -c link)
        agent_shell 'rmdir tree'
        ;;
    deadline) try as_agent -i -- "${put[@]}" --deadline 0.2 --at "$AT/new" <&9 ;;
    *)
        printf 'no way to provoke %s\n' "$1" >&2
        return 1
        ;;
    esac
}

@test "exec: the code of every reason arrives, whatever the kernel says to openat2" {
    local reason kernel
    agent_shell 'printf text >file; ln -s file link; head -c 200000 /dev/zero >large'
    mkfifo "$BATS_TEST_TMPDIR/input"
    exec 9<>"$BATS_TEST_TMPDIR/input"
    while read -ra KERNEL; do
        for reason in "${!REASONS[@]}"; do
            provoke "$reason"
            case $reason in
            ok) gave text ;;
            *) [[ $status == "${REASONS[$reason]}" ]] && grep -q "^sbx-[a-z]*: $reason: " "$ERR" || disprove "ends with $reason" ;;
            esac
        done
    done < <(kernels)
    inside_only file large link
}

@test "exec: names with spaces, newlines, dashes, glob characters and 255 bytes" {
    local name
    for name in 'two words' $'a\nb' -dash --max '[a]:\b*?' "$(printf 'n%.0s' {1..255})"; do
        try as_agent -i -w "$AT" -- "$BIN/sbx-put" --at "$AT/$name" < <(printf %s "$name")
        gave ''
        try as_agent -- "$BIN/sbx-get" --beneath "$AT" -- "$name"
        gave "$name"
    done
}

@test "exec: names that are not UTF-8, which the docker client would change, through a shell inside" {
    agent_shell "printf text | $BIN/sbx-put --at \"\$(printf 'caf\\351')\""
    [[ $(agent_shell "$BIN/sbx-get \"\$(printf 'caf\\351')\"") == text ]]
    [[ $(agent_shell 'printf %s * | od -An -tx1' | tr -d ' \n') == 636166e9 ]]
}

@test "exec: a forgotten -i is told, and lands nothing" {
    try as_root -- "$BIN/sbx-put" data
    refused usage 'docker exec needs -i'
    try as_agent -- "$BIN/sbx-put" --at "$AT/file"
    refused usage 'docker exec needs -i'
    inside_only
    [[ -z $(drops) ]]
}

@test "exec: a terminal is refused: docker exec -t" {
    agent_shell 'printf text >file'
    try script -qec "docker exec -t -u 1000 $SANDBOX $BIN/sbx-get $AT/file" /dev/null </dev/null
    [[ $status == "${REASONS[usage]}" ]]
    grep -q 'usage: .*docker exec without -t' "$OUT"
    try script -qec "docker exec -it -u 1000 $SANDBOX $BIN/sbx-put --at $AT/new" /dev/null </dev/null
    [[ $status == "${REASONS[usage]}" ]]
    inside_only file
}

@test "exec: the exit code arrives while an endless stdin goes unread" {
    local kernel words
    agent_shell 'mkdir directory'
    while read -r kernel; do
        while read -ra words; do
            # shellcheck disable=SC2086 # a command with its arguments
            try timeout 60 docker exec -i -u 1000 "$SANDBOX" $kernel "$BIN/sbx-put" "${words[@]:1}" < <(yes)
            refused "${words[0]}"
        done <<-END
			usage --at $AT/file --nonsense
			missing --at $AT/none/file
			bad_name --at $AT/directory/
			permission_denied --at /etc/file
			too_large --max 1K --at $AT/file
			too_large --size 2G --at $AT/file
		END
        # shellcheck disable=SC2086
        try timeout 60 docker exec -i -u 1000 "$SANDBOX" $kernel "$BIN/sbx-put" --size 10 --at "$AT/sized" < <(yes)
        gave ''
        # shellcheck disable=SC2086
        try timeout 60 docker exec -i -u 1000 "$SANDBOX" $kernel "$BIN/sbx-get" "$AT/sized" < <(yes)
        gave 'y
y
y
y
y
'
    done < <(kernels)
    inside_only directory sized
}

@test "exec: gigabytes of stdin, most of them unread, do not hide the code" {
    try timeout 120 docker exec -i -u 1000 "$SANDBOX" "$BIN/sbx-put" --at "$AT/file" --max 200M < <(head -c 2G /dev/zero)
    refused too_large
    inside_only
}

@test "exec: the time being up is 124, and nothing is left" {
    mkfifo "$BATS_TEST_TMPDIR/input"
    exec 9<>"$BATS_TEST_TMPDIR/input"
    try as_agent -i -- "$BIN/sbx-put" --deadline 0.5 --at "$AT/file" <"$BATS_TEST_TMPDIR/input" 9>&-
    refused deadline
    try as_root -i -- "$BIN/sbx-put" --deadline 0.5 data <"$BATS_TEST_TMPDIR/input" 9>&-
    refused deadline
    inside_only
    [[ -z $(drops) ]]
}

# Starts an upload, sends the first half of it, and kills the docker client.
upload_and_die() {
    mkfifo "$BATS_TEST_TMPDIR/input"
    exec 9<>"$BATS_TEST_TMPDIR/input"
    docker exec -i -u 1000 "$SANDBOX" "$BIN/sbx-put" "$@" --at "$AT/file" <"$BATS_TEST_TMPDIR/input" >/dev/null 2>&1 \
        3>&- 9>&- &
    printf 'first half' >&9
    eventually agent_shell 'grep -q "first half" .sbx-*'
    kill -KILL $!
    wait $! || true
    exec 9>&-
    eventually runs_no_more sbx-put
}

@test "exec: a client killed in mid-upload lands nothing with --size" {
    upload_and_die --size 20
    inside_only
}

@test "exec: control arm: without --size the cut upload looks like a whole one" {
    upload_and_die
    inside_only file
    [[ $(agent_shell 'cat file') == 'first half' ]]
}

# Starts a command of the agent's that waits for its input; PREY is its pid in the sandbox.
prey_start() {
    mkfifo "$BATS_TEST_TMPDIR/input"
    exec 9<>"$BATS_TEST_TMPDIR/input"
    docker exec -i -u 1000 "$SANDBOX" "$@" <"$BATS_TEST_TMPDIR/input" >"$BATS_TEST_TMPDIR/prey" 2>&1 3>&- 9>&- &
    PREY_CLIENT=$!
    eventually runs "${1##*/}"
    PREY=$(pids_of "${1##*/}")
}

prey_end() {
    exec 9>&-
    as_agent -- kill -TERM "$PREY" 2>/dev/null || true
    wait "$PREY_CLIENT" || true
}

attack_prey() {
    try as_agent -- /opt/attack/attack-stdout pid "$PREY"
}

@test "exec: another process of the agent's cannot reach into an installed tool: stdout, memory, trace, descriptors" {
    prey_start "$BIN/sbx-put" --at "$AT/file"
    attack_prey
    [[ $status == 1 ]] || disprove 'every way is barred'
    run ! grep -q ': done$' "$OUT"
    prey_end
    run ! grep -q FORGED "$BATS_TEST_TMPDIR/prey"
}

@test "exec: nor once it has started where it is 0755, since it says so itself" {
    local bin=/tmp/bin-$BATS_TEST_NUMBER
    as_root -- mkdir "$bin"
    docker cp "$PUT" "$SANDBOX:$bin/open-put"
    as_root -- chmod 0755 "$bin/open-put"
    prey_start "$bin/open-put" --at "$AT/file"
    # Its temporary file is there: it is past its first instructions.
    eventually agent_shell 'ls .sbx-*'
    attack_prey
    [[ $status == 1 ]] || disprove 'every way is barred'
    prey_end
    run ! grep -q FORGED "$BATS_TEST_TMPDIR/prey"
}

@test "exec: control arm: the same attacks reach into a process that does not protect itself" {
    prey_start /opt/attack/attack-stdout prey
    attack_prey
    [[ $status == 0 ]]
    grep -q '/proc/PID/fd/1: done' "$OUT"
    grep -q 'ptrace: done' "$OUT"
    prey_end
    grep -q FORGED "$BATS_TEST_TMPDIR/prey"
}

# Runs a command many times while an attacker tries each new process from its first instruction; FORGED counts the runs
# whose output it got into. A few are enough.
attack_starts() {
    local round
    docker exec -u 1000 "$SANDBOX" /opt/attack/attack-stdout next >"$BATS_TEST_TMPDIR/attack" 2>&1 3>&- &
    local client=$!
    eventually grep -q ready "$BATS_TEST_TMPDIR/attack"
    FORGED=0
    for ((round = 0; round < 40 && FORGED < 3; round++)); do
        try as_agent -- "$@"
        ! grep -q FORGED "$OUT" || FORGED=$((FORGED + 1))
    done
    end attack-stdout
    wait "$client" || true
}

@test "exec: an attacker that tries from the first instruction gets nothing into the stdout of an installed tool" {
    agent_shell 'printf text >file'
    attack_starts "$BIN/sbx-get" "$AT/file"
    # The attacker's own count may hold the command that ends it, which is no tool of ours.
    [[ $FORGED == 0 ]]
}

@test "exec: control arm: the same attacker forges the output of a tool of mode 0755" {
    local bin=/tmp/bin-$BATS_TEST_NUMBER
    agent_shell 'printf text >file'
    as_root -- mkdir "$bin"
    docker cp "$GET" "$SANDBOX:$bin/sbx-get"
    as_root -- chmod 0755 "$bin/sbx-get"
    attack_starts "$bin/sbx-get" "$AT/file"
    ((FORGED > 0))
}

@test "exec: control arm: the same attacker forges the output of cat" {
    agent_shell 'printf text >file'
    attack_starts cat "$AT/file"
    ((FORGED > 0))
}

@test "exec: --version says that an installed tool is protected from its start" {
    local tool
    for tool in sbx-put sbx-get sbx-discard; do
        try as_agent -- "$BIN/$tool" --version
        succeeded
        grep -q 'protected from the start: yes' "$OUT"
    done
}

@test "exec: under a umask of 077 modes are as they should be" {
    local drop
    drop=$(as_root -i -- sh -c "umask 077; exec $BIN/sbx-put --drop-root /run/masked/drops data" < <(printf text))
    try as_agent -- "$BIN/sbx-get" "$drop"
    gave text
    [[ $(as_root -- stat -c %a "$drop" "${drop%/*}" /run/masked/drops /run/masked) == $'444\n711\n711\n711' ]]
    as_root -- "$BIN/sbx-discard" --drop-root /run/masked/drops "$drop"
    as_agent -i -- sh -c "umask 077; exec $BIN/sbx-put --at $AT/file" < <(printf text)
    [[ $(agent_shell 'stat -c %a file') == 600 ]]
    as_agent -i -- sh -c "umask 077; exec $BIN/sbx-put --mode 0644 --at $AT/file" < <(printf text)
    [[ $(agent_shell 'stat -c %a file') == 644 ]]
}

@test "exec: closed descriptors are refused before they could become a file" {
    local closed
    agent_shell 'printf text >file'
    for closed in '<&-' '>&-'; do
        try as_agent -i -- sh -c "exec $BIN/sbx-put --at $AT/new $closed" < <(printf text)
        refused usage
        try as_agent -- sh -c "exec $BIN/sbx-get $AT/file $closed"
        refused usage
    done
    try as_agent -i -- sh -c "exec $BIN/sbx-put --at $AT/new 2>&-" < <(printf text)
    [[ $status == "${REASONS[usage]}" ]]
    inside_only file
}

@test "exec: descriptors that do not block are waited for" {
    try as_agent -i -- /opt/attack/attack-nonblock "$BIN/sbx-put" --at "$AT/file" \
        < <(printf first && sleep 0.5 && head -c 300000 /dev/zero && sleep 0.5 && printf last)
    gave ''
    [[ $(agent_shell 'wc -c <file') == 300009 ]]
    agent_shell "/opt/attack/attack-nonblock $BIN/sbx-get file | { sleep 1; cmp - file; }"
}
