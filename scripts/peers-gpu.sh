#!/usr/bin/env bash
# Times Quell's CUDA kernels beside those of open filters on one device in one run, after a comparison of all results: the
# peer table of docs/benchmarks/performance.md. Their sources are fetched at the commits below, or taken from PEER_SOURCES, a folder
# with one folder for each of the names; nothing of them is in this repository. It needs nvcc, and git to fetch.
#   peers-gpu.sh [PART]         runs the rows whose name contains PART; all by default
#   peers-gpu.sh --compile      only compiles what needs none of their sources: a check without a network
#   peers-gpu.sh --build FILE   only builds the program, which runs elsewhere as FILE FOLDER-OF-THE-FATBINS [PART]
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=${PEER_SOURCES:-$work/sources}
fetch() { # OWNER NAME COMMIT
	[ -z "${PEER_SOURCES:-}" ] || return 0
	git init -q "$sources/$2"
	git -C "$sources/$2" fetch -q --depth 1 "https://github.com/$1/$2" "$3"
	git -C "$sources/$2" checkout -q FETCH_HEAD
}
compile() { # OBJECT FILE FLAGS...
	local object=$work/$1.o file=tools/peers/gpu/$2.cu
	shift 2
	"${NVCC:-nvcc}" -O3 -std=c++17 -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
		-gencode arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90 "$@" -c -o "$object" "$file"
}
compile main main
[ "${1:-}" != --compile ] || exit 0
fetch WolframRhodium VapourSynth-BilateralGPU 936173276496ad11a105ee5af1ae8e44c19045ed
fetch AmusementClub vs-nlm-cuda e203daf262c0dea56c5f8f0fc43be11c2876ef2f
fetch BoatsMcGee vapoursynth-zipcu 863152952fd2e364de9928d6a41910366a425ab0
fetch hkuadithya GPU-non-local-means ecdf37063db38ebce36743393b8be68b550b18ad

program=$work/peers-gpu
[ "${1:-}" != --build ] || program=$2
compile bilateral bilateralgpu -I "$sources/VapourSynth-BilateralGPU"
compile nlm nlmcuda -I "$sources/vs-nlm-cuda" -I "$sources/vs-nlm-cuda/source"
compile zipcu256 zipcu -I "$sources/vapoursynth-zipcu" -DSIDE=256 -DSEARCH=3 -DPEER=zipcu256
compile zipcu1024 zipcu -I "$sources/vapoursynth-zipcu" -DSIDE=1024 -DSEARCH=8 -DPEER=zipcu1024
compile upadhya upadhya -I "$sources/GPU-non-local-means"
"${NVCC:-nvcc}" -o "$program" "$work"/*.o -lcuda
[ "${1:-}" = --build ] || "$program" kernels "$@"
