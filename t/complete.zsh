#!/usr/bin/env -S zsh -f
# complete.zsh: what zsh makes of a command line when Tab is pressed.
#
#   t/complete.zsh FOLDER LINE...     prints each LINE as it is after Tab, with the completions of FOLDER
#
# Completion lives in the line editor, so a zsh of its own runs on a pseudo terminal, and a widget writes its line out.
zmodload zsh/zpty
scratch=$(mktemp -d)

zpty editor zsh -f -i
zpty -w editor "
    fpath=(${(q)1} \$fpath)
    autoload -Uz compinit && compinit -u -D
    setopt no_beep
    bindkey '^I' complete-word
    write_line() { print -r -- \$BUFFER >>$scratch/lines; BUFFER= }
    zle -N write_line && bindkey '^Xw' write_line
    : >$scratch/ready"
until [[ -e $scratch/ready ]]; do sleep 0.05; done

shift
for line; do
    zpty -n -w editor $line$'\t\x18w'
done
until [[ -e $scratch/lines && $(wc -l <$scratch/lines) -ge $# ]]; do sleep 0.05; done
cat $scratch/lines
zpty -d editor
rm -rf $scratch
