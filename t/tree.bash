# tree: what the tests of whole directories say of trees, of streams, and of a tool that reports and goes on. Loaded beside
# place.bash or sandbox.bash.
# shellcheck shell=bash

# What a directory holds, in byte order: type, mode, mtime in seconds, name; of files a sum, of links the target.
contents() (
    cd "$1" && find . -mindepth 1 \( -type f -printf '%y %m %Ts %p ' -exec sh -c 'sha256sum <"$1"' - '{}' \; \) -o \
        -type l -printf '%y %p -> %l\n' -o -printf '%y %m %Ts %p\n' | LC_ALL=C sort
)

# The end record of a stream: "reason=ok files=1 ...", or nothing.
end_record() {
    LC_ALL=C grep -a -o 'comment=sbx-end 1 .*' "$1" | tail -n 1 | sed 's/^comment=sbx-end 1 //'
}

# Stdout is a stream that says so of itself; the fields behind are optional: ends REASON [FILES [BYTES [SKIPPED [CHANGED]]]].
ends() {
    local record
    record=$(end_record "$OUT")
    # shellcheck disable=SC2053 # the fields that are not given match anything
    [[ $record == reason=$1\ files=${2:-*}\ bytes=${3:-*}\ skipped=${4:-*}\ changed=${5-*} ]] ||
        disprove "the end record says $*; it says: $record"
}

# The tool ended with the reason, told it last, and before that reported so many things left out; all of it printable.
reported() {
    local count=$1 reason=${2:-ok}
    # shellcheck disable=SC2154 # of claims.bash
    [[ $status == "${REASONS[$reason]}" ]] || disprove "exits ${REASONS[$reason]} ($reason)"
    [[ $reason == ok ]] || {
        tail -n 1 "$ERR" | grep -qE "^sbx-[a-z]+: $reason: " || disprove "the last line says $reason"
        count=$((count + 1))
    }
    [[ $(wc -l <"$ERR") == "$count" ]] || disprove "writes $count lines on stderr"
    if LC_ALL=C grep -q '[^ -~]' "$ERR"; then
        disprove 'stderr is printable ASCII'
    fi
}

# One of the reports begins so: said "REASON: PATH".
said() {
    if ! { grep -qE '^sbx-[a-z]+: ' "$ERR" && grep -qF -e ": $1" "$ERR"; }; then
        disprove "a report says $1"
    fi
}

# What a stream holds, by GNU tar: a line for each member but the end record's, in the stream's order.
members() {
    tar --quoting-style=escape -tf "$1" | sed '$d'
}

# A stream whose members are exactly these, in this order.
holds_members() {
    local stream=$1
    shift
    diff <(printf '%s\n' "$@") <(members "$stream") || disprove "the stream holds: $*"
}

# A tree that sbx-put landed: the bytes, names, modes and mtimes of the agent's tree, as far as they are carried.
same_tree() {
    diff <(contents "$1") <(contents "$2")
}
