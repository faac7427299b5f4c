# sbx-discard: removes drops, by their exact shape, and never anything else.

load place

setup() {
    place_make
    HEX=0123456789abcdef0123456789abcdef
}

teardown() {
    place_remove
}

discard() {
    try as_root "$DISCARD" --drop-root "$DROPS" "$@" </dev/null
}

# Makes a drop named data; DROP is its path.
drop_make() {
    DROP=$(as_root "$PUT" --drop-root "$DROPS" data < <(printf text))
    [[ -f $DROP ]]
}

@test "discard: removes a drop by the path that sbx-put printed, and nothing else" {
    drop_make
    local gone=$DROP
    drop_make
    discard "$gone"
    gave ''
    [[ ! -e ${gone%/*} ]]
    holds "$DROP" text
}

@test "discard: removes a drop by its directory" {
    drop_make
    discard "${DROP%/*}"
    gave ''
    has_only "$DROPS"
}

@test "discard: removes several, and their names may be any that sbx-put takes" {
    local drops=() name
    for name in 'two words' -dash '[a]:\b*?' $'caf\xe9' "$(printf 'n%.0s' {1..255})" ...; do
        DROP=$(as_root "$PUT" --drop-root "$DROPS" -- "$name" < <(printf text))
        drops+=("$DROP")
    done
    discard "${drops[@]}"
    gave ''
    has_only "$DROPS"
}

@test "discard: a path that has not exactly the shape of a drop is bad_name, and nothing is touched" {
    local hex path
    drop_make
    hex=${DROP%/*}
    hex=${hex##*/}
    mkdir -p "$PLACE/other/$HEX" "$DROPS/short" "$DROPS/${HEX^^}" "$DROPS/${HEX}0"
    for path in \
        "$DROPS" "$DROPS/" "$DROPS/." "$DROPS/.." "$DROPS/short" "$DROPS/${HEX:1}" "$DROPS/${HEX}0" "$DROPS/${HEX^^}" \
        "$DROPS/$hex/" "$DROPS/$hex/data/" "$DROPS/$hex/data/." "$DROPS/$hex/data/more" "$DROPS/$hex/." \
        "$DROPS/$hex/.." "$DROPS//$hex/data" "$DROPS/$hex//data" "$DROPS/./$hex/data" "/$DROPS/$hex/data" \
        "$DROPS/../drops/$hex/data" "$DROPS/$hex/../$hex/data" "$DROPS/$hex/"$'da\nta' "$DROPS$hex" \
        "$PLACE/other/$HEX" "$PLACE/other/$HEX/data" / /etc/passwd "$DROPS/${hex/[0-9a-f]/g}" \
        "$DROPS/$hex/$(printf 'n%.0s' {1..256})"; do
        discard "$path"
        refused bad_name
        discard --force "$path"
        refused bad_name
        # One such path keeps the good ones before and behind it from being touched as well.
        discard "$DROP" "$path" "$DROP"
        refused bad_name
        holds "$DROP" text
    done
    has_only "$DROPS" "$hex" short "${HEX^^}" "${HEX}0"
    has_only "$PLACE/other" "$HEX"
}

@test "discard: an empty path is usage, a relative one is refused, and nothing is touched" {
    drop_make
    discard ''
    refused usage
    discard "$DROP" ''
    refused usage
    cd "$DROPS"
    discard "${DROP#"$DROPS/"}"
    [[ $status == "${REASONS[usage]}" || $status == "${REASONS[bad_name]}" ]]
    holds "$DROP" text
}

@test "discard: what is missing is missing, with --force it is not, and what is there goes all the same" {
    local first
    mkdir -m 0711 "$DROPS"
    discard "$DROPS/$HEX/data"
    refused missing
    discard "$DROPS/$HEX"
    refused missing
    discard --force "$DROPS/$HEX/data" "$DROPS/$HEX"
    gave ''

    drop_make
    first=$DROP
    drop_make
    discard "$first" "$DROPS/$HEX/data" "$DROP"
    refused missing "$HEX"
    has_only "$DROPS"
    drop_make
    discard --force "$DROPS/$HEX/data" "$DROP"
    gave ''
    has_only "$DROPS"
}

@test "discard: a name that is missing in a drop that is there is missing, and the drop stays" {
    drop_make
    discard "${DROP%/*}/other"
    refused missing
    holds "$DROP" text
}

@test "discard: a missing drop root is missing, and is not made" {
    discard "$DROPS/$HEX/data"
    refused missing
    [[ ! -e $DROPS ]]
}

@test "discard: only root removes" {
    drop_make
    try as_agent "$DISCARD" --drop-root "$DROPS" "$DROP" </dev/null
    refused permission_denied
    try as_agent "$DISCARD" --drop-root "$DROPS" --stale 1s </dev/null
    refused permission_denied
    holds "$DROP" text
}

@test "discard: a link in the place of a drop is not followed" {
    mkdir -m 0711 "$DROPS"
    mkdir "$PLACE/elsewhere"
    printf text >"$PLACE/elsewhere/data"
    ln -s "$PLACE/elsewhere" "$DROPS/$HEX"
    discard "$DROPS/$HEX/data"
    [[ $status != 0 ]]
    discard "$DROPS/$HEX"
    holds "$PLACE/elsewhere/data" text
    sleep 0.1
    discard --stale 50ms
    holds "$PLACE/elsewhere/data" text
}

@test "discard: control arm: rm -r through the same link would have removed what it leads to" {
    mkdir "$PLACE/elsewhere"
    printf text >"$PLACE/elsewhere/data"
    ln -s "$PLACE/elsewhere" "$PLACE/link"
    as_root rm -r "$PLACE/link/data"
    has_only "$PLACE/elsewhere"
}

@test "discard: links inside a drop are removed themselves, at any depth, and lead nowhere" {
    drop_make
    mkdir -p "$PLACE/elsewhere/below" "${DROP%/*}/tree/one/two"
    printf text >"$PLACE/elsewhere/file"
    ln -s "$PLACE/elsewhere" "${DROP%/*}/tree/link"
    ln -s "$PLACE/elsewhere" "${DROP%/*}/tree/one/two/link"
    ln -s ../../../../elsewhere/file "${DROP%/*}/tree/one/relative"
    discard "${DROP%/*}/tree"
    [[ $status == 0 ]]
    has_only "$PLACE/elsewhere" below file
    holds "$PLACE/elsewhere/file" text
    [[ ! -e ${DROP%/*}/tree ]]
}

@test "discard: a mount inside a drop is not crossed, and what is mounted stays" {
    drop_make
    mkdir "$PLACE/elsewhere" "${DROP%/*}/tree" "${DROP%/*}/tree/mount"
    printf text >"$PLACE/elsewhere/file"
    mount --bind "$PLACE/elsewhere" "${DROP%/*}/tree/mount" || unable 'cannot mount here'
    discard "${DROP%/*}/tree"
    [[ $status == "${REASONS[escapes]}" || $status == "${REASONS[busy]}" ]] || disprove 'ends with escapes or busy'
    holds "$PLACE/elsewhere/file" text
}

@test "discard: a drop root that is not root's alone is refused, and nothing is touched" {
    mkdir -m 0711 "$PLACE/real"
    mkdir "$PLACE/real/$HEX"
    ln -s real "$PLACE/link"
    DROPS=$PLACE/link
    discard "$DROPS/$HEX"
    refused link
    DROPS=$PLACE/real
    chmod 0777 "$PLACE/real"
    discard "$DROPS/$HEX"
    refused unsafe_directory
    discard --stale 1ms
    refused unsafe_directory
    install -d -o 0 -m 0711 "$WORK/roots" "$WORK/roots/$HEX"
    DROPS=$WORK/roots
    discard "$DROPS/$HEX"
    refused unsafe_directory
    has_only "$PLACE/real" "$HEX"
    has_only "$WORK/roots" "$HEX"
}

@test "discard: --stale sweeps what is older, an unfinished one too, and spares what is not" {
    local whole
    drop_make
    whole=$DROP
    drop_make
    rm "$DROP"
    chmod 0700 "${DROP%/*}"
    discard --stale 1h
    gave ''
    holds "$whole" text
    [[ -d ${DROP%/*} ]]
    sleep 0.1
    discard --stale 50ms
    gave ''
    has_only "$DROPS"
}

@test "discard: --stale goes by when a drop was made, not by times that can be set" {
    drop_make
    touch -d '2 days ago' "$DROP" "${DROP%/*}"
    discard --stale 1h
    gave ''
    holds "$DROP" text
}

@test "discard: --stale spares a drop that is being written, however old, and --force does not change that" {
    mkfifo "$PLACE/input"
    exec 9<>"$PLACE/input"
    "${AS_ROOT[@]}" "$PUT" --drop-root "$DROPS" data <"$PLACE/input" >"$PLACE/out" 2>"$PLACE/err" 3>&- 9>&- &
    TOOL=$!
    eventually compgen -G "$DROPS/*/data"
    local written
    written=$(compgen -G "$DROPS/*/data")
    drop_make
    sleep 0.1
    discard --stale 50ms
    gave ''
    [[ -e $written && ! -e ${DROP%/*} ]]
    discard "$written"
    refused busy
    discard --force "$written"
    refused busy
    printf text >&9
    exec 9>&-
    await "$TOOL" "$PLACE/out" "$PLACE/err"
    succeeded
    holds "$written" text
    sleep 0.1
    discard --stale 50ms
    gave ''
    has_only "$DROPS"
}

@test "discard: --stale touches nothing that has not the shape of a drop" {
    mkdir -m 0711 "$DROPS"
    mkdir "$DROPS/other" "$DROPS/${HEX^^}" "$DROPS/${HEX}0" "$DROPS/${HEX:1}"
    printf text >"$DROPS/file"
    sleep 0.1
    discard --stale 50ms
    gave ''
    has_only "$DROPS" other "${HEX^^}" "${HEX}0" "${HEX:1}" file
}

@test "discard: --quiet says nothing, and the code is the same" {
    mkdir -m 0711 "$DROPS"
    discard --quiet "$DROPS/$HEX/data"
    [[ $status == "${REASONS[missing]}" && ! -s $OUT && ! -s $ERR ]]
}
