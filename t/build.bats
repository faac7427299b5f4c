# The build: what kind of programs it makes, that anyone gets the same ones, what install lays down, and that a machine
# without the packages is told so. Every case works in copies of the tree, never in the tree itself.

load claims

setup_file() {
    export ROOT HERE THERE
    ROOT=$(realpath "$BATS_TEST_DIRNAME/..")
    # This make must not hand its own flags and knobs on to the ones below.
    unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
    HERE=$BATS_FILE_TMPDIR/here
    THERE=$BATS_FILE_TMPDIR/there/in/a/longer\ path/than/the/other
    tree_copy "$HERE"
    tree_copy "$THERE"
    make -C "$HERE" LIBCAP="$ROOT/build/libcap" >"$BATS_FILE_TMPDIR/here.out" 2>"$BATS_FILE_TMPDIR/here.err"
    (
        umask 077
        export TZ=Pacific/Apia LC_ALL=C SOURCE_DATE_EPOCH=1
        make -C "$THERE" -j 3 LIBCAP="$ROOT/build/libcap" >/dev/null
    )
}

# Copies the tree without what was built and without its history.
tree_copy() {
    mkdir -p "$1"
    tar -C "$ROOT" --exclude=./build --exclude=./.git -c . | tar -C "$1" -x
}

# Makes something in the first copy.
make_here() {
    try make -C "$HERE" --no-print-directory LIBCAP="$ROOT/build/libcap" "$@"
}

tools() {
    local tool
    for tool in "$HERE"/cmd/sbx-*.c; do
        basename "$tool" .c
    done
}

@test "build: says nothing on stderr, so there is no warning" {
    [[ ! -s $BATS_FILE_TMPDIR/here.err ]] || {
        cat "$BATS_FILE_TMPDIR/here.err" >&2
        return 1
    }
}

@test "build: makes exactly the tools that cmd has a main for" {
    [[ -n $(tools) ]]
    [[ $(find "$HERE/build" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort) == "$(tools | sort)" ]]
}

@test "build: every tool is a static PIE: DYN, no interpreter, no library, no text relocation" {
    local tool
    for tool in $(tools); do
        try readelf -hldW "$HERE/build/$tool"
        succeeded
        grep -qE 'Type: +DYN' "$OUT" || disprove 'is of type DYN'
        ! grep -qE 'INTERP|NEEDED|TEXTREL|RPATH|RUNPATH' "$OUT" || disprove 'needs no loader, library or relocation of text'
        grep -qE 'FLAGS_1.* PIE' "$OUT" || disprove 'is marked as PIE'
    done
}

@test "build: every tool has a stack that is not executable, no segment writable and executable, and full RELRO" {
    local tool
    for tool in $(tools); do
        try readelf -ldW "$HERE/build/$tool"
        succeeded
        grep -E '^ +GNU_STACK' "$OUT" | grep -q ' RW ' || disprove 'the stack is read and write'
        ! grep -E '^ +[A-Z_]+ +0x' "$OUT" | grep -q 'RWE' || disprove 'no segment is writable and executable'
        grep -qE '^ +GNU_RELRO' "$OUT" || disprove 'has RELRO'
        grep -qE 'BIND_NOW' "$OUT" || disprove 'binds everything at once'
    done
}

@test "build: functions with arrays have a stack protector" {
    nm "$HERE"/build/objects/lib/base/*.o | grep -q '__stack_chk_fail'
}

@test "build: no header comes from the system's own libc" {
    [[ -e $HERE/build/musl.specs ]] || unable 'a musl system: its own libc is the right one'
    cd "$HERE"
    run -0 sh -c 'gcc @build/flags -M cmd/*.c lib/*/*.c'
    # Of what lies under /usr/include, only musl's may come; the kernel's come by the links in build/kernel.
    grep -oE ' /usr/include/[^ ]+' <<<"$output" >"$BATS_TEST_TMPDIR/headers"
    grep -q -- '-linux-musl/stdio.h$' "$BATS_TEST_TMPDIR/headers"
    run ! grep -v -- '-linux-musl/' "$BATS_TEST_TMPDIR/headers"
}

# sbx-put holds, besides the writing of a file, the reader of streams and the landing of trees; sbx-jail a supervisor.
@test "build: every tool is at most 100 KiB, sbx-put and sbx-jail 112" {
    local tool limit
    for tool in $(tools); do
        limit=102400
        [[ $tool != sbx-put && $tool != sbx-jail ]] || limit=114688
        [[ $(stat -c %s "$HERE/build/$tool") -le $limit ]] || {
            stat -c '%n: %s bytes' "$HERE/build/$tool" >&2
            return 1
        }
    done
}

@test "build: two builds, in two folders, at another time, umask, locale and order, are the same bytes" {
    local tool
    for tool in $(tools); do
        cmp "$HERE/build/$tool" "$THERE/build/$tool"
        run ! grep -aF "$HERE" "$HERE/build/$tool"
    done
}

@test "build: is done when it is done, and done again for what a changed header concerns" {
    make_here
    gave ''
    touch "$HERE/lib/base/reason.h"
    make_here
    succeeded
    grep -qE -- '-o build/objects/lib/base/reason.o ' "$OUT" || disprove 'compiles reason.c'
    ! grep -qE -- '-o build/objects/lib/base/kernel.o ' "$OUT" || disprove 'does not compile kernel.c'
}

@test "build: a changed knob rebuilds what it is compiled into" {
    local version tree=$BATS_TEST_TMPDIR/tree
    tree_copy "$tree"
    for version in 9.8.7 9.8.6; do
        try make -C "$tree" LIBCAP="$ROOT/build/libcap" VERSION=$version
        succeeded
        try "$tree/build/sbx-get" --version
        grep -qF $version "$OUT" || disprove "is version $version"
    done
}

@test "build: on a musl system the system's compiler and libcap do" {
    # There is none here, so a compiler that says it is one: musl's specs, which for -static-pie alone are not enough.
    [[ -e $HERE/build/musl.specs ]] || unable 'this is a musl system, and all other cases show it'
    local bin=$BATS_TEST_TMPDIR/bin
    mkdir "$bin"
    cat >"$bin/cc" <<CC
#!/bin/sh
case \$1 in
-dumpmachine) echo x86_64-alpine-linux-musl ;;
-print-file-name=libcap.a) echo '$ROOT/build/libcap/libcap.a' ;;
*) exec gcc -specs='$HERE/build/musl.specs' -idirafter '$HERE/build/kernel' -I'$ROOT/build/libcap/include' "\$@" ;;
esac
CC
    chmod +x "$bin/cc"
    tree_copy "$BATS_TEST_TMPDIR/tree"
    try make -C "$BATS_TEST_TMPDIR/tree" CC="$bin/cc"
    succeeded
    [[ ! -e $BATS_TEST_TMPDIR/tree/build/musl.specs ]]
    grep -q -- -static-pie "$BATS_TEST_TMPDIR/tree/build/toolchain"
    try readelf -hlW "$BATS_TEST_TMPDIR/tree/build/sbx-get"
    grep -qE 'Type: +DYN' "$OUT" || disprove 'is of type DYN'
    ! grep -q INTERP "$OUT" || disprove 'needs no interpreter'
    try "$BATS_TEST_TMPDIR/tree/build/sbx-get" --version
    succeeded
}

@test "install: lays down the tools 0711, pages and completions 0644, and nothing else, whatever the umask" {
    local tool expected
    umask 077
    make_here install DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/opt/sbx
    succeeded
    expected=$(for tool in $(tools); do
        echo "711 bin/$tool"
        echo "644 share/man/man1/$tool.1"
        echo "644 share/bash-completion/completions/$tool"
        echo "644 share/zsh/site-functions/_$tool"
        echo "644 share/fish/vendor_completions.d/$tool.fish"
    done | sort)
    [[ $(find "$BATS_TEST_TMPDIR/root" -type f -printf '%m %P\n' | sort) == "${expected// / opt/sbx/}" ]]
    [[ -z $(find "$BATS_TEST_TMPDIR/root/opt/sbx" -mindepth 1 -type d ! -perm 0755) ]]
    cmp "$HERE/build/sbx-get" "$BATS_TEST_TMPDIR/root/opt/sbx/bin/sbx-get"
}

@test "install: /usr/local is where it goes by itself" {
    make_here install DESTDIR="$BATS_TEST_TMPDIR/root"
    succeeded
    [[ -x $BATS_TEST_TMPDIR/root/usr/local/bin/sbx-put ]]
    has_only "$BATS_TEST_TMPDIR/root" usr
    has_only "$BATS_TEST_TMPDIR/root/usr" local
}

@test "uninstall: takes away every file that install laid down, and no other" {
    make_here install DESTDIR="$BATS_TEST_TMPDIR/root"
    succeeded
    touch "$BATS_TEST_TMPDIR/root/usr/local/bin/sbx-other" "$BATS_TEST_TMPDIR/root/usr/local/share/man/man1/other.1"
    make_here uninstall DESTDIR="$BATS_TEST_TMPDIR/root"
    succeeded
    [[ $(cd "$BATS_TEST_TMPDIR/root" && find . -type f | sort) == $'./usr/local/bin/sbx-other\n./usr/local/share/man/man1/other.1' ]]
}

@test "dist: is the committed source, the same bytes from two clones, and builds the same tools" {
    [[ -e $ROOT/.git ]] || unable 'not a clone'
    local clone archive
    for clone in one two/deeper; do
        git clone -q --no-hardlinks "$ROOT" "$BATS_TEST_TMPDIR/$clone"
        sleep 1 # so that a time that got in would be another one
        try make -C "$BATS_TEST_TMPDIR/$clone" dist
        [[ $status == 0 ]] || disprove 'exits 0'
        (cd "$BATS_TEST_TMPDIR/$clone/build" && sha256sum -c --quiet SHA256SUMS)
    done
    archive=$(basename "$BATS_TEST_TMPDIR"/one/build/sbx-*.tar.gz)
    cmp "$BATS_TEST_TMPDIR/one/build/$archive" "$BATS_TEST_TMPDIR/two/deeper/build/$archive"
    tar -C "$BATS_TEST_TMPDIR" -xzf "$BATS_TEST_TMPDIR/one/build/$archive"
    diff -r --exclude=.git --exclude=build "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/${archive%.tar.gz}"
    make -C "$BATS_TEST_TMPDIR/${archive%.tar.gz}" LIBCAP="$ROOT/build/libcap" >/dev/null
    make -C "$BATS_TEST_TMPDIR/one" LIBCAP="$ROOT/build/libcap" >/dev/null
    cmp "$BATS_TEST_TMPDIR/one/build/sbx-put" "$BATS_TEST_TMPDIR/${archive%.tar.gz}/build/sbx-put"
}

# A machine with these programs only, and whatever is written into $BARE by the case.
bare_make() {
    local program
    BARE=$BATS_TEST_TMPDIR/bare
    mkdir "$BARE"
    for program in sh make sed awk tr grep sort cat id ls rm mktemp mkdir expand printf cmp dirname basename env; do
        ln -s "$(type -P "$program")" "$BARE/$program"
    done
}

# Puts a program into $BARE that notes its name and arguments in $BATS_TEST_TMPDIR/called, and then does more. What is
# there may be a link to the machine's own program, which a write would follow.
bare_add() {
    rm -f "$BARE/$1"
    cat >"$BARE/$1" <<PROGRAM
#!/bin/sh
echo "$1 \$*" >>"$BATS_TEST_TMPDIR/called"
${2:-}
PROGRAM
    chmod +x "$BARE/$1"
}

@test "set-up: help and clean need no compiler" {
    bare_make
    tree_copy "$BATS_TEST_TMPDIR/tree"
    mkdir "$BATS_TEST_TMPDIR/tree/build"
    PATH=$BARE try make -C "$BATS_TEST_TMPDIR/tree" help clean
    succeeded
    grep -qE '^check +build and run' "$OUT" || disprove 'lists check'
    [[ ! -e $BATS_TEST_TMPDIR/tree/build ]]
}

@test "set-up: is silent and calls nothing when nothing is missing" {
    local program
    bare_make
    bare_add apt-get
    while read -r _ program _; do
        bare_add "${program%-static}"
    done < <(grep '^test ' "$ROOT/.make/packages")
    PATH=$BARE try "$ROOT/.make/packages" test
    gave ''
    [[ ! -e $BATS_TEST_TMPDIR/called ]]
}

@test "set-up: as root it installs exactly what is missing, after one update" {
    bare_make
    bare_add apt-get
    bare_add id 'echo 0'
    bare_add git
    PATH=$BARE try "$ROOT/.make/packages" lint
    [[ $status == 0 ]] || disprove 'exits 0'
    [[ $(grep -m 1 apt-get "$BATS_TEST_TMPDIR/called") == 'apt-get -q update' ]]
    [[ $(grep -c install "$BATS_TEST_TMPDIR/called") == 1 ]]
    grep -q 'apt-get install .*clang-format clang-tidy cppcheck mandoc shellcheck' "$BATS_TEST_TMPDIR/called"
    grep -q '^missing: clang-format clang-tidy cppcheck mandoc shellcheck$' "$ERR" || disprove 'names what is missing'
}

@test "set-up: as another user it prints the one command, exits 69 and installs nothing" {
    bare_make
    bare_add apt-get
    bare_add id 'echo 1000'
    PATH=$BARE try "$ROOT/.make/packages" lint
    [[ $status == 69 && ! -s $OUT ]] || disprove 'exits 69'
    grep -q '^install it as root with: apt-get install .*clang-format .*shellcheck$' "$ERR" || disprove 'names the command'
    [[ $(cat "$BATS_TEST_TMPDIR/called") == 'id -u' ]]
}

@test "set-up: knows the packages of Alpine" {
    bare_make
    bare_add apk
    bare_add id 'echo 1000'
    PATH=$BARE try "$ROOT/.make/packages" build
    [[ $status == 69 ]] || disprove 'exits 69'
    grep -q '^install it as root with: apk add .*gcc.*libcap-static' "$ERR" || disprove 'names the command'
}

@test "set-up: an installation that fails is 69 as well" {
    bare_make
    bare_add apt-get 'exit 100'
    bare_add id 'echo 0'
    PATH=$BARE try "$ROOT/.make/packages" lint
    [[ $status == 69 ]] || disprove 'exits 69'
}

@test "set-up: a group that does not exist is 64, not a set-up that finds nothing missing" {
    try "$ROOT/.make/packages" tests
    [[ $status == 64 ]] || disprove 'exits 64'
}

@test "set-up: make, make check and make demo end with the command when the compiler is missing" {
    local goal
    bare_make
    bare_add apt-get
    bare_add id 'echo 1000'
    tree_copy "$BATS_TEST_TMPDIR/tree"
    for goal in all check demo lint; do
        PATH=$BARE try make -C "$BATS_TEST_TMPDIR/tree" "$goal"
        [[ $status == 2 ]] || disprove 'fails'
        grep -q '^install it as root with: apt-get install .*gcc' "$ERR" || disprove 'names the command'
        grep -q 'Error 69' "$ERR" || disprove 'the step ended with 69'
    done
}
