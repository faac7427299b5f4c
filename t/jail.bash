# jail: what the files about sbx-jail share. Loaded behind place.bash or sandbox.bash.
#
#   jail_make        in setup, behind place_make: copies of the tool and the attackers that the agent may run
#   jail_hold HOLD   the command prefix, in JAILED, of a jail on this machine that holds its tree by HOLD: landlock (as the
#                    agent), pid_namespace (as root, for the agent) or proc (as the agent, without Landlock)
#   bystander        starts a process of the agent's, in a session of its own, that no jail has to do with: $BYSTANDER
#   unharmed         it is there, and runs
#   mark             a word for the environment of a command, by which all that it starts is found again
#   marked WORD      the pids of all processes on this machine that have it, containers included
#   nothing_is_left WORD
#   field NAME       a member of the last line of $OUT, or of FILE with 'field NAME FILE', as JSON has it
#   frames           checks that all of $OUT is frames as the contract has them, and writes the streams they carry to
#                    $OUT.stdout and $OUT.stderr
#   came STATUS OUT ERR WHAT
#                    what is claimed next is about this, which no 'try' has run
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2153,SC2154 # given to the files that load this, and by what they have loaded

JAIL_HOLDS=(landlock pid_namespace proc)
PYTHON=/usr/bin/python3

jail_make() {
    install -m 0711 "$JAIL" "$PLACE/sbx-jail"
    install -m 0755 "$ATTACK"-* "$PLACE/"
    JAIL=$PLACE/sbx-jail
    ATTACK=$PLACE/attack
    cd "$WORK" || return
}

jail_hold() {
    local nosys=()
    case $1 in
    landlock) JAILED=(as_agent "$JAIL" --mode off) ;;
    pid_namespace) JAILED=("$JAIL" --mode off --as "$AGENT") ;;
    proc)
        nosys=("$ATTACK-nosys" landlock_create_ruleset=ENOSYS --)
        JAILED=(as_agent "${nosys[@]}" "$JAIL" --mode off)
        ;;
    esac
}

bystander() {
    setsid setpriv --reuid="$AGENT" --regid="$AGENT" --clear-groups sleep 1000 >/dev/null 2>&1 3>&- &
    BYSTANDER=$!
    eventually grep -q sleep "/proc/$BYSTANDER/comm"
}

unharmed() {
    [[ $(awk '{ print $3 }' "/proc/$BYSTANDER/stat" 2>/dev/null) == S ]] || disprove 'a process outside goes on'
}

came() {
    status=$1 OUT=$2 ERR=$3 LAST=("$4")
}

mark() {
    MARK=sbx_mark_$BATS_SUITE_TEST_NUMBER$RANDOM$RANDOM
}

marked() {
    grep -lzsE "^SBX_MARK=$1\$" /proc/[0-9]*/environ 2>/dev/null | grep -oE '[0-9]+' || true
}

nothing_is_left() {
    local left
    left=$(marked "$1" | tr '\n' ' ')
    [[ -z $left ]] || {
        printf 'claim: nothing of the command is left; these are: %s\n' "$left" >&2
        # shellcheck disable=SC2086 # a list of pids
        ps -o pid,ppid,stat,args -p ${left// /,}0 >&2 || true
        return 1
    }
}

field() {
    "$PYTHON" -c '
import json, sys
print(json.dumps(json.loads(open(sys.argv[2], "rb").read().splitlines()[-1])[sys.argv[1]]))' "$1" "${2:-$OUT}"
}

# Every member of the last line that is given as NAME=JSON is that.
fields() {
    local pair file=$OUT found
    if [[ $1 == --of ]]; then
        file=$2
        shift 2
    fi
    for pair in "$@"; do
        found=$(field "${pair%%=*}" "$file") || disprove "$file ends with an object that has ${pair%%=*}"
        [[ $found == "${pair#*=}" ]] || disprove "the outcome's ${pair%%=*} is ${pair#*=}, not $found"
    done
}

frames() {
    "$PYTHON" - "$OUT" <<'PYTHON' || disprove 'writes frames'
import base64, json, sys
path = sys.argv[1]
text = open(path, "rb").read()
assert text.endswith(b"\n"), "the last line is whole"
lines = [json.loads(line) for line in text.splitlines()]
assert [line["t"] for line in lines].count("exit") == 1 and lines[-1]["t"] == "exit", "one exit, the last"
assert [line["seq"] for line in lines[:-1]] == list(range(len(lines) - 1)), "seq counts from 0 over both streams"
for name in ("stdout", "stderr"):
    with open(path + "." + name, "wb") as file:
        for line in lines[:-1]:
            assert set(line) == {"t", "seq", "data"} and line["t"] in ("stdout", "stderr"), line
            if line["t"] == name:
                file.write(base64.b64decode(line["data"], validate=True))
last = lines[-1]
assert {"code", "signal", "reason", "stage", "truncated", "survivors"} <= set(last), last
PYTHON
}

# The jail ended with a code, had nothing to say, and so the outcome is the command's own.
exited() {
    [[ $status == "$1" ]] || disprove "exits $1"
    [[ ! -s $ERR ]] || disprove 'writes nothing on stderr'
}
