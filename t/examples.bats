# The examples of README and of the man pages, as they stand there, in a container whose PATH and WORKDIR are the agent's.
#
# Only names are put in place of those of the text: the container, its image, where the tools were installed.

load sandbox

REPOSITORY=$BATS_TEST_DIRNAME/..

# The sh blocks of a page written in Markdown, in order.
blocks_of_text() {
    sed -n '/^```sh$/,/^```$/p' "$1" | sed '/^```$/d; s/^```sh$/# next/'
}

# The literal blocks of a man page's EXAMPLES.
blocks_of_page() {
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' "$1" | sed -n '/^\.Bd /,/^\.Ed/p' | sed '/^\.Ed/d; s/^\.Bd .*/# next/; s/\\e/\\/g'
}

# What the agent leaves for root to run: by each name of a tool, where a bare name is looked for first.
plant_tools() {
    as_agent -- sh -c 'for tool in sbx-put sbx-get sbx-collect sbx-discard timeout; do
        printf "#!/bin/sh\necho \"\$0\" >>/tmp/trapped\n" >"/work/$tool" && chmod 0755 "/work/$tool"
    done'
}

# The files that the examples are about: the agent's, and the caller's in the working directory.
plant_files() {
    as_agent -- sh -c 'mkdir -p /work/out && echo result | tee /work/result.json /work/out/result.json >/work/out/report.txt &&
        seq 2000 >/work/build.log && echo "echo tested" >/work/run-tests'
    printf 'a,b\n1,2\n' | tee data.csv >input.csv
    printf '#!/bin/sh\necho checked\n' >check
    mkdir src
    cp input.csv src
}

# Nothing of what the agent planted has run as root; nor has it run at all.
not_trapped() {
    run ! as_agent -- test -e /tmp/trapped
}

# A file in the sandbox is, byte for byte, one here.
landed() {
    as_agent -- cat "$1" | cmp - "$2"
}

setup() {
    sandbox_needed
    HERE=$BATS_TEST_TMPDIR/here
    mkdir "$HERE"
    cd "$HERE" || return
    unset MAKEFLAGS MAKELEVEL MFLAGS
    PATH=$SBX_BUILD:$PATH
}

teardown() {
    sandbox_stop
}

@test "examples: those of README, from the container that it starts to the last" {
    local name=sbx-readme-$$-$RANDOM
    ln -s "$SBX_BUILD" build
    cp "$REPOSITORY/README" README
    SANDBOX_IMAGE=$(sandbox_image base)
    blocks_of_text README | sed "s#^sudo make install #make -C '$REPOSITORY' SBX_BUILD='$SBX_BUILD' install #
        s#/srv/sbx#$PWD/srv#
        s#debian:12 sleep infinity#$SANDBOX_IMAGE /pause#
        s#^docker run #&-w /work -e PATH=/work:/usr/local/bin:/bin #
        s#\bsandbox\b#$name#" >blocks

    # The second block starts the container that all the others are about.
    awk '/^# next$/ { block++ } block == 2' blocks >first
    awk '/^# next$/ { block++ } block != 2' blocks >rest
    [[ $(grep -c '^# next$' rest) -ge 6 ]]
    try bash -eu first </dev/null
    SANDBOX=$name
    [[ $status == 0 ]] || disprove 'starts a container'
    plant_tools
    plant_files
    try bash -eu rest </dev/null
    succeeded

    grep -q '^there it is$' "$OUT" || disprove 'gets the result'
    grep -q '^checked$' "$OUT" || disprove 'runs the program that was put'
    cmp README copy
    landed /work/README README
    landed /work/in/today/data.csv data.csv
    grep -q '^result$' result.json
    has_only out report.txt result.json
    [[ $(as_root -- ls /run/sbx/drop | wc -l) == 1 ]] # the program is still there
    not_trapped
}

@test "examples: those of each man page" {
    local page place
    sandbox_start base -w /work -e PATH=/work:/usr/local/bin:/bin
    for page in "$REPOSITORY"/cmd/*.1; do
        as_agent -- sh -c 'rm -rf /work/*'
        plant_tools
        place=$HERE/$(basename "$page" .1)
        mkdir "$place"
        cd "$place" || return
        plant_files
        blocks_of_page "$page" >blocks
        [[ $(grep -c '^# next$' blocks) -ge 1 ]]
        C=$SANDBOX try bash -eu blocks </dev/null
        succeeded
    done
    not_trapped
    cd "$HERE" || return

    grep -q '^result$' sbx-get/result.json
    grep -q '^result$' sbx-get/report.txt
    [[ ! -e sbx-get/result.json.part && ! -s sbx-get/notes ]]
    has_only sbx-put/out report.txt result.json
    has_only sbx-collect/plain report.txt result.json
    has_only sbx-collect/reports out
    grep -q '^tested$' sbx-jail/tests.log
    tail -n 1 sbx-jail/frames | grep -q '"t":"exit","code":0,'
    # The program and the directory are still there.
    [[ $(as_root -- ls /run/sbx/drop | wc -l) == 2 ]]
}

@test "examples: a bare name would have run what the agent planted" {
    sandbox_start base -w /work -e PATH=/work:/usr/local/bin:/bin
    plant_tools
    as_root -- sbx-put name </dev/null
    [[ $(as_agent -- cat /tmp/trapped) == */sbx-put ]]
}

@test "examples: each docker exec has a timeout, a user and an absolute path" {
    local lines
    lines=$(
        {
            for page in README INSTALL; do
                blocks_of_text "$REPOSITORY/$page"
            done
            for page in "$REPOSITORY"/cmd/*.1; do
                blocks_of_page "$page"
            done
        } | sed -e ':joined' -e '/\\$/N; s/\\\n *//; t joined'
    )
    [[ $(grep -c 'docker exec' <<<"$lines") -ge 15 ]]
    run ! grep -E 'docker exec' <(grep -vE \
        'timeout [0-9]+ docker exec (-i )?-u (0|root|agent|1000|\$agent) (\$C|"\$C"|sandbox) (\$bin/|/usr/local/bin/|"\$(check|tool)")' <<<"$lines")
}
