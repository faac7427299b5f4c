# The whole way, through docker exec and a hardened container: what an agent has left in its output directory is collected
# as the agent, and lands here; what is staged there goes the other way. The caller here is root, who says that it is meant.

load sandbox
load tree

export LC_ALL=C TZ=UTC0

setup_file() {
    sandbox_start base
}

teardown_file() {
    sandbox_stop
}

setup() {
    [[ -n ${SANDBOX:-} ]]
    cd "$BATS_TEST_TMPDIR" || return
    as_agent -- sh -c 'rm -rf /work/out /work/in && mkdir /work/out'
}

collector() {
    timeout 120 docker exec -u 1000 "$SANDBOX" "$BIN/sbx-collect" "$@"
}

# The trap: what a caller wants, among all that an agent may put beside it. Canaries outside say CANARY.
trap_set() {
    as_root -- sh -c 'echo ROOT-CANARY >/root/canary; chmod 0600 /root/canary; mkdir -p /outside; echo OUTSIDE-CANARY >/outside/file'
    as_agent -i -- sh <<-'END'
		cd /work/out && umask 077
		echo report >report.txt
		echo trailing >'trailing space '
		mkdir 'new
		line'
		echo inside >'new
		line/inside'
		mkdir -p 'x
		'
		ln -s / 'x
		/outside'
		ln -s /root root
		ln -s /root/canary canary
		ln -s /proc/self/environ environ
		mkfifo pipe
	END
}

@test "deliverables: of the trap, exactly the report and the file with the trailing space arrive, and nothing blocks" {
    trap_set
    try sh -c '"$@" 2>collect.err | "$PUT" --as root --tree --at ./landed' - timeout 120 docker exec -u 1000 "$SANDBOX" \
        "$BIN/sbx-collect" /work/out
    told partial
    has_only landed report.txt 'trailing space '
    holds landed/report.txt $'report\n'
    holds 'landed/trailing space ' $'trailing\n'
    run ! grep -r CANARY landed
    grep -qF 'bad_name: new\nline: a control byte in its name' collect.err
    grep -qF 'bad_name: x\n: a control byte in its name' collect.err
    grep -qF 'link: root: a symbolic link' collect.err
    grep -qF 'not_regular: pipe: a FIFO' collect.err
    [[ $(grep -c '^sbx-collect: ' collect.err) == 7 ]]
    run ! grep -q '[^ -~]' collect.err
}

@test "deliverables: control arm: docker cp of the same trap brings the links, and a listing by lines names a file outside" {
    trap_set
    docker cp "$SANDBOX:/work/out" cp >/dev/null 2>&1 || true
    [[ -L cp/root && -L cp/canary ]]
    collector --exclude '*
*' --list /work/out 2>/dev/null | tr '\0' '\n' | diff - <(printf '%s\n' report.txt 'trailing space ')
    as_agent -- sh -c 'find /work/out' | grep -qx /outside
}

@test "deliverables: a file with a control byte in its name is reported, escaped, and its neighbours arrive" {
    as_agent -i -- sh <<-'END'
		cd /work/out
		echo 1 >a
		echo 2 >"$(printf 'b\033]0;pwned\007')"
		echo 3 >c
	END
    try sh -c '"$@" 2>collect.err | "$PUT" --as root --tree --at ./landed' - docker exec -u 1000 "$SANDBOX" "$BIN/sbx-collect" /work/out
    told partial
    has_only landed a c
    grep -qF 'bad_name: b\x1b]0;pwned\x07: ' collect.err
}

@test "deliverables: root is refused, and the agent by --as where root has the capabilities, or not" {
    try docker exec -u 0 "$SANDBOX" "$BIN/sbx-collect" /work/out
    told root_refused
    try docker exec -u 0 "$SANDBOX" "$BIN/sbx-collect" --as 1000 /work/out
    told cannot_drop
}

@test "deliverables: the sender's reason comes out of the pipeline, across docker exec" {
    try sh -c '"$@" 2>/dev/null | "$PUT" --as root --tree --at ./landed' - docker exec -u 1000 "$SANDBOX" "$BIN/sbx-collect" /work/none
    told missing
    [[ ! -e landed ]]
    try sh -c '"$@" 2>/dev/null | "$PUT" --as root --sealed --at ./file' - docker exec -u 1000 "$SANDBOX" "$BIN/sbx-get" --sealed \
        /root/canary
    told permission_denied
    [[ ! -e file ]]
    # No tool, no stream.
    try sh -c '"$@" 2>/dev/null | "$PUT" --as root --tree --at ./landed' - docker exec -u 1000 "$SANDBOX" "$BIN/sbx-nothing"
    [[ $status != 0 ]] || disprove 'fails'
    [[ ! -e landed ]]
}

@test "deliverables: a sealed file goes in and out, and a client that is killed leaves nothing" {
    bytes 3000000 >file
    try sh -c '"$GET" --as root --sealed "$1" | docker exec -i -u 1000 "$2" "$3/sbx-put" --sealed --at /work/in' - \
        "$PWD/file" "$SANDBOX" "$BIN"
    [[ $status == 0 ]] || disprove 'puts it'
    docker exec -u 1000 "$SANDBOX" "$BIN/sbx-get" --sealed /work/in | "$PUT" --as root --sealed --at back
    cmp file back
    as_agent -- rm /work/in

    # The client dies in the middle: raw input would look complete.
    mkfifo pipe
    "$GET" --as root --sealed "$PWD/file" >stream
    exec 9<>pipe
    docker exec -i -u 1000 "$SANDBOX" "$BIN/sbx-put" --sealed --at /work/in <pipe 3>&- 9>&- &
    CLIENT=$!
    head -c 1000000 stream >&9
    eventually staged
    kill -KILL "$CLIENT"
    wait "$CLIENT" 2>/dev/null || true
    exec 9>&-
    eventually unstaged
    run ! as_agent -- test -e /work/in
}

staged() {
    as_agent -- sh -c 'ls -A /work | grep -q "^[.]sbx-"'
}

unstaged() {
    ! staged
}

@test "deliverables: a tree is staged as root's drop by tar, the agent reads it, and it is discarded" {
    mkdir -p src/lib
    echo main >src/main
    echo part >src/lib/part
    chmod 0755 src/main
    local drop
    drop=$(tar -C src -c . | docker exec -i -u 0 "$SANDBOX" "$BIN/sbx-put" --tree src)
    [[ $drop =~ ^/run/sbx/drop/[0-9a-f]{32}/src$ ]]
    [[ $(as_agent -- cat "$drop/lib/part") == part ]]
    run ! as_agent -- sh -c "echo x >$drop/main"
    collector "$drop" | "$PUT" --as root --tree --at back
    diff -r src back
    docker exec -u 0 "$SANDBOX" "$BIN/sbx-discard" "$drop"
    run ! as_agent -- test -e "$drop"
    # The same landed by the agent, in its workspace.
    tar -C src -c . | docker exec -i -u 1000 "$SANDBOX" "$BIN/sbx-put" --tree --at /work/in
    collector /work/in | "$PUT" --as root --tree --at again
    diff -r src again
}

@test "deliverables: without sbx here, tar reads the same stream" {
    as_agent -- sh -c 'echo report >/work/out/report.txt; mkdir /work/out/d; echo more >/work/out/d/more'
    mkdir landed
    collector /work/out | tar -x -C landed
    has_only landed report.txt d
    holds landed/d/more $'more\n'
}

@test "deliverables: a path with an element that is the agent's link stays beneath" {
    as_agent -- sh -c 'ln -s /root /work/out/l; mkdir /work/out/d; echo 1 >/work/out/d/f'
    try docker exec -u 1000 "$SANDBOX" "$BIN/sbx-collect" --beneath /work out/l
    told link
    try docker exec -u 1000 "$SANDBOX" "$BIN/sbx-collect" --beneath /work out/d
    succeeded
}
