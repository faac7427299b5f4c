# sbx-put --tree: a directory from a stream, of ours or of any tar: all of it in its place, or nothing.

load place
load tree

export LC_ALL=C TZ=UTC0

setup() {
    place_make
    S=$PLACE/source
    mkdir "$S"
    cd "$PLACE" || return
}

teardown() {
    place_remove
}

# Lands stdin as $WORK/t, as the agent.
land() {
    try as_agent "$PUT" --tree --at "$WORK/t" "$@"
}

# What grows as a tree has a member of this name by now: a condition for eventually.
growing() {
    [[ -e $(echo "$WORK"/.sbx-*)/${1:-} ]]
}

# Nothing came of it: nothing at the place, and nothing beside it.
nothing() {
    has_only "$WORK"
}

collected() {
    "$COLLECT" --as root "$@"
}

# A tree as a stream carries it.
plant() {
    mkdir -p "$S/d/e" "$S/empty"
    printf one >"$S/a"
    printf '#!/bin/sh' >"$S/d/run"
    chmod 0755 "$S/d/run"
    bytes 2000001 >"$S/d/e/large"
    : >"$S/d/e/none"
    find "$S" -depth -exec touch -h -d @1700000000 '{}' +
}

@test "tree: what sbx-collect wrote lands, byte for byte, with its modes and mtimes, the caller's own" {
    plant
    collected "$S" >stream
    land <stream
    succeeded
    [[ ! -s $OUT ]]
    same_tree "$S" "$WORK/t"
    [[ $(stat -c '%u %g %a %Y' "$WORK/t") == "$AGENT $AGENT 755 1700000000" ]]
    [[ $(find "$WORK/t" ! -user "$AGENT") == '' ]]
    has_only "$WORK" t
    as_agent "$PUT" --tree --at "$WORK/piped" < <(cat stream)
    same_tree "$S" "$WORK/piped"
}

@test "tree: an empty directory lands" {
    collected "$S" | as_agent "$PUT" --tree --at "$WORK/t"
    has_only "$WORK/t"
}

@test "tree: what every tar writes in each of its formats lands, byte for byte" {
    local archive tree landed=0
    command -v python3 bsdtar busybox >/dev/null || unable 'a tar is missing here'
    "$BATS_TEST_DIRNAME/archives" good "$PLACE/good"
    for archive in good/*.tar; do
        tree=${archive%%.*}
        land <"$archive"
        succeeded
        diff <(cd "$tree" && find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum) \
            <(cd "$WORK/t" && find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum)
        diff <(cd "$tree" && find . -printf '%y %P\n' | sort) <(cd "$WORK/t" && find . -printf '%y %P\n' | sort)
        diff <(cd "$tree" && find . -type f -printf '%Ts %P\n' | sort) \
            <(cd "$WORK/t" && find . -type f -printf '%Ts %P\n' | sort)
        rm -r "$WORK/t"
        landed=$((landed + 1))
    done
    ((landed >= 20))
}

@test "tree: a stream of GNU tar through a pipe, modes narrowed, umask without a say, nanoseconds of pax kept" {
    plant
    chmod 0600 "$S/a"
    chmod 06777 "$S/d/run"
    chmod 0700 "$S/d"
    touch -d @1700000000.123456789 "$S/a"
    (
        umask 0777
        tar --format=pax -C "$S" -c . | as_agent "$PUT" --tree --at "$WORK/t"
    )
    [[ $(cd "$WORK/t" && find . -type f -printf '%m %P\n' | sort) == $'644 a\n644 d/e/large\n644 d/e/none\n755 d/run' ]]
    [[ $(find "$WORK/t" -type d -printf '%m ') == '755 755 755 755 ' ]]
    [[ $(stat -c %.9Y "$WORK/t/a") == 1700000000.123456789 ]]
    [[ $(stat -c %Y "$WORK/t/d") == 1700000000 ]]
}

@test "tree: a parent's setgid bit is not inherited" {
    plant
    chmod g+s "$WORK"
    collected "$S" | as_agent "$PUT" --tree --at "$WORK/t"
    [[ $(find "$WORK/t" -perm /7000) == '' ]]
    same_tree "$S" "$WORK/t"
}

@test "tree: as a drop it is root's, the agent reads it and cannot change it, and sbx-discard removes it" {
    plant
    collected "$S" >stream
    try as_root "$PUT" --tree --drop-root "$DROPS" src <stream
    succeeded
    local drop
    drop=$(cat "$OUT")
    [[ $drop =~ ^$DROPS/[0-9a-f]{32}/src$ ]]
    same_tree "$S" "$drop"
    [[ $(stat -c %a "${drop%/src}") == 711 && $(stat -c '%u %a %Y' "$drop") == '0 755 1700000000' ]]
    as_agent cat "$drop/d/run" >/dev/null
    run ! as_agent touch "$drop/new"
    run ! as_agent sh -c 'echo x >"$1"' - "$drop/a"
    as_root "$DISCARD" --drop-root "$DROPS" "$drop"
    has_only "$DROPS"
    try as_agent "$PUT" --tree --drop-root "$DROPS" src <stream
    refused permission_denied
}

@test "tree: a drop that fails, or whose path cannot be printed, is gone" {
    plant
    collected "$S" >stream
    try as_root "$PUT" --tree --drop-root "$DROPS" src < <(head -c 3000 stream)
    refused truncated
    has_only "$DROPS"
    try sh -c '"$@" >/dev/full' - "${AS_ROOT[@]}" "$PUT" --tree --drop-root "$DROPS" src <stream
    told no_space
    has_only "$DROPS"
}

@test "tree: what is at PATH already is never touched: a file, a directory, even an empty one, a link, even a dangling one" {
    plant
    collected "$S" >stream
    local make
    for make in 'touch t' 'mkdir t' 'ln -s nowhere t' 'mkfifo t'; do
        (cd "$WORK" && $make)
        land <stream
        refused exists
        has_only "$WORK" t
        [[ ! -d $WORK/t ]] || has_only "$WORK/t"
        land --no-replace <stream
        refused exists
        rm -r "$WORK/t"
    done
}

@test "tree: what appears at PATH while the stream comes is not replaced" {
    plant
    collected "$S" >stream
    mkfifo pipe
    as_agent "$PUT" --tree --at "$WORK/t" <pipe 2>err >out 3>&- &
    TOOL=$!
    exec 9>pipe
    head -c 3000 stream >&9
    eventually growing
    as_agent mkdir "$WORK/t"
    tail -c +3001 stream >&9
    exec 9>&-
    await "$TOOL" out err
    refused exists
    has_only "$WORK" t
    has_only "$WORK/t"
}

@test "tree: the same where RENAME_NOREPLACE is not known" {
    plant
    collected "$S" >stream
    local errno
    for errno in EINVAL ENOSYS; do
        try as_agent "$ATTACK-nosys" renameat2=$errno -- "$PUT" --tree --at "$WORK/t" <stream
        succeeded
        same_tree "$S" "$WORK/t"
        try as_agent "$ATTACK-nosys" renameat2=$errno -- "$PUT" --tree --at "$WORK/t" <stream
        refused exists
        has_only "$WORK" t
        rm -r "$WORK/t"
    done
    try as_agent "$ATTACK-nosys" openat2=ENOSYS -- "$PUT" --tree --at "$WORK/t" <stream
    succeeded
    same_tree "$S" "$WORK/t"
}

@test "tree: --beneath and --parents, as for a file" {
    plant
    collected "$S" >stream
    as_agent ln -s /tmp "$WORK/link"
    try as_agent "$PUT" --tree --beneath "$WORK" --parents --at x/y/t <stream
    succeeded
    same_tree "$S" "$WORK/x/y/t"
    try as_agent "$PUT" --tree --beneath "$WORK" --at link/t <stream
    refused link
    try as_agent "$PUT" --tree --beneath "$WORK" --at ../t <stream
    refused escapes
    try as_agent "$PUT" --tree --at "$WORK/none/t" <stream
    refused missing
    has_only "$WORK" link x
}

@test "tree: bare root lands only where only root can lead, and by an absolute path" {
    plant
    collected "$S" >stream
    try as_root "$PUT" --tree --at "$WORK/t" <stream
    refused unsafe_directory
    try as_root "$PUT" --tree --at t <stream
    refused usage
    try as_root "$PUT" --tree --at "$PLACE/t" <stream
    succeeded
    same_tree "$S" "$PLACE/t"
}

@test "tree: --from takes a stream from a file, --sync reaches the disk, --max bounds the stream" {
    plant
    collected "$S" >stream
    try as_agent "$PUT" --tree --at "$WORK/t" --from "$PLACE/stream" --sync </dev/null
    succeeded
    same_tree "$S" "$WORK/t"
    rm -r "$WORK/t"
    size=$(stat -c %s stream)
    land --max "$size" <stream
    succeeded
    rm -r "$WORK/t"
    land --max $((size - 1)) <stream
    refused too_large
    nothing
    try as_agent "$ATTACK-nosys" fsync=EIO -- "$PUT" --tree --at "$WORK/t" --sync <stream
    told io
}

@test "tree: options that have no meaning together are refused" {
    local arguments
    for arguments in '--tree --sealed' '--tree --size 1' '--tree --mode 0644' '--sealed --size 1' '--strict' \
        '--symlinks inside' '--max-files 1' '--tree --symlinks keep' '--tree --max-depth x'; do
        # shellcheck disable=SC2086 # words
        try as_agent "$PUT" --at "$WORK/t" $arguments </dev/zero
        refused usage
    done
    try as_agent "$PUT" --at "$WORK/t" --tree </dev/null
    refused usage 'docker exec needs -i'
    nothing
}

@test "tree: links, FIFOs and devices are left out and reported, or refused with --strict" {
    printf text >"$S/file"
    ln -s file "$S/link"
    mkfifo "$S/fifo"
    mknod "$S/null" c 1 3
    tar -C "$S" -cf stream .
    land <stream
    reported 3 partial
    said 'link: link: a symbolic link'
    said 'not_regular: fifo: a FIFO'
    said 'not_regular: null: a device'
    has_only "$WORK/t" file
    rm -r "$WORK/t"
    land --strict <stream
    [[ $status == 80 || $status == 81 ]] || disprove 'is refused'
    nothing
    rm "$S/fifo" "$S/null"
    tar -C "$S" -cf stream .
    land --strict <stream
    refused link
    land --strict --symlinks inside <stream
    succeeded
}

@test "tree: --symlinks inside makes what stays in the tree, and nothing that leads out or through another link" {
    mkdir -p "$S/d/e" "$S/f"
    printf text >"$S/d/file"
    touch -d @1600000000 "$S/d/file"
    local link target
    while read -r link target; do
        ln -s "$target" "$S/$link"
    done <<-END
		good-file d/file
		good-directory d/e
		d/good-up ../f
		d/e/good-far ../../d/./file
		d/e/good-root ../..
		good-dangling d/nothing/here
		bad-absolute /etc/passwd
		bad-up ..
		bad-out ../x
		d/bad-out ../../x
		d/e/bad-out ../../d/../../x
		d/e/bad-through ../../good-directory/..
		bad-through-file good-directory/x
		bad-chain good-file
		d/bad-loop bad-loop
	END
    touch -d @1700000000 "$S/d" "$S/d/e" "$S"
    for TAR in tar collect; do
        case $TAR in
        tar) tar -C "$S" -cf stream . ;;
        collect) collected --symlinks keep "$S" >stream ;;
        esac
        land --symlinks inside <stream
        reported 9 partial
        [[ $(cd "$WORK/t" && find . -type l -printf '%f %l\n' | sort) == "$(cd "$S" &&
            find . -type l -name 'good*' -printf '%f %l\n' | sort)" ]]
        said 'link: bad-absolute: a symbolic link that leads out of the tree'
        said 'link: bad-chain: a symbolic link that leads through another one'
        said 'link: d/e/bad-through: a symbolic link that leads through another one'
        [[ $(stat -c %Y "$WORK/t/d") == 1700000000 && $(stat -c %Y "$WORK/t/d/e") == 1700000000 ]]
        rm -r "$WORK/t"
    done
}

@test "tree: hard links of the stream are hard links in the tree, across its directories" {
    mkdir "$S/d"
    printf text >"$S/a"
    ln "$S/a" "$S/b"
    ln "$S/a" "$S/d/c"
    tar -C "$S" -cf stream .
    land <stream
    succeeded
    [[ $(stat -c %h "$WORK/t/a") == 3 && $WORK/t/a -ef $WORK/t/d/c ]]
    # They count as files.
    rm -r "$WORK/t"
    land --max-files 2 <stream
    refused too_large
    nothing
}

@test "tree: each limit passes its value and refuses one more" {
    mkdir -p "$S/d/e"
    printf 12345 >"$S/a"
    printf 123 >"$S/b"
    printf 12 >"$S/d/c"
    printf 1 >"$S/d/e/f"
    collected "$S" >ours
    (cd "$S" && tar -cf ../foreign a b d)
    (cd "$S" && tar --no-recursion -cf ../unnamed a b d/c d/e/f)
    local stream limit
    for stream in ours foreign unnamed; do
        land --max-file 5 --max-total 11 --max-files 4 --max-depth 3 --max-names 6 <$stream
        succeeded
        rm -r "$WORK/t"
        for limit in 'max-file 4' 'max-total 10' 'max-files 3' 'max-depth 2' 'max-names 5'; do
            # shellcheck disable=SC2086 # words
            land --$limit <$stream
            refused too_large "--${limit% *}"
            nothing
        done
    done
}

@test "tree: limits are counted on what arrives: endless input ends" {
    command -v python3 >/dev/null || unable 'no python3 here'
    local name
    place_mount "$WORK/memory" size=300m,mode=0777
    for name in file-101-mebibytes total-2-gibibytes names-2-mebibytes million-files; do
        try sh -c '"$0" print "$1" 2>/dev/null | { shift; "$@"; }' "$BATS_TEST_DIRNAME/archives" "$name" \
            "${AS_AGENT[@]}" "$PUT" --tree --max-total 100M --at "$WORK/memory/t"
        refused too_large
        has_only "$WORK/memory"
    done
    try as_agent "$PUT" --tree --at "$WORK/t" </dev/zero
    refused truncated
    try as_agent "$PUT" --tree --at "$WORK/t" < <(yes)
    refused corrupt
    has_only "$WORK" memory
}

@test "tree: a full disk is no_space and leaves nothing, whether bytes or inodes are gone" {
    mkdir -p "$S/d"
    bytes 3000000 >"$S/d/large"
    (cd "$S" && touch {1..300})
    collected "$S" >stream
    place_mount "$WORK/bytes" size=1m,mode=0777
    place_mount "$WORK/inodes" nr_inodes=100,mode=0777
    local full
    for full in bytes inodes; do
        try as_agent "$PUT" --tree --at "$WORK/$full/t" <stream
        refused no_space
        has_only "$WORK/$full"
        [[ $full != bytes || $(df --output=used "$WORK/bytes" | tail -n 1) == *' 0' ]]
    done
    place_mount "$WORK/fixed" ro
    try as_agent "$PUT" --tree --at "$WORK/fixed/t" <stream
    refused read_only
}

@test "tree: what the sender says becomes the exit status, and only ok and partial land" {
    [[ -x $SBX_BUILD/t/tool-stream ]]
    local reason
    for reason in "${!REASONS[@]}"; do
        "$SBX_BUILD/t/tool-stream" write file f 3 end "$reason" >stream
        land <stream
        case $reason in
        ok)
            succeeded
            has_only "$WORK/t" f
            ;;
        partial)
            refused partial 'the sender says'
            has_only "$WORK/t" f
            rm -r "$WORK/t"
            land --strict <stream
            refused partial
            nothing
            ;;
        *)
            refused "$reason" 'the sender says'
            nothing
            ;;
        esac
        rm -rf "$WORK/t"
    done
}

@test "tree: the pipeline fails with the collector's own reason" {
    mkdir "$S/closed"
    ln -s source link
    local from reason
    while read -r reason from; do
        { as_agent "$COLLECT" "$from" 2>/dev/null || true; } >stream
        land <stream
        refused "$reason"
        nothing
    done <<-END
		missing $S/none
		link $PLACE/link
		not_regular $PLACE/stream
	END
    printf secret >"$S/locked"
    chmod 0000 "$S/locked"
    as_agent "$COLLECT" "$S" 2>/dev/null >stream || true
    land <stream
    refused partial
    has_only "$WORK/t" closed
}

@test "tree: a thousand levels land and are taken away again with a handful of descriptors" {
    command -v python3 >/dev/null || unable 'no python3 here'
    python3 - >stream <<-'END'
		import sys, tarfile
		with tarfile.open(fileobj=sys.stdout.buffer, mode='w|') as archive:
		    path = ''
		    for _ in range(2000):
		        path += 'd/'
		        member = tarfile.TarInfo(path)
		        member.type, member.mode, member.mtime = tarfile.DIRTYPE, 0o755, 1700000000
		        archive.addfile(member)
		    for path in (path + 'f', 'z', 'd/z'):
		        archive.addfile(tarfile.TarInfo(path))
	END
    try sh -c 'ulimit -n 12 && exec "$@"' - "${AS_AGENT[@]}" "$PUT" --tree --max-depth unlimited --at "$WORK/t" <stream
    succeeded
    has_only "$WORK/t" d z
    [[ $(cd "$WORK/t" && find . | wc -l) == 2004 ]]
    [[ $(cd "$WORK/t/d/d/d/d" && stat -c %Y .) == 1700000000 ]]
    rm -r "$WORK/t"
    # The same, cut before its end.
    try sh -c 'ulimit -n 48 && exec "$@"' - "${AS_AGENT[@]}" "$PUT" --tree --max-depth unlimited --at "$WORK/t" \
        < <(head -c -12000 stream)
    refused truncated
    nothing
    land <stream
    refused too_large
    nothing
}

@test "tree: another tar that goes on writing after its end sees no EPIPE" {
    plant
    tar -C "$S" -cf stream .
    try sh -c '{ cat stream /dev/zero | head -c 10M; echo "writer: $?" >written; } | "$@"' - "${AS_AGENT[@]}" "$PUT" --tree \
        --at "$WORK/t"
    succeeded
    same_tree "$S" "$WORK/t"
    holds written $'writer: 0\n'
}

@test "tree: after sbx-collect's end nothing is waited for" {
    plant
    collected "$S" >stream
    mkfifo pipe
    exec 9<>pipe
    cat stream >&9 &
    try as_agent timeout 60 "$PUT" --tree --at "$WORK/t" <pipe
    succeeded
    exec 9>&-
    same_tree "$S" "$WORK/t"
}

@test "tree: at the deadline, and at a signal, nothing is left" {
    plant
    collected "$S" >stream
    mkfifo pipe
    exec 9<>pipe
    head -c 3000 stream >&9
    try as_agent "$PUT" --tree --at "$WORK/t" --deadline 0.3 <pipe
    refused deadline
    nothing
    local signal
    for signal in TERM INT HUP; do
        head -c 3000 stream >&9
        "${AS_AGENT[@]}" env --default-signal=INT,HUP,TERM "$PUT" --tree --at "$WORK/t" <pipe >out 2>err 3>&- 9>&- &
        TOOL=$!
        eventually growing a
        kill "-$signal" "$TOOL"
        await "$TOOL" out err
        [[ $status == $((128 + $(kill -l "$signal"))) ]] || disprove "dies of $signal"
        nothing
    done
    exec 9>&-
}

@test "tree: a directory that took the temporary one's place is neither filled nor emptied" {
    command -v strace >/dev/null || unable 'no strace here'
    plant
    collected "$S" >stream
    chmod 0777 "$WORK"
    install -d -o "$AGENT" -g "$AGENT" -m 0700 "$WORK/precious"
    agent_file "$WORK/precious/file" mine
    # Between its mkdir and its open, the parent's owner puts another directory of the caller's there.
    "${AS_AGENT[@]}" strace -qq -o /dev/null -e trace=mkdirat -e inject=mkdirat:delay_exit=1500000:when=1 \
        "$PUT" --tree --at "$WORK/t" <stream >out 2>err 3>&- &
    TOOL=$!
    eventually growing
    local temporary
    temporary=$(echo "$WORK"/.sbx-*)
    mv "$temporary" "$WORK/away"
    mv "$WORK/precious" "$temporary"
    await "$TOOL" out err
    refused changed
    holds "$temporary/file" mine
    has_only "$temporary" file
}

@test "tree: 8 MiB of address space do for a large file and for 20000 small ones" {
    [[ $SBX_BUILD != */asan && $SBX_BUILD != */cover ]] || skip 'sanitizers and counters take more'
    (cd "$S" && seq 10000 29999 | xargs touch)
    truncate -s 99M "$S/large"
    tar -C "$S" -cf stream .
    try sh -c 'ulimit -v 8192 && exec "$@"' - "${AS_AGENT[@]}" "$PUT" --tree --max-files 20001 --symlinks inside --at "$WORK/t" \
        <stream
    succeeded
    [[ $(cd "$WORK/t" && find . -type f | wc -l) == 20001 ]]
}
