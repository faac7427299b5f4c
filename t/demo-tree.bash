# demo-tree: the part of t/demo that takes a whole directory, with every trap in it.
# shellcheck shell=bash

show_tree() {
    title 'Attack: a directory of results with every trap in it'
    # shellcheck disable=SC2154 # t/demo and t/demo.bash set the place
    local where=$place engine_name=${container:-}
    # shellcheck disable=SC2154
    ask 0 '' "$agent sh -c 'mkdir $work/results && cd $work/results && umask 077 && echo report >report && echo more >\"space \" &&
    ln -s $victim canary && ln -s / root && mkfifo pipe && mkdir \"\$(printf \"new\\\\nline\")\" &&
    echo inside >\"\$(printf \"new\\\\nline\")/file\" && echo pwned >\"\$(printf \"\\\\033]0;pwned\\\\007\")\"'"
    if [[ $where == container ]]; then
        say 'docker cp brings the links, to be followed on this side:'
        ask 0 '^canary$' "docker cp $engine_name:$work/results copied 2>/dev/null; find copied -type l -printf '%f\\n'"
    fi
    say 'sbx-collect takes the regular files, sbx-put lands them in a new directory, all or nothing; what is left out is' \
        'named, with no sequence for the terminal in it, and the exit code says that something was:'
    # shellcheck disable=SC2154
    ask 94 '^sbx-collect: bad_name: \\x1b\]0;pwned\\x07: ' \
        "$agent $bin/sbx-collect $work/results | sbx-put --tree --at $scratch/caller/out"
    ask 0 '^report$' 'ls -A out'
    ask 0 '^more$' "cat out/*"
    ask 1 '' "grep -r -e root: -e pwned -e inside out"

    title 'Attack: a directory that is cut short'
    say 'Between two files, a cut archive is a complete one to every tar:'
    ask 0 '' 'mkdir cut'
    ask 0 '' "$agent $bin/sbx-collect --include report --include 'space*' --quiet $work/results | head -c 1024 | tar -x -C cut"
    ask 0 '^report$' 'ls -A cut'
    say 'Here it has no end record, and nothing of it lands:'
    ask 86 '^sbx-put: truncated: ' \
        "$agent $bin/sbx-collect --quiet $work/results | head -c 1024 | sbx-put --tree --at $scratch/caller/truncated"
    ask 2 'No such file' 'ls truncated'
    say 'And whatever makes the collector fail is what makes the whole fail:'
    ask 66 '^sbx-put: missing: ' "$agent $bin/sbx-collect --quiet $work/none | sbx-put --tree --at $scratch/caller/none"
}
