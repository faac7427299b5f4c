# Trees that are rearranged at full speed while they are walked or landed: no walk leaves the tree, none hangs, each ends
# with ok or partial.
#
#   SBX_WALKS   walks under attack in each case (default 1500; 100000 take a minute or two a case)

load place
load tree

WALKS=${SBX_WALKS:-1500}

setup() {
    place_make
    T=$WORK/tree
    # What an agent can read and was not asked for.
    as_agent mkdir -p "$WORK/secret/e" "$T/d/e"
    agent_file "$WORK/secret/file" SECRET-CANARY
    agent_file "$WORK/secret/e/file" SECRET-CANARY
    agent_file "$T/d/file" mine
    agent_file "$T/d/e/file" mine
    agent_file "$T/a" mine
    agent_file "$T/z" mine
    ATTACKERS=()
}

teardown() {
    local attacker
    for attacker in "${ATTACKERS[@]}"; do
        kill -KILL "$attacker" 2>/dev/null || true
    done
    place_remove
}

# Starts another attacker.
attack_too() {
    "${AS_AGENT[@]}" "$@" >"$PLACE/attack-${#ATTACKERS[@]}" 2>&1 3>&- &
    ATTACKERS+=($!)
}

# The attackers have done something, each of them.
attackers_end() {
    local number
    for number in "${!ATTACKERS[@]}"; do
        kill -TERM "${ATTACKERS[number]}"
        wait "${ATTACKERS[number]}" || true
        [[ $(cat "$PLACE/attack-$number") =~ ^[1-9][0-9]*$ ]]
    done
    ATTACKERS=()
}

walks() {
    try as_agent "${ATTACK%/*}/tool-repeat" "$WALKS" SECRET-CANARY "$COLLECT" "$@" "$T" </dev/null
    succeeded
    cat "$OUT" >&3
}

@test "tree race: control arm: busybox tar, walking the same tree, shows the secret" {
    as_agent ln -s "$WORK/secret" "$T/l"
    attack_too "$ATTACK-exchange" "$T/d" "$T/l"
    local walks shown=0
    for ((walks = 0; walks < 3000 && shown == 0; walks++)); do
        as_agent busybox tar -C "$T" -cf - . 2>/dev/null | grep -q SECRET-CANARY && shown=1
    done
    attackers_end
    ((shown)) || skip "busybox tar did not lose in $walks walks here"
}

@test "tree race: a directory exchanged with a link to a secret tree" {
    as_agent ln -s "$WORK/secret" "$T/l"
    attack_too "$ATTACK-exchange" "$T/d" "$T/l"
    walks
    attackers_end
}

@test "tree race: a link that is kept is never followed, while a directory is exchanged with it" {
    as_agent ln -s "$WORK/secret" "$T/l"
    as_agent ln -s "$WORK/secret/e" "$T/d/l"
    attack_too "$ATTACK-exchange" "$T/d" "$T/l"
    walks --symlinks keep
    attackers_end
}

@test "tree race: a file exchanged with a link to a secret, another with a FIFO" {
    as_agent ln -s "$WORK/secret/file" "$T/l"
    as_agent mkfifo "$T/p"
    attack_too "$ATTACK-exchange" "$T/a" "$T/l"
    attack_too "$ATTACK-exchange" "$T/z" "$T/p"
    walks
    attackers_end
}

@test "tree race: directories moved up and down, and out of the tree" {
    as_agent mkdir "$WORK/out"
    attack_too "$ATTACK-move" "$T/d/e" "$T/e"
    attack_too "$ATTACK-move" "$T/d" "$WORK/out/d"
    walks
    attackers_end
}

@test "tree race: a level above a deep walk moved out of the tree, where .. leads to the secret" {
    local deep
    deep=$(printf 'm/%.0s' {1..80})
    as_agent mkdir -p "$T/d/$deep"
    agent_file "$T/d/${deep}file" deep
    attack_too "$ATTACK-move" "$T/d/m/m/m" "$WORK/secret/m"
    attack_too "$ATTACK-move" "$T/d/m" "$WORK/secret/e/m"
    walks --max-depth 100
    attackers_end
}

@test "tree race: files that grow and shrink are whole, or left out" {
    bytes 60000 >"$T/a"
    bytes 300000 >"$T/z"
    chown "$AGENT" "$T/a" "$T/z"
    attack_too "$ATTACK-grow" shrink "$T/a"
    attack_too "$ATTACK-grow" shrink "$T/z"
    walks
    local round
    for round in {1..50}; do
        as_agent "$COLLECT" "$T" 2>/dev/null </dev/null | as_other "$PUT" --tree --at "$PLACE/t$round" 2>/dev/null &&
            status=0 || status=$?
        [[ $status == 0 || $status == 94 || $status == 77 ]]
    done
    attackers_end
}

@test "tree race: every stream under attack is one that lands" {
    as_agent ln -s "$WORK/secret" "$T/l"
    attack_too "$ATTACK-exchange" "$T/d" "$T/l"
    attack_too "$ATTACK-grow" grow "$T/z"
    install -d -o "$OTHER" "$PLACE/in"
    local round partial=0
    for round in {1..60}; do
        as_agent "$COLLECT" "$T" 2>/dev/null </dev/null >"$PLACE/stream" || true
        try as_other "$PUT" --tree --at "$PLACE/in/$round" <"$PLACE/stream"
        [[ $status == 0 || $status == 94 ]] || disprove 'lands'
        ((status == 0)) || partial=$((partial + 1))
        run ! grep -rq SECRET-CANARY "$PLACE/in/$round"
        [[ -f $PLACE/in/$round/a ]]
    done
    attackers_end
}

@test "tree race: a tree landed beneath a directory that is exchanged with a link stays beneath, or is refused" {
    as_agent mkdir -p "$WORK/ws/d" "$WORK/outside"
    as_agent ln -s "$WORK/outside" "$WORK/ws/l"
    "$COLLECT" --as "$AGENT" "$T" >"$PLACE/stream"
    attack_too "$ATTACK-exchange" "$WORK/ws/d" "$WORK/ws/l"
    local round landed=0
    for ((round = 0; round < WALKS / 5; round++)); do
        try "$PUT" --as "$AGENT" --tree --beneath "$WORK/ws" --at "d/$round" <"$PLACE/stream"
        [[ $status == 0 || $status == "${REASONS[link]}" ]] || disprove 'lands, or is refused as a link'
        ((status != 0)) || landed=$((landed + 1))
    done
    attackers_end
    has_only "$WORK/outside"
    ((landed > 0))
}
