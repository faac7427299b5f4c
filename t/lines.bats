# What single lines are for that the other files do not show: each case here fails when one of them is undone (t/mutants).
# Many make the kernel answer what it rarely does, by strace or a seccomp filter.

load place

setup() {
    place_make
    AT=$WORK/file
    HEX=0123456789abcdef0123456789abcdef
}

teardown() {
    # What a case that failed left stopped would stay so.
    if [[ -n ${TOOL:-} ]] && kill -0 "$TOOL" 2>/dev/null; then
        kill -KILL "$TOOL"
        [[ ! -s $PLACE/trace ]] || awk '{ print $1 }' "$PLACE/trace" | sort -u | xargs kill -KILL 2>/dev/null || true
    fi
    [[ -z ${PREY:-} ]] || ! jobs -pr | grep -qx "$PREY" || kill -KILL "$PREY"
    place_remove
}

put_drop() {
    try as_root "$PUT" --drop-root "$DROPS" "$@"
}

# Whatever the tool had made for a drop is gone, the drop root aside.
nothing_left() {
    [[ ! -e $DROPS ]] || has_only "$DROPS"
}

# Opens a pipe that stays open for writing, as descriptor 9; the reading end is $PLACE/input.
hold_input() {
    mkfifo "$PLACE/input"
    exec 9<>"$PLACE/input"
}

# Starts a command in the background, its input held, and waits until it has made a file of this pattern or is gone.
start_until() {
    local pattern=$1
    shift
    hold_input
    "$@" <"$PLACE/input" >"$PLACE/out" 2>"$PLACE/err" 3>&- 9>&- &
    TOOL=$!
    eventually made_or_gone "$pattern"
}

made_or_gone() {
    compgen -G "$1" || ! kill -0 "$TOOL" 2>/dev/null
}

# Ends the input of that command and takes its end as try does.
finished() {
    exec 9>&-
    await "$TOOL" "$PLACE/out" "$PLACE/err"
}

# As the real root, under strace with these options: traced OPTION... COMMAND.
traced() {
    [[ -n $(command -v strace) ]] || unable 'no strace'
    try strace -f -qq -o "$PLACE/trace" "$@"
}

# Starts a command under strace and waits until it has stopped at a call: stop_at INJECTION COMMAND. INJECTION is strace's.
stop_at() {
    local injection=$1
    shift
    [[ -n $(command -v strace) ]] || unable 'no strace'
    : >"$PLACE/trace"
    strace -f -o "$PLACE/trace" -e inject="$injection:signal=STOP:when=1" "$@" \
        </dev/null >"$PLACE/out" 2>"$PLACE/err" 3>&- &
    TOOL=$!
    eventually grep -q 'stopped by SIGSTOP' "$PLACE/trace"
}

go_on() {
    kill -CONT "$(awk '/stopped by SIGSTOP/ { print $1; exit }' "$PLACE/trace")"
    await "$TOOL" "$PLACE/out" "$PLACE/err"
}

long_name() {
    printf 'n%.0s' {1..3000}
}

dots() {
    printf './%.0s' $(seq "$1")
}

# Streams.

@test "lines: only the null device is the null device" {
    put_drop --size 4 data </dev/zero
    succeeded
    [[ $(stat -c %s "$(<"$OUT")") == 4 ]]
}

# Few bytes are copied and many are spliced, each with waits of their own.

@test "lines: a stream that does not block is waited for, however the bytes go" {
    local size
    for size in '' '--size 4'; do
        # shellcheck disable=SC2086 # no option at all is no word at all
        try as_agent "$ATTACK-nonblock" "$PUT" $size --at "$AT" < <(sleep 0.2 && printf te && sleep 0.2 && printf xt)
        gave ''
        holds "$AT" text
    done
    bytes 3000000 >"$AT"
    as_agent "$ATTACK-nonblock" "$GET" "$AT" </dev/null | (sleep 0.2 && cmp - "$AT")
}

@test "lines: the time is up, however the bytes go and whether or not the stream blocks" {
    local size
    hold_input
    for size in '' '--size 10'; do
        # shellcheck disable=SC2086 # no option at all is no word at all
        try as_agent "$PUT" $size --deadline 0.2 --at "$AT" <"$PLACE/input"
        refused deadline
        # shellcheck disable=SC2086 # no option at all is no word at all
        try as_agent "$ATTACK-nonblock" "$PUT" $size --deadline 0.2 --at "$AT" <"$PLACE/input"
        refused deadline
    done
    has_only "$WORK"
}

@test "lines: the time is up also where nothing ever blocks" {
    truncate -s 1T "$WORK/file" || unable 'no file of 1T here'
    try as_agent sh -c 'exec "$@" >/dev/null' - "$GET" --max unlimited --deadline 0.3 "$WORK/file" </dev/null
    refused deadline
}

@test "lines: --size is exact for more than a copy takes" {
    try as_agent "$PUT" --size 100000 --at "$AT" < <(bytes 200000)
    gave ''
    cmp "$AT" <(bytes 100000)
}

@test "lines: a read that fails is a failure" {
    bytes 1000 >"$PLACE/from"
    # shellcheck disable=SC2094 # -P names the file of which reads fail, and writes nothing there
    traced -P "$PLACE/from" -e inject=read:error=EIO "$PUT" --drop-root "$DROPS" data <"$PLACE/from"
    refused io
    nothing_left
    traced -P "$PLACE/from" -e inject=read:error=EIO "$GET" --as root "$PLACE/from" </dev/null
    refused io
}

@test "lines: a close that fails is a failure" {
    mkdir -m 0711 "$DROPS"
    printf text >"$PLACE/from"
    traced -e inject=close:error=EIO -e trace=close,fchmod "$PUT" --drop-root "$DROPS" data < <(printf text)
    refused io
    nothing_left
    run ! grep -E 'fchmod.*0711' "$PLACE/trace"
    traced -e inject=close:error=EIO "$PUT" --as root --at "$PLACE/at" < <(printf text)
    refused io
    has_only "$PLACE" drops from trace work
    # Of stdout, which is a file of bats here.
    traced -P "$BATS_TEST_TMPDIR/out" -e inject=close:error=EIO "$PUT" --drop-root "$DROPS" data < <(printf text)
    told io
    nothing_left
    traced -P "$BATS_TEST_TMPDIR/out" -e inject=close:error=EIO "$GET" --as root "$PLACE/from" </dev/null
    told io
}

@test "lines: what an option or a user is called is escaped" {
    try as_agent "$PUT" $'--\e]0;owned\a' < <(printf text)
    refused usage '\x1b]0;owned\x07'
    try "$PUT" --as $'\e[31m' --at "$AT" < <(printf text)
    refused cannot_drop '\x1b[31m'
    try "$PUT" --as nobody:$'\e[31m' --at "$AT" < <(printf text)
    refused cannot_drop '\x1b[31m'
}

# Who it runs as.

@test "lines: no other process of its uid reaches into a running tool" {
    start_until "$WORK/.sbx-*" "${AS_AGENT[@]}" "$PUT" --at "$AT"
    run -1 as_agent "$ATTACK-stdout" pid "$TOOL"
    printf text >&9
    finished
    gave ''
    holds "$AT" text
}

@test "lines: control arm: a program that does not protect itself is reached into" {
    "${AS_AGENT[@]}" "$ATTACK-stdout" prey >"$PLACE/out" 3>&- &
    PREY=$!
    eventually test -e "/proc/$PREY/fd/1"
    eventually as_agent "$ATTACK-stdout" pid "$PREY"
}

@test "lines: is made non-dumpable again after the change of uid" {
    agent_file "$AT" text
    traced -e trace=prctl,setresuid "$GET" --as "$AGENT" "$AT" </dev/null
    gave text
    sed -n '/setresuid/,$p' "$PLACE/trace" | grep -q 'PR_SET_DUMPABLE, SUID_DUMP_DISABLE'
}

@test "lines: the number -1 names nobody" {
    try "$PUT" --as 4294967295 --at "$AT" < <(printf text)
    refused cannot_drop 'is not in /etc/passwd'
    try "$PUT" --as "$AGENT:4294967295" --at "$AT" < <(printf text)
    refused cannot_drop 'is not in /etc/group'
}

# In a mount namespace of its own, with these files in place of the machine's.
with_accounts() {
    try unshare --mount sh -c 'mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/group" /etc/group && shift && exec "$@"' \
        - "$PLACE" "$@"
}

@test "lines: a user is who a whole line says" {
    local user filler
    unshare --mount true || unable 'no mount namespace here'
    filler=$(printf 'f%.0s' {1..8191})
    chmod 1777 "$WORK"
    # The parser has 8192 bytes for a line: what comes behind them in a longer one looks like a line of its own.
    {
        printf 'agentless:x:%s:%s:::\n' "$OTHER" "$OTHER"
        printf '%sforged:x:%s:%s:::\n' "$filler" "$OTHER" "$OTHER"
        printf 'agent:x:%s:%s:::\n' "$AGENT" "$AGENT"
        printf '%slast:x:%s:%s:::' "$filler" "$OTHER" "$OTHER"
    } >"$PLACE/passwd"
    printf 'agentless:x:%s:\nagent:x:%s:\n' "$OTHER" "$AGENT" >"$PLACE/group"
    for user in forged last agen nobody; do
        with_accounts "$PUT" --as "$user" --at "$AT" < <(printf text)
        refused cannot_drop "$user is not in /etc/passwd"
    done
    with_accounts "$PUT" --as agent:agent --at "$AT" < <(printf text)
    gave ''
    [[ $(stat -c '%u %g' "$AT") == "$AGENT $AGENT" ]]
}

@test "lines: a real uid of root's is not taken for the agent" {
    agent_file "$AT" text
    try setpriv --ruid 0 --euid "$AGENT" "$GET" --as "$AGENT" "$AT" </dev/null
    refused cannot_drop
}

@test "lines: being the user already does not give another group" {
    agent_file "$AT" text
    try as_agent "$GET" --as "$AGENT:$OTHER" "$AT" </dev/null
    refused cannot_drop
}

@test "lines: --as gives up everything of root's" {
    grep -qE '^CapEff:.*[13579bdf]..$' /proc/self/status || unable 'no CAP_SETPCAP here'
    start_until "$WORK/.sbx-*" setpriv --groups 12345 "$PUT" --as "$AGENT" --at "$AT"
    diff - <(tr '\t' ' ' <"/proc/$TOOL/status" | grep -E '^(Uid|Gid|Groups|Cap...|NoNewPrivs):' | sed 's/ *$//') <<END
Uid: $AGENT $AGENT $AGENT $AGENT
Gid: $AGENT $AGENT $AGENT $AGENT
Groups:
CapInh: 0000000000000000
CapPrm: 0000000000000000
CapEff: 0000000000000000
CapBnd: 0000000000000000
CapAmb: 0000000000000000
NoNewPrivs: 1
END
    printf text >&9
    finished
    gave ''
}

@test "lines: --as gives up capabilities that outlive the change of uid" {
    printf secret >"$PLACE/secret"
    chmod 0600 "$PLACE/secret"
    try setpriv --securebits +no_setuid_fixup "$GET" --as "$AGENT" "$PLACE/secret" </dev/null
    refused permission_denied
}

# What comes of it when the kernel says that a call has worked, and it has not: not_done CALL PREFIX... where the prefix
# is what the tool is started by.
not_done() {
    local call=$1
    shift
    [[ -n $(command -v strace) ]] || unable 'no strace'
    try "$@" strace -f -qq -o "$PLACE/trace" -e trace="${call%%:*}" -e inject="$call" "$GET" --as "$AGENT" "$AT" </dev/null
    refused cannot_drop
}

@test "lines: what did not happen, though the kernel said so, is noticed" {
    local number
    agent_file "$AT" text
    not_done setresuid:retval=0 env
    not_done setresgid:retval=0 env
    not_done setgroups:retval=0 setpriv --groups 12345
    not_done capset:retval=0 setpriv --securebits +no_setuid_fixup
    traced -e trace=prctl "$GET" --as "$AGENT" "$AT" </dev/null
    gave text
    number=$(grep -n PR_SET_NO_NEW_PRIVS "$PLACE/trace" | cut -d : -f 1)
    not_done "prctl:retval=0:when=$number+" env
}

# Signals.

@test "lines: a signal that the caller ignores stays ignored" {
    start_until "$WORK/.sbx-*" "${AS_AGENT[@]}" env --ignore-signal=HUP "$PUT" --at "$AT"
    kill -HUP "$TOOL"
    printf text >&9
    finished
    gave ''
    holds "$AT" text
}

@test "lines: the time is up, and TERM ends it, though the caller blocked the signals" {
    hold_input
    try as_agent env --block-signal=ALRM "$PUT" --deadline 0.2 --at "$AT" <"$PLACE/input"
    refused deadline
    rm "$PLACE/input"
    start_until "$WORK/.sbx-*" "${AS_AGENT[@]}" env --default-signal=TERM --block-signal=TERM "$PUT" --at "$AT"
    kill -TERM "$TOOL"
    eventually gone
    await "$TOOL" "$PLACE/out" "$PLACE/err"
    [[ $status == 143 ]]
    has_only "$WORK"
}

gone() {
    ! kill -0 "$TOOL"
}

# Paths.

@test "lines: a path that is too long is refused before it is looked up" {
    local path
    path=$WORK/$(dots 2100)file
    try as_agent "$PUT" --at "$path" < <(printf text)
    refused bad_name "${#path} bytes, limit 4095"
    try as_agent "$GET" "$path" </dev/null
    refused bad_name "${#path} bytes, limit 4095"
    try as_agent "$PUT" --at "$WORK/$(printf 'n%.0s' {1..256})" < <(printf text)
    refused bad_name 'a name of 256 bytes, limit 255'
    DROPS=$PLACE$(printf '/d%.0s' {1..1950})
    put_drop data < <(printf text)
    refused usage
    has_only "$PLACE" work
}

@test "lines: a path with a component that is too long is refused" {
    try as_agent "$PUT" --parents --at "$WORK/$(long_name)/file" < <(printf text)
    refused bad_name
    try as_root "$PUT" --at "$PLACE/$(long_name)/file" < <(printf text)
    refused bad_name
    DROPS=$PLACE/$(long_name)
    put_drop data < <(printf text)
    refused bad_name
    has_only "$PLACE" work
    has_only "$WORK"
}

@test "lines: the walk is exact about lengths" {
    local walk=(as_agent "$ATTACK-nosys" openat2=ENOSYS --)
    try "${walk[@]}" "$GET" "$WORK/$(long_name)/file" </dev/null
    refused bad_name
    ln -s "$(dots 2000)" "$WORK/link"
    agent_file "$AT" text
    try "${walk[@]}" "$GET" "$WORK/link/file" </dev/null
    gave text
    try "${walk[@]}" "$GET" "$WORK/link/$(dots 100)file" </dev/null
    refused bad_name
}

@test "lines: the walk follows no magic link" {
    local path
    for path in /proc/self/ns/pid/file /proc/self/cwd/file /proc/self/root/etc/passwd; do
        try as_agent "$ATTACK-nosys" openat2=ENOSYS -- "$GET" "$path" </dev/null
        refused link
    done
}

@test "lines: the kernel is told every rule of a lookup" {
    agent_file "$AT" text
    traced -e trace=openat2 "$GET" --as root --beneath "$WORK" file </dev/null
    gave text
    grep -F '"file"' "$PLACE/trace" | grep RESOLVE_BENEATH | grep RESOLVE_NO_SYMLINKS | grep -q RESOLVE_NO_MAGICLINKS
}

@test "lines: a FIFO is refused at once" {
    as_agent mkfifo "$WORK/fifo"
    try timeout 5 "${AS_AGENT[@]}" "$GET" "$WORK/fifo" </dev/null
    refused not_regular
}

@test "lines: a file system that cannot be told is not trusted" {
    agent_file "$AT" text
    ln -s . "$WORK/link"
    try as_agent "$ATTACK-nosys" fstatfs=EPERM -- "$GET" "$AT" </dev/null
    refused not_regular
    try as_agent "$ATTACK-nosys" openat2=ENOSYS -- "$GET" "$WORK/link/file" </dev/null
    gave text
    try as_agent "$ATTACK-nosys" openat2=ENOSYS,fstatfs=EPERM -- "$GET" "$WORK/link/file" </dev/null
    refused link
}

@test "lines: the files of each pseudo file system that can be mounted here are refused" {
    local type file
    mkdir "$PLACE/mqueue"
    mount -t mqueue mqueue "$PLACE/mqueue" || unable 'cannot mount here'
    agent_file "$PLACE/mqueue/file" ''
    try as_agent "$GET" "$PLACE/mqueue/file" </dev/null
    refused not_regular
    for type in bpf binfmt_misc configfs debugfs efivarfs pstore resctrl securityfs selinuxfs tracefs; do
        mkdir "$PLACE/$type"
        mount -t "$type" "$type" "$PLACE/$type" 2>/dev/null || continue
        file=$(find "$PLACE/$type" -type f -readable | head -n 1)
        [[ -n $file ]] && (: <"$file") 2>/dev/null || continue
        try "$GET" --as root "$file" </dev/null
        refused not_regular
    done
}

@test "lines: a file that was rewritten and had its time set back is changed" {
    truncate -s 8M "$WORK/file"
    touch -d @1 "$WORK/file"
    chown "$AGENT" "$WORK/file"
    stop_at read -P "$WORK/file" "$GET" --as root "$WORK/file"
    printf x | dd of="$WORK/file" conv=notrunc status=none
    touch -d @1 "$WORK/file"
    go_on
    told changed
}

@test "lines: a file of --from that changes while it is read is changed" {
    agent_file "$AT" old
    printf text >"$PLACE/from"
    stop_at read -P "$PLACE/from" "$PUT" --as root --at "$AT" --from "$PLACE/from"
    printf more >>"$PLACE/from"
    go_on
    refused changed
    holds "$AT" old
    has_only "$WORK" file
}

# Root's own.

@test "lines: root copies nothing for whoever steers its path" {
    printf text >"$PLACE/from"
    try as_root "$PUT" --at "$PLACE/at" --from "$PLACE/from" </dev/null
    refused root_refused
    has_only "$PLACE" from work
}

@test "lines: root does not climb" {
    try as_root "$PUT" --at "$PLACE/../${PLACE##*/}/file" < <(printf text)
    refused escapes
    has_only "$PLACE" work
}

@test "lines: root stays beneath the directory that it is given" {
    local path
    mkdir -p "$PLACE/roots/below"
    try as_root "$PUT" --beneath "$PLACE/roots" --at below/file < <(printf text)
    gave ''
    for path in /below/other "$PLACE/other" ../other below/../other; do
        try as_root "$PUT" --beneath "$PLACE/roots" --at "$path" < <(printf text)
        refused escapes
    done
    try as_root "$PUT" --beneath "$PLACE/roots/$(dots 1500)" --at "$(dots 1000)other" < <(printf text)
    refused bad_name
    has_only "$PLACE" roots work
    has_only "$PLACE/roots" below
    has_only "$PLACE/roots/below" file
}

@test "lines: a root directory that is not root's alone is refused" {
    local mode
    mkdir -p "$PLACE/image/drops"
    cp "$PUT" "$PLACE/image/put"
    # The programs of a sanitizer build need their libraries there.
    chroot "$PLACE/image" /put --version >/dev/null 2>&1 </dev/null || unable 'cannot chroot, or these tools are not static'
    chmod 0755 "$PLACE/image"
    try chroot "$PLACE/image" /put --drop-root /drops data < <(printf text)
    succeeded
    rm -r "$PLACE"/image/drops/*
    for mode in 0775 0757; do
        chmod "$mode" "$PLACE/image"
        try chroot "$PLACE/image" /put --drop-root /drops data < <(printf text)
        refused unsafe_directory
    done
    chmod 0755 "$PLACE/image"
    chown "$AGENT" "$PLACE/image"
    try chroot "$PLACE/image" /put --drop-root /drops data < <(printf text)
    refused unsafe_directory
    has_only "$PLACE/image/drops"
}

@test "lines: a drop root is given in its normal form" {
    local root
    put_drop data < <(printf text)
    succeeded
    for root in "$PLACE/./drops" "$PLACE//drops" "$DROPS/" "$DROPS/." "$PLACE/work/../drops" drops /; do
        try as_root "$PUT" --drop-root "$root" data < <(printf text)
        refused usage
        try as_root "$DISCARD" --drop-root "$root" "$root/$HEX" </dev/null
        refused usage
        try as_root "$DISCARD" --drop-root "$root" --stale 1ms </dev/null
        refused usage
    done
    [[ -f $(find "$DROPS" -type f) ]]
}

@test "lines: the caller's umask holds for what is made with it" {
    umask 027
    try as_root "$PUT" --parents --at "$PLACE/made/file" < <(printf text)
    gave ''
    [[ $(stat -c %a "$PLACE/made/file") == 640 ]]
}

@test "lines: what only begins like a drop is not swept" {
    mkdir -m 0711 "$DROPS"
    mkdir "$DROPS/${HEX}x" "$DROPS/$HEX.old" "$DROPS/$HEX"
    sleep 0.1
    try as_root "$DISCARD" --drop-root "$DROPS" --stale 50ms </dev/null
    gave ''
    has_only "$DROPS" "${HEX}x" "$HEX.old"
}

@test "lines: nobody but root gets into a drop before it is finished" {
    start_until "$DROPS/*/data" "${AS_ROOT[@]}" "$PUT" --drop-root "$DROPS" data
    [[ $(stat -c '%u %a' "$DROPS"/*/) == '0 700' ]]
    run ! as_agent cat "$(compgen -G "$DROPS/*/data")"
    printf text >&9
    finished
    succeeded
    try as_agent cat "$(<"$PLACE/out")" </dev/null
    gave text
}

@test "lines: a drop that cannot be locked is gone" {
    try as_root "$ATTACK-nosys" flock=ENOSYS -- "$PUT" --drop-root "$DROPS" data < <(printf text)
    refused unsupported
    nothing_left
}

@test "lines: without random numbers nothing is made" {
    try as_root "$ATTACK-nosys" getrandom=ENOSYS -- "$PUT" --drop-root "$DROPS" data < <(printf text)
    refused unsupported
    nothing_left
    try as_agent "$ATTACK-nosys" getrandom=ENOSYS -- "$PUT" --at "$AT" < <(printf text)
    refused unsupported
    has_only "$WORK"
}

# Placing and removing.

@test "lines: a temporary swapped for a link to itself is changed" {
    local staged
    start_until "$WORK/.sbx-*" "${AS_AGENT[@]}" "$PUT" --at "$AT"
    staged=$(compgen -G "$WORK/.sbx-*")
    as_agent mv "$staged" "$WORK/kept"
    as_agent ln -s kept "$staged"
    printf text >&9
    finished
    refused changed
}

@test "lines: a name that cannot be synced is a failure" {
    traced -e inject=fsync:error=EIO:when=2 "$PUT" --as root --sync --at "$AT" < <(printf text)
    refused io
    has_only "$WORK" file
}

# Makes a drop that holds a directory with files, as a tree would; TREE is its path.
tree_make() {
    TREE=$DROPS/$HEX/tree
    install -d -m 0711 "$DROPS" "$DROPS/$HEX"
    mkdir "$TREE"
    touch "$TREE"/{1..100}
}

@test "lines: a mount that cannot be told from another is not entered" {
    tree_make
    try as_root "$ATTACK-nosys" statx=ENOSYS -- "$DISCARD" --drop-root "$DROPS" "$TREE" </dev/null
    refused unsupported
    traced -e trace=statx -e inject=statx:retval=0 "$DISCARD" --drop-root "$DROPS" "$TREE" </dev/null
    refused unsupported
    [[ $(find "$TREE" -type f | wc -l) == 100 ]]
}

@test "lines: directories are removed by descriptors that no link can bend" {
    tree_make
    mkdir "$PLACE/elsewhere"
    printf text >"$PLACE/elsewhere/file"
    stop_at unlinkat "$DISCARD" --drop-root "$DROPS" "$TREE"
    mv "$TREE" "$PLACE/tree"
    ln -s "$PLACE/elsewhere" "$TREE"
    go_on
    [[ $status != 0 ]]
    holds "$PLACE/elsewhere/file" text
}

@test "lines: removing ends when the time is up" {
    tree_make
    traced -e trace=unlinkat -e inject=unlinkat:delay_enter=20000 \
        "$DISCARD" --drop-root "$DROPS" --deadline 0.2 "$TREE" </dev/null
    refused deadline
    [[ -d $TREE ]]
}

@test "lines: a tree that failed is taken away also where no mount id is to be had" {
    as_agent mkdir -p "$WORK/in" "$WORK/src/a"
    as_agent sh -c 'printf text >"$1/a/file" && head -c 5000 /dev/zero >"$1/z"' - "$WORK/src"
    tar -C "$WORK/src" -cf "$PLACE/stream" a z
    try as_agent "$ATTACK-nosys" statx=ENOSYS -- "$PUT" --tree --at "$WORK/in/t" < <(head -c 3000 "$PLACE/stream")
    refused truncated
    has_only "$WORK/in"
}

@test "lines: a stream names its root once" {
    as_agent mkdir -p "$WORK/in" "$WORK/src"
    tar -C "$WORK/src" -cf "$PLACE/stream" ./
    try as_agent "$PUT" --tree --at "$WORK/in/t" <"$PLACE/stream"
    succeeded
    try as_agent "$PUT" --tree --at "$WORK/in/again" < <(head -c 512 "$PLACE/stream" && cat "$PLACE/stream")
    refused corrupt
    has_only "$WORK/in" t
}

@test "lines: what comes behind an archive's end is not read for ever" {
    as_agent mkdir -p "$WORK/in" "$WORK/src"
    tar -C "$WORK/src" -cf "$PLACE/stream" ./
    try timeout 60 "${AS_AGENT[@]}" "$PUT" --tree --at "$WORK/in/t" < <(cat "$PLACE/stream" /dev/zero)
    succeeded
    has_only "$WORK/in" t
}

@test "lines: a stderr that takes nothing holds nobody" {
    mkfifo "$PLACE/full"
    exec 8<>"$PLACE/full"
    timeout 1 cat /dev/zero >&8 || true
    status=0
    timeout 60 "${AS_AGENT[@]}" "$GET" "$WORK/missing" </dev/null >/dev/null 2>&8 || status=$?
    exec 8>&-
    [[ $status == 66 ]]
}

@test "lines: a size is a number" {
    put_drop --size unlimited --max unlimited data < <(printf text)
    refused usage
    nothing_left
}
