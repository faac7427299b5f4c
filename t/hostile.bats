# Archives that try something, through sbx-put --tree: what must not land does not, nothing lands outside, nothing half.

load place
load tree

setup() {
    command -v python3 >/dev/null || unable 'no python3 here'
    place_make
    as_agent mkdir "$WORK/in"
    # What an escape would write or show.
    printf canary >"$WORK/canary"
    printf canary >"$PLACE/canary"
}

teardown() {
    place_remove
}

# Lands each archive that the script makes and compares what comes of it with the index: try_all OPTION...
try_all() {
    local name landing expected landed left wrong=0
    "$BATS_TEST_DIRNAME/archives" hostile "$PLACE/hostile"
    while IFS=$'\t' read -r name _ landing; do
        try as_agent timeout 60 "$PUT" --tree "$@" --at "$WORK/in/t" <"$PLACE/hostile/$name.tar"
        left=$(ls -A "$WORK/in")
        expected=${EXCEPT[$name]:-$landing}
        landed=''
        [[ $expected != ok && $expected != partial ]] || landed=t
        [[ $status == "${REASONS[$expected]}" && $left == "$landed" ]] || {
            printf '%s: %s, not %s; left: %s\n' "$name" "$status" "$expected" "$left"
            wrong=1
        }
        [[ -z $(find "$WORK/in" ! -type f ! -type d ! -type l -o ! -type l -perm /7022) ]] || {
            printf '%s: leaves a special file or mode\n' "$name"
            wrong=1
        }
        rm -rf "$WORK/in/t"
    done <"$PLACE/hostile/index" >&2
    (($(wc -l <"$PLACE/hostile/index") > 100 && wrong == 0))
    has_only "$WORK" canary in
    holds "$WORK/canary" canary
    holds "$PLACE/canary" canary
    [[ ! -e /tmp/f ]]
}

@test "hostile: each archive is refused with its reason, or lands safely, and nothing is left outside or half" {
    declare -A EXCEPT=()
    try_all
}

@test "hostile: the same with --symlinks inside, where a link that stays in the tree is made" {
    declare -A EXCEPT=([link-inside]=ok)
    try_all --symlinks inside
}

@test "hostile: with --strict nothing lands in part" {
    local name
    "$BATS_TEST_DIRNAME/archives" hostile "$PLACE/hostile"
    while read -r name; do
        try as_agent "$PUT" --tree --strict --at "$WORK/in/t" <"$PLACE/hostile/$name.tar"
        [[ $status != 0 ]] || disprove "refuses $name"
        has_only "$WORK/in"
    done < <(awk -F '\t' '$3 == "partial" { print $1 }' "$PLACE/hostile/index")
}
