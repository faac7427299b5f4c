# The stream beside other tars: what the writer writes, GNU tar, bsdtar, busybox tar and Python's tarfile take without a
# word; what they write, the reader takes byte for byte; and of what no honest tar writes it takes nothing.

load claims

# The real time zone, user names and locales of the machine have no part in this.
export LC_ALL=C TZ=UTC0

setup() {
    STREAM=$SBX_BUILD/t/tool-stream
    cd "$BATS_TEST_TMPDIR" || return
    [[ -x $STREAM ]] || {
        printf 'no %s: make test-programs\n' "$STREAM" >&2
        return 1
    }
}

# The tar of this name, or the case cannot run. "tars" are all of them.
tars=(tar bsdtar busybox python3)
needs() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || unable "no $program here"
    done
}

list() {
    case $1 in
    python3) python3 -c 'import sys, tarfile
for member in tarfile.open(sys.argv[1], "r:"): print(member.size, ascii(member.name))' "$2" ;;
    busybox) busybox tar -tvf "$2" ;;
    *) "$1" -tvf "$2" ;;
    esac
}

extract() {
    case $1 in
    python3) python3 -c 'import sys, tarfile
tarfile.open(fileobj=sys.stdin.buffer, mode="r|").extractall(sys.argv[1])' "$2" ;;
    busybox) busybox tar -xf - -C "$2" ;;
    *) "$1" -xf - -C "$2" ;;
    esac
}

# What a directory holds: type, mode, name; of files also the time and a sum of the data.
contents() (
    cd "$1" && find . -mindepth 1 \( -type f -printf '%y %m %T@ %p ' -exec sha256sum '{}' \; \) -o \
        -type l -printf '%y %p -> %l\n' -o -printf '%y %m %p\n' | LC_ALL=C sort
)

# The items of a tree with names of every length and kind, for tool-stream, and the tree itself as it should land.
items=()
plant() {
    local name
    local n100 n150 odd
    n100=$(printf 'n%.0s' {1..100})
    n150=$(printf 'm%.0s' {1..150})
    odd=$(printf '\xfe%.0s' {1..120})
    items=(directory d file d/a 5 file 'd/ space ' 512 file -dash 513 file empty 0 program d/run 70000 directory d/e)
    items+=(directory "$n100" file "$n100/$n100" 3 file "$n100/$n150" 3 file "$n150" 3 directory "$n150$n100")
    items+=(file "$n150$n100/$odd" 3 file $'\xff\xfe' 3 file "$odd" 3 file $'\xc3\xa9'"$n150" 3)
    items+=(symlink l d/a symlink long "$n150" symlink "$odd$n100" "$odd")
    mkdir expected
    (
        umask 022
        set -- "${items[@]}"
        while (($#)); do
            name=expected/$2
            case $1 in
            directory) mkdir -- "$name" ;;
            symlink) ln -s -- "$3" "$name" ;;
            *) yes abcdefghijklmnopqrstuvwxyz 2>/dev/null | tr -d '\n' | head -c "$3" >"$name" ;;
            esac
            [[ $1 != program ]] || chmod 0755 "$name"
            if [[ $1 == directory ]]; then
                shift 2
            else
                touch -h -d @1700000000 -- "$name"
                shift 3
            fi
        done
    )
}

# What the writer wrote of it comes out of a tar as it went in.
lands_by() {
    needs "$1"
    local locale
    plant
    "$STREAM" write "${items[@]}" end ok >stream.tar
    for locale in C C.UTF-8; do
        rm -rf landed
        mkdir landed
        LC_ALL=$locale try list "$1" stream.tar
        succeeded
        [[ $(wc -l <"$OUT") == $(($(contents expected | wc -l) + 1)) ]] || disprove 'lists every member and ./'
        LC_ALL=$locale try extract "$1" landed <stream.tar
        succeeded
        diff <(contents expected) <(contents landed)
    done
}

@test "stream: GNU tar takes all that the writer writes, without a word" {
    lands_by tar
}

@test "stream: bsdtar takes all that the writer writes, without a word" {
    lands_by bsdtar
}

@test "stream: busybox tar takes all that the writer writes, without a word" {
    lands_by busybox
}

@test "stream: Python's tarfile takes all that the writer writes, without a word" {
    lands_by python3
}

@test "stream: the reader takes it too, and says what the writer was told" {
    plant
    "$STREAM" write "${items[@]}" file last 1 changed end partial >stream.tar
    try "$STREAM" list <stream.tar
    succeeded
    [[ $(wc -l <"$OUT") == $(($(contents expected | wc -l) + 3)) ]] || disprove 'lists every member'
    [[ $(tail -n 2 "$OUT") == $'changed\nend ours partial 13 71052 0 13' ]] || disprove 'ends as the writer was told'
}

@test "stream: every tar and the reader know a file of 9 GiB by its header" {
    needs "${tars[@]}"
    local tar
    "$STREAM" write file big $((9 << 30)) file after 3 end ok >stream.tar
    for tar in "${tars[@]}"; do
        try list "$tar" stream.tar
        succeeded
        grep -qE '\b9663676416\b.*\bbig' "$OUT" || disprove 'lists its size'
        grep -q after "$OUT" || disprove 'lists what comes after it'
    done
    try "$STREAM" list <stream.tar
    gave $'file 9663676416 1700000000 big\nfile 3 1700000000 after\nend ours ok 2 9663676419 0\n'
}

@test "stream: the reader takes what every tar writes, in each of its formats, byte for byte" {
    needs "${tars[@]}"
    local archive tree
    "$BATS_TEST_DIRNAME/archives" good good
    (($(find good -name '*.tar' | wc -l) == 21))
    for archive in good/*.tar; do
        tree=${archive%%.*}
        try "$STREAM" list <"$archive"
        succeeded
        diff <(grep -v '^end ' "$OUT" | sort) "$tree.list"
        [[ $(tail -n 1 "$OUT") == 'end other ok '* ]] || disprove 'is complete, and not ours'
        try "$STREAM" sums <"$archive"
        succeeded
        diff <(sort "$OUT") "$tree.sums"
    done
}

@test "stream: the reader knows a file of 9 GiB by the header of every tar" {
    needs "${tars[@]}"
    local command
    truncate -s 9G big
    for command in 'tar --format=gnu -cf - big' 'tar --format=pax -cf - big' 'busybox tar -cf - big' \
        'bsdtar --format=gnutar -cf - big' 'bsdtar --no-read-sparse --format=pax -cf - big'; do
        $command 2>/dev/null | head -c 10240 >start || true
        try "$STREAM" list <start
        grep -qE '^file 9663676416 [0-9]+ big$' "$OUT" || disprove "reads the size in $command"
        [[ $status == 86 ]] || disprove 'is truncated'
    done
}

@test "stream: links, FIFOs and devices of every tar are told for what they are" {
    needs "${tars[@]}"
    local command
    mkdir tree
    echo text >tree/a
    ln tree/a tree/b
    ln -s a tree/s
    mkfifo tree/p
    mknod tree/c c 1 3 2>/dev/null || unable 'mknod is refused here'
    for command in 'tar --format=gnu -cf - -C' 'tar --format=pax -cf - -C' 'tar --format=ustar -cf - -C' \
        'bsdtar --format=pax -cf - -C' 'bsdtar --format=gnutar -cf - -C' 'bsdtar --format=ustar -cf - -C' \
        'busybox tar -cf - -C'; do
        $command tree . >stream.tar
        try "$STREAM" list <stream.tar
        succeeded
        diff <(sed -E 's/^([a-z-]+) [0-9]+ [0-9]+ /\1 /; s/^(file|hard-link) .*/\1/; /^end/d' "$OUT" | sort) - <<'LIST'
character c
directory 
fifo p
file
hard-link
symlink s -> a
LIST
    done
}

@test "stream: each archive that tries something ends with the reason that it should" {
    needs python3
    local name reason landing wrong=0
    "$BATS_TEST_DIRNAME/archives" hostile hostile
    while IFS=$'\t' read -r name reason landing; do
        try "$STREAM" list <"hostile/$name.tar"
        if [[ $status != "${REASONS[$reason]}" ]]; then
            printf '%s: %s, not %s (%s)\n' "$name" "$status" "$reason" "$landing" >&2
            wrong=1
        fi
    done <hostile/index
    (($(wc -l <hostile/index) > 100 && wrong == 0))
}

in_16_mebibytes() (
    ulimit -v 16384
    "$@"
)

@test "stream: a million empty files and 2 MiB of names come through in fixed memory" {
    needs python3
    local name
    for name in million-files names-2-mebibytes; do
        try in_16_mebibytes "$STREAM" list < <("$BATS_TEST_DIRNAME/archives" print $name)
        succeeded
        tail -n 1 "$OUT" | grep -qE '^end other ok (1000000|0) ' || disprove 'counts them all'
    done
}

@test "stream: cut between two members and closed with zeros, it is complete to every tar and truncated to the reader" {
    needs "${tars[@]}"
    local tar
    "$STREAM" write file a 600 file b 600 end ok >whole.tar
    { head -c 1536 whole.tar && head -c 1024 /dev/zero; } >cut.tar
    for tar in "${tars[@]}"; do
        try list "$tar" cut.tar
        succeeded
    done
    try "$STREAM" list <cut.tar
    [[ $status == "${REASONS[truncated]}" ]] || disprove 'is truncated'
    ! grep -q '^end' "$OUT" || disprove 'has no end'
    grep -q 'without its end record' "$ERR" || disprove 'says why'
}

@test "stream: our own end is enough, though the pipe stays open" {
    local held
    mkfifo pipe
    exec {held}<>pipe
    "$STREAM" write file a 600 end ok >pipe
    try timeout 60 "$STREAM" list <pipe
    exec {held}>&-
    gave $'file 600 1700000000 a\nend ours ok 1 600 0\n'
}

@test "stream: the same items are the same bytes, whatever the day" {
    "$STREAM" write directory d file d/a 5 end ok >one.tar
    [[ $(sha256sum <one.tar) == "0ce00ac9ca0216bd8c7a0260b8184163bbfd69cb9c6ab506ccccf1bd9f8d7139  -" ]]
}

@test "stream: a sealed stream holds one file, and another tar's archive is none" {
    needs tar
    "$STREAM" write file report 700 end ok >stream.tar
    try "$STREAM" list sealed <stream.tar
    gave $'file 700 1700000000 report\nend ours ok 1 700 0\n'
    "$STREAM" write end missing >failed.tar
    try "$STREAM" list sealed <failed.tar
    gave $'end ours missing 0 0 0\n'
    echo text >report
    tar -cf other.tar report
    try "$STREAM" list sealed <other.tar
    [[ $status == "${REASONS[corrupt]}" ]] || disprove 'is corrupt'
}
