#!/bin/sh
# Prints the sources of the modules that a change of the given files makes compile anew: a source that is one of them or
# includes one, and every source if how they are compiled changed. Paths are of the repository.
#
#   kernels/affected.sh kernels/box.cuh kernels/bnlm.cu ...
set -eu
cd "$(dirname "$0")"
changed=" "
for file; do
    file=${file#kernels/}
    case $file in
    build.sh | spills.sh) changed=all; break ;;
    *.fatbin) changed="$changed${file%.fatbin}.cu " ;;
    *.cu | *.cuh) changed="$changed$file " ;;
    esac
done

# affected FILE: FILE or what it includes changed.
affected() {
    case $changed in
    all | *" $1 "*) return 0 ;;
    esac
    for include in $(sed -n 's/^#include "\(.*\)".*/\1/p' "$1"); do
        path=$(dirname "$1")/$include
        [ -e "$path" ] || continue
        path=$(realpath --relative-to=. "$path")
        if affected "$path"; then return 0; fi
    done
    return 1
}

for source in *.cu rungs/*.cu kerneltest/*.cu; do
    if (affected "$source"); then echo "$source"; fi
done
