# The tools in images and containers of other shapes: with nothing but the tools, read-only, without /run, with a place for
# drops that is not safe. Each case has a container of its own.

load sandbox

setup() {
    sandbox_needed
    ROOT=$BATS_TEST_TMPDIR/root
    mkdir -m 0755 "$ROOT"
}

teardown() {
    sandbox_stop
}

# The agent's place in an image that has none.
WORK_TMPFS=(--tmpfs '/work:uid=1000,gid=1000,mode=0755,exec')

# The job from end to end, with a program as what is carried: put, landed by the agent, read back, run, discarded.
does_the_job() {
    local drop size
    size=$(stat -c %s "$GET")
    try as_root -i -- "$BIN/sbx-put" --mode 0555 --size "$size" program <"$GET"
    succeeded
    drop=$(<"$OUT")
    [[ $drop =~ ^/run/sbx/drop/[0-9a-f]{32}/program$ ]] || disprove 'prints a path in /run/sbx/drop'
    try as_agent -- "$BIN/sbx-get" "$drop"
    gave_file "$GET"
    # The drop is a tool itself, so that it can be run where there is nothing else.
    try as_agent -- "$drop" --version
    succeeded
    try as_agent -- "$BIN/sbx-put" --at /work/program --from "$drop" --mode 0755 --sync
    gave ''
    try as_agent -- /work/program --max 10M /work/program
    gave_file "$GET"
    try as_agent -i -- "$BIN/sbx-put" --beneath /work --at a/b/file --parents < <(printf text)
    gave ''
    try as_agent -- "$BIN/sbx-get" --beneath /work a/b/file
    gave text
    try as_root -- "$BIN/sbx-discard" "$drop"
    gave ''
    try as_root -- "$BIN/sbx-discard" "$drop"
    refused missing
    try as_agent -- "$BIN/sbx-get" "$drop"
    refused missing
}

# What is refused there as it is elsewhere.
refuses_the_rest() {
    try as_root -- "$BIN/sbx-put" data
    refused usage 'docker exec needs -i'
    try as_root -- "$BIN/sbx-get" /work/program
    refused root_refused
    try as_root -i -- "$BIN/sbx-put" --at /work/file < <(printf text)
    refused unsafe_directory
    try as_root -i -- "$BIN/sbx-put" --drop-root /work data < <(printf text)
    refused unsafe_directory
    try as_agent -i -- "$BIN/sbx-put" data < <(printf text)
    refused permission_denied
    try as_agent -- "$BIN/sbx-get" --as nobody /work/program
    refused cannot_drop
    try as_agent -- "$BIN/sbx-get" --as 1000 --max 1 /work/program
    refused too_large
    try as_agent -- "$BIN/sbx-get" /work
    refused not_regular
    try as_agent -- "$BIN/sbx-get" --beneath /work ../pause
    refused escapes
    try as_agent -- "$BIN/sbx-get" --beneath /work a/b/none
    refused missing
    try as_agent -- "$BIN/sbx-get" /dev/null
    refused not_regular
}

@test "image: FROM scratch, with nothing but the tools: all of it" {
    sandbox_start scratch "${WORK_TMPFS[@]}"
    does_the_job
    refuses_the_rest
    try as_root -- "$BIN/sbx-discard" --stale 1ms
    gave ''
}

@test "image: FROM scratch, a link, one in the middle and a FIFO are refused as elsewhere" {
    install -d "$ROOT/links"
    ln -s /pause "$ROOT/links/link"
    ln -s /links "$ROOT/links/directory"
    mkfifo "$ROOT/links/fifo"
    sandbox_root_scratch "$ROOT"
    sandbox_start "$ROOT"
    try as_agent -- "$BIN/sbx-get" /links/link
    refused link
    try as_agent -- "$BIN/sbx-get" --beneath /links directory/fifo
    refused link
    try as_agent -- "$BIN/sbx-get" /links/fifo
    refused not_regular
    try as_agent -- "$BIN/sbx-get" --beneath /links fifo
    refused not_regular
}

@test "image: without even /proc, /dev and /etc, which docker always gives, everything works" {
    needs_static 'its runtime looks into /proc'
    local drop
    sandbox_root_scratch "$ROOT"
    install -d -o 1000 -m 0755 "$ROOT/work"
    chroot_agent() {
        chroot --userspec=1000:1000 --groups= "$ROOT" "$@"
    }
    drop=$(chroot "$ROOT" "$BIN/sbx-put" data < <(printf text))
    try chroot_agent "$BIN/sbx-put" --at /work/file --from "$drop" </dev/null
    gave ''
    try chroot_agent "$BIN/sbx-get" --beneath /work file </dev/null
    gave text
    try chroot "$ROOT" "$BIN/sbx-get" --as 1000 /work/file </dev/null
    gave text
    try chroot "$ROOT" "$BIN/sbx-get" --as agent /work/file </dev/null
    refused cannot_drop
    try chroot "$ROOT" "$BIN/sbx-discard" "$drop" </dev/null
    gave ''
    has_only "$ROOT/run/sbx/drop"
}

@test "image: read-only, a tmpfs at /run/sbx gives drops a place, and their programs run" {
    sandbox_start scratch "${WORK_TMPFS[@]}" --read-only --tmpfs /run/sbx:mode=0711,exec
    does_the_job
    refuses_the_rest
}

@test "image: read-only without one, a drop is read_only, and the rest works" {
    sandbox_start base "${WORK_TMPFS[@]}" --read-only
    try as_root -i -- "$BIN/sbx-put" data < <(printf text)
    refused read_only
    try as_root -- ls -A /run
    gave ''
    try as_agent -i -- "$BIN/sbx-put" --at /etc/file < <(printf text)
    [[ $status == "${REASONS[read_only]}" || $status == "${REASONS[permission_denied]}" ]]
    try as_agent -i -- "$BIN/sbx-put" --at /work/file < <(printf text)
    gave ''
    try as_agent -- "$BIN/sbx-get" /work/file
    gave text
}

@test "image: a noexec tmpfs holds drops that can be read and landed, not run" {
    local drop
    sandbox_start base --tmpfs /run/sbx:mode=0711
    try as_root -i -- "$BIN/sbx-put" --mode 0555 program <"$GET"
    succeeded
    drop=$(<"$OUT")
    run ! as_agent -- "$drop" --version
    try as_agent -- "$BIN/sbx-get" "$drop"
    gave_file "$GET"
    try as_agent -- "$BIN/sbx-put" --at /work/program --from "$drop" --mode 0755
    gave ''
    try as_agent -- /work/program --version
    succeeded
}

@test "image: a tmpfs that docker makes world-writable is unsafe_directory" {
    sandbox_start base --tmpfs /run/sbx/drop:mode=1777
    try as_root -i -- "$BIN/sbx-put" data < <(printf text)
    refused unsafe_directory /run/sbx/drop
    try as_root -- ls -A /run/sbx/drop
    gave ''
}

@test "image: without /run, it is made 0711, and the agent gets through it and no further" {
    sandbox_root_base "$ROOT"
    rmdir "$ROOT/run"
    sandbox_start "$ROOT"
    does_the_job
    [[ $(as_root -- stat -c '%a %u' /run /run/sbx /run/sbx/drop) == $'711 0\n711 0\n711 0' ]]
    run ! as_agent -- ls /run/sbx/drop
}

@test "image: with a /run that is the agent's, group-writable, or a link, no drop is made" {
    local kind
    for kind in agents group link; do
        rm -rf "$ROOT"
        mkdir -m 0755 "$ROOT"
        sandbox_root_base "$ROOT"
        case $kind in
        agents) chown 1000 "$ROOT/run" ;;
        group) chmod 0775 "$ROOT/run" ;;
        link) rmdir "$ROOT/run" && ln -s work "$ROOT/run" ;;
        esac
        sandbox_start "$ROOT"
        try as_root -i -- "$BIN/sbx-put" data < <(printf text)
        if [[ $kind == link ]]; then
            refused link
        else
            refused unsafe_directory
        fi
        try as_root -- ls -A /run/
        gave ''
        sandbox_stop
    done
}

@test "image: a setgid /run, and a umask of 077 or 000, let nobody else in" {
    local mask drop
    sandbox_root_base "$ROOT"
    chmod 2755 "$ROOT/run"
    chown 0:1000 "$ROOT/run"
    sandbox_start "$ROOT"
    for mask in 077 000; do
        drop=$(as_root -i -- sh -c "umask $mask; exec $BIN/sbx-put data" < <(printf text))
        [[ $(as_root -- stat -c '%a %u' "$drop") == '444 0' ]]
        [[ $(as_root -- stat -c '%u' "${drop%/*}" /run/sbx/drop /run/sbx) == $'0\n0\n0' ]]
        # setgid is inherited by directories; the bits that say who may do what are the same.
        [[ $(as_root -- stat -c %a "${drop%/*}" /run/sbx/drop /run/sbx) =~ ^2?711.2?711.2?711$ ]]
        try as_agent -- "$BIN/sbx-get" "$drop"
        gave text
    done
}

@test "image: tools mounted read-only from outside work as those of the image" {
    local bin=$BATS_TEST_TMPDIR/bin
    sandbox_tools "$BATS_TEST_TMPDIR/installed" 0711
    mv "$BATS_TEST_TMPDIR/installed$BIN" "$bin"
    sandbox_root_base "$ROOT"
    rm "$ROOT$BIN"/sbx-*
    sandbox_start "$ROOT" -v "$bin:$BIN:ro"
    does_the_job
    try as_agent -- "$BIN/sbx-get" --version
    grep -q 'protected from the start: yes' "$OUT"
}

@test "image: a container root with capabilities may take on the agent by --as, which loses them all" {
    sandbox_root_base "$ROOT"
    # shellcheck disable=SC2034 # for sandbox_run
    SANDBOX_FLAGS=(--network none)
    sandbox_start "$ROOT"
    as_agent -- sh -c 'umask 077; printf mine >/work/file'
    try as_root -- "$BIN/sbx-get" --as agent /work/file
    gave mine
    try as_root -- "$BIN/sbx-get" --as agent /root/none
    [[ $status == "${REASONS[missing]}" || $status == "${REASONS[permission_denied]}" ]]
    as_root -- sh -c 'umask 077; printf roots >/tmp/roots'
    try as_root -- "$BIN/sbx-get" --as agent /tmp/roots
    refused permission_denied
    try as_root -i -- "$BIN/sbx-put" --as agent:agent --at /work/new < <(printf text)
    gave ''
    [[ $(as_root -- stat -c '%U:%G' /work/new) == agent:agent ]]
}
