# sbx-collect: the regular files of a directory that is the agent's, whatever else it has put there, as one stream.

load place
load tree

# The real time zone and locales of the machine have no part in this.
export LC_ALL=C TZ=UTC0

setup() {
    place_make
    T=$WORK/tree
    as_agent mkdir "$T"
}

teardown() {
    place_remove
}

collect() {
    try as_agent "$COLLECT" "$@" </dev/null
}

# Extracts what was collected, by GNU tar, into $PLACE/got.
extracted() {
    rm -rf "$PLACE/got"
    mkdir "$PLACE/got"
    tar -x -C "$PLACE/got" -f "$OUT" --no-same-owner
}

# A tree of plain things: fixed mtimes, modes as a stream carries them.
plant() {
    as_agent mkdir "$T/d" "$T/d/e" "$T/empty"
    agent_file "$T/a" one
    agent_file "$T/d/run" '#!/bin/sh' 0755
    bytes 70000 >"$T/d/e/large"
    bytes 2000000 >"$T/d/e/larger"
    agent_file "$T/d/e/none" ''
    chown -R "$AGENT:$AGENT" "$T"
    find "$T" -depth -exec touch -h -d @1700000000 '{}' +
}

@test "collect: directories before what they hold, files byte for byte, modes, mtimes and an end record" {
    plant
    collect "$T"
    succeeded
    ends ok 5 2070012 0 ''
    holds_members "$OUT" a d/ d/e/ d/e/large d/e/larger d/e/none d/run empty/
    extracted
    same_tree "$T" "$PLACE/got"
}

@test "collect: an empty directory is a stream with an end" {
    collect "$T"
    succeeded
    ends ok 0 0 0 ''
}

@test "collect: modes become 0644 and 0755 by the owner's execute bit, owners root's, times whole seconds" {
    agent_file "$T/private" x 0600
    agent_file "$T/setuid" x 06711
    agent_file "$T/others" x 0677
    as_agent mkdir -m 01700 "$T/d"
    touch -d @1700000000.987654321 "$T/private"
    collect "$T"
    succeeded
    tar -tvf "$OUT" | sed -E 's/ +/ /g; s/2[0-9-]+ [0-9:]+ //; $d' >"$PLACE/list"
    diff "$PLACE/list" - <<-'END'
		drwxr-xr-x 0/0 0 d/
		-rw-r--r-- 0/0 1 others
		-rw-r--r-- 0/0 1 private
		-rwxr-xr-x 0/0 1 setuid
	END
    [[ $(tar --full-time -tvf "$OUT" private) == *' 2023-11-14 22:13:20 private' ]]
}

@test "collect: equal trees are equal streams, in whatever order and on whatever file system they were made" {
    local name names=()
    for name in {1..200}; do
        names+=("n$((name * 7919 % 200))")
    done
    place_mount "$WORK/memory" mode=0777
    for name in "${names[@]}"; do
        printf %s "$name" >"$T/$name"
    done
    as_agent mkdir "$WORK/memory/tree"
    while read -r name; do
        printf %s "$name" >"$WORK/memory/tree/$name"
    done < <(printf '%s\n' "${names[@]}" | sort -r)
    touch -d @1700000000 "$T"/* "$WORK/memory/tree"/* "$T" "$WORK/memory/tree"
    collect "$T"
    succeeded
    mv "$OUT" "$PLACE/one"
    collect "$WORK/memory/tree"
    gave_file "$PLACE/one"
    diff <(members "$OUT") <(printf '%s\n' "${names[@]}" | sort)
}

@test "collect: names are bytes: spaces, dashes, bytes that are no UTF-8, a long one, a long path" {
    local long deep
    long=$(printf 'l%.0s' {1..255})
    deep=$(printf 'directory/%.0s' {1..30})
    as_agent mkdir -p "$T/$deep"
    agent_file "$T/ space at both ends " 1
    agent_file "$T/-rf" 2
    agent_file "$T/"$'\xff\xfe' 3
    agent_file "$T/$long" 4
    agent_file "$T/${deep}file" 5
    collect -- "$T"
    succeeded
    extracted
    diff <(cd "$T" && find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum) \
        <(cd "$PLACE/got" && find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum)
    [[ $(tar -tf "$OUT" | wc -l) == 36 ]]
}

@test "collect: links, FIFOs, sockets and devices are left out and reported, and nothing waits" {
    agent_file "$T/file" text
    ln -s file "$T/link"
    ln -s /root "$T/outside"
    ln -s / "$T/z"
    as_agent mkfifo "$T/fifo"
    as_agent "$ATTACK-socket" "$T/socket"
    mknod -m 0666 "$T/null" c 1 3
    collect "$T"
    reported 6
    said 'link: link: a symbolic link'
    said 'link: outside: '
    said 'not_regular: fifo: a FIFO'
    said 'not_regular: socket: a socket'
    said 'not_regular: null: a device'
    ends ok 1 4 6 ''
    holds_members "$OUT" file
    collect --strict "$T"
    reported 6 partial
    ends partial 1 4 6 ''
    collect --quiet --strict "$T"
    [[ $status == 94 && ! -s $ERR ]]
}

@test "collect: --symlinks keep carries links as links, and follows none" {
    agent_file "$T/file" text
    ln -s file "$T/link"
    ln -s /root "$T/outside"
    ln -s "$(printf 't%.0s' {1..300})" "$T/long"
    collect --symlinks keep "$T"
    succeeded
    ends ok 1 4 0 ''
    extracted
    [[ $(readlink "$PLACE/got/link") == file && $(readlink "$PLACE/got/outside") == /root ]]
    [[ $(readlink "$PLACE/got/long") == "$(readlink "$T/long")" ]]
    collect --symlinks follow "$T"
    told usage
}

@test "collect: a file that cannot be read, or whose name works on a terminal, is reported and its neighbours come" {
    agent_file "$T/a" 1
    agent_file "$T/locked" secret 0000
    agent_file "$T/"$'new\nline' 2
    agent_file "$T/"$'\e]0;title\a' 3
    as_agent mkdir "$T/"$'directory\n' "$T/closed"
    agent_file "$T/"$'directory\n/inside' 4
    agent_file "$T/z" 5
    chmod 0000 "$T/closed"
    collect "$T"
    reported 5 partial
    said 'permission_denied: locked: '
    said 'permission_denied: closed: '
    said 'bad_name: new\nline: '
    said 'bad_name: \x1b]0;title\x07: '
    said 'bad_name: directory\n: '
    ends partial 2 2 5 ''
    holds_members "$OUT" a z
}

@test "collect: the reports end after a hundred lines with a count" {
    local name
    for name in {1..150}; do
        ln -s x "$T/$name"
    done
    collect "$T"
    reported 101
    [[ $(tail -n 1 "$ERR") == 'sbx-collect: 50 more were left out and are not listed' ]]
    ends ok 0 0 150 ''
}

@test "collect: each limit passes its value and leaves out what is one more, and the walk goes on" {
    as_agent mkdir -p "$T/d/e"
    agent_file "$T/a" 12345
    agent_file "$T/b" 123
    agent_file "$T/d/c" 12
    agent_file "$T/d/e/f" 1
    collect --max-file 5 --max-total 11 --max-files 4 --max-depth 3 --max-names 6 "$T"
    succeeded
    ends ok 4 11 0 ''

    collect --max-file 4 "$T"
    reported 1 partial
    said 'too_large: a: 5 bytes, limit 4'
    holds_members "$OUT" b d/ d/c d/e/ d/e/f
    collect --max-total 10 "$T"
    reported 1 partial
    said 'too_large: d/e/f: 11 bytes in total, limit 10'
    ends partial 3 10 1 ''
    collect --max-files 3 "$T"
    reported 1 partial
    said 'too_large: d/e/f: 4 files, limit 3'
    collect --max-depth 2 "$T"
    reported 1 partial
    said 'too_large: d/e/f: 3 levels deep, limit 2'
    holds_members "$OUT" a b d/ d/c d/e/
    collect --max-names 5 "$T"
    reported 1 partial
    said 'too_large: d/e: 6 bytes of names, limit 5'
    holds_members "$OUT" a b d/ d/c
    collect --max-names 2 "$T"
    reported 1 partial
    ends partial 0 0 1 ''
}

@test "collect: the limits are by default 100M, 1G, 10000 files, 64 levels and 1M of names" {
    local help
    help=$("$COLLECT" --help </dev/null | tr -s ' \n' ' ')
    [[ $help == *'--max-file SIZE Leave out a file of more than SIZE bytes (default 100M)'* ]]
    truncate -s 100M "$T/a"
    truncate -s $((100 * 1024 * 1024 + 1)) "$T/b"
    collect --list "$T"
    reported 1 partial
    said 'too_large: b: 104857601 bytes, limit 104857600'
    as_agent mkdir -p "$T/$(printf 'd/%.0s' {1..63})e/f"
    rm "$T/a" "$T/b"
    collect --list "$T"
    reported 1 partial
    said "too_large: $(printf 'd/%.0s' {1..63})e/f: 65 levels deep, limit 64"
}

@test "collect: a flood of FIFOs is bounded by the limit of names" {
    as_agent mkdir "$T/flood"
    agent_file "$T/file" text
    (cd "$T/flood" && mkfifo {1000..1999})
    collect --max-names 4009 "$T"
    reported 101
    ends ok 1 4 1000 ''
    collect --max-names 4008 "$T"
    reported 1 partial
    said 'too_large: flood: 4009 bytes of names, limit 4008'
    holds_members "$OUT" file
}

@test "collect: a sparse file of 100 GB is over the limit, and not read" {
    truncate -s 100G "$T/huge"
    agent_file "$T/z" text
    collect --deadline 60 "$T"
    reported 1 partial
    said 'too_large: huge: 107374182400 bytes'
    ends partial 1 4 1 ''
}

# A large file, collected into a pipe of which only one byte has been read: the tool has its header out and waits.
collect_in_background() {
    bytes 3000000 >"$T/file"
    agent_file "$T/later" text
    mkfifo "$PLACE/pipe"
    exec 9<>"$PLACE/pipe"
    "${AS_AGENT[@]}" env --default-signal=INT,QUIT,HUP,TERM "$COLLECT" "$@" "$T" </dev/null >"$PLACE/pipe" \
        2>"$PLACE/err" 3>&- 9>&- &
    TOOL=$!
    exec 8<"$PLACE/pipe"
    exec 9>&-
    head -c 1 <&8 >"$PLACE/out"
}

collect_finished() {
    cat <&8 >>"$PLACE/out"
    exec 8<&-
    await "$TOOL" "$PLACE/out" "$PLACE/err"
}

@test "collect: a large file that shrinks is filled up, named in the end record and reported, and sbx-put drops it" {
    collect_in_background
    truncate -s 2500000 "$T/file"
    collect_finished
    reported 1 partial
    said 'changed: file: '
    ends partial 2 3000004 1 1
    tar -tvf "$OUT" | grep -qE ' 3000000 .* file$'
    try "$PUT" --tree --at "$PLACE/landed" <"$OUT"
    reported 1 partial
    said 'changed: file: '
    has_only "$PLACE/landed" later
}

@test "collect: a large file that grows, or is rewritten in place, is changed too, and is no longer than its header" {
    collect_in_background
    printf more >>"$T/file"
    collect_finished
    reported 1 partial
    ends partial 2 3000004 1 1
    collect_in_background_again
    printf + | dd of="$T/file" conv=notrunc status=none
    collect_finished
    reported 1 partial
    ends partial 2 3000004 1 1
}

collect_in_background_again() {
    rm "$PLACE/pipe"
    collect_in_background
}

@test "collect: a small file that changes while it is read is left out" {
    command -v strace >/dev/null || unable 'no strace here'
    agent_file "$T/a" text
    agent_file "$T/b" more
    "${AS_AGENT[@]}" strace -qq -o /dev/null -e trace=pread64 -e inject=pread64:delay_exit=1500000:when=1 "$COLLECT" "$T" \
        </dev/null >"$PLACE/out" 2>"$PLACE/err" 3>&- &
    TOOL=$!
    sleep 0.7
    printf x >>"$T/a"
    await "$TOOL" "$PLACE/out" "$PLACE/err"
    reported 1 partial
    said 'changed: a: '
    holds_members "$OUT" b
}

@test "collect: no mount is crossed, not even a bind mount of the same file system or of one file" {
    as_agent mkdir "$T/memory" "$T/bound" "$WORK/outside"
    agent_file "$WORK/outside/secret" secret
    agent_file "$T/file" mine
    agent_file "$T/z" z
    place_mount "$T/memory" mode=0755
    printf mounted >"$T/memory/file"
    mount --bind "$WORK/outside" "$T/bound" || unable 'cannot mount here'
    mount --bind "$WORK/outside/secret" "$T/file"
    collect "$T"
    reported 3 partial
    said 'escapes: memory: a mount point'
    said 'escapes: bound: a mount point'
    said 'escapes: file: a mount point'
    holds_members "$OUT" z
    run ! grep -q secret "$OUT"
    collect --cross-mounts "$T"
    succeeded
    holds_members "$OUT" bound/ bound/secret file memory/ memory/file z
    # The directory that was asked for may itself be one.
    collect "$T/memory"
    succeeded
    holds_members "$OUT" file
}

@test "collect: kernel pseudo file systems are not collected, neither as DIR nor across a mount" {
    collect /proc/sys
    told not_regular
    collect /sys/kernel
    told not_regular
    as_agent mkdir "$T/proc"
    mount --bind /proc/sys "$T/proc" || unable 'cannot mount here'
    collect --cross-mounts "$T"
    reported 1
    said 'not_regular: proc: of a kernel pseudo file system'
}

@test "collect: DIR must be a directory, and no link, with or without a slash behind it" {
    plant
    ln -s tree "$WORK/link"
    as_agent mkfifo "$WORK/fifo"
    local reason path
    while read -r reason path; do
        collect "$path"
        told "$reason"
        ends "$reason" 0 0 0 ''
    done <<-END
		link $WORK/link
		link $WORK/link/
		link $WORK/link//
		not_regular $T/a
		not_regular $WORK/fifo
		missing $WORK/none
		missing $T/a/b
	END
    collect "$WORK/link/d"
    succeeded
    for path in "$T/" "$T//" "$T/." "$WORK/tree/d/.."; do
        collect "$path"
        succeeded
        ends ok 5
    done
    cd "$T"
    collect .
    succeeded
    ends ok 5
}

@test "collect: --beneath leads through no link and out of nothing" {
    plant
    ln -s tree "$WORK/link"
    collect --beneath "$WORK" tree/d
    succeeded
    ends ok 4
    collect --beneath "$WORK" link
    told link
    collect --beneath "$WORK" link/d
    told link
    collect --beneath "$WORK" tree/../tree
    told escapes
    collect --beneath "$WORK" "$T"
    told escapes
    collect --beneath "$WORK/none" tree
    told missing
}

@test "collect: the same without openat2" {
    plant
    ln -s tree "$WORK/link"
    try as_agent "$ATTACK-nosys" openat2=ENOSYS -- "$COLLECT" --beneath "$WORK" tree </dev/null
    succeeded
    ends ok 5
    try as_agent "$ATTACK-nosys" openat2=EPERM -- "$COLLECT" --beneath "$WORK" link/d </dev/null
    told link
}

@test "collect: root without --as is refused, and the stream says so" {
    plant
    try as_root "$COLLECT" "$T" </dev/null
    told root_refused
    ends root_refused 0 0 0 ''
    try "$COLLECT" --as "$AGENT" "$T" </dev/null
    succeeded
    ends ok 5
    try as_root "$COLLECT" --as root "$T" </dev/null
    succeeded
    try as_root "$COLLECT" --as "$AGENT" "$T" </dev/null
    told cannot_drop
}

@test "collect: misuse is told, and by the stream as well where it can be" {
    plant
    local arguments
    for arguments in '' "$T $T" "--include /a $T" "--exclude ./a $T" "--include a/ $T" "--max-file 1X $T" \
        "--max-files -1 $T" "--max-depth 1 --max-depth 2 $T" "--symlinks inside $T" "--lis $T"; do
        # shellcheck disable=SC2086 # words
        collect $arguments
        told usage
    done
    collect "$T" "$T"
    ends usage 0 0 0 ''
    collect ''
    told usage
}

@test "collect: a terminal on stdout is refused" {
    command -v script >/dev/null || unable 'no script(1) here'
    try script -qec "$ATTACK-nonblock true; ${AS_AGENT[*]} $COLLECT $T" /dev/null </dev/null
    [[ $status == 64 ]] || disprove 'exits 64'
    grep -q 'usage: standard output is a terminal' "$OUT" || disprove 'says why'
}

@test "collect: --include and --exclude, by last component or by path" {
    as_agent mkdir -p "$T/src/deep" "$T/node_modules/x" "$T/empty"
    local name
    for name in a.txt src/b.txt src/b.o src/deep/c.txt node_modules/x/d.txt .hidden.txt; do
        agent_file "$T/$name" x
    done
    ln -s a.txt "$T/link.txt"
    mkfifo "$T/fifo.txt"
    chown "$AGENT" "$T/fifo.txt"

    collect --include '*.txt' --exclude node_modules "$T"
    reported 2
    holds_members "$OUT" .hidden.txt a.txt src/ src/b.txt src/deep/ src/deep/c.txt
    collect --include '*.o' "$T"
    succeeded
    holds_members "$OUT" src/ src/b.o
    collect --include 'src/*' "$T"
    succeeded
    holds_members "$OUT" src/ src/b.o src/b.txt src/deep/ src/deep/c.txt
    collect --include '*.o' --include '?.txt' --exclude 'src/deep' --exclude '*/x' --exclude '*link*' --exclude 'f*' "$T"
    succeeded
    holds_members "$OUT" a.txt src/ src/b.o src/b.txt
    collect --exclude '*' "$T"
    succeeded
    ends ok 0 0 0 ''
    collect --include empty "$T"
    succeeded
    holds_members "$OUT" empty/
    collect --include 'src/[!b]*/c*' "$T"
    succeeded
    holds_members "$OUT" src/ src/deep/ src/deep/c.txt
}

@test "collect: --list prints the paths it would take, NUL-terminated, and writes no stream" {
    plant
    agent_file "$T/ space" x
    ln -s a "$T/link"
    collect --list --exclude large "$T"
    reported 1
    diff <(tr '\0' '\n' <"$OUT") <(printf '%s\n' ' space' a d/e/larger d/e/none d/run)
    collect --list --symlinks keep --include 'l*' "$T"
    succeeded
    diff <(tr '\0' '\n' <"$OUT") <(printf '%s\n' d/e/large d/e/larger link)
    collect --list "$WORK/none"
    refused missing
    collect --list --max-files 1 --exclude link "$T"
    [[ $status == 94 ]]
    [[ $(tr '\0' '\n' <"$OUT") == ' space' ]]
}

@test "collect: a reader that goes away, and a stdout that is full, are failures" {
    bytes 3000000 >"$T/file"
    # shellcheck disable=SC2034 # told and its like print them
    LAST=(collect) OUT=/dev/null ERR=$PLACE/err status=0
    as_agent "$COLLECT" "$T" </dev/null 2>"$ERR" > >(head -c 1 >/dev/null) || status=$?
    told io
    try sh -c '"$@" >/dev/full' - "${AS_AGENT[@]}" "$COLLECT" "$T" </dev/null
    told no_space
    rm "$T/file"
    try sh -c '"$@" >/dev/full' - "${AS_AGENT[@]}" "$COLLECT" "$T" </dev/null
    told no_space
    try sh -c '"$@" >/dev/full' - "${AS_AGENT[@]}" "$COLLECT" --list "$T" </dev/null
    succeeded
}

@test "collect: at the deadline the stream ends with that reason, as long as it is read" {
    collect_in_background --deadline 0.3
    sleep 0.6
    collect_finished
    told deadline
    ends deadline 1 3000000 0 1
    try "$PUT" --tree --at "$PLACE/landed" <"$OUT"
    reported 1 deadline
    [[ ! -e $PLACE/landed ]]
}

@test "collect: a reader that never reads is waited for a moment past the deadline, and no longer" {
    collect_in_background --deadline 0.2
    OUT=$PLACE/out ERR=$PLACE/err status=0
    wait "$TOOL" || status=$?
    told deadline
    exec 8<&-
}

@test "collect: SIGTERM ends the stream with a reason and the tool as SIGTERM does" {
    collect_in_background
    kill -TERM "$TOOL"
    collect_finished
    [[ $status == 143 ]] || disprove 'dies of SIGTERM'
    ends system 1 3000000 0 1
}

@test "collect: 8 MiB of address space do for a directory of 10000 long names, and for a file of any size" {
    [[ $SBX_BUILD != */asan && $SBX_BUILD != */cover ]] || skip 'sanitizers and counters take more'
    local name
    name=$(printf 'n%.0s' {1..200})
    (cd "$T" && seq 10000 19999 | sed "s/^/$name/" | xargs touch)
    truncate -s 200M "$T/huge"
    try sh -c 'ulimit -v 8192 && exec "$@"' - "${AS_AGENT[@]}" "$COLLECT" --max-names 4M --max-files 10001 --max-file 1G "$T" \
        </dev/null
    succeeded
    ends ok 10001 209715200 0 ''
}

# Two thousand directories in one another, and a file at the bottom: more levels than there are descriptors.
plant_deep() {
    as_agent python3 - "$T" <<-'END'
		import os, sys
		os.chdir(sys.argv[1])
		for _ in range(2000):
		    os.mkdir('d')
		    os.chdir('d')
		open('f', 'w').write('deep')
		os.mkdir('../e')
		os.chdir('../../../..')
		open('z', 'w').write('up')
	END
}

@test "collect: a tree deeper than there are descriptors is walked, down and up again" {
    command -v python3 >/dev/null || unable 'no python3 here'
    plant_deep
    agent_file "$T/z" last
    try sh -c 'ulimit -n 80 && exec "$@"' - "${AS_AGENT[@]}" "$COLLECT" --max-depth unlimited "$T" </dev/null
    succeeded
    ends ok 3 10 0 ''
    [[ $(tar -tf "$OUT" | wc -l) == 2005 ]]
    collect "$T"
    [[ $status == 94 ]]
    ends partial 1 4 1 ''
}

@test "collect: a directory moved away above where the walk is ends as changed, and leads nowhere" {
    command -v strace >/dev/null || unable 'no strace here'
    as_agent mkdir -p "$T/a/$(printf 'd/%.0s' {1..99})" "$WORK/secret/b"
    agent_file "$T/a/$(printf 'd/%.0s' {1..99})file" deep
    agent_file "$T/a/d/z" lost
    agent_file "$T/z" last
    agent_file "$WORK/secret/z" secret
    "${AS_AGENT[@]}" strace -qq -o /dev/null -e trace=pread64 -e inject=pread64:delay_exit=1500000:when=1 \
        "$COLLECT" --max-depth 200 "$T" </dev/null >"$PLACE/out" 2>"$PLACE/err" 3>&- &
    TOOL=$!
    sleep 0.7
    # From the bottom ".." leads into the secret now, and so does the path from the top.
    mv "$T/a/$(printf 'd/%.0s' {1..29})d" "$WORK/secret/d"
    mv "$T/a/$(printf 'd/%.0s' {1..19})d" "$WORK/away"
    mv "$WORK/secret" "$T/a/$(printf 'd/%.0s' {1..19})d"
    await "$TOOL" "$PLACE/out" "$PLACE/err"
    reported 10 partial
    said "changed: a/$(printf 'd/%.0s' {1..28})d: moved while it was walked"
    said "changed: a/$(printf 'd/%.0s' {1..19})d: moved while it was walked"
    ends partial 3 12 10 ''
    run ! grep -q secret "$OUT"
}
