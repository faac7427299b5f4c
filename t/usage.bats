# The command line of the three tools: what is an option, what is refused, and that a refusal touches nothing.

load place

setup() {
    place_make
    agent_file "$WORK/file" text
    HEX=0123456789abcdef0123456789abcdef
    mkdir -m 0711 "$DROPS"
    cd "$WORK" || return
}

teardown() {
    place_remove
}

# Each tool and a command line of it that would work.
TOOLS=(put get discard collect)

tool_path() {
    case $1 in
    put) printf '%s\n' "$PUT" ;;
    get) printf '%s\n' "$GET" ;;
    discard) printf '%s\n' "$DISCARD" ;;
    collect) printf '%s\n' "$COLLECT" ;;
    esac
}

# Each line is a command line, its words split at spaces ('' is an empty word); each is refused as the reason, and so
# makes and removes nothing.
each_refused() {
    local reason=$1 line word words
    while read -r line; do
        words=()
        # shellcheck disable=SC2086 # the words of a line
        for word in $line; do
            [[ $word != "''" ]] || word=''
            words+=("$word")
        done
        words[0]=$(tool_path "${words[0]}")
        try as_agent "${words[@]}" < <(printf text)
        refused "$reason"
    done
    has_only "$WORK" file
    has_only "$DROPS"
    holds "$WORK/file" text
}

@test "usage: --help says on stdout how it is called, every option of the contract, and every exit code" {
    local tool option reason
    declare -A options=(
        [put]='at beneath parents no-replace sync from max size mode drop-root progress'
        [get]='beneath max offset length live progress'
        [discard]='drop-root force stale'
        [collect]='beneath max-file max-total max-files max-depth max-names include exclude symlinks list strict
            cross-mounts progress'
    )
    for tool in "${TOOLS[@]}"; do
        try as_agent "$(tool_path "$tool")" --help </dev/null
        succeeded
        [[ $(head -n 1 "$OUT") == "sbx-$tool "* ]]
        for option in ${options[$tool]} as deadline quiet help version reasons; do
            grep -qE "^ +--$option( |\$)" "$OUT" || disprove "--help lists --$option"
        done
        for reason in "${!REASONS[@]}"; do
            grep -qE "^ +${REASONS[$reason]} $reason( |\$)" "$OUT" || disprove "--help lists $reason"
        done
        [[ $(wc -L <"$OUT") -le 80 ]] || disprove 'no line of --help is longer than a terminal'
    done
}

@test "usage: --reasons is the contract's table, code, name and meaning, tab-separated" {
    local tool reason
    for tool in "${TOOLS[@]}"; do
        try as_agent "$(tool_path "$tool")" --reasons </dev/null
        succeeded
        [[ $(wc -l <"$OUT") == "${#REASONS[@]}" ]]
        for reason in "${!REASONS[@]}"; do
            grep -qP "^${REASONS[$reason]}\t$reason\t[^\t]+\$" "$OUT" || disprove "--reasons has $reason"
        done
    done
}

@test "usage: --version tells whether the running binary was protected from its start" {
    local tool
    install -d "$PLACE/bin"
    for tool in "${TOOLS[@]}"; do
        install -m 0755 "$(tool_path "$tool")" "$PLACE/bin/open"
        install -m 0711 "$(tool_path "$tool")" "$PLACE/bin/closed"
        try as_agent "$PLACE/bin/open" --version </dev/null
        succeeded
        grep -q "^sbx-$tool [0-9]" "$OUT"
        grep -q 'protected from the start: no' "$OUT"
        try as_agent "$PLACE/bin/closed" --version </dev/null
        succeeded
        grep -q 'protected from the start: yes' "$OUT"
    done
}

@test "usage: an answer that cannot be written is a failure" {
    local tool answer
    for tool in "${TOOLS[@]}"; do
        for answer in --help --version --reasons; do
            try sh -c 'exec "$@" >/dev/full' - "$(tool_path "$tool")" "$answer" </dev/null
            [[ $status == "${REASONS[io]}" || $status == "${REASONS[no_space]}" ]] || disprove 'exits 74 or 88'
        done
    done
}

@test "usage: no operand, too many, and options behind the first one" {
    each_refused usage <<-END
		put
		put one two
		put --
		put data --quiet
		put --at new data
		put --at new -- data
		get
		get file file
		get file --quiet
		get -- file --live
		discard
		discard --force
		discard --stale 1h $DROPS/$HEX
	END
    each_refused bad_name <<-END
		discard --drop-root $DROPS $DROPS/$HEX --force
	END
}

@test "usage: unknown options, abbreviations, short options, and glued words" {
    each_refused usage <<-END
		put --nonsense data
		put --a new
		put --paren --at new
		put --no-rep --at new
		put -a new
		put -h
		put --at=new=  --Quiet
		get --li file
		get --ma 1 file
		get -q file
		get --LIVE file
		get --max5 file
		get --sealed= file
		discard --forc $DROPS/$HEX
		discard -f $DROPS/$HEX
		discard --=1h
	END
}

@test "usage: an option that is no list, given twice" {
    each_refused usage <<-END
		put --at new --at new
		put --at new --max 1M --max 1M
		put --at new --quiet --quiet
		put --at new --as $AGENT --as $AGENT
		put --at new --size 4 --size=4
		put --at new --deadline 1 --deadline 1
		get --live --live file
		get --max 1M --max 2M file
		get --beneath . --beneath . file
		discard --force --force $DROPS/$HEX
		discard --stale 1h --stale 1h
	END
}

@test "usage: a missing value, an empty one, and one for an option that takes none" {
    each_refused usage <<-END
		put --at
		put --at ''
		put --at=
		put --at new --from ''
		put --at new --beneath ''
		put --at new --max ''
		put --at new --size=
		put --at new --mode ''
		put --at new --deadline ''
		put --at new --as ''
		put --at new --parents=yes
		put --at new --quiet=
		put --drop-root '' data
		put ''
		get ''
		get --beneath '' file
		get --max
		get --live=1 file
		discard ''
		discard --force=1 $DROPS/$HEX
		discard --stale
		discard --stale ''
	END
}

@test "usage: options that do not go together" {
    each_refused usage <<-END
		put --beneath . data
		put --parents data
		put --no-replace data
		put --sync data
		put --from file data
		put --at new --drop-root $DROPS
	END
}

@test "usage: garbage in a size" {
    local size
    for size in x 1x 1KK 1KB 1k 1.5M 0x10 -1 +1 '1 ' ' 1' 1e3 1_000 K 99999999999999999999 18446744073709551616 16777216T \
        Unlimited unlimite unlimitedx 'un limited' $'1\n' ١; do
        try as_agent "$GET" --max "$size" file </dev/null
        refused usage
        try as_agent "$PUT" --max "$size" --at new < <(printf text)
        refused usage
        try as_agent "$PUT" --size "$size" --at new < <(printf text)
        refused usage
        try as_agent "$GET" --offset "$size" file </dev/null
        refused usage
        try as_agent "$GET" --length "$size" file </dev/null
        refused usage
    done
    has_only "$WORK" file
}

@test "usage: sizes in bytes, K, M, G and T, and unlimited" {
    local size
    for size in 4 004 1K 1M 1G 1T unlimited 16777215T; do
        try as_agent "$GET" --max "$size" file </dev/null
        gave text
    done
}

@test "usage: garbage in a time" {
    local time
    for time in x 1x 1d 1sec 1S 1.5.5 . 1. .s -1 +1 ' 1' '1 ' 1e3 nan inf 0x1 1ms1 99999999999999999999h $'1\n' 0 0s 0.0 \
        unlimited; do
        try as_agent "$GET" --deadline "$time" file </dev/null
        refused usage
        try as_root "$DISCARD" --drop-root "$DROPS" --stale "$time" </dev/null
        refused usage
    done
}

@test "usage: times in seconds, decimals allowed, or ms, s, m and h" {
    local time
    for time in 60 60s 0.5h 1.25m 60000ms 1h 60.000000000000001; do
        try as_agent "$GET" --deadline "$time" file </dev/null
        gave text
    done
}

@test "usage: garbage in a mode" {
    local mode
    for mode in x 8 0888 rwx u=rw 0o644 0x1ff -1 +644 77777 '644 ' ' 644' 99999999999999999999; do
        try as_agent "$PUT" --mode "$mode" --at new < <(printf text)
        refused usage
    done
    has_only "$WORK" file
}

@test "usage: garbage in an identity" {
    local identity
    for identity in : x: :x "$AGENT:" ":$AGENT" -1 4294967295 4294967296 99999999999999999999 "$AGENT:4294967295" 0x10 \
        "$AGENT:$AGENT:$AGENT" ' ' "$AGENT " root,nobody; do
        try "$GET" --as "$identity" file </dev/null
        [[ $status == "${REASONS[usage]}" || $status == "${REASONS[cannot_drop]}" ]] || disprove 'exits 64 or 93'
        [[ ! -s $OUT ]]
    done
}

@test "usage: --name=value is the same as --name value" {
    try as_agent "$PUT" --at=new --max=1K --mode=0600 --size=4 < <(printf text)
    gave ''
    holds new text
    [[ $(stat -c %a new) == 600 ]]
}

@test "usage: -- ends the options, and - is a name like any other" {
    try as_agent "$GET" -- file </dev/null
    gave text
    agent_file ./--quiet dash
    try as_agent "$GET" -- --quiet </dev/null
    gave dash
    agent_file ./- minus
    try as_agent "$GET" - </dev/null
    gave minus
}

@test "usage: a value that looks like an option is the value" {
    try as_agent "$PUT" --at --quiet < <(printf text)
    gave ''
    holds --quiet text
}

@test "usage: a closed stdin, stdout or stderr is refused, whatever is asked for" {
    local tool
    for tool in "${TOOLS[@]}"; do
        try as_agent "$(tool_path "$tool")" --at new <&-
        refused usage
        try as_agent sh -c 'exec "$@" >&-' - "$(tool_path "$tool")" --at new </dev/null
        refused usage
        try as_agent sh -c 'exec "$@" 2>&-' - "$(tool_path "$tool")" --at new </dev/null
        [[ $status == "${REASONS[usage]}" && ! -s $OUT ]]
        try as_agent sh -c 'exec "$@" <&- >&- 2>&-' - "$(tool_path "$tool")" --at new
        [[ $status == "${REASONS[usage]}" ]]
    done
    try as_agent sh -c 'exec "$@" >&-' - "$GET" file </dev/null
    refused usage
    try as_agent sh -c 'exec "$@" 2>&-' - "$PUT" --at new < <(printf text)
    [[ $status == "${REASONS[usage]}" ]]
    has_only "$WORK" file
}

# Runs a shell command with a terminal on stdin, stdout and stderr, but for what the command redirects itself. What it
# printed there is in OUT; its stderr, if redirected to $BATS_TEST_TMPDIR/err, in ERR.
on_a_terminal() {
    : >"$BATS_TEST_TMPDIR/err"
    try script -qec "$1" /dev/null </dev/null
    # shellcheck disable=SC2034 # told reads it
    ERR=$BATS_TEST_TMPDIR/err
}

@test "usage: a terminal on the stream's stdin or stdout is refused: docker exec -t rewrites bytes" {
    on_a_terminal "${AS_AGENT[*]} $GET file 2>$BATS_TEST_TMPDIR/err"
    told usage 'docker exec without -t'
    run ! grep -q text "$OUT"
    on_a_terminal "${AS_AGENT[*]} $PUT --at new 2>$BATS_TEST_TMPDIR/err"
    told usage 'docker exec without -t'
    has_only "$WORK" file
    on_a_terminal "${AS_ROOT[*]} $PUT --drop-root $DROPS data 2>$BATS_TEST_TMPDIR/err"
    told usage 'docker exec without -t'
    has_only "$DROPS"
}

@test "usage: a terminal on stderr alone is fine" {
    on_a_terminal "${AS_AGENT[*]} $GET file >$PLACE/got </dev/null"
    [[ $status == 0 ]]
    holds "$PLACE/got" text
}

@test "usage: --progress draws nothing where stderr is no terminal, nor for what is quick" {
    try as_agent "$PUT" --progress --at new < <(printf text && sleep 1.5 && printf more)
    gave ''
    on_a_terminal "printf text | ${AS_AGENT[*]} $PUT --progress --at new"
    [[ $status == 0 && ! -s $OUT ]] || disprove 'draws nothing'
}

@test "usage: --progress draws on a terminal once a transfer has run for a second, and takes it away again" {
    on_a_terminal "{ printf text; sleep 2; printf more; } | ${AS_AGENT[*]} $PUT --progress --at new"
    [[ $status == 0 ]]
    holds new textmore
    grep -q '[0-9]' "$OUT" || disprove 'draws how many bytes there are'
    on_a_terminal "{ printf text; sleep 2; printf more; } | ${AS_AGENT[*]} $PUT --progress --quiet --at new"
    [[ $status == 0 && ! -s $OUT ]] || disprove 'draws nothing with --quiet'
}
