# The tables in the code are what --help and --reasons print; the man pages and the completions say the same, no less and
# no more, and the completions complete.

load claims
setup() {
    cd "$BATS_TEST_DIRNAME/.." || return
    TOOLS=$(sed -n 's/^TOOLS *= *//p' Makefile)
    [[ -n $TOOLS ]]
}

# A program that a case needs: without it there is nothing to show.
need() {
    command -v "$1" >/dev/null || unable "there is no $1"
}

# Two lists of words, in any order, are the same; the first is what must be.
same() {
    local difference
    difference=$(diff <(tr ' ' '\n' <<<"$2" | sort) <(tr ' ' '\n' <<<"$3" | sort)) || {
        printf '%s: < missing, > too many\n%s\n' "$1" "$difference" >&2
        return 1
    }
}

help_options() {
    "$SBX_BUILD/$1" --help </dev/null | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p'
}

# A section of a page as a reader sees it: page_section TOOL SECTION.
page_section() {
    mandoc -T ascii "cmd/$1.1" | sed 's/.\x08//g' | awk -v section="$2" '/^[A-Z]/ { on = $0 == section } on && !/^[A-Z]/'
}

# What bash offers for the last word of a command line: complete_bash TOOL WORD...
complete_bash() {
    # shellcheck disable=SC2034,SC2317 # the completion reads and calls them
    (
        compopt() { [[ $* == '-o filenames' ]]; }
        # shellcheck source=/dev/null
        source "completions/bash/$1"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "_${1//-/_}"
        printf '%s\n' "${COMPREPLY[@]}"
    )
}

# shellcheck disable=SC2016 # $argv is fish's
complete_fish() {
    PATH=$SBX_BUILD:$PATH HOME=$BATS_TEST_TMPDIR fish --no-config -c \
        'set -g fish_complete_path completions/fish $fish_complete_path; complete -C $argv[1]' "$1" | cut -f1
}

@test "tables: generating the man pages and completions anew changes nothing" {
    local tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/cmd"
    cp cmd/sbx-*.[c1] "$tree/cmd"
    .make/generate "$tree"
    diff -r completions "$tree/completions"
    for page in cmd/*.1; do
        diff "$page" "$tree/$page"
    done
}

@test "tables: every tool has a page and three completions, and nothing else has" {
    local found
    found=$(cd cmd && echo *.1)
    same pages "$TOOLS" "${found//.1/}"
    found=$(cd completions/bash && echo *)
    same bash "$TOOLS" "$found"
    found=$(cd completions/zsh && echo _*)
    same zsh "$TOOLS" "${found//_/}"
    found=$(cd completions/fish && echo *.fish)
    same fish "$TOOLS" "${found//.fish/}"
}

@test "tables: a page lists the options of --help, and no others" {
    need mandoc
    local tool
    for tool in $TOOLS; do
        same "$tool.1" "$(help_options "$tool")" "$(page_section "$tool" OPTIONS | sed -n 's/^     \(--[a-z0-9-]*\).*/\1/p')"
    done
}

@test "tables: a page shows the synopsis of --help, word for word" {
    need mandoc
    local tool
    for tool in $TOOLS; do
        diff <("$SBX_BUILD/$tool" --help </dev/null | sed '/^$/,$d' | tr -d '\n ') \
            <(page_section "$tool" SYNOPSIS | tr -d '\n ')
    done
}

@test "tables: EXIT STATUS of a page lists the codes and reasons of --reasons, and no others" {
    need mandoc
    local tool
    for tool in $TOOLS; do
        same "$tool.1" "$("$SBX_BUILD/$tool" --reasons </dev/null | awk -F '\t' '{ print $1 "/" $2 }')" \
            "$(page_section "$tool" 'EXIT STATUS' | sed -n 's#^     \([0-9][0-9]*\) \([a-z_]*\) .*#\1/\2#p')"
    done
}

@test "tables: --help says the same of the exit status as --reasons" {
    local tool
    for tool in $TOOLS; do
        diff <("$SBX_BUILD/$tool" --help </dev/null | sed '1,/^Exit status:/d' | tr -s ' \n' ' ') \
            <("$SBX_BUILD/$tool" --reasons </dev/null | sed 's/^/ /' | tr -s ' \t\n' ' ')
    done
}

@test "tables: mandoc finds nothing to warn of in the pages" {
    need mandoc
    mandoc -T lint -W warning cmd/*.1
}

@test "tables: each completion knows the options of --help, and no others" {
    local tool
    for tool in $TOOLS; do
        same "bash: $tool" "$(help_options "$tool")" "$(complete_bash "$tool" --)"
        same "zsh: $tool" "$(help_options "$tool")" "$(sed -n "s/^    '\*\{0,1\}\(--[a-z0-9-]*\).*/\1/p" "completions/zsh/_$tool")"
        same "fish: $tool" "$(help_options "$tool")" "$(sed -n 's/^complete .* -l \([a-z0-9-]*\) .*/--\1/p' "completions/fish/$tool.fish")"
    done
}

@test "tables: bash completes options, their values in both spellings, and operands" {
    mkdir -p "$BATS_TEST_TMPDIR/a directory"
    touch "$BATS_TEST_TMPDIR/a file" "$BATS_TEST_TMPDIR/-dash"
    same 'an option' --beneath "$(complete_bash sbx-get --b)"
    cd "$BATS_TEST_TMPDIR"
    ln -s "$BATS_TEST_DIRNAME/../completions" completions
    [[ $(complete_bash sbx-get --beneath a) == 'a directory' ]]
    [[ $(complete_bash sbx-get --beneath = a) == 'a directory' ]]
    [[ $(complete_bash sbx-get --beneath =) == *'a directory'* ]]
    [[ $(complete_bash sbx-get --max 1) == '' ]]
    [[ $(complete_bash sbx-put --as roo) == root ]]
    [[ $(complete_bash sbx-get a | sort) == 'a directory'$'\n''a file' ]]
    [[ $(complete_bash sbx-get --max 1 --live 'a f') == 'a file' ]]
    [[ $(complete_bash sbx-get --max --live --b) == --beneath ]]
    [[ $(complete_bash sbx-get -- -d) == -dash ]]
    [[ $(complete_bash sbx-discard x -d) == -dash ]]
    [[ $(complete_bash sbx-put a) == '' ]]
}

@test "tables: zsh completes options, their values in both spellings, and operands" {
    need zsh
    cd "$BATS_TEST_TMPDIR"
    mkdir directory
    touch document
    diff - <(timeout 60 "$BATS_TEST_DIRNAME/complete.zsh" "$BATS_TEST_DIRNAME/../completions/zsh" \
        'sbx-get --ben' 'sbx-get --beneath=d' 'sbx-get --beneath d' 'sbx-get --live doc' 'sbx-put doc' 'sbx-put --at doc' \
        'sbx-put --as=roo' 'sbx-get --live --live --li' '/usr/local/bin/sbx-discard --sta') <<'LINES'
sbx-get --beneath=
sbx-get --beneath=directory/
sbx-get --beneath directory/
sbx-get --live document 
sbx-put doc
sbx-put --at document 
sbx-put --as=root 
sbx-get --live --live --li
/usr/local/bin/sbx-discard --stale=
LINES
}

@test "tables: fish completes options, their values in both spellings, and operands" {
    need fish
    local tool place=$BATS_TEST_TMPDIR/place
    mkdir -p "$place/directory"
    touch "$place/document"
    for tool in $TOOLS; do
        same "$tool" "$(help_options "$tool")" "$(complete_fish "$tool --")"
    done
    [[ $(complete_fish "sbx-get --beneath $place/d") == "$place/directory/" ]]
    [[ $(complete_fish "sbx-get --beneath=$place/d") == "--beneath=$place/directory/" ]]
    [[ $(complete_fish "sbx-get --max $place/d") == '' ]]
    [[ $(complete_fish "sbx-get $place/doc") == "$place/document" ]]
    [[ $(complete_fish "sbx-put $place/doc") == '' ]]
    [[ $(complete_fish "sbx-put --at $place/doc") == "$place/document" ]]
    [[ $(complete_fish "sbx-put --as roo") == root ]]
}

# What no tool may have yet: choices, lists, an option too long for its column, a command as operand.
fake_tool() {
    local tree=$BATS_TEST_TMPDIR/fake
    mkdir -p "$tree/cmd"
    touch "$tree/cmd/sbx-fake.c"
    cat >"$tree/sbx-fake" <<'TOOL'
#!/bin/sh
if [ "$1" = --reasons ]; then
    printf '0\tok\tdone, complete\n'
    exit
fi
cat <<'HELP'
sbx-fake [--mode off|write|fs] [--env NAME=VALUE]... [--one|--other]
         [--toolchain CMD] -- COMMAND [ARG...]
sbx-fake --probe

Run it.

Options:
  --mode off|write|fs     What's [confined]: with a back\slash
  --env NAME=VALUE...     Set it, as often
                          as it is given
  --toolchain CMD         Open what CMD needs
  --one                   This
  --other                 That
  --a-long-option-of DIR
                          Its help begins here
  --probe                 Look

Exit status:
    0 ok                  done, complete
HELP
TOOL
    chmod +x "$tree/sbx-fake"
    printf '%s\n' '.Dd November 30, 2026' '.Dt SBX-FAKE 1' .Os '.Sh NAME' '.Nm sbx-fake' '.Nd run it' '.Sh SYNOPSIS' \
        '.\" generated: synopsis' '.\" end generated' '.Sh DESCRIPTION' 'It runs.' '.Sh OPTIONS' '.\" generated: options' \
        old '.\" end generated' '.Sh EXIT STATUS' '.\" generated: exit status' '.\" end generated' >"$tree/cmd/sbx-fake.1"
    SBX_BUILD=$tree .make/generate "$tree"
    PATH=$tree:$PATH
    cd "$tree" || return
}

@test "tables: choices, lists, long options and commands come through to page and completions" {
    need mandoc
    fake_tool
    diff - <(page_section sbx-fake SYNOPSIS) <<'PAGE'
     sbx-fake [--mode off | write | fs] [--env NAME=VALUE]...
              [--one | --other] [--toolchain CMD] -- COMMAND [ARG ...]
     sbx-fake --probe

PAGE
    diff - <(page_section sbx-fake OPTIONS | head -n 6) <<'PAGE'
     --mode off | write | fs
             What's [confined]: with a back\slash.

     --env NAME=VALUE ...
             Set it, as often as it is given.

PAGE
    [[ $(page_section sbx-fake OPTIONS | grep -A1 long-option) == *'Its help begins here.' ]]
    run ! grep -q '^old$' cmd/sbx-fake.1
    mandoc -T lint -W warning cmd/sbx-fake.1

    same choices 'off write fs' "$(complete_bash sbx-fake --mode '')"
    [[ $(complete_bash sbx-fake --toolchain sbx-fa) == sbx-fake ]]
    [[ $(complete_bash sbx-fake --mode fs -- sbx-fa) == sbx-fake ]]
    [[ $(complete_bash sbx-fake --a-long-option-of cm) == cmd ]]
}

@test "tables: zsh and fish complete choices, and a command with its own arguments" {
    need zsh
    need fish
    fake_tool
    diff - <(timeout 60 "$BATS_TEST_DIRNAME/complete.zsh" "$PWD/completions/zsh" 'sbx-fake --mode=wr' \
        'sbx-fake --env a=b --en' 'sbx-fake --toolchain sbx-fa' 'sbx-fake -- sbx-fa' 'sbx-fake --mode fs -- ls cm') <<'LINES'
sbx-fake --mode=write 
sbx-fake --env a=b --env=
sbx-fake --toolchain sbx-fake 
sbx-fake -- sbx-fake 
sbx-fake --mode fs -- ls cmd/
LINES
    SBX_BUILD=$PWD
    same choices 'off write fs' "$(complete_fish 'sbx-fake --mode ')"
    [[ $(complete_fish 'sbx-fake --toolchain sbx-fa') == sbx-fake ]]
    [[ $(complete_fish 'sbx-fake --mode fs sbx-fa') == sbx-fake ]]
    [[ $(complete_fish 'sbx-fake --mode fs -- ls cm') == cmd/ ]]
}

@test "tables: a page without its markers is refused, and kept" {
    fake_tool
    printf '%s\n' 'a page' >cmd/sbx-fake.1
    SBX_BUILD=$PWD run --separate-stderr "$BATS_TEST_DIRNAME/../.make/generate" .
    [[ $status == 87 ]]
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == 'generate: corrupt: ./cmd/sbx-fake.1: needs '* ]]
    [[ $(cat cmd/sbx-fake.1) == 'a page' ]]
}
