# demo.bash: how t/demo types a command and judges its answer, and the three places that it runs in.
# shellcheck shell=bash
# shellcheck disable=SC2034 # t/demo uses what is set here

BUILD=$(realpath "${SBX_BUILD:-build}")
ATTACK=$(realpath build/t)/attack
AGENT=$((20000 + $$ % 30000)) # the agent's uid: one that owns nothing here, and that no other demo has meanwhile
LIMIT=60                      # seconds that one command may take
LIMIT_ATTACK=180              # that the attacker on stdout may run
LIMIT_READING=60              # for it to win, against the unprotected copy and against the tool
TRIES=20 TRIES_MOST=400       # how often it is tried, at least and at most

scratch='' container='' image='' engine='' attacker=''
answers=0 unexpected=0 unshown=0

demo_clean() {
    [[ -z $attacker ]] || kill "$attacker" 2>/dev/null
    [[ -z $container ]] || docker rm -f "$container" >/dev/null
    [[ -z $image ]] || docker rmi -f "$image" >/dev/null
    [[ -z $engine ]] || t/engine stop
    rm -rf "$scratch"
}

demo_unable() {
    printf 'demo: unsupported: %s\n' "$1" >&2
    exit 69
}

demo_end() {
    if ((unexpected > 0)); then
        printf '\ndemo: %d of %d answers were NOT as expected (%s)\n' $unexpected $answers "$place"
        exit 1
    fi
    printf '\ndemo: %d answers, all as expected' $answers
    ((unshown == 0)) || printf ', %d attack NOT SHOWN' $unshown
    printf ' (%s)\n' "$place"
    exit 0
}

title() {
    printf '\n== %s\n' "$1"
}

say() {
    printf '\n%s\n' "$*" | fold -s -w 100 | sed 's/ *$//'
}

# Counts an answer: judge 0 for an expected one, and says what it was.
judge() {
    answers=$((answers + 1))
    unexpected=$((unexpected + $1))
    printf '  %s%s\n' "$([[ $1 == 0 ]] || echo 'NOT AS EXPECTED: ')" "$2"
}

# Says what this machine did not let be shown.
judge_unshown() {
    unshown=$((unshown + 1))
    printf '  NOT SHOWN: %s\n' "$1"
}

# The text of a stream; of bytes that are no text, their number.
show_stream() {
    if LC_ALL=C grep -qa '[^ -~]' <(head -c 4096 "$2" | tr -d '\t'); then
        printf '  %s: %s bytes\n' "$1" "$(stat -c %s "$2")"
    else
        sed "s/^/  $1: /" "$2"
    fi
}

# Types a command and judges its answer: ask CODE PATTERN COMMAND. PATTERN is an extended regular expression for a line
# of stdout or stderr; '' is for nothing on either.
ask() {
    local code=$1 pattern=$2 command=$3 status=0
    printf '\n$ %s\n' "$command"
    (cd "$scratch/caller" && set +o pipefail && eval "$command") >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    show_stream stdout "$scratch/out"
    show_stream stderr "$scratch/err"
    if [[ $status != "$code" ]]; then
        judge 1 "exit $status, not $code"
    elif [[ $pattern == '' && (-s $scratch/out || -s $scratch/err) ]]; then
        judge 1 "exit $status, but it should have written nothing"
    elif [[ $pattern != '' ]] && ! grep -qE -e "$pattern" "$scratch/out" "$scratch/err"; then
        judge 1 "exit $status, but it should have written: $pattern"
    else
        judge 0 "exit $status"
    fi
}

# What is the same in each place: a folder of the caller's, with a real program and a small file to send.
place_common() {
    scratch=$(mktemp -d /tmp/sbx-demo.XXXXXXXX)
    trap demo_clean EXIT
    trap 'exit 130' INT
    trap 'exit 143' HUP TERM
    chmod 0711 "$scratch"
    mkdir "$scratch/caller"
    cp "$BASH" "$scratch/caller/program"
    echo 'a report' >"$scratch/caller/report"
}

# An image that holds busybox, the tools as they are installed, and the attacker; a file of root's to protect.
place_image() {
    local tree=$scratch/image applet busybox library
    mkdir -p "$tree"/{bin,etc,opt,work,run,usr/local/bin}
    mkdir -m 1777 "$tree/tmp"
    busybox=$(command -v busybox.static busybox | head -n 1) && cp "$busybox" "$tree/bin/busybox" || return
    for applet in $("$busybox" --list); do
        ln -s busybox "$tree/bin/$applet" 2>/dev/null
    done
    install -m 0711 "$BUILD"/sbx-{put,get,collect,discard} "$tree/usr/local/bin" &&
        install -m 0755 "$BUILD/sbx-get" "$ATTACK"-{stdout,pause} "$tree/opt" || return
    # Only those of a sanitizer's build have libraries.
    ldd "$BUILD/sbx-get" 2>/dev/null | grep -oE '/[^ ]+' | while read -r library; do
        install -D -m 0755 "$library" "$tree$library"
    done
    printf 'root:x:0:0::/:/bin/sh\nagent:x:%d:%d::/work:/bin/sh\n' $AGENT $AGENT >"$tree/etc/passwd"
    echo 'of root' >"$tree/etc/victim"
    # Who may talk to the engine need not be root, so the owners are said to tar.
    tar -C "$tree" --owner=0 --group=0 --exclude=./work -cf "$tree.tar" . &&
        tar -C "$tree" --owner=$AGENT --group=$AGENT -rf "$tree.tar" ./work &&
        docker import "$tree.tar" sbx-demo:$$
}

# Gives 1, and the reason in $why_not, where there can be no container.
place_container() {
    local answer
    if ! answer=$(t/engine start 2>"$scratch/err"); then
        why_not=$(sed -n '$s/^engine: [a-z_]*: //p' "$scratch/err")
        return 1
    fi
    [[ ${answer#*=} == "${DOCKER_HOST:-unix:///var/run/docker.sock}" ]] || engine=started
    export "${answer?}"
    container=sbx-demo-$$ image=sbx-demo:$$
    if ! { place_image && docker run -d --name $container --cap-drop=ALL --security-opt=no-new-privileges \
        --network none $image /opt/attack-pause; } \
        >"$scratch/out" 2>"$scratch/err"; then
        why_not="no container: $(tail -n 1 "$scratch/err")"
        docker rm -f $container >/dev/null 2>&1
        container=''
        return 1
    fi
    root="timeout $LIMIT docker exec -u root $container"
    root_in="timeout $LIMIT docker exec -i -u root $container"
    agent="timeout $LIMIT docker exec -u agent $container"
    agent_in="timeout $LIMIT docker exec -i -u agent $container"
    from='' bin=/usr/local/bin readable=/opt/sbx-get work=/work drops=/run/sbx/drop drop_root='' victim=/etc/victim
}

# Two uids on a directory; root there has no capabilities, as in a container.
place_scratch() {
    [[ $(id -u) == 0 ]] || {
        why_not='only root can act as two uids'
        return 1
    }
    setpriv --no-new-privs chroot --skip-chdir --userspec=$AGENT:$AGENT --groups= / true 2>"$scratch/err" || {
        why_not="no second uid here: $(tail -n 1 "$scratch/err")"
        return 1
    }
    mkdir "$scratch"/{bin,open,work}
    install -m 0711 "$BUILD"/sbx-{put,get,collect,discard} "$scratch/bin"
    install -m 0755 "$BUILD/sbx-get" "$ATTACK-stdout" "$scratch/open"
    chown $AGENT:$AGENT "$scratch/work"
    echo 'of root' >"$scratch/victim"
    cat >"$scratch/as-root" <<'SH'
#!/bin/sh
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
SH
    # By chroot, since setpriv still holds root's capabilities when it starts what it was given: every file is readable
    # to it then, and a program that its user can read is not protected from the start.
    cat >"$scratch/as-agent" <<SH
#!/bin/sh
exec setpriv --no-new-privs chroot --skip-chdir --userspec=$AGENT:$AGENT --groups= / "\$@"
SH
    chmod 0755 "$scratch"/as-*
    # A pipe is its maker's, and docker makes those of a process its user's.
    mkfifo -m 0600 "$scratch/caller/pipe"
    chown $AGENT:$AGENT "$scratch/caller/pipe"
    PATH=$scratch:$PATH
    root="timeout $LIMIT as-root" root_in=$root agent="timeout $LIMIT as-agent" agent_in=$agent
    from=' >pipe & cat pipe; wait' bin=$scratch/bin readable=$scratch/open/sbx-get work=$scratch/work drops=$scratch/drop
    drop_root="--drop-root $drops " victim=$scratch/victim
}

place_alone() {
    [[ $(id -u) != 0 ]] || {
        why_not='root alone is refused what an agent may do'
        return 1
    }
    mkdir "$scratch/work"
    echo 'of root' >"$scratch/victim"
    agent="timeout $LIMIT" agent_in=$agent bin=$BUILD work=$scratch/work victim=$scratch/victim
}

# Takes the place that was asked for, or the first one that there is, and says which.
place_choose() {
    local asked=$1 candidate why_not=''
    place_common
    PATH=$BUILD:$PATH
    for candidate in ${asked:-container scratch alone}; do
        place=$candidate
        if "place_$candidate"; then
            break
        fi
        [[ $asked == '' ]] || demo_unable "$why_not"
        say "Not in place '$candidate': $why_not."
    done
    case $place in
    container)
        say 'A container without capabilities, new privileges and network, with root and the user agent in it. The agent' \
            "is hostile, and owns /work. It was started with: docker run -d --name $container --cap-drop=ALL" \
            '--security-opt=no-new-privileges --network none IMAGE'
        ;;
    scratch)
        say "Two uids on a directory of this machine: root without capabilities, and the agent, uid $AGENT, which is" \
            'hostile and owns the directory work. as-root and as-agent are:'
        tail -qn +2 "$scratch"/as-{root,agent}
        ;;
    alone)
        say 'All with one uid, yours. What needs a second one is not shown: a drop and what protects it, a file that root' \
            'cannot read, and one process of the agent reaching into another.'
        ;;
    esac
}

# The attacker on stdout, as a process of the agent's in the background.
attack_begin() {
    local program=/opt/attack-stdout note=/tmp/attacker
    [[ $place == container ]] || program=$scratch/open/attack-stdout note=$work/attacker
    ${agent/timeout $LIMIT/timeout $LIMIT_ATTACK} sh -c "echo \$\$ >$note; exec $program next" \
        >"$scratch/attack" 2>&1 </dev/null &
    attacker=$! attacker_note=$note
    until grep -qs ready "$scratch/attack"; do
        attack_runs || return
        sleep 0.1
    done
}

attack_runs() {
    kill -0 "$attacker" 2>/dev/null
}

# In a container only the agent can end its process, and killing the client does not.
attack_end() {
    $agent sh -c "kill \$(cat $attacker_note)" </dev/null >/dev/null 2>&1
    kill "$attacker" 2>/dev/null
    wait "$attacker" 2>/dev/null
    attacker=''
}
