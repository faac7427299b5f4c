# sandbox: a hardened container with the tools in it, and the two who call them there: root and the agent.
#
#   sandbox_start [IMAGE [RUN-FLAG...]]   in setup_file: builds the image, starts a container, exports $SANDBOX (its id)
#   sandbox_stop                          in teardown_file: removes both
#   as_agent [EXEC-FLAG...] -- CMD        docker exec as uid 1000; with stdin only if a flag -i is given
#   as_root [EXEC-FLAG...] -- CMD         docker exec as root
#   sandbox_image IMAGE                   builds an image only, prints its name
#
# SANDBOX_CHANGES holds what a Dockerfile would say about an image, such as 'ENV PATH=/work/bin:/bin'.
# IMAGE is 'base' (busybox, an agent, /work of the agent's, the tools at /usr/local/bin, root's and 0711, as make install
# lays them) or 'scratch' (the tools and a process to keep the container up; no shell, no passwd, no /run, no /tmp) or a
# directory to take as the image's root.
# shellcheck shell=bash
load claims

SANDBOX_CHANGES=()
SANDBOX_FLAGS=(--cap-drop=ALL --security-opt=no-new-privileges --network none)
BIN=/usr/local/bin

# Where there is no engine there is nothing to show.
sandbox_needed() {
    docker version >/dev/null 2>&1 || unable 'no docker engine answers; t/engine start makes one'
}

# Puts the tools, and what keeps the container up, into an image's root: sandbox_tools ROOT MODE.
sandbox_tools() {
    local root=$1 mode=$2 tool tools library
    install -d -m 0755 "$root$BIN"
    read -ra tools < <(sed -n 's/^TOOLS *= *//p' "$BATS_TEST_DIRNAME/../Makefile")
    for tool in "${tools[@]}"; do
        install -o 0 -g 0 -m "$mode" "$SBX_BUILD/$tool" "$root$BIN/"
    done
    install -m 0755 "$ATTACK-pause" "$root/pause"
    # The tools of a sanitizer build are not static: with their loader and libraries they run in any image all the same.
    ldd "$PUT" 2>/dev/null | grep -oE '/[^ ]+' | while read -r library; do
        install -D -m 0755 "$library" "$root$library"
    done
}

sandbox_root_base() {
    local root=$1 applet busybox
    busybox=$(command -v busybox)
    install -d -m 0755 "$root"/{bin,etc,run,home,root,opt/attack}
    install -d -m 1777 "$root/tmp"
    install -d -o 1000 -g 1000 -m 0755 "$root/work" "$root/home/agent"
    install -m 0755 "$busybox" "$root/bin/busybox"
    for applet in $("$busybox" --list); do
        ln -s busybox "$root/bin/$applet" 2>/dev/null || true
    done
    printf '%s\n' root:x:0:0::/root:/bin/sh agent:x:1000:1000::/home/agent:/bin/sh >"$root/etc/passwd"
    printf '%s\n' root:x:0: agent:x:1000: >"$root/etc/group"
    install -m 0755 "$ATTACK"-* "$root/opt/attack/"
    sandbox_tools "$root" 0711
}

sandbox_root_scratch() {
    sandbox_tools "$1" 0711
}

sandbox_image() {
    local image=$1 root name change changes=()
    for change in "${SANDBOX_CHANGES[@]}"; do
        changes+=(--change "$change")
    done
    root=$(mktemp -d)
    chmod 0755 "$root"
    name=sbx-test:$(basename "$image")-$$-$RANDOM
    case $image in
    base | scratch) "sandbox_root_$image" "$root" ;;
    *) cp -a "$image/." "$root/" ;;
    esac
    tar -C "$root" -c . | docker import "${changes[@]}" - "$name" >/dev/null
    rm -rf "$root"
    printf '%s\n' "$name"
}

# The first process of a container only waits: what the cases run comes by docker exec.
sandbox_run() {
    local image=$1
    shift
    docker run -d "${SANDBOX_FLAGS[@]}" "$@" "$image" /pause
}

sandbox_start() {
    local image=${1:-base}
    (($# == 0)) || shift
    sandbox_needed
    SANDBOX_IMAGE=$(sandbox_image "$image")
    SANDBOX=$(sandbox_run "$SANDBOX_IMAGE" "$@")
    export SANDBOX SANDBOX_IMAGE
}

sandbox_stop() {
    [[ -z ${SANDBOX:-} ]] || docker rm -f "$SANDBOX" >/dev/null
    [[ -z ${SANDBOX_IMAGE:-} ]] || docker rmi -f "$SANDBOX_IMAGE" >/dev/null
}

# Splits "[FLAG...] -- CMD" and runs it in the sandbox as the given user.
sandbox_exec() {
    local user=$1 flags=()
    shift
    while [[ $1 != -- ]]; do
        flags+=("$1")
        shift
    done
    shift
    docker exec "${flags[@]}" -u "$user" "$SANDBOX" "$@"
}

as_agent() {
    sandbox_exec 1000 "$@"
}

as_root() {
    sandbox_exec 0 "$@"
}
