# sbx-put --at: beside PATH, then renamed onto it: never through a link, never torn, and on failure PATH as it was.

load place

setup() {
    place_make
    AT=$WORK/file
}

teardown() {
    place_remove
}

at() {
    try as_agent "$PUT" --at "$@"
}

# Opens a pipe that stays open for writing, as descriptor 9; the reading end is $PLACE/input.
hold_input() {
    mkfifo "$PLACE/input"
    exec 9<>"$PLACE/input"
}

# Starts the tool as the agent in the background, its input held, and waits until its temporary is there.
at_in_background() {
    local directory=$1
    shift
    hold_input
    "${AS_AGENT[@]}" env --default-signal=INT,QUIT,HUP,TERM "$PUT" "$@" <"$PLACE/input" >"$PLACE/out" 2>"$PLACE/err" 3>&- 9>&- &
    TOOL=$!
    eventually compgen -G "$directory/.sbx-*"
}

# Ends the input of that tool and takes its end as try does.
at_finished() {
    exec 9>&-
    await "$TOOL" "$PLACE/out" "$PLACE/err"
}

@test "at: a new file has every byte of the input, is the agent's, and nothing is beside it" {
    bytes 3000000 >"$PLACE/input"
    at "$AT" <"$PLACE/input"
    gave ''
    cmp "$PLACE/input" "$AT"
    [[ $(stat -c '%u:%g %a' "$AT") == "$AGENT:$AGENT 644" ]]
    has_only "$WORK" file
}

@test "at: an existing file is replaced by a new one: what holds the old one keeps it" {
    agent_file "$AT" old
    ln "$AT" "$WORK/held"
    at "$AT" < <(printf new)
    gave ''
    holds "$AT" new
    holds "$WORK/held" old
    has_only "$WORK" file held
}

@test "at: the mode is 0644 minus umask, or exactly the one given" {
    local mask
    for mask in 000 022 027 077; do
        umask "$mask"
        at "$AT" < <(printf text)
        gave ''
        [[ 0$(stat -c %a "$AT") == $(printf '0%o' $((0644 & ~mask))) ]]
        at "$AT" --mode 0757 < <(printf text)
        gave ''
        [[ $(stat -c %a "$AT") == 757 ]]
    done
}

@test "at: setuid, setgid and sticky are refused" {
    local mode
    for mode in 4755 2755 1755 7777; do
        at "$AT" --mode "$mode" < <(printf text)
        refused usage
    done
    has_only "$WORK"
}

@test "at: a link at PATH is replaced, and what it led to is as it was" {
    agent_file "$WORK/target" secret
    ln -s target "$AT"
    at "$AT" < <(printf new)
    gave ''
    [[ -f $AT && ! -L $AT ]]
    holds "$AT" new
    holds "$WORK/target" secret
}

@test "at: a dangling link at PATH is replaced, and what it named is not made" {
    ln -s "$WORK/made" "$AT"
    at "$AT" < <(printf new)
    gave ''
    [[ ! -L $AT ]]
    holds "$AT" new
    has_only "$WORK" file
}

@test "at: a link to a directory at PATH is replaced, and nothing lands in the directory" {
    mkdir "$PLACE/elsewhere"
    chown "$AGENT" "$PLACE/elsewhere"
    ln -s "$PLACE/elsewhere" "$AT"
    at "$AT" < <(printf new)
    gave ''
    [[ ! -L $AT ]]
    holds "$AT" new
    has_only "$PLACE/elsewhere"
}

@test "at: a directory at PATH is not_regular, empty or not" {
    as_agent mkdir "$AT"
    at "$AT" < <(printf new)
    refused not_regular
    as_agent touch "$AT/inside"
    at "$AT" < <(printf new)
    refused not_regular
    has_only "$WORK" file
    has_only "$AT" inside
}

@test "at: a FIFO at PATH is replaced at once, without waiting for its reader" {
    as_agent mkfifo "$AT"
    at "$AT" < <(printf new)
    gave ''
    holds "$AT" new
}

@test "at: a mount point at PATH is busy" {
    agent_file "$WORK/below" below
    agent_file "$AT" old
    mount --bind "$WORK/below" "$AT" || unable 'cannot mount here'
    at "$AT" < <(printf new)
    refused busy
    holds "$AT" below
    umount "$AT"
    holds "$AT" old
    has_only "$WORK" below file
}

@test "at: a missing parent, or one that is a file, is missing" {
    at "$WORK/none/file" < <(printf new)
    refused missing
    agent_file "$AT" old
    at "$AT/file" < <(printf new)
    refused missing
    holds "$AT" old
    has_only "$WORK" file
}

@test "at: --parents makes what is missing and leaves what is there alone" {
    as_agent mkdir -m 0700 "$WORK/there"
    at "$WORK/there/one/two/file" --parents < <(printf new)
    gave ''
    holds "$WORK/there/one/two/file" new
    [[ $(stat -c %a "$WORK/there") == 700 ]]
    [[ $(stat -c '%a %u' "$WORK/there/one") == "755 $AGENT" ]]
    at "$WORK/there/one/two/file" --parents < <(printf newer)
    gave ''
    holds "$WORK/there/one/two/file" newer
}

@test "at: --parents does not make its way through a file, nor where the agent may not write" {
    agent_file "$AT" old
    at "$AT/one/file" --parents < <(printf new)
    refused missing
    holds "$AT" old
    at "$PLACE/one/file" --parents < <(printf new)
    refused permission_denied
    has_only "$PLACE" work
}

@test "at: --no-replace lands what is new and refuses what exists, a dangling link included" {
    at "$AT" --no-replace < <(printf new)
    gave ''
    holds "$AT" new
    at "$AT" --no-replace < <(printf newer)
    refused exists
    holds "$AT" new
    ln -s nowhere "$WORK/link"
    at "$WORK/link" --no-replace < <(printf newer)
    refused exists
    [[ -L $WORK/link ]]
    as_agent mkdir "$WORK/directory"
    at "$WORK/directory" --no-replace < <(printf newer)
    [[ $status == "${REASONS[exists]}" || $status == "${REASONS[not_regular]}" ]]
    has_only "$WORK" directory file link
}

@test "at: --no-replace holds where renameat2 knows no NOREPLACE" {
    local errno
    for errno in EINVAL ENOSYS; do
        rm -f "$AT"
        try as_agent "$ATTACK-nosys" "renameat2=$errno" -- "$PUT" --no-replace --at "$AT" < <(printf new)
        gave ''
        holds "$AT" new
        [[ $(stat -c %h "$AT") == 1 ]]
        try as_agent "$ATTACK-nosys" "renameat2=$errno" -- "$PUT" --no-replace --at "$AT" < <(printf newer)
        refused exists
        holds "$AT" new
        has_only "$WORK" file
    done
}

@test "at: a PATH that names no file is bad_name, an empty one is usage" {
    local path
    as_agent mkdir "$WORK/directory"
    for path in "$WORK/" "$AT/" "$AT/." "$AT/.." "$WORK/directory/" "$WORK/." "$WORK/.." . .. / //; do
        at "$path" < <(printf new)
        refused bad_name
    done
    at '' < <(printf new)
    refused usage
    at "$WORK/$(printf 'n%.0s' {1..256})" < <(printf new)
    refused bad_name
    at "$WORK/$(printf 'n/%.0s' {1..3000})file" < <(printf new)
    refused bad_name
    has_only "$WORK" directory
}

@test "at: PATH is bytes: spaces, newlines, dashes, glob characters, 255 bytes, not UTF-8" {
    local name
    for name in 'two words' $'a\nb' $'\e[31m' -dash '[a]:\b*?' $'caf\xe9' "$(printf 'n%.0s' {1..255})" ... ..a; do
        at "$WORK/$name" < <(printf '%s' "$name")
        gave ''
        holds "$WORK/$name" "$name"
    done
    cd "$WORK"
    at -dash < <(printf relative)
    gave ''
    holds "$WORK/-dash" relative
}

@test "at: a relative PATH is seen from where the tool was started" {
    as_agent mkdir "$WORK/directory"
    cd "$WORK"
    at file < <(printf one)
    gave ''
    at directory/../directory/file < <(printf two)
    gave ''
    holds "$WORK/file" one
    holds "$WORK/directory/file" two
}

@test "at: every refusal of the input leaves PATH as it was and no temporary" {
    agent_file "$AT" old
    at "$AT" --max 1000 < <(bytes 1001)
    refused too_large 'limit of 1000 bytes'
    at "$AT" --size 4 < <(printf abc)
    refused truncated
    at "$AT" --size 11 --max 10 < <(printf abc)
    refused too_large
    at "$AT" </dev/null
    refused usage 'docker exec needs -i'
    hold_input
    at "$AT" --deadline 0.2 <"$PLACE/input"
    refused deadline
    holds "$AT" old
    has_only "$WORK" file

    at "$AT" --max 1000 < <(bytes 1000)
    gave ''
    [[ $(stat -c %s "$AT") == 1000 ]]
    at "$AT" --size 0 </dev/null
    gave ''
    holds "$AT" ''
}

@test "at: --size takes the first bytes without waiting for the end of the input" {
    hold_input
    printf 'abcdef' >&9
    at "$AT" --size 3 <"$PLACE/input"
    gave ''
    holds "$AT" abc
}

@test "at: a full disk is no_space, a read-only one read_only, and PATH is as it was" {
    place_mount "$PLACE/small" size=64k,mode=0777
    agent_file "$PLACE/small/file" old
    at "$PLACE/small/file" < <(bytes 1000000)
    refused no_space
    holds "$PLACE/small/file" old
    has_only "$PLACE/small" file
    mount -o remount,ro "$PLACE/small"
    at "$PLACE/small/file" < <(printf new)
    refused read_only
    holds "$PLACE/small/file" old
}

@test "at: a file size limit is io, not a death by SIGXFSZ, and PATH is as it was" {
    agent_file "$AT" old
    ulimit -f 8
    at "$AT" < <(bytes 1000000)
    refused io
    holds "$AT" old
    has_only "$WORK" file
}

@test "at: a directory that the agent may not write is permission_denied" {
    at "$PLACE/file" < <(printf new)
    refused permission_denied
    has_only "$PLACE" work
}

@test "at: a directory that the agent may write but not list takes the file" {
    as_agent mkdir "$WORK/blind"
    as_agent chmod 0300 "$WORK/blind"
    at "$WORK/blind/file" < <(printf new)
    gave ''
    holds "$WORK/blind/file" new
    has_only "$WORK/blind" file
}

@test "at: another's file in a sticky directory is permission_denied and stays" {
    mkdir -m 1777 "$PLACE/sticky"
    printf old >"$PLACE/sticky/file"
    at "$PLACE/sticky/file" < <(printf new)
    refused permission_denied
    holds "$PLACE/sticky/file" old
    has_only "$PLACE/sticky" file
}

@test "at: TERM, INT, HUP and QUIT take the temporary away first, and then it dies of them" {
    local signal
    agent_file "$AT" old
    for signal in TERM INT HUP QUIT; do
        rm -f "$PLACE/input"
        at_in_background "$WORK" --at "$AT"
        kill -"$signal" "$TOOL"
        await "$TOOL" "$PLACE/out" "$PLACE/err"
        exec 9>&-
        [[ $status == $((128 + $(kill -l "$signal"))) ]]
        holds "$AT" old
        has_only "$WORK" file
    done
}

@test "at: until the end of the input PATH is the old file" {
    agent_file "$AT" old
    at_in_background "$WORK" --at "$AT"
    printf new >&9
    holds "$AT" old
    at_finished
    gave ''
    holds "$AT" new
    has_only "$WORK" file
}

@test "at: --sync works, and what cannot be synced does not land" {
    at "$AT" --sync < <(printf new)
    gave ''
    holds "$AT" new
    try as_agent "$ATTACK-nosys" fsync=EIO -- "$PUT" --sync --at "$AT" < <(printf newer)
    refused io
    holds "$AT" new
    has_only "$WORK" file
}

@test "at: --from takes the bytes of a file, whatever stdin is" {
    agent_file "$PLACE/from" 'from a file'
    at "$AT" --from "$PLACE/from" </dev/null
    gave ''
    holds "$AT" 'from a file'
    at "$AT" --from "$AT" </dev/null
    gave ''
    holds "$AT" 'from a file'
}

@test "at: --from places a drop of root's" {
    local drop
    try as_root "$PUT" --drop-root "$DROPS" data < <(bytes 100000)
    succeeded
    drop=$(<"$OUT")
    at "$AT" --from "$drop" </dev/null
    gave ''
    cmp "$drop" "$AT"
    [[ $(stat -c %u "$AT") == "$AGENT" ]]
}

@test "at: --from opens as sbx-get does: each that is no plain file has its reason, at once" {
    agent_file "$AT" old
    agent_file "$WORK/plain" text
    ln -s plain "$WORK/link"
    as_agent mkfifo "$WORK/fifo"
    as_agent mkdir "$WORK/directory"
    as_agent "$ATTACK-socket" "$WORK/socket"
    printf secret >"$WORK/secret"
    chmod 0600 "$WORK/secret"
    local reason path
    while read -r reason path; do
        at "$AT" --from "$path" </dev/null
        refused "$reason"
        holds "$AT" old
    done <<-END
		link $WORK/link
		bad_name $WORK/link/
		not_regular $WORK/fifo
		not_regular $WORK/directory
		not_regular $WORK/socket
		not_regular /dev/null
		not_regular /dev/zero
		not_regular /proc/self/status
		missing $WORK/none
		permission_denied $WORK/secret
	END
    has_only "$WORK" directory fifo file link plain secret socket
}

@test "at: --from obeys --max and --size" {
    agent_file "$AT" old
    agent_file "$WORK/from" 1234567890
    at "$AT" --from "$WORK/from" --max 9 </dev/null
    refused too_large
    at "$AT" --from "$WORK/from" --size 11 </dev/null
    refused truncated
    holds "$AT" old
    at "$AT" --from "$WORK/from" --size 3 </dev/null
    gave ''
    holds "$AT" 123
}

@test "at: --beneath lands below its directory" {
    as_agent mkdir -p "$WORK/one/two"
    at file --beneath "$WORK" < <(printf new)
    gave ''
    holds "$WORK/file" new
    at one/./two//file --beneath "$WORK" < <(printf newer)
    gave ''
    holds "$WORK/one/two/file" newer
    at three/four/file --beneath "$WORK" --parents < <(printf newest)
    gave ''
    holds "$WORK/three/four/file" newest
    at file --beneath "$WORK/none" < <(printf new)
    refused missing
}

# What --beneath refuses, also where openat2 is missing or forbidden and descriptors are walked instead.
beneath_refuses() {
    local prefix=("$@") reason path
    install -d -o "$AGENT" "$PLACE/outside" "$WORK/inside"
    ln -sfn ../outside "$WORK/out"
    ln -sfn "$PLACE/outside" "$WORK/absolute"
    ln -sfn inside "$WORK/in"
    agent_file "$WORK/plain" old
    while read -r reason path; do
        try as_agent "${prefix[@]}" "$PUT" --beneath "$WORK" --at "$path" < <(printf new)
        refused "$reason"
        try as_agent "${prefix[@]}" "$PUT" --beneath "$WORK" --parents --at "$path" < <(printf new)
        if [[ $reason != missing || $path == plain/* ]]; then
            refused "$reason"
        fi
    done <<-END
		escapes ../outside/file
		escapes inside/../../outside/file
		escapes inside/../file
		escapes $PLACE/outside/file
		escapes $WORK/file
		link out/file
		link absolute/file
		link in/file
		link in/none/file
		missing plain/file
		bad_name inside/
		bad_name in/
	END
    has_only "$PLACE/outside"
    has_only "$WORK/inside"
    holds "$WORK/plain" old
}

@test "at: --beneath refuses every way out, and every link, by openat2" {
    beneath_refuses
}

@test "at: --beneath refuses the same where openat2 is ENOSYS" {
    beneath_refuses "$ATTACK-nosys" openat2=ENOSYS --
}

@test "at: --beneath refuses the same where openat2 is EPERM" {
    beneath_refuses "$ATTACK-nosys" openat2=EPERM --
}

@test "at: control arm: without --beneath the same link leads out" {
    install -d -o "$AGENT" "$PLACE/outside"
    ln -s ../outside "$WORK/out"
    at "$WORK/out/file" < <(printf new)
    gave ''
    holds "$PLACE/outside/file" new
}

@test "at: --beneath replaces a link at the last component, and does not cover --from" {
    agent_file "$PLACE/target" secret
    ln -s "$PLACE/target" "$AT"
    at file --beneath "$WORK" --from "$PLACE/target" </dev/null
    gave ''
    [[ ! -L $AT ]]
    holds "$AT" secret
    at file --beneath "$WORK" < <(printf new)
    gave ''
    holds "$PLACE/target" secret
}

@test "at: root without --as writes only where root alone may" {
    install -d -m 0755 "$PLACE/roots"
    try as_root "$PUT" --at "$PLACE/roots/file" < <(printf new)
    gave ''
    holds "$PLACE/roots/file" new
    try as_root "$PUT" --at "$AT" < <(printf new)
    refused unsafe_directory
    install -d -m 0755 "$WORK/roots"
    try as_root "$PUT" --at "$WORK/roots/file" < <(printf new)
    refused unsafe_directory
    ln -s roots "$PLACE/link"
    try as_root "$PUT" --at "$PLACE/link/file" < <(printf new)
    refused link
    install -d -m 1777 "$PLACE/sticky"
    try as_root "$PUT" --at "$PLACE/sticky/file" < <(printf new)
    refused unsafe_directory
    has_only "$WORK" roots
    has_only "$WORK/roots"
    has_only "$PLACE/roots" file
    has_only "$PLACE/sticky"
}

@test "at: root without --as gives absolute paths only" {
    cd "$PLACE"
    try as_root "$PUT" --at file < <(printf new)
    refused usage
    printf text >"$PLACE/from"
    try as_root "$PUT" --at "$PLACE/file" --from from </dev/null
    refused usage
    has_only "$PLACE" from work
}

@test "at: root with --as is the agent: its file, its rights" {
    try "$PUT" --as "$AGENT" --at "$AT" < <(printf new)
    gave ''
    [[ $(stat -c '%u:%g' "$AT") == "$AGENT:$AGENT" ]]
    try "$PUT" --as "$AGENT:$OTHER" --at "$AT" < <(printf new)
    gave ''
    [[ $(stat -c '%u:%g' "$AT") == "$AGENT:$OTHER" ]]
    try "$PUT" --as "$AGENT" --at "$PLACE/file" < <(printf new)
    refused permission_denied
    install -d -m 0770 "$PLACE/group"
    try "$PUT" --as "$AGENT" --at "$PLACE/group/file" < <(printf new)
    refused permission_denied
    has_only "$PLACE/group"
}

@test "at: --as takes a name out of /etc/passwd, and an unknown one is cannot_drop" {
    chmod 1777 "$WORK"
    try "$PUT" --as nobody --at "$AT" < <(printf new)
    gave ''
    [[ $(stat -c %U "$AT") == nobody ]]
    try "$PUT" --as nobody:root --at "$AT" < <(printf new)
    gave ''
    [[ $(stat -c %U:%G "$AT") == nobody:root ]]
    try "$PUT" --as no-such-user --at "$WORK/other" < <(printf new)
    refused cannot_drop
    try "$PUT" --as nobody:no-such-group --at "$WORK/other" < <(printf new)
    refused cannot_drop
    has_only "$WORK" file
}

@test "at: --as without the capability is cannot_drop, and being the user already succeeds" {
    try as_root "$PUT" --as "$AGENT" --at "$AT" < <(printf new)
    refused cannot_drop
    at "$AT" --as "$OTHER" < <(printf new)
    refused cannot_drop
    has_only "$WORK"
    at "$AT" --as "$AGENT" < <(printf new)
    gave ''
    holds "$AT" new
}

@test "at: --as root says that root is meant, also in the agent's directory" {
    try "$PUT" --as root --at "$AT" < <(printf new)
    gave ''
    [[ $(stat -c %u "$AT") == 0 ]]
    cd "$WORK"
    try "$PUT" --as root --at file < <(printf newer)
    gave ''
    holds "$AT" newer
}

@test "at: a temporary swapped for another's file is changed, never a success" {
    chmod 0777 "$WORK"
    attack "${AS_OTHER[@]}" "$ATTACK-swap" "$WORK" .sbx- file forged
    at_in_background "$WORK" --at "$AT"
    printf new >&9
    # Wait for the attacker's file under the tool's name.
    eventually grep -rlq --include='.sbx-*' forged "$WORK"
    kill -TERM "$ATTACKER"
    wait "$ATTACKER"
    unset ATTACKER
    at_finished
    refused changed
}

staged_is_link() {
    local staged
    staged=$(compgen -G "$WORK/.sbx-*")
    [[ -L $staged ]]
}

@test "at: a temporary swapped for a link is changed, and what the link names has no byte written" {
    chmod 0777 "$WORK"
    agent_file "$PLACE/target" secret
    attack "${AS_OTHER[@]}" "$ATTACK-swap" "$WORK" .sbx- link "$PLACE/target"
    at_in_background "$WORK" --at "$AT"
    printf new >&9
    eventually staged_is_link
    kill -TERM "$ATTACKER"
    wait "$ATTACKER"
    unset ATTACKER
    at_finished
    refused changed
    holds "$PLACE/target" secret
}

@test "at: a parent that is moved meanwhile takes the file along, and nothing lands in what took its place" {
    as_agent mkdir "$WORK/parent"
    at_in_background "$WORK/parent" --at "$WORK/parent/file"
    printf new >&9
    as_agent mv "$WORK/parent" "$WORK/moved"
    as_agent mkdir "$WORK/parent"
    at_finished
    gave ''
    holds "$WORK/moved/file" new
    has_only "$WORK/moved" file
    has_only "$WORK/parent"
}

@test "at: the temporary is made with O_EXCL and O_NOFOLLOW" {
    [[ -n $(command -v strace) ]] || unable 'no strace'
    try strace -f -e trace=openat,openat2,open -o "$PLACE/trace" "${AS_AGENT[@]}" "$PUT" --at "$AT" < <(printf new)
    gave ''
    grep -F '".sbx-' "$PLACE/trace" | grep O_CREAT | grep O_EXCL | grep -q O_NOFOLLOW
}
