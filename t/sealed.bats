# Sealed files: sbx-get --sealed on one side, sbx-put --sealed on the other: complete or refused, and why.

load place
load tree

export LC_ALL=C TZ=UTC0

setup() {
    place_make
    cd "$PLACE" || return
}

teardown() {
    place_remove
}

seal() {
    try as_agent "$GET" --sealed "$@" </dev/null
}

# Unseals stdin as $PLACE/in/file, as another user.
unseal() {
    [[ -d in ]] || install -d -o "$OTHER" -g "$OTHER" in
    try as_other "$PUT" --sealed --at "$PLACE/in/file" "$@"
}

@test "sealed: every byte arrives, of an empty file, a small one, one at each edge, a large one" {
    local size
    for size in 0 1 511 512 513 65535 65536 65537 3000001; do
        bytes $size >"$WORK/file"
        seal "$WORK/file"
        succeeded
        ends ok 1 $size 0 ''
        mv "$OUT" stream
        unseal <stream
        succeeded
        cmp "$WORK/file" in/file
        unseal < <(cat stream)
        succeeded
        cmp "$WORK/file" in/file
    done
    has_only in file
}

@test "sealed: the stream is a tar archive of that file" {
    agent_file "$WORK/report.txt" text
    seal "$WORK/report.txt"
    mkdir got
    tar -x -C got -f "$OUT"
    has_only got report.txt
    holds got/report.txt text
}

@test "sealed: any name goes, also one that no archive carries" {
    agent_file "$WORK/"$'new\nline \e' text
    seal "$WORK/"$'new\nline \e'
    succeeded
    mv "$OUT" stream
    unseal <stream
    succeeded
    holds in/file text
    [[ $(tar -tf stream | head -n 1) == 'new_line _' ]]
}

@test "sealed: why the sender failed is why the receiver fails, and nothing is made or replaced" {
    local reason path
    agent_file "$WORK/large" 12345
    agent_file "$WORK/locked" x 0000
    ln -s large "$WORK/link"
    as_agent mkfifo "$WORK/fifo"
    install -d -o "$OTHER" -g "$OTHER" in
    while read -r reason path; do
        try as_agent "$GET" --max 4 --sealed "$path" </dev/null
        told "$reason"
        ends "$reason" 0 0
        mv "$OUT" stream
        unseal <stream
        refused "$reason" 'the sender says'
        has_only in
    done <<-END
		missing $WORK/none
		link $WORK/link
		not_regular $WORK/fifo
		not_regular $WORK
		not_regular /proc/version
		permission_denied $WORK/locked
		too_large $WORK/large
		bad_name $WORK/large/
	END
    try as_root "$GET" --sealed "$WORK/large" </dev/null
    told root_refused
    mv "$OUT" stream
    unseal <stream
    refused root_refused
    printf old >in/file
    unseal <stream
    refused root_refused
    holds in/file old
    has_only in file
}

@test "sealed: in a pipeline the last status says it, without pipefail" {
    install -d -o "$OTHER" -g "$OTHER" in
    try bash -c '"$1" --as "$2" --sealed "$3" 2>/dev/null </dev/null | "$4" --as "$5" --sealed --at "$6"' - \
        "$GET" "$AGENT" "$WORK/none" "$PUT" "$OTHER" "$PLACE/in/file"
    refused missing
    # Raw, the same puts an empty file, and is content.
    try bash -c '"$1" --as "$2" "$3" 2>/dev/null </dev/null | "$4" --as "$5" --at "$6"' - \
        "$GET" "$AGENT" "$WORK/none" "$PUT" "$OTHER" "$PLACE/in/file"
    succeeded
    holds in/file ''
}

@test "sealed: every reason that a sender may give is the receiver's, and only ok lands" {
    local reason
    for reason in "${!REASONS[@]}"; do
        "$SBX_BUILD/t/tool-stream" write file f 3 end "$reason" >stream
        unseal <stream
        case $reason in
        ok)
            succeeded
            holds in/file abc
            rm in/file
            ;;
        partial) refused corrupt ;;
        *) refused "$reason" ;;
        esac
        has_only in
    done
}

@test "sealed: into a drop" {
    agent_file "$WORK/file" text
    seal "$WORK/file"
    mv "$OUT" stream
    try as_root "$PUT" --sealed --drop-root "$DROPS" data <stream
    succeeded
    holds "$(cat "$OUT")" text
    try as_root "$PUT" --sealed --drop-root "$DROPS" data < <(head -c 600 stream)
    refused truncated
    [[ $(find "$DROPS" -mindepth 1 -maxdepth 1 | wc -l) == 1 ]]
}

@test "sealed: the receiver's own limit is counted on what arrives, at its value and one more" {
    bytes 1000 >"$WORK/file"
    seal "$WORK/file"
    mv "$OUT" stream
    unseal --max 1000 <stream
    succeeded
    rm in/file
    unseal --max 999 <stream
    refused too_large '1000 bytes, limit 999'
    has_only in
}

@test "sealed: trees, raw bytes and other tars are not sealed files" {
    agent_file "$WORK/file" text
    agent_file "$WORK/other" text
    tar -C "$WORK" -cf other.tar file
    "$COLLECT" --as "$AGENT" "$WORK" >tree.tar
    local input
    for input in other.tar tree.tar "$WORK/file"; do
        cat "$input" >stream
        unseal <stream
        [[ $status == 87 || $status == 86 ]] || disprove 'is corrupt, or truncated'
        has_only in
    done
    unseal </dev/null
    refused usage
    unseal < <(printf '')
    refused truncated
}

@test "sealed: a part of a file, by --offset and --length" {
    agent_file "$WORK/file" 0123456789
    seal --offset 3 --length 4 "$WORK/file"
    succeeded
    ends ok 1 4 0 ''
    mv "$OUT" stream
    unseal <stream
    holds in/file 3456
    seal --offset 11 "$WORK/file"
    told truncated
    ends truncated 0
    bytes 300000 >"$WORK/large"
    seal --offset 100000 --length 150000 "$WORK/large"
    succeeded
    mv "$OUT" stream
    unseal <stream
    tail -c +100001 "$WORK/large" | head -c 150000 | cmp - in/file
}

# A large file, sealed into a pipe of which only one byte has been read.
seal_in_background() {
    bytes 3000000 >"$WORK/file"
    rm -f pipe
    mkfifo pipe
    exec 9<>pipe
    "${AS_AGENT[@]}" env --default-signal=TERM "$GET" --sealed "$@" "$WORK/file" </dev/null >pipe 2>err 3>&- 9>&- &
    TOOL=$!
    exec 8<pipe
    exec 9>&-
    head -c 1 <&8 >stream
}

seal_finished() {
    cat <&8 >>stream
    exec 8<&-
    await "$TOOL" stream err
}

@test "sealed: what changes while it is read is changed on both sides; with --live it may grow, not shrink" {
    seal_in_background
    truncate -s 2500000 "$WORK/file"
    seal_finished
    told changed
    ends changed 1 3000000 1 1
    unseal <stream
    refused changed
    has_only in

    seal_in_background
    printf more >>"$WORK/file"
    seal_finished
    told changed
    unseal <stream
    refused changed

    seal_in_background --live
    printf more >>"$WORK/file"
    seal_finished
    succeeded
    unseal <stream
    succeeded
    head -c 3000000 "$WORK/file" | cmp - in/file
    rm in/file

    seal_in_background --live
    truncate -s 2500000 "$WORK/file"
    seal_finished
    told changed
    unseal <stream
    refused changed
    has_only in
}

@test "sealed: at the deadline and at a signal the stream says so" {
    seal_in_background --deadline 0.3
    sleep 0.6
    seal_finished
    told deadline
    unseal <stream
    refused deadline
    seal_in_background
    kill -TERM "$TOOL"
    seal_finished
    [[ $status == 143 ]]
    unseal <stream
    refused system
    has_only in
}

@test "sealed: killed outright, the sender leaves a truncated stream" {
    seal_in_background
    kill -KILL "$TOOL"
    cat <&8 >>stream
    exec 8<&-
    wait "$TOOL" 2>/dev/null || true
    unseal <stream
    refused truncated
    has_only in
}

@test "sealed: a full disk is no_space and leaves nothing" {
    bytes 300000 >"$WORK/file"
    seal "$WORK/file"
    mv "$OUT" stream
    place_mount "$PLACE/small" size=64k,mode=0777
    try as_other "$PUT" --sealed --at "$PLACE/small/file" <stream
    refused no_space
    has_only "$PLACE/small"
}

@test "sealed: nothing is waited for behind the end" {
    agent_file "$WORK/file" text
    seal "$WORK/file"
    mv "$OUT" stream
    mkfifo pipe
    exec 9<>pipe
    cat stream >&9
    install -d -o "$OTHER" -g "$OTHER" in
    try as_other timeout 60 "$PUT" --sealed --at "$PLACE/in/file" <pipe
    exec 9>&-
    succeeded
    holds in/file text
}
