# .make/check: what it counts as failed, so that no test is lost on the way to the last line.

load claims

setup() {
    CHECK=$(realpath "$BATS_TEST_DIRNAME/../.make/check")
    cd "$BATS_TEST_TMPDIR" || return
    printf '@test "one" { true; }\n@test "two" { true; }\n' >good.bats
}

# A program with this name that prints the text and ends with the status: program NAME TEXT STATUS.
program() {
    printf '#!/bin/sh\nprintf "%s"\nexit %s\n' "$2" "$3" >"$1"
    chmod +x "$1"
}

# Runs it on the files: its status, and the last line of what it said. A bats in a bats must not know of the outer one.
checks() {
    local expected_status=$1 expected=$2
    shift 2
    try env -i PATH="${PATH#*/bats-core:}" "$CHECK" "$@"
    [[ $status == "$expected_status" ]] || disprove "exits $expected_status"
    [[ $(tail -n 1 "$OUT") == "$expected" ]] || disprove "ends with '$expected'"
}

@test "check: counts bats files and programs that print TAP together" {
    program unit 'ok 1 a\nok 2 b\nok 3 c\n1..3\n' 0
    checks 0 '5 passed, 0 failed' good.bats ./unit
    grep -qx 'good.bats: 2 passed, 0 failed' "$OUT" || disprove 'tells what good.bats did'
    grep -qx './unit: 3 passed, 0 failed' "$OUT" || disprove 'tells what the unit did'
}

@test "check: a failure is one, with what the test said about it" {
    printf '@test "bad one" { echo the reason; false; }\n' >bad.bats
    checks 1 '2 passed, 1 failed' good.bats bad.bats
    grep -q 'not ok 1 bad one' "$OUT" || disprove 'names the case'
    grep -q 'the reason' "$OUT" || disprove 'says why'
}

@test "check: what was skipped is told and counted by itself" {
    printf '@test "left out" { skip "no moon"; }\n' >left.bats
    checks 0 '2 passed, 0 failed, 1 skipped' good.bats left.bats
    grep -q 'left out # skip no moon' "$OUT" || disprove 'says what, and why'
}

@test "check: a test that was announced and did not report has failed" {
    program short '1..3\nok 1 a\n' 0
    checks 1 '1 passed, 2 failed' ./short
    program long '1..1\nok 1 a\nok 2 b\n' 0
    checks 1 '2 passed, 1 failed' ./long
}

@test "check: a program that ends badly has failed, whatever it printed" {
    program crash '1..1\nok 1 a\n' 3
    checks 1 '1 passed, 1 failed' ./crash
    printf '#!/bin/sh\necho 1..1\necho ok 1 a\nkill -SEGV $$\n' >killed
    chmod +x killed
    checks 1 '1 passed, 1 failed' ./killed
}

@test "check: a file that runs nothing has failed, and so has one that is not there" {
    program silent '' 0
    checks 1 '0 passed, 1 failed' ./silent
    program empty '1..0\n' 0
    checks 1 '0 passed, 1 failed' ./empty
    checks 1 '2 passed, 1 failed' good.bats ./gone
    printf 'setup_file() { false; }\n@test "one" { true; }\n' >unset.bats
    checks 1 '0 passed, 1 failed' unset.bats
}
