# A stream that was cut, or in which a bit has flipped, never lands, in whole or in part, as a tree or sealed; and what
# kills the one who writes it or the one who reads it leaves nothing.

load place
load tree

export LC_ALL=C TZ=UTC0

setup() {
    command -v python3 >/dev/null || unable 'no python3 here'
    place_make
    as_agent mkdir "$WORK/in"
    S=$PLACE/source
    mkdir -p "$S/d"
    printf 'one file' >"$S/a"
    : >"$S/d/none"
    bytes 600 >"$S/d/b"
    find "$S" -depth -exec touch -d @1700000000 '{}' +
    cd "$PLACE" || return
    "$COLLECT" --as root "$S" >tree
    "$GET" --as root --sealed "$S/d/b" >sealed
    "$PUT" --as "$AGENT" --tree --at "$WORK/in/t" <tree
    "$PUT" --as "$AGENT" --sealed --at "$WORK/in/s" <sealed
    rm -r "$WORK"/in/*
}

teardown() {
    place_remove
}

# Feeds every variant of a stream that the Python text makes to sbx-put, and counts the ends: each must be truncated or
# corrupt and leave nothing: refuse_all OPTION STREAM PYTHON.
refuse_all() {
    as_agent python3 - "$PUT" "$1" "$WORK/in" "$2" "$3" <<-'END'
		import collections, os, subprocess, sys
		put, option, place, stream, variants = sys.argv[1:]
		stream = open(stream, 'rb').read()
		ends = collections.Counter()
		for number, (what, variant) in enumerate(eval(variants)):
		    done = subprocess.run([put, option, '--at', place + '/it'], input=variant, stdout=subprocess.DEVNULL,
		                          stderr=subprocess.PIPE)
		    ends[done.returncode] += 1
		    if done.returncode not in (86, 87) or os.listdir(place):
		        sys.exit(f'{what}: {done.returncode} {done.stderr!r}, left: {os.listdir(place)}')
		print(dict(ends))
		if sum(ends.values()) < 300:
		    sys.exit('too few were tried')
	END
}

# Every prefix always; of the rest one place in SBX_STRIDE (default 7; 1 for all, which the reader's unit tests try
# without a process for each).
STRIDE=${SBX_STRIDE:-7}
PREFIXES='((f"first {n}", stream[:n]) for n in range(len(stream)))'
CLOSED="((f'first {n} and zeros', stream[:n] + bytes(1024)) for n in range(0, len(stream) - 1024, $STRIDE))"
LOST="((f'without 512 at {n}', stream[:n] + stream[n + 512:]) for n in range(0, len(stream) - 1536, $STRIDE))"

# One bit of a byte, another one each time. Those of data are not guarded.
flips() {
    printf '((f"bit {n %% 8} of byte {n}", stream[:n] + bytes([stream[n] ^ 1 << n %% 8]) + stream[n + 1:]) '
    printf 'for n in range(0, len(stream), %s) if not (%s))' "$STRIDE" "$1"
}

@test "cut: every prefix of a tree is refused" {
    refuse_all --tree "$PLACE/tree" "$PREFIXES"
}

@test "cut: every prefix of a sealed file is refused" {
    refuse_all --sealed "$PLACE/sealed" "$PREFIXES"
}

@test "cut: every prefix of a tree, closed with zero blocks as a complete archive is, is refused" {
    refuse_all --tree "$PLACE/tree" "$CLOSED"
}

@test "cut: every prefix of a sealed file, closed with zero blocks, is refused" {
    refuse_all --sealed "$PLACE/sealed" "$CLOSED"
}

@test "cut: a tree or a sealed file of which a block's length is lost anywhere is refused" {
    refuse_all --tree "$PLACE/tree" "$LOST"
    refuse_all --sealed "$PLACE/sealed" "$LOST"
}

@test "cut: a bit that flips in any header, padding or end of a tree is noticed" {
    # Its members: a (8 bytes), d/, d/b (600), d/none.
    refuse_all --tree "$PLACE/tree" "$(flips '512 <= n < 520 or 2048 <= n < 2648')"
}

@test "cut: a bit that flips in any header, padding or end of a sealed file is noticed" {
    refuse_all --sealed "$PLACE/sealed" "$(flips '512 <= n < 1112')"
}

@test "cut: a receiver that is killed leaves nothing under the name, and its collector an EPIPE" {
    bytes 3000000 >"$S/large"
    mkfifo pipe
    "${AS_AGENT[@]}" "$COLLECT" "$S" </dev/null >pipe 2>err 3>&- &
    TOOL=$!
    # It has its first megabyte, and then an end of file.
    try as_agent "$PUT" --tree --at "$WORK/in/t" < <(head -c 1000000 pipe)
    refused truncated
    has_only "$WORK/in"
    await "$TOOL" /dev/null err
    told io
}

@test "cut: a collector that is killed in mid-stream is truncated" {
    bytes 3000000 >"$S/large"
    mkfifo pipe
    "${AS_AGENT[@]}" "$COLLECT" "$S" </dev/null >pipe 2>/dev/null 3>&- &
    TOOL=$!
    { head -c 70000 && kill -KILL "$TOOL" && cat; } <pipe >cut.tar
    wait "$TOOL" 2>/dev/null || true
    try as_agent "$PUT" --tree --at "$WORK/in/t" <cut.tar
    refused truncated
    has_only "$WORK/in"
}
