# The tools while an attacker of the agent's swaps names under them, at the speed of the kernel. Each case runs a tool over
# and over until the attacker has made its 100 000 moves or more, looks at what came of every run, and asks in the end
# that the attack was real: that it met the tool both in time and too late. The control arms lose the same race.

load place

SWAPS=200000

setup() {
    place_make
    INPUT=$PLACE/input
    printf new >"$INPUT"
}

teardown() {
    place_remove
}

# Runs a command until the attacker has ended, and 'check' after each run. ENDS counts the exit codes.
storm() {
    declare -gA ENDS=()
    while attack_runs; do
        try "$@" <"$INPUT"
        ENDS[$status]=$((${ENDS[$status]:-0} + 1))
        check || disprove 'what must hold after each run'
    done
}

# The runs ended in each of these ways at least once, and in no other; the attacker made at least so many moves.
ended_in() {
    local reason wanted=' ' code
    for reason in "$@"; do
        code=${REASONS[$reason]}
        [[ -n ${ENDS[$code]:-} ]] || disprove "some runs end with $reason ($(declare -p ENDS))"
        wanted+="$code "
    done
    for code in "${!ENDS[@]}"; do
        [[ $wanted == *" $code "* ]] || disprove "no run ends with $code ($(declare -p ENDS))"
    done
    attack_ended
    ((MOVES >= 100000)) || disprove "the attacker makes 100 000 moves ($MOVES)"
}

# A directory of the agent's, $WORK/parent, with a link $WORK/link beside it that leads to $PLACE/outside.
plant_parent() {
    install -d -o "$AGENT" -g "$AGENT" "$WORK/parent" "$PLACE/outside"
    ln -s "$PLACE/outside" "$WORK/link"
    chown -h "$AGENT:$AGENT" "$WORK/link"
}

swap_parent() {
    attack "${AS_AGENT[@]}" "$ATTACK-exchange" "$WORK/parent" "$WORK/link" "$SWAPS"
}

@test "race: put --at: a destination swapped for a link never lets a byte land in what the link names" {
    agent_file "$PLACE/victim" untouched
    agent_file "$WORK/file" old
    attack "${AS_AGENT[@]}" "$ATTACK-link" "$WORK/file" "$PLACE/victim" 100000
    check() {
        [[ $(<"$PLACE/victim") == untouched ]]
    }
    storm "${AS_AGENT[@]}" "$PUT" --at "$WORK/file"
    [[ ${ENDS[0]:-0} -gt 0 ]]
    # The link may be back before the tool has looked at what it placed: that is changed, not ok.
    unset 'ENDS[85]'
    ended_in ok
}

@test "race: control arm: a shell's redirection writes through the same link" {
    agent_file "$PLACE/victim" untouched
    agent_file "$WORK/file" old
    attack "${AS_AGENT[@]}" "$ATTACK-link" "$WORK/file" "$PLACE/victim"
    overwritten() {
        as_agent cp --no-preserve=mode "$INPUT" "$WORK/file" 2>/dev/null || true
        [[ $(<"$PLACE/victim") == new ]]
    }
    eventually overwritten
}

@test "race: put --at: a destination exchanged with a link, a FIFO or a directory is never followed or waited for" {
    local other
    agent_file "$PLACE/victim" untouched
    for other in link fifo; do
        rm -rf "$WORK/other" "$WORK/file"
        agent_file "$WORK/file" old
        case $other in
        link) ln -s "$PLACE/victim" "$WORK/other" ;;
        fifo) mkfifo "$WORK/other" ;;
        esac
        chown -h "$AGENT" "$WORK/other"
        attack "${AS_AGENT[@]}" "$ATTACK-exchange" "$WORK/file" "$WORK/other" 200000
        check() {
            [[ $(<"$PLACE/victim") == untouched ]] && ((status == 0 || status == 85))
        }
        storm "${AS_AGENT[@]}" "$PUT" --at "$WORK/file"
        unset 'ENDS[85]'
        ended_in ok
    done
}

@test "race: put --at: a reader sees the old file or the new one, whole" {
    local size=300000 letter round
    for letter in a b; do
        head -c "$size" /dev/zero | tr '\0' "$letter" >"$PLACE/$letter"
    done
    as_agent "$PUT" --at "$WORK/file" <"$PLACE/a"
    attack "${AS_AGENT[@]}" "$ATTACK-readers" "$WORK/file" "$size" ab
    for ((round = 0; round < 80; round++)); do
        try as_agent "$PUT" --at "$WORK/file" <"$PLACE/b"
        gave ''
        try as_agent "$PUT" --at "$WORK/file" <"$PLACE/a"
        gave ''
    done
    attack_ended
    [[ $MOVES =~ ^[1-9][0-9]*\ whole,\ 0\ torn$ ]]
    has_only "$WORK" file
}

@test "race: control arm: a reader of a file that a shell rewrites sees it torn" {
    local size=300000 round
    head -c "$size" /dev/zero | tr '\0' a >"$PLACE/a"
    agent_file "$WORK/file" ''
    attack "${AS_AGENT[@]}" "$ATTACK-readers" "$WORK/file" "$size" ab
    for ((round = 0; round < 50; round++)); do
        cat "$PLACE/a" >"$WORK/file"
    done
    attack_ended
    [[ $MOVES =~ \ [1-9][0-9]*\ torn$ ]]
}

# A parent swapped for a link out, under --beneath: with a prefix, where openat2 is missing.
beneath_put_is_never_led_out() {
    plant_parent
    swap_parent
    check() {
        has_only "$PLACE/outside"
    }
    storm "${AS_AGENT[@]}" "$@" "$PUT" --beneath "$WORK" --at parent/file
    ended_in ok link
}

@test "race: put --beneath: a parent swapped for a link never leads out" {
    beneath_put_is_never_led_out
}

@test "race: put --beneath: the same where openat2 is ENOSYS" {
    beneath_put_is_never_led_out "$ATTACK-nosys" openat2=ENOSYS --
}

@test "race: put --beneath --parents: directories are never made through a link" {
    plant_parent
    swap_parent
    local round=0
    check() {
        # PATH is new each time, so that there is something to make.
        round=$((round + 1))
        has_only "$PLACE/outside"
    }
    while attack_runs; do
        try as_agent "$PUT" --beneath "$WORK" --parents --at "parent/one$round/two/file" <"$INPUT"
        ENDS[$status]=1
        check
    done
    ended_in ok link
}

@test "race: control arm: without --beneath the same swap leads out" {
    plant_parent
    attack "${AS_AGENT[@]}" "$ATTACK-exchange" "$WORK/parent" "$WORK/link"
    led_out() {
        as_agent "$PUT" --at "$WORK/parent/file" <"$INPUT" || true
        [[ -e $PLACE/outside/file ]]
    }
    eventually led_out
}

@test "race: put --at: a parent that is moved about takes the file along, or is missing, and nothing lands elsewhere" {
    as_agent mkdir "$WORK/parent"
    attack "${AS_AGENT[@]}" "$ATTACK-move" "$WORK/parent" "$WORK/moved" "$SWAPS"
    check() {
        [[ -z $(find "$PLACE" -name file ! -path "$WORK/parent/file" ! -path "$WORK/moved/file") ]]
    }
    storm "${AS_AGENT[@]}" "$PUT" --at "$WORK/parent/file"
    ended_in ok missing
    # No temporary was left in it, wherever it was when it was opened.
    has_only "$(compgen -G "$WORK/*")" file
}

@test "race: put --at: a temporary swapped by another uid is never reported as a success" {
    chmod 0777 "$WORK"
    local round
    attack "${AS_OTHER[@]}" "$ATTACK-swap" "$WORK" .sbx- file forged
    eventually grep -q ready "$BATS_TEST_TMPDIR/attack"
    bytes 1000000 >"$INPUT"
    for ((round = 0; round < 60; round++)); do
        try as_agent "$PUT" --at "$WORK/file" <"$INPUT"
        if [[ $status == 0 ]]; then
            cmp "$INPUT" "$WORK/file"
        else
            told changed
        fi
        ENDS[$status]=1
    done
    attack_ended
    [[ $MOVES -gt 0 && -n ${ENDS[85]} ]]
}

# A parent, or a file, swapped for a link to a secret: no byte of the secret is ever given.
get_gives_no_secret() {
    plant_parent
    agent_file "$PLACE/outside/file" secret
    agent_file "$WORK/parent/file" public
    swap_parent
    check() {
        ! grep -q secret "$OUT"
    }
    storm "${AS_AGENT[@]}" "$@" "$GET" --beneath "$WORK" parent/file
    ended_in ok link
}

@test "race: get --beneath: a parent swapped for a link never gives a byte of what is outside" {
    get_gives_no_secret
}

@test "race: get --beneath: the same where openat2 is ENOSYS" {
    get_gives_no_secret "$ATTACK-nosys" openat2=ENOSYS --
}

@test "race: control arm: cat, and sbx-get without --beneath, give the secret" {
    plant_parent
    agent_file "$PLACE/outside/file" secret
    agent_file "$WORK/parent/file" public
    attack "${AS_AGENT[@]}" "$ATTACK-exchange" "$WORK/parent" "$WORK/link"
    leaked() {
        "$@" "$WORK/parent/file" </dev/null | grep -q secret
    }
    eventually leaked as_agent cat
    eventually leaked as_agent "$GET"
}

@test "race: get --beneath: a directory in the middle of a deep path, swapped, never leads out, by walk or openat2" {
    local prefix
    as_agent mkdir -p "$WORK/a/b/c/d"
    agent_file "$WORK/a/b/c/d/file" public
    mkdir -p "$PLACE/outside/c/d"
    printf secret >"$PLACE/outside/c/d/file"
    for prefix in env "$ATTACK-nosys openat2=ENOSYS --"; do
        rm -f "$WORK/a/link"
        ln -s "$PLACE/outside" "$WORK/a/link"
        chown -h "$AGENT" "$WORK/a/link"
        [[ ! -L $WORK/a/b ]] || mv -T "$WORK/a/link" "$WORK/a/b"
        attack "${AS_AGENT[@]}" "$ATTACK-exchange" "$WORK/a/b" "$WORK/a/link" "$SWAPS"
        check() {
            ! grep -q secret "$OUT"
        }
        # shellcheck disable=SC2086 # a command with its arguments
        storm "${AS_AGENT[@]}" $prefix "$GET" --beneath "$WORK" a/b/c/d/file
        ended_in ok link
    done
}

@test "race: get: a file swapped for a link or a FIFO gives its own bytes or a reason, and never waits" {
    local reason
    agent_file "$PLACE/secret" secret
    for reason in link not_regular; do
        rm -rf "$WORK/file" "$WORK/other"
        agent_file "$WORK/file" public
        case $reason in
        link) ln -s "$PLACE/secret" "$WORK/other" ;;
        not_regular) mkfifo "$WORK/other" ;;
        esac
        chown -h "$AGENT" "$WORK/other"
        attack "${AS_AGENT[@]}" "$ATTACK-exchange" "$WORK/file" "$WORK/other" "$SWAPS"
        check() {
            ! grep -q secret "$OUT"
        }
        storm "${AS_AGENT[@]}" "$GET" "$WORK/file"
        # Swapped between the open and the check that follows the reading, the file has a new ctime.
        unset 'ENDS[85]'
        ended_in ok "$reason"
    done
}

@test "race: get: a file that grows, shrinks or is rewritten all the time ends with a reason, within the limit" {
    local how round
    for how in grow shrink touch; do
        bytes 200000 >"$WORK/file"
        chown "$AGENT" "$WORK/file"
        attack "${AS_AGENT[@]}" "$ATTACK-grow" "$how" "$WORK/file"
        declare -A ENDS=()
        for ((round = 0; round < 40; round++)); do
            try as_agent "$GET" --max 1M "$WORK/file" </dev/null
            [[ $(stat -c %s "$OUT") -le 1048576 ]]
            ((status == 0 || status == 85 || status == 82)) || disprove 'ends with ok, changed or too_large'
            ENDS[$status]=1
        done
        attack_ended
        [[ $MOVES -gt 0 && -n ${ENDS[85]:-} ]]
    done
}

@test "race: discard: a directory in a drop swapped for a link never leads it to what the link names" {
    local round drop
    mkdir "$PLACE/outside"
    printf text >"$PLACE/outside/file"
    for ((round = 0; round < 60; round++)); do
        drop=$(as_root "$PUT" --drop-root "$DROPS" data <"$INPUT")
        mkdir -p "${drop%/*}/tree/below"/{1..20}
        ln -s "$PLACE/outside" "${drop%/*}/tree/link"
        # As root, which an agent is not: the strongest there is.
        attack "$ATTACK-exchange" "${drop%/*}/tree/below" "${drop%/*}/tree/link"
        as_root "$DISCARD" --drop-root "$DROPS" --force "$drop" </dev/null 2>/dev/null || true
        attack_ended
        holds "$PLACE/outside/file" text
        has_only "$PLACE/outside" file
    done
}

@test "race: put and discard: a drop root that the agent swaps is refused at every moment" {
    local hex=0123456789abcdef0123456789abcdef
    mkdir -p "$PLACE/real/drops/$hex"
    printf text >"$PLACE/real/drops/$hex/data"
    as_agent mkdir -p "$WORK/parent/drops/$hex"
    ln -s "$PLACE/real" "$WORK/link"
    chown -h "$AGENT:$AGENT" "$WORK/link"
    swap_parent
    check() {
        holds "$PLACE/real/drops/$hex/data" text && has_only "$PLACE/real/drops" "$hex" && ((status == 91 || status == 80))
    }
    while attack_runs; do
        try as_root "$DISCARD" --drop-root "$WORK/parent/drops" "$WORK/parent/drops/$hex/data" </dev/null
        check
        try as_root "$DISCARD" --drop-root "$WORK/parent/drops" --stale 1ms </dev/null
        check
        try as_root "$PUT" --drop-root "$WORK/parent/drops" data <"$INPUT"
        check
    done
}

@test "race: put: a drop root that the agent swaps in a sticky directory is refused at every moment" {
    mkdir -m 1777 "$PLACE/sticky"
    mkdir -m 0711 "$PLACE/real"
    as_agent mkdir "$PLACE/sticky/drops"
    ln -s "$PLACE/real" "$PLACE/sticky/link"
    chown -h "$AGENT:$AGENT" "$PLACE/sticky/link"
    attack "${AS_AGENT[@]}" "$ATTACK-exchange" "$PLACE/sticky/drops" "$PLACE/sticky/link" "$SWAPS"
    check() {
        has_only "$PLACE/real"
    }
    storm "${AS_ROOT[@]}" "$PUT" --drop-root "$PLACE/sticky/drops" data
    # Seen as a link, then as a directory: all that it says then is that there is none.
    unset 'ENDS[66]'
    ended_in link unsafe_directory
}
