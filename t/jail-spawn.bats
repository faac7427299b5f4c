#!/usr/bin/env bats
# What a command finds when sbx-jail has started it: its environment, descriptors, session, limits, directory; and what is
# said when it cannot be started.

setup() {
    load place
    load jail
    place_make
    jail_make
    jail_hold landlock
}

teardown() {
    place_remove
}

# The environment that the jail sets by itself, for a uid without an entry in /etc/passwd.
own_environment() {
    printf '%s\n' HOME=/ LANG=C.UTF-8 "PATH=$1" TMPDIR=/tmp TMPPREFIX=/tmp/zsh USER="$AGENT" XDG_CACHE_HOME=/.cache \
        XDG_CONFIG_HOME=/.config XDG_DATA_HOME=/.local/share XDG_STATE_HOME=/.local/state
}

@test "the environment is what the jail sets, and nothing of the caller's" {
    SECRET=token LD_PRELOAD='' PATH=/usr/bin:/bin try "${JAILED[@]}" -- /usr/bin/env
    exited 0
    [[ $(sort "$OUT") == "$(own_environment /usr/bin:/bin)" ]] || disprove 'it is exactly that'
}

@test "--env and --keep come before what the jail sets, and add to it" {
    KEPT='a b=c' try "${JAILED[@]}" --keep KEPT --keep NOT_THERE --env HOME=/h --env 'X=1=2' --env EMPTY= -- /usr/bin/env
    exited 0
    [[ $(sort "$OUT") == "$(
        own_environment "$PATH" | sed -e 's#^HOME=/$#HOME=/h#' -e 's#=/\.#=/h/.#' | cat - <(printf '%s\n' 'KEPT=a b=c' X=1=2 EMPTY=) | sort
    )" ]] || disprove 'it is exactly that'
}

@test "what --env and --keep cannot take is a usage error that does not show the value" {
    local bad
    for bad in '--env NAME' '--env =secret' '--keep NAME=secret' '--keep A --keep A' '--env A=secret --env A=secret' \
        '--env A=secret --keep A'; do
        # shellcheck disable=SC2086 # words
        try "${JAILED[@]}" $bad -- /bin/true
        refused usage
        ! grep -q secret "$ERR" || disprove 'the value is not shown'
    done
    try "${JAILED[@]}" --env '' -- /bin/true
    refused usage
}

@test "relative entries of PATH are not handed on, and not searched" {
    printf '#!/bin/sh\necho planted\n' >"$WORK/planted"
    chmod 0755 "$WORK/planted"
    PATH=.::relative:/usr/bin:../x:/bin try "${JAILED[@]}" -- /bin/sh -c 'echo "$PATH"'
    gave $'/usr/bin:/bin\n'
    PATH=.:/usr/bin:/bin try "${JAILED[@]}" -- planted
    [[ $status == 127 ]] || disprove 'exits 127'
    try "${JAILED[@]}" --env PATH=.:/usr/bin -- planted
    [[ $status == 127 ]] || disprove 'exits 127 with such a PATH from --env too'
    try as_agent /usr/bin/env PATH=.: "$JAIL" --mode off -- /bin/sh -c 'echo "$PATH"'
    gave $'/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n'
}

@test "only 0, 1 and 2 are open" {
    local hold
    exec 7</etc/passwd 8<"$WORK" 9>"$PLACE/other"
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        try "${JAILED[@]}" -- "$PYTHON" -c 'import os
for n in range(4096):
    try: os.fstat(n); print(n)
    except OSError: pass'
        gave $'0\n1\n2\n'
        try "${JAILED[@]}" --frames --max-output 1M -- "$PYTHON" -c 'import os
for n in range(4096):
    try: os.fstat(n); print(n)
    except OSError: pass'
        frames
        [[ $(cat "$OUT.stdout") == $'0\n1\n2' ]] || disprove 'also with frames'
    done
}

@test "a directory or a path alone on 0, 1 or 2 is refused" {
    local number
    for number in 0 1 2; do
        came 0 "$PLACE/out" "$PLACE/err" "a directory on $number"
        "$PYTHON" -c 'import os, sys
number = int(sys.argv[1])
for flags, name in ((os.O_RDONLY, "/etc"), (os.O_PATH, "/etc/passwd")):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(name, flags), number)
        os.execv(sys.argv[2], [sys.argv[2], "--mode", "off", "--as", "root", "--stdin", "inherit", "--", "/bin/true"])
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 64:
        sys.exit(1)' "$number" "$JAIL" >"$OUT" 2>"$ERR" || status=$?
        [[ $status == 0 ]] || disprove 'both are usage errors'
    done
}

@test "stdin is the null device, or the caller's where that is asked for" {
    try "${JAILED[@]}" -- /bin/cat <<<text
    gave ''
    try "${JAILED[@]}" --stdin null -- /usr/bin/stat -L -c %t:%T /dev/stdin <<<text
    gave $'1:3\n'
    try "${JAILED[@]}" --stdin inherit -- /bin/cat <<<text
    gave $'text\n'
}

@test "what is at /dev/null and is not the null device is not read" {
    echo planted >"$PLACE/planted"
    try unshare --mount -- /bin/sh -c 'mount --bind "$1" /dev/null && shift && exec "$@"' sh "$PLACE/planted" \
        "$JAIL" --mode off --as root -- /bin/cat
    refused unsupported 'not the null device'
}

@test "the command leads a session and a process group of its own and has no terminal" {
    local hold
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        try "${JAILED[@]}" -- /bin/sh -c 'set -- $(cat /proc/$$/stat); [ "$1 $1 $1 0" = "$1 $5 $6 $7" ] && ! (: </dev/tty) 2>/dev/null'
        exited 0
    done
}

@test "no signal is blocked or ignored, whatever the caller did" {
    "$PYTHON" -c 'import os, signal, sys
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
        signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, set(range(1, 65)) - {32, 33})
os.execv(sys.argv[1], sys.argv[1:])' "$JAIL" --mode off --as root -- /bin/cat /proc/self/status >"$PLACE/out"
    [[ $(awk '/^Sig(Blk|Ign|Cgt)/ { print $2 }' "$PLACE/out" | sort -u) == 0000000000000000 ]]
}

@test "a caller that ignores SIGCHLD learns the exit code nevertheless" {
    status=0
    "$PYTHON" -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$JAIL" --mode off --as root -- /bin/sh -c 'exit 23' || status=$?
    [[ $status == 23 ]]
}

@test "--cwd is entered with the command's rights, and so is the caller's own directory" {
    install -d -m 0700 "$PLACE/closed"
    install -d -m 0755 "$PLACE/closed/open"
    jail_hold pid_namespace
    try "${JAILED[@]}" --cwd /usr -- /bin/pwd
    gave $'/usr\n'
    try "${JAILED[@]}" --cwd .. -- /bin/pwd
    gave "$PLACE"$'\n'
    try "${JAILED[@]}" --cwd "$PLACE/closed/open" -- /bin/pwd
    refused permission_denied chdir
    cd "$PLACE/closed/open"
    try "${JAILED[@]}" -- /bin/ls
    refused permission_denied '--cwd'
    try "${JAILED[@]}" --cwd /nowhere -- /bin/true
    refused missing chdir
    mkdir "$PLACE/gone"
    cd "$PLACE/gone"
    rmdir "$PLACE/gone"
    try "${JAILED[@]}" -- /bin/true
    refused missing '--cwd'
    try "${JAILED[@]}" --cwd / -- /bin/pwd
    gave $'/\n'
}

@test "--limit sets both limits, and core is 0 unless it is given" {
    try "${JAILED[@]}" --limit as=1G --limit core=8K --limit cpu=90s --limit fsize=2M --limit nofile=50 --limit nproc=500 \
        --limit stack=4M -- /bin/cat /proc/self/limits
    exited 0
    awk '/Max (address space|core file|cpu time|file size|open files|processes|stack)/ { print $(NF - 2), $(NF - 1) }' "$OUT" |
        sort | tr '\n' ' ' >"$PLACE/limits"
    [[ $(cat "$PLACE/limits") == '1073741824 1073741824 2097152 2097152 4194304 4194304 50 50 500 500 8192 8192 90 90 ' ]] ||
        disprove "they are as given: $(cat "$PLACE/limits")"
    try "${JAILED[@]}" -- /bin/sh -c 'ulimit -c; ulimit -H -c'
    gave $'0\n0\n'
}

@test "a limit that is no limit is a usage error, and one that cannot be had refuses" {
    local bad
    for bad in nothing=1 core nofile=1K nproc= cpu=0 cpu=1K stack=-1 =1 'as=1 ' rss=1; do
        try "${JAILED[@]}" --limit "$bad" -- /bin/true
        refused usage --limit
    done
    try "${JAILED[@]}" --limit nofile=10 --limit nofile=11 -- /bin/true
    refused usage twice
    try "${JAILED[@]}" --limit nofile=10000000 -- /bin/true
    refused permission_denied nofile
}

@test "limits bound the command: CPU time, file size, descriptors" {
    try "${JAILED[@]}" --limit cpu=1 -- /bin/sh -c 'while :; do :; done'
    exited 137
    try "${JAILED[@]}" --limit fsize=1000 -- /bin/sh -c 'exec 2>/dev/null; head -c 2000 /dev/zero >file; ls -l file | cut -d " " -f 5'
    gave $'1000\n'
}

@test "a command that is not there is 127, and one that cannot be executed is 126" {
    try "${JAILED[@]}" -- no-such-command
    [[ $status == 127 ]] || disprove 'exits 127'
    grep -q '^sbx-jail: missing: no-such-command: not found on PATH$' "$ERR" || disprove 'says so'
    try "${JAILED[@]}" -- ./no-such-command
    [[ $status == 127 ]] || disprove 'exits 127 for a path too'
    try "${JAILED[@]}" -- /etc/passwd
    [[ $status == 126 ]] || disprove 'exits 126 for a file that is not executable'
    grep -q '^sbx-jail: permission_denied: /etc/passwd: ' "$ERR" || disprove 'says so'
    try "${JAILED[@]}" -- /etc
    [[ $status == 126 ]] || disprove 'exits 126 for a directory'
    try "${JAILED[@]}" -- ''
    refused usage COMMAND
    try "${JAILED[@]}"
    refused usage COMMAND
}

@test "a missing interpreter or ELF loader is named, also in what a terminal would obey" {
    printf '#! /no/such/python3 -I\n' >"$WORK/script"
    printf '#!/no/\033[31mred\n' >"$WORK/red"
    sed 's#/lib64/ld-linux-x86-64.so.2#/lib64/no-such-loader.so.2#' /bin/true >"$WORK/program"
    printf 'nothing that runs' >"$WORK/text"
    : >"$WORK/empty"
    chmod 0755 "$WORK"/*
    try "${JAILED[@]}" -- ./script
    [[ $status == 126 ]] || disprove 'exits 126'
    grep -qF 'missing: ./script: its interpreter /no/such/python3 is missing' "$ERR" || disprove 'names it'
    try "${JAILED[@]}" --env "PATH=$WORK:/usr/bin:/bin" -- script
    [[ $status == 126 ]] || disprove 'exits 126 when it was found on PATH'
    try "${JAILED[@]}" -- ./red
    grep -qF '/no/\x1b[31mred' "$ERR" || disprove 'escapes it'
    try "${JAILED[@]}" -- ./text
    [[ $status == 126 ]] || disprove 'exits 126, without a shell to run it'
    try "${JAILED[@]}" -- ./empty
    [[ $status == 126 ]] || disprove 'exits 126 for an empty file'
    [[ $(uname -m) == x86_64 ]] || return 0
    try "${JAILED[@]}" -- ./program
    [[ $status == 126 ]] || disprove 'exits 126'
    grep -qF 'its interpreter /lib64/no-such-loader.so.2 is missing' "$ERR" || disprove 'names the loader'
}

@test "PATH is searched past what cannot be executed, and arguments come as given" {
    install -d "$PLACE/first" "$PLACE/second"
    printf 'x' >"$PLACE/first/it"
    printf '#!/bin/sh\nprintf "<%%s>" "$0" "$@"\n' >"$PLACE/second/it"
    chmod 0755 "$PLACE/second/it"
    try "${JAILED[@]}" --env "PATH=$PLACE/first:$PLACE/second:/bin" -- it -- '' $'a\nb' --deadline '*'
    gave "<$PLACE/second/it><--><><a"$'\n'"b><--deadline><*>"
}

@test "every argument of a call that is wrong is a usage error before anything runs" {
    local bad
    for bad in '--mode of' '--mode fs' '--mode off --mode off' '--stdin pipe' '--grace 0' '--deadline 5x' '--max-output 1X' \
        '--tether --stdin inherit' '--nothing' '--frames=yes'; do
        # shellcheck disable=SC2086 # words
        try as_agent "$JAIL" --mode off $bad -- /bin/sh -c 'echo ran' </dev/null
        refused usage
    done
    try as_agent "$JAIL" -- /bin/sh -c 'echo ran'
    refused unsupported '--mode off'
}
