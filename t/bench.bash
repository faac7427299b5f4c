# bench: what every t/bench-* shares: runs of build/t/bench-time, a place for files, and a table with bars.
#
#   bench_begin              makes $BENCH_FOLDER, in memory where there is room; ends with 69 where nothing can be measured
#   bench_contain ROOT [RUN-FLAG...]
#                            makes an image of ROOT and Debian's cat and sleep, and of that a hardened container with the
#                            folder at /files, read-only: $BENCH_CONTAINER
#   bench_file PATH BYTES    a file of that size, read once, so that it lies in the page cache
#   bench_take NAME... : [OPTION...] COMMAND [// COMMAND]...
#                            has bench-time run the commands; NAME is what the table calls each
#   bench_ratio FIGURE N BAR a row: the first command against the N-th, as a ratio, which is not to be over BAR
#   bench_beyond FIGURE PEER BYTES BAR
#                            a row: what the first command takes beyond PEER's BYTES, which is not to be over BAR
#   bench_bytes FIGURE BYTES BAR
#                            a row: a number of bytes, not to be over BAR
#   bench_told FIGURE        a row: the first command, with no peer and no bar
#   bench_end                says how many bars were missed, and exits 1 if any was
#
# BAR is - in a row that is only told. Every figure comes from
# runs of this time: nothing is kept from one to the next.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck disable=SC2034 # for the scripts
BUILD=$PWD/build BENCH_UID=65534
BENCH_LIMIT=1200 # seconds that one command line of bench-time may take
BENCH_ROOM=4     # GiB that /dev/shm must have to take the files
BENCH_PASSED=0 BENCH_MISSED=0
BENCH_LINE='%-42s %-28s %-38s %9s %9s %s\n'

bench_unable() {
    printf 'bench: unsupported: %s\n' "$1" >&2
    exit 69
}

bench_begin() {
    local shared=/dev/shm
    [[ $EUID == 0 ]] || bench_unable 'only root can start the tools as another uid and read the memory of its processes'
    [[ -d $shared ]] && (($(df --output=avail -B1G "$shared" | tail -n 1) >= BENCH_ROOM)) || shared=${TMPDIR:-/tmp}
    BENCH_FOLDER=$(mktemp -d "$shared/sbx-bench.XXXXXXXX")
    trap bench_clean EXIT
    trap 'exit 130' INT
    trap 'exit 143' HUP TERM
    chmod 0755 "$BENCH_FOLDER"
    printf 'Files on %s. Each figure: median (least to most).\n\n' "$(stat -f -c %T "$BENCH_FOLDER")"
    # shellcheck disable=SC2059 # the format of all rows
    printf "$BENCH_LINE" figure ours peer measured bar ''
}

# Removes the folder, and what a script has put into BENCH_CONTAINER and BENCH_IMAGE.
bench_clean() {
    [[ -z ${BENCH_CONTAINER:-} ]] || docker rm -f "$BENCH_CONTAINER" >/dev/null || true
    [[ -z ${BENCH_IMAGE:-} ]] || docker rmi -f "$BENCH_IMAGE" >/dev/null || true
    rm -rf "$BENCH_FOLDER"
}

bench_file() {
    head -c "$2" /dev/zero >"$1"
    chmod 0644 "$1"
    cat "$1" >/dev/null
}

bench_contain() {
    local root=$1
    shift
    mkdir -p "$root/files"
    # shellcheck disable=SC2046 # one name a word
    cp --parents -L $(printf '%s\n' /usr/bin/cat /usr/bin/sleep $(ldd /usr/bin/cat | grep -o '/[^ :]*') | sort -u) "$root"
    BENCH_IMAGE=sbx-bench:$$-$RANDOM
    tar -C "$root" -c . | docker import - "$BENCH_IMAGE" >/dev/null
    BENCH_CONTAINER=$(docker run -d --cap-drop=ALL --security-opt=no-new-privileges --network none \
        -v "$BENCH_FOLDER:/files:ro" "$@" "$BENCH_IMAGE" /usr/bin/sleep infinity)
}

bench_take() {
    BENCH_NAMES=()
    while [[ $1 != : ]]; do
        BENCH_NAMES+=("$1")
        shift
    done
    shift
    # What else runs on the machine is not to be measured.
    timeout "$BENCH_LIMIT" nice -n -20 "$BUILD/t/bench-time" "$@" >"$BENCH_FOLDER/measured"
    mapfile -t BENCH_MEASURED <"$BENCH_FOLDER/measured"
}

# The N-th command's median, least, most and ratio, as bench-time printed them: bench_figure N FIELD.
bench_figure() {
    cut -d ' ' -f "$2" <<<"${BENCH_MEASURED[$1]}"
}

# A command's name and spread, for people: bench_spread N UNIT.
bench_spread() {
    awk -v name="${BENCH_NAMES[$1]}" -v unit="$2" '
        function round(value) {
            return sprintf(value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value)
        }
        {
            divisor = 1024; label = "KiB"
            if (unit == "time") { divisor = $1 < 1e9 ? 1e6 : 1e9; label = $1 < 1e9 ? "ms" : "s" }
            printf "%s%s %s (%s to %s)\n", name, round($1 / divisor), label, round($2 / divisor), round($3 / divisor)
        }' <<<"${BENCH_MEASURED[$1]}"
}

bench_row() {
    local figure=$1 ours=$2 peer=$3 shown=$4 bar=$5 value=$6 most=$7 verdict=
    if [[ $most != - ]]; then
        if awk -v value="$value" -v most="$most" 'BEGIN { exit !(value <= most) }'; then
            verdict=pass BENCH_PASSED=$((BENCH_PASSED + 1))
        else
            verdict=MISSED BENCH_MISSED=$((BENCH_MISSED + 1))
        fi
    fi
    # shellcheck disable=SC2059 # the format of all rows
    printf "$BENCH_LINE" "$figure" "$ours" "$peer" "$shown" "$bar" "$verdict"
}

bench_kib() {
    [[ $1 == - ]] && echo - || printf '%s KiB\n' "$((($1 + 1023) / 1024))"
}

bench_ratio() {
    local ratio
    ratio=$(bench_figure "$2" 4)
    bench_row "$1" "$(bench_spread 0 time)" "$(bench_spread "$2" time)" "$ratio" "$3" "$ratio" "$3"
}

bench_beyond() {
    local beyond=$(($(bench_figure 0 1) - $3))
    bench_row "$1" "$(bench_spread 0 bytes)" "$2 $(bench_kib "$3")" "$(bench_kib $beyond)" "$(bench_kib "$4")" $beyond "$4"
}

bench_bytes() {
    bench_row "$1" "$2 bytes" '' "$(bench_kib "$2")" "$(bench_kib "$3")" "$2" "$3"
}

bench_told() {
    bench_row "$1" "$(bench_spread 0 time)" '' '' - 0 -
}

bench_end() {
    printf '\n%s: %d of %d bars met\n' "${0##*/}" "$BENCH_PASSED" $((BENCH_PASSED + BENCH_MISSED))
    exit $((BENCH_MISSED > 0))
}
