#!/usr/bin/env bats
# The supervisor and the reaper are out of the command's reach, and the kernel calls of the command are bounded.

setup() {
    load place
    load jail
    place_make
    jail_make
    mark
}

teardown() {
    local process
    [[ -z ${BYSTANDER:-} ]] || kill -KILL "$BYSTANDER" || true
    for process in $(marked "$MARK"); do
        kill -KILL "$process" 2>/dev/null || true
    done
    place_remove
}

# From inside: the reaper is the parent, the supervisor its parent.
ATTACK_BOTH='reaper=$PPID; supervisor=$(awk "/^PPid/ { print \$2 }" "/proc/$reaper/status")
    [ "$supervisor" = 0 ] && supervisor=; "$0" "$reaper" $supervisor; sleep 0.3; echo done; exit 12'

@test "the command cannot kill, stop, trace, read, limit or slow the reaper or the supervisor, of its own uid or not" {
    local hold
    for hold in landlock pid_namespace; do
        jail_hold "$hold"
        try "${JAILED[@]}" -- /bin/sh -c "$ATTACK_BOTH" "$ATTACK-process"
        exited 12
        [[ $(cat "$OUT") == 'done' ]] || disprove "no attempt got through ($hold)"
    done
}

@test "nor as root without capabilities, whose the supervisor is too" {
    local hold
    # What root may open of root's in /proc, oom_score_adj, is not held against it: see the page.
    try as_root "$JAIL" --mode off --as root -- /bin/sh -c "$ATTACK_BOTH" "$ATTACK-process"
    exited 12
    [[ $(grep -v 'oom_score_adj' "$OUT") == 'done' ]] || disprove 'no attempt got through where it holds by Landlock'
    try "$JAIL" --mode off --as root -- /bin/sh -c "$ATTACK_BOTH" "$ATTACK-process"
    exited 12
    [[ $(grep -v 'oom_score_adj' "$OUT") == 'done' ]] || disprove 'no attempt got through in a PID namespace'
}

@test "the attempts get through to another process of the uid: the control arm" {
    bystander
    try as_agent "$ATTACK-process" "$BYSTANDER"
    local attempt
    for attempt in mem fd/1 environ PTRACE_SEIZE sched_setaffinity setpriority ioprio_set prlimit 'kill 0' STOP KILL; do
        grep -qx "$BYSTANDER: $attempt" "$OUT" || disprove "$attempt gets through"
    done
    BYSTANDER=
}

@test "without Landlock it is said that the supervisor is unprotected, and its memory, limits and scheduling still are" {
    # Of a mode that leaves it to the tool itself to be out of the reach of /proc.
    chmod 0755 "$JAIL"
    jail_hold proc
    try "${JAILED[@]}" --status "$WORK/status" -- /bin/sh -c \
        'supervisor=$(awk "/^PPid/ { print \$2 }" /proc/$PPID/status); "$0" $PPID $supervisor & sleep 0.2; kill -CONT $PPID $supervisor' "$ATTACK-process"
    grep -q ': kill 0' "$OUT" || disprove 'the control arm: signals do get through'
    ! grep -qE 'prlimit|sched_|setpriority|ioprio|mem|fd/|environ|PTRACE' "$OUT" || disprove 'none of these got through'
}

@test "the command can still set its own limits and priority, and those of what it starts" {
    jail_hold landlock
    try "${JAILED[@]}" -- "$PYTHON" -c '
import os, resource, time
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
os.sched_setaffinity(0, {0})
os.setpriority(os.PRIO_PROCESS, 0, 5)
os.nice(1)
pid = os.fork()
if pid == 0:
    time.sleep(100)
resource.prlimit(pid, resource.RLIMIT_NOFILE, (50, 50))
os.sched_setaffinity(pid, {0})
os.setpriority(os.PRIO_PROCESS, pid, 10)
os.kill(pid, 9)
print(os.waitstatus_to_exitcode(os.wait()[1]))'
    gave $'-9\n'
}

@test "a debugger works inside" {
    jail_hold landlock
    [[ -n $(command -v strace) ]] || unable 'no strace here'
    try "${JAILED[@]}" -- strace -f -o "$WORK/trace" /bin/sh -c 'exit 9'
    exited 9
    grep -q exit_group "$WORK/trace" || disprove 'it traced'
}

# What attack-calls says of a call, in a jail with the options given: answers CALL ANSWER [OPTION...]
answers() {
    local call=$1 answer=$2
    shift 2
    try "${JAILED[@]}" "$@" -- "$ATTACK-calls"
    exited 0
    [[ $(grep "^$call " "$OUT") == "$call $answer" ]] || disprove "$call gives $answer"
}

@test "typing into a terminal, keyrings, user namespaces and io_uring are refused, clone3 is absent" {
    local hold call
    for hold in "${JAIL_HOLDS[@]}"; do
        jail_hold "$hold"
        for call in TIOCSTI TIOCSTI+high TIOCLINUX add_key request_key keyctl unshare clone setns setns0 \
            io_uring_setup io_uring_enter io_uring_register; do
            answers "$call" EPERM
        done
        answers clone3 ENOSYS
        answers FIONREAD EBADF
        answers setns-net EBADF
    done
}

@test "--allow-userns allows user namespaces and nothing else" {
    local call
    jail_hold landlock
    answers unshare ok --allow-userns
    answers clone ok --allow-userns
    answers setns EBADF --allow-userns
    for call in TIOCSTI keyctl io_uring_setup; do
        answers "$call" EPERM --allow-userns
    done
    answers clone3 ENOSYS --allow-userns
}

@test "32-bit system calls end the command; with --allow-32bit they go through, and are bounded alike" {
    [[ $(uname -m) == x86_64 ]] || unable 'made for x86-64'
    jail_hold landlock
    answers i386 'signal 31'
    answers i386-TIOCSTI 'signal 31'
    answers x32 ENOSYS
    if [[ $("$ATTACK-calls" | grep '^i386 ') != 'i386 ok' ]]; then
        unable 'the kernel has no 32-bit system calls'
    fi
    answers i386 ok --allow-32bit
    answers i386-TIOCSTI EPERM --allow-32bit
}

@test "a terminal that the command inherits is not typed into" {
    # script(1) makes a terminal; what is typed into it would come out of cat.
    try script -qec "'$JAIL' --mode off --as root --stdin inherit -- '$PYTHON' -c '
import fcntl, termios
for n in (0, 1, 2):
    try:
        fcntl.ioctl(n, termios.TIOCSTI, b\"x\")
        print(\"typed\")
    except PermissionError:
        print(\"refused\")'" /dev/null
    [[ $(tr -d '\r' <"$OUT") == $'refused\nrefused\nrefused' ]] || disprove 'each is refused'
}
