# claims: how every bats file here runs a tool and says what must have come of it. Loaded by place.bash and sandbox.bash.
#
#   SBX_BUILD      the folder with the tools under test (default: build); the attackers are always those of build/t
#   SBX_MUST_WORK  1: a case that cannot run on this machine fails; otherwise it is skipped, with the reason
#
# The codes and names are written down here once more, as the contract states them: a change in the tools' own table must
# not change what the tests ask for.
# shellcheck shell=bash
bats_require_minimum_version 1.5.0

SBX_BUILD=$(realpath "${SBX_BUILD:-$BATS_TEST_DIRNAME/../build}")
PUT=$SBX_BUILD/sbx-put
GET=$SBX_BUILD/sbx-get
DISCARD=$SBX_BUILD/sbx-discard
COLLECT=$SBX_BUILD/sbx-collect
JAIL=$SBX_BUILD/sbx-jail
ATTACK=$(realpath -m "$BATS_TEST_DIRNAME/../build/t/attack")
export SBX_BUILD PUT GET DISCARD COLLECT JAIL ATTACK

declare -gA REASONS=(
    [ok]=0 [usage]=64 [bad_name]=65 [missing]=66 [unsupported]=69 [system]=71 [io]=74 [permission_denied]=77 [link]=80
    [not_regular]=81 [too_large]=82 [escapes]=83 [exists]=84 [changed]=85 [truncated]=86 [corrupt]=87 [no_space]=88
    [read_only]=89 [busy]=90 [unsafe_directory]=91 [root_refused]=92 [cannot_drop]=93 [partial]=94 [deadline]=124
)

# Ends a case that this machine cannot run: a failure where everything must work.
unable() {
    if [[ ${SBX_MUST_WORK:-} == 1 ]]; then
        printf 'cannot run here, and SBX_MUST_WORK=1: %s\n' "$1" >&2
        return 1
    fi
    skip "$1"
}

# Skips a case that only a static build can pass: that of a sanitizer has a loader and a runtime, which have their own
# needs. Not a case that a machine cannot run, so that SBX_MUST_WORK does not ask for it.
needs_static() {
    ! readelf -lW "$PUT" | grep -q INTERP || skip "not for a sanitizer's build: $1"
}

# Runs a command, whatever its end, with stdout and stderr in files of the case: status, $OUT and $ERR then say what came.
# Stdin is the caller's: give one ('try CMD <file'); bats itself has a tty or /dev/null there.
try() {
    OUT=$BATS_TEST_TMPDIR/out ERR=$BATS_TEST_TMPDIR/err status=0
    "$@" >"$OUT" 2>"$ERR" || status=$?
    LAST=("$@")
}

# Waits for a command that was started in the background, as try does for one in the foreground:
# await PID STDOUT STDERR.
await() {
    OUT=$2 ERR=$3 status=0
    wait "$1" || status=$?
    LAST=('(what was started in the background)')
}

# Says what was run and what came of it, then fails the case.
disprove() {
    {
        printf 'claim: %s\nran:' "$1"
        printf ' %q' "${LAST[@]}"
        printf '\nstatus: %s\nstdout: %s bytes: %q\nstderr: %q\n' "$status" "$(stat -c %s "$OUT")" \
            "$(head -c 200 "$OUT" | tr '\0' '@')" "$(head -c 600 "$ERR")"
    } >&2
    return 1
}

# The tool ended with the reason's code, and told it in one line: "sbx-TOOL: reason: ... text ...".
told() {
    local reason=$1 text=${2:-}
    [[ $status == "${REASONS[$reason]}" ]] || disprove "exits ${REASONS[$reason]} ($reason)"
    [[ $(wc -l <"$ERR") == 1 ]] || disprove 'writes one line on stderr'
    grep -qE "^sbx-(put|get|discard|collect|jail): $reason: " "$ERR" || disprove "stderr begins with the tool and '$reason:'"
    grep -qF -e "$text" "$ERR" || disprove "stderr says '$text'"
    if LC_ALL=C grep -q '[^ -~]' "$ERR"; then
        disprove 'stderr is printable ASCII'
    fi
}

# The same, and nothing was written to stdout.
refused() {
    told "$@"
    [[ ! -s $OUT ]] || disprove 'writes nothing to stdout'
}

# It worked, and had nothing to say about it.
succeeded() {
    [[ $status == 0 ]] || disprove 'exits 0'
    [[ ! -s $ERR ]] || disprove 'writes nothing on stderr'
}

# It worked, and stdout is, byte for byte, the file or the text.
gave() {
    succeeded
    printf %s "$1" | cmp -s - "$OUT" || disprove "writes to stdout: $1"
}

gave_file() {
    succeeded
    cmp -s "$1" "$OUT" || disprove "writes to stdout the bytes of $1"
}

# A file holds exactly this text.
holds() {
    printf %s "$2" | cmp -s - "$1" || {
        printf 'claim: %q holds %q; it holds: %q\n' "$1" "$2" "$(head -c 200 "$1" 2>&1 | tr '\0' '@')" >&2
        return 1
    }
}

# Nothing is in the directory but these names (in bytewise order).
has_only() {
    local directory=$1 found wanted=''
    shift
    found=$(find "$directory" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort)
    (($# == 0)) || wanted=$(printf '%s\n' "$@" | LC_ALL=C sort)
    [[ $found == "$wanted" ]] || {
        printf 'claim: %q has only: %s; it has: %s\n' "$directory" "${wanted//$'\n'/ }" "${found//$'\n'/ }" >&2
        return 1
    }
}

# Waits until a condition holds; for what another process does in its own time. The limit is no claim about speed: it
# only turns a hang into a failure.
eventually() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.05
    done
    printf 'never came true: %s\n' "$*" >&2
    return 1
}

# A file of this many bytes that are not all the same: bytes COUNT >FILE.
bytes() {
    head -c "$1" <(yes 'a line of bytes that differ, one after the other')
}

# Starts an attacker in the background, as the given command prefix; its count comes to $BATS_TEST_TMPDIR/attack.
# ATTACKER is its pid.
attack() {
    "$@" >"$BATS_TEST_TMPDIR/attack" 2>&1 3>&- &
    ATTACKER=$!
}

attack_runs() {
    kill -0 "$ATTACKER" 2>/dev/null
}

# Ends the attacker; MOVES is what it says, its last line, which for most is how often it did it.
attack_ended() {
    kill -TERM "$ATTACKER" 2>/dev/null || true
    wait "$ATTACKER" || true
    # Its number may be another process's from now on.
    ATTACKER=''
    # shellcheck disable=SC2034 # for the cases
    MOVES=$(tail -n 1 "$BATS_TEST_TMPDIR/attack")
}
