# make demo: it shows what it says it shows, and says so when an answer is another one.

load claims

demo() {
    try timeout 300 "${AS[@]}" "$HERE/t/demo" "$1" </dev/null
}

# As a user that is not root, who can read what the demo needs.
alone() {
    HERE=$(mktemp -d)
    chmod 0755 "$HERE"
    cp -r "$BATS_TEST_DIRNAME" "$HERE/t"
    mkdir -p "$HERE/build/t"
    cp "$PUT" "$GET" "$DISCARD" "$HERE/build"
    chmod -R go=rX,u+w "$HERE"
    chmod -R a+x "$HERE"/build/sbx-*
    export SBX_BUILD=$HERE/build
    [[ $(id -u) != 0 ]] || AS=(setpriv --reuid=54321 --regid=54321 --clear-groups)
}

# The demo's own directory, which its commands name, is gone.
left_nothing() {
    local place
    place=$(grep -oE '/tmp/sbx-demo\.[A-Za-z0-9]+' "$OUT" | sort -u)
    [[ -n $place && ! -e $place ]]
}

setup() {
    HERE=$BATS_TEST_DIRNAME/.. AS=()
}

teardown() {
    [[ $HERE == "$BATS_TEST_DIRNAME/.." ]] || rm -rf "$HERE"
}

# Every answer came as expected, and each attack that the place can show was shown.
shown() {
    succeeded
    ! grep -q 'NOT SHOWN' "$OUT" || unable 'the attack on stdout did not win against the unprotected copy'
    tail -n 1 "$OUT" | grep -qE "^demo: [0-9]+ answers, all as expected \($1\)\$" || disprove 'says so on its last line'
    local attack
    for attack in 'where the file is to be written' 'where the file is to be read' FIFO 'more than was agreed' 'cut short' \
        "${@:2}"; do
        grep -qE "^== .*$attack" "$OUT" || disprove "shows: $attack"
    done
}

@test "demo: in a container, with what docker cp does" {
    docker version >/dev/null 2>&1 || unable 'no docker engine answers; t/engine start makes one'
    demo container
    shown container 'rewrites what was staged' "writes into the reader's answer"
    grep -q '^\$ docker cp ' "$OUT"
    run ! docker inspect "$(sed -n 's/.*--name \(sbx-demo-[0-9]*\).*/\1/p' "$OUT")"
}

@test "demo: with two uids on a directory" {
    [[ $(id -u) == 0 ]] || unable 'only root can act as two uids'
    demo scratch
    shown scratch 'rewrites what was staged' "writes into the reader's answer"
    left_nothing
}

@test "demo: alone, with what is not shown" {
    alone
    demo alone
    shown alone
    grep -q 'is not shown' "$OUT"
    left_nothing
}

@test "demo: an answer that is not the expected one fails it" {
    alone
    # It reads what the tool refuses.
    # shellcheck disable=SC2016 # the new script's own $
    printf '#!/bin/sh\nwhile [ "$#" -gt 1 ]; do shift; done\nexec cat "$1"\n' >"$HERE/build/sbx-get"
    demo alone
    [[ $status == 1 ]] || disprove 'exits 1'
    grep -q '^  NOT AS EXPECTED: exit 0, not 80$' "$OUT" || disprove 'names the answer'
    tail -n 1 "$OUT" | grep -qE '^demo: [0-9]+ of 19 answers were NOT as expected \(alone\)$' || disprove 'counts it'
}
