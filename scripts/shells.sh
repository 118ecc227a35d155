#!/bin/bash
# Complete command lines in real shells: bash with bash-completion, zsh and fish, those that are installed. QUELL names
# the program.
set -euo pipefail
quell=$(realpath "${QUELL:-bin/quell}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/work"
ln -s "$quell" "$dir/bin/quell"
export PATH=$dir/bin:$PATH
cd "$dir/work"
touch tuned.json notes.txt
quell phantom p.nii --kind steps --dims 8,8,4 2>/dev/null >/dev/null

bash_completes() {
    bash --norc -c '
        source /usr/share/bash-completion/bash_completion
        source <(quell completion bash)
        COMP_LINE=$1 COMP_POINT=${#1}
        read -ra COMP_WORDS <<<"$1"; [[ $1 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_TYPE=9
        compopt() { :; }
        __start_quell
        printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}

# Zsh completes in a terminal only: compadd prints what it gets, in place of the list.
zsh_completes() {
    zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1=; autoload -U compinit; compinit -u -d $2/zcompdump; source <(quell completion zsh)"
        zpty -w shell "compadd() { builtin compadd -O found \"\$@\"; print -rl -- \$found >>$2/found; builtin compadd \"\$@\"; }"
        zpty -w shell "zstyle \":completion:*\" verbose yes; echo rea\"\"dy"
        zpty -r -m shell line "*ready*"
        zpty -w -n shell "$1"$'"'\t'"'
        sleep 2
        zpty -d shell' zsh "$1" "$dir" >/dev/null 2>&1
    cat "$dir/found" 2>/dev/null || true
    rm -f "$dir/found"
}

fish_completes() { HOME=$dir fish --no-config -c 'quell completion fish | source; complete -C $argv[1]' "$1"; }

failed=0
# expect LINE WANTED UNWANTED: of what a shell offers for a line
expect() {
    local shell got
    for shell in bash zsh fish; do
        command -v $shell >/dev/null || { echo "$shell is not installed"; continue; }
        # Fish completes files of all endings; bash completes files itself where nothing is offered.
        [[ $shell != fish || $3 != notes ]] && [[ $shell != bash || $2 != p.nii ]] || continue
        got=$("${shell}_completes" "$1")
        if ! grep -q -- "^$2" <<<"$got" || grep -q -- "^$3" <<<"$got"; then
            echo "$shell: $1<TAB>: $(tr '\n' ' ' <<<"$got")" >&2
            failed=1
        fi
    done
}

expect 'quell de' denoise batch
expect 'quell denoise a b --filter ' prinlm auto
expect 'quell denoise a b --filter od' odct nlm
expect 'quell denoise a b --preset ct-' ct-head-bone mr-
expect 'quell denoise a b --engine ' cuda nlm
expect 'quell denoise a b --recipe ' tuned.json notes
expect 'quell denoise a b --filter nlm --centre ' max sure
expect 'quell denoise a b --filter nlm --h ' sure max
expect 'quell denoise a b --filter nlm --patch' --patch-radius --radius
expect 'quell denoise p.nii b --series ' 1 2
expect 'quell denoise p' p.nii denoise
expect 'quell help sad' sadct nlm
exit $failed
