#!/bin/sh
# Compiles the kernels to the fatbins and the manifest in the repository. The output is
# the same byte for byte every time. It needs nvcc 11.8, whose code runs on every driver
# from 450 on and whose PTX on every driver from 520 on. Devices newer than the machine
# code use the PTX. The manifest lists the loops in which registers spill, too (spills.sh).
#
#   build.sh [SOURCE...]      all sources by default; the manifest is of all of them
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
flags="-O3 -std=c++17 -Xfatbin -compress-all"
targets="-gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80
 -gencode arch=compute_86,code=sm_86 -gencode arch=compute_89,code=sm_89
 -gencode arch=compute_90,code=sm_90
 -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=compute_90"

version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\), V\(.*\)/\2/p')
case $version in
11.8.*) ;;
*) echo "kernels: nvcc 11.8 is needed and this is $version; set NVCC to one" >&2; exit 1 ;;
esac

hash() { sha256sum "$1" | cut -d' ' -f1; }

entries() { # prints the hashes of the given files as members of a JSON object
    comma=
    for file; do
        printf '%s\n    "%s": "%s"' "$comma" "$file" "$(hash "$file")"
        comma=,
    done
}

[ $# -gt 0 ] || set -- *.cu rungs/*.cu kerneltest/*.cu
for source; do
    echo "nvcc $source" >&2
    # shellcheck disable=SC2086
    "$nvcc" $flags $targets --threads "${JOBS:-1}" -fatbin -o "${source%.cu}.fatbin" "$source"
done

{
    printf '{\n  "compiler": "nvcc %s",\n' "$version"
    printf '  "flags": "%s",\n' "$(echo $flags $targets)"
    printf '  "sources": {%s\n  },\n' "$(LC_ALL=C; export LC_ALL; entries *.cu *.cuh rungs/*.cu rungs/*.cuh kerneltest/*.cu)"
    printf '  "spills": [%s\n  ],\n' "$(./spills.sh *.fatbin | sed 's/.*/    "&"/; 1s/^/\n/; $!s/$/,/')"
    printf '  "modules": {%s\n  }\n}\n' "$(LC_ALL=C; export LC_ALL; entries *.fatbin rungs/*.fatbin kerneltest/*.fatbin)"
} > manifest.json
