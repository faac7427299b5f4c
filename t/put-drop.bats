# sbx-put's first form: a drop is root's, fresh, and complete or absent.

load place

setup() {
    place_make
}

teardown() {
    place_remove
}

put() {
    try as_root "$PUT" --drop-root "$DROPS" "$@"
}

# It worked, printed one path of a drop with this name and a newline, and DROP is that path.
dropped() {
    succeeded
    [[ $(wc -l <"$OUT") == 1 ]] || disprove 'prints one line'
    DROP=$(<"$OUT")
    [[ ${DROP%/*} =~ ^"$DROPS"/[0-9a-f]{32}$ && ${DROP##*/} == "$1" ]] || disprove "prints $DROPS/<32 hex>/$1"
    [[ -f $DROP && ! -L $DROP ]] || disprove 'the path that was printed is a regular file'
}

# Whatever the tool had made for the drop is gone, the drop root aside.
nothing_left() {
    [[ ! -e $DROPS ]] || has_only "$DROPS"
}

# Opens a pipe that stays open for writing, as descriptor 9; the reading end is $PLACE/input.
hold_input() {
    mkfifo "$PLACE/input"
    exec 9<>"$PLACE/input"
}

# Starts the tool in the background, its input held, and waits until it has made its drop.
put_in_background() {
    hold_input
    "${AS_ROOT[@]}" env --default-signal=INT,QUIT,HUP,TERM "$PUT" --drop-root "$DROPS" "$@" <"$PLACE/input" >"$PLACE/out" 2>"$PLACE/err" 3>&- 9>&- &
    TOOL=$!
    eventually compgen -G "$DROPS/*/*"
}

@test "drop: prints the path of a file that has every byte of the input" {
    bytes 3000000 >"$PLACE/input"
    put data <"$PLACE/input"
    dropped data
    cmp "$PLACE/input" "$DROP"
}

@test "drop: takes NUL bytes, and bytes that are no text" {
    head -c 70000 /dev/urandom >"$PLACE/input"
    put data < <(cat "$PLACE/input")
    dropped data
    cmp "$PLACE/input" "$DROP"
}

@test "drop: is root's, 0444 in a directory of 0711, whatever the umask" {
    local mask
    for mask in 000 022 077 777; do
        umask "$mask"
        put data < <(printf text)
        umask 022
        dropped data
        [[ $(stat -c '%u:%g %a' "$DROP") == '0:0 444' ]]
        [[ $(stat -c '%u:%g %a' "${DROP%/*}") == '0:0 711' ]]
        [[ $(stat -c '%u:%g %a' "$DROPS") == '0:0 711' ]]
    done
}

@test "drop: the agent reads it, and can neither rewrite, replace, rename nor remove it, nor list the drops" {
    put data < <(printf text)
    dropped data
    try as_agent cat "$DROP"
    gave text
    run ! as_agent sh -c 'echo forged >"$1"' - "$DROP"
    run ! as_agent sh -c 'echo forged >>"$1"' - "$DROP"
    run ! as_agent chmod 0666 "$DROP"
    run ! as_agent mv "$DROP" "$DROP.old"
    run ! as_agent rm -f "$DROP"
    run ! as_agent mv "${DROP%/*}" "$WORK/mine"
    run ! as_agent ls "$DROPS"
    run ! as_agent ls "${DROP%/*}"
    holds "$DROP" text
}

@test "drop: control arm: what a file chowned to the agent would have been is the agent's to rewrite" {
    agent_file "$PLACE/chowned" text 0444
    run -0 as_agent sh -c 'chmod 0644 "$1" && echo forged >"$1"' - "$PLACE/chowned"
    [[ $(<"$PLACE/chowned") == forged ]]
}

@test "drop: --mode is exact under any umask, and makes a program that the agent can run" {
    umask 077
    put --mode 0555 program < <(printf '#!/bin/sh\necho ran\n')
    dropped program
    [[ $(stat -c %a "$DROP") == 555 ]]
    run -0 as_agent "$DROP"
    [[ $output == ran ]]
    put --mode 0440 data < <(printf text)
    dropped data
    [[ $(stat -c %a "$DROP") == 440 ]]
}

@test "drop: two drops of one name are two files" {
    local first
    put data < <(printf one)
    dropped data
    first=$DROP
    put data < <(printf two)
    dropped data
    [[ $DROP != "$first" ]]
    holds "$first" one
    holds "$DROP" two
}

@test "drop: the null device as input is refused and a forgotten -i is told" {
    put data </dev/null
    refused usage 'docker exec needs -i'
    nothing_left
}

@test "drop: the null device is known by its number, not by its name" {
    mknod "$PLACE/node" c 1 3
    put data <"$PLACE/node"
    refused usage 'docker exec needs -i'
    nothing_left
}

@test "drop: an empty file is put from an empty pipe, or with --size 0 from the null device" {
    put data < <(true)
    dropped data
    holds "$DROP" ''
    put --size 0 data </dev/null
    dropped data
    holds "$DROP" ''
}

@test "drop: --size 0 reads nothing, and does not wait" {
    hold_input
    put --size 0 data <"$PLACE/input"
    dropped data
    holds "$DROP" ''
}

@test "drop: names with spaces, dashes, glob characters, backslashes, 255 bytes and bytes that are not UTF-8" {
    local name
    for name in 'two words' -dash --max '[a]:\b*?' $'caf\xe9' "$(printf 'n%.0s' {1..255})" ... '~' '$HOME' '"'; do
        put -- "$name" < <(printf text)
        dropped "$name"
        holds "$DROP" text
    done
}

@test "drop: a name that is no name, or that could drive a terminal, is bad_name and makes nothing" {
    local name
    for name in . .. / a/b /a a/ $'a\nb' $'a\tb' $'\e]0;owned\a' $'a\x7f' $'\r' "$(printf 'n%.0s' {1..256})"; do
        put -- "$name" < <(printf text)
        refused bad_name
        nothing_left
    done
    put -- '' < <(printf text)
    refused usage
    nothing_left
}

@test "drop: --max is the last byte that fits; one more is too_large and leaves nothing" {
    put --max 1000 data < <(bytes 1000)
    dropped data
    [[ $(stat -c %s "$DROP") == 1000 ]]
    rm -r "$DROPS"
    put --max 1000 data < <(bytes 1001)
    refused too_large 'limit of 1000 bytes'
    nothing_left
    put --max 1K data < <(bytes 1025)
    refused too_large 'limit of 1024 bytes'
    nothing_left
}

@test "drop: --max holds for an endless input" {
    put --max 1M data < <(yes)
    refused too_large
    nothing_left
}

@test "drop: the default limit is 100M, and unlimited lifts it" {
    put data < <(head -c 104857601 /dev/zero)
    refused too_large 'limit of 104857600 bytes'
    nothing_left
    put --max unlimited data < <(head -c 104857601 /dev/zero)
    dropped data
    [[ $(stat -c %s "$DROP") == 104857601 ]]
}

@test "drop: --size takes the first bytes without waiting for the end of the input" {
    hold_input
    printf 'abcdef' >&9
    put --size 3 data <"$PLACE/input"
    dropped data
    holds "$DROP" abc
}

@test "drop: an input shorter than --size is truncated and leaves nothing" {
    put --size 4 data < <(printf abc)
    refused truncated
    nothing_left
    put --size 1 data < <(true)
    refused truncated
    nothing_left
    put --size 1M data < <(bytes 1048575)
    refused truncated
    nothing_left
}

@test "drop: a --size over --max is too_large before a byte is read" {
    hold_input
    put --size 11 --max 10 data <"$PLACE/input"
    refused too_large
    nothing_left
    put --size 101M data <"$PLACE/input"
    refused too_large
    nothing_left
}

@test "drop: the path is printed only when the file is complete" {
    put_in_background data
    printf 'first ' >&9
    [[ ! -s $PLACE/out ]]
    printf 'last' >&9
    exec 9>&-
    await "$TOOL" "$PLACE/out" "$PLACE/err"
    dropped data
    holds "$DROP" 'first last'
}

@test "drop: only root makes one" {
    install -d -o "$AGENT" -m 0755 "$DROPS"
    try as_agent "$PUT" --drop-root "$DROPS" data < <(printf text)
    refused permission_denied
    has_only "$DROPS"
}

@test "drop: missing components are made 0711, and existing ones are not touched" {
    mkdir -m 0750 "$PLACE/there"
    DROPS=$PLACE/there/one/two
    umask 077
    put data < <(printf text)
    dropped data
    [[ $(stat -c %a "$PLACE/there") == 750 ]]
    [[ $(stat -c '%a %u' "$PLACE/there/one") == '711 0' ]]
    [[ $(stat -c '%a %u' "$PLACE/there/one/two") == '711 0' ]]
}

@test "drop: a root that is a link, or lies behind one, is refused" {
    mkdir "$PLACE/real"
    ln -s real "$PLACE/link"
    DROPS=$PLACE/link
    put data < <(printf text)
    refused link
    DROPS=$PLACE/link/below
    put data < <(printf text)
    refused link
    has_only "$PLACE/real"
}

@test "drop: a root that the agent owns, or that lies in what it owns, is refused" {
    DROPS=$WORK
    put data < <(printf text)
    refused unsafe_directory
    DROPS=$WORK/below
    put data < <(printf text)
    refused unsafe_directory
    mkdir -m 0711 "$WORK/rooted"
    DROPS=$WORK/rooted
    put data < <(printf text)
    refused unsafe_directory
    has_only "$WORK" rooted
    has_only "$WORK/rooted"
}

@test "drop: a root with a component that group or others may write is refused" {
    local mode
    for mode in 0775 0757 0777 0720 0702; do
        rm -rf "$PLACE/loose"
        mkdir -m "$mode" "$PLACE/loose"
        DROPS=$PLACE/loose
        put data < <(printf text)
        refused unsafe_directory
        DROPS=$PLACE/loose/below
        put data < <(printf text)
        refused unsafe_directory
        has_only "$PLACE/loose"
    done
}

@test "drop: a sticky component is safe only on the way, and only to a next one of root's" {
    mkdir -m 1777 "$PLACE/sticky"
    DROPS=$PLACE/sticky/below
    put data < <(printf text)
    dropped data
    rm -r "$DROPS"

    DROPS=$PLACE/sticky
    put data < <(printf text)
    refused unsafe_directory
    has_only "$PLACE/sticky"

    install -d -o "$AGENT" -m 0711 "$PLACE/sticky/agents"
    DROPS=$PLACE/sticky/agents
    put data < <(printf text)
    refused unsafe_directory
    has_only "$PLACE/sticky/agents"
}

@test "drop: a root that is relative, empty or a file is refused" {
    cd "$PLACE"
    try as_root "$PUT" --drop-root drops data < <(printf text)
    refused usage
    try as_root "$PUT" --drop-root '' data < <(printf text)
    refused usage
    has_only "$PLACE" work
    printf text >"$PLACE/file"
    DROPS=$PLACE/file
    put data < <(printf text)
    refused missing
    holds "$PLACE/file" text
}

@test "drop: a full disk is no_space and leaves nothing" {
    place_mount "$PLACE/small" size=64k,mode=0755
    DROPS=$PLACE/small/drops
    put data < <(bytes 1000000)
    refused no_space
    nothing_left
}

@test "drop: a disk without inodes is no_space and leaves nothing" {
    place_mount "$PLACE/small" nr_inodes=3,mode=0755
    DROPS=$PLACE/small/drops
    put data < <(printf text)
    refused no_space
    nothing_left
}

@test "drop: a read-only file system is read_only" {
    place_mount "$PLACE/fixed" mode=0755
    mkdir -m 0711 "$PLACE/fixed/drops"
    mount -o remount,ro "$PLACE/fixed"
    DROPS=$PLACE/fixed/drops
    put data < <(printf text)
    refused read_only
    DROPS=$PLACE/fixed/other
    put data < <(printf text)
    refused read_only
}

@test "drop: a file size limit is io, not a death by SIGXFSZ, and leaves nothing" {
    ulimit -f 8
    put data < <(bytes 1000000)
    refused io
    nothing_left
}

@test "drop: when the path cannot be printed, the drop is gone" {
    try as_root sh -c 'exec "$@" >/dev/full' - "$PUT" --drop-root "$DROPS" data < <(printf text)
    refused no_space 'standard output'
    nothing_left
}

@test "drop: when nobody reads the path, the drop is gone" {
    mkfifo "$PLACE/pipe"
    # Open for reading once, so that the tool has its writing end, then closed: the write gets EPIPE.
    exec 8<>"$PLACE/pipe"
    hold_input
    "${AS_ROOT[@]}" "$PUT" --drop-root "$DROPS" data <"$PLACE/input" >"$PLACE/pipe" 2>"$PLACE/err" 3>&- 8>&- 9>&- &
    TOOL=$!
    eventually compgen -G "$DROPS/*/*"
    exec 8>&-
    exec 9>&-
    await "$TOOL" /dev/null "$PLACE/err"
    told io
    nothing_left
}

@test "drop: the time being up is 124 and leaves nothing" {
    hold_input
    printf begun >&9
    put --deadline 0.2 data <"$PLACE/input"
    refused deadline
    nothing_left
}

@test "drop: TERM, INT, HUP and QUIT clean up first, as all that end a process do, and then it dies of them" {
    local signal
    for signal in TERM INT HUP QUIT USR1 USR2 XCPU PROF VTALRM IO PWR STKFLT; do
        rm -f "$PLACE/input"
        put_in_background data
        kill -"$signal" "$TOOL"
        await "$TOOL" "$PLACE/out" "$PLACE/err"
        exec 9>&-
        [[ $status == $((128 + $(kill -l "$signal"))) ]]
        [[ ! -s $PLACE/out ]]
        nothing_left
    done
}

@test "drop: --quiet says nothing, and the code and the path are the same" {
    put --quiet data </dev/null
    [[ $status == 64 && ! -s $OUT && ! -s $ERR ]]
    put --quiet data < <(printf text)
    dropped data
}

@test "drop: --as another identity gives up the right to make one, or fails without the capability" {
    try as_root "$PUT" --as "$AGENT" --drop-root "$DROPS" data < <(printf text)
    refused cannot_drop
    try "$PUT" --as "$AGENT" --drop-root "$DROPS" data < <(printf text)
    refused permission_denied
    nothing_left
}

@test "drop: the file is made with O_EXCL and O_NOFOLLOW, in a directory made for it alone" {
    [[ -n $(command -v strace) ]] || unable 'no strace'
    try strace -f -e trace=openat,openat2,open,mkdirat,mkdir -o "$PLACE/trace" "$PUT" --drop-root "$DROPS" data \
        < <(printf text)
    dropped data
    grep -F '"data"' "$PLACE/trace" | grep O_CREAT | grep O_EXCL | grep -q O_NOFOLLOW
    grep -q "mkdir.*${DROP:${#DROPS}+1:32}" "$PLACE/trace"
}
