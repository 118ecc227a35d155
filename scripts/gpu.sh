#!/usr/bin/env bash
# Builds, into bin/gpu/, programs that test or time the CUDA engine on a machine without Go or a CUDA toolkit, and
# runs them if this machine has a GPU.
#   gpu.sh test    the engine's conformance suite and fault tests; every kernel against a float64 reference
#   gpu.sh bench   the tables of docs/benchmarks/performance.md
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?test or bench}
gpu/build.sh

kernels=()
if command -v nvcc >/dev/null; then
	program=bin/gpu/kernel-check
	if [ ! -e "$program" ] || [ -n "$(find kernels gpu/fakecuda -newer "$program" \( -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.c' \) -print -quit)" ]; then
		nvcc -O2 -std=c++17 -arch=sm_75 -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs \
			-Xcompiler -static-libstdc++,-static-libgcc -o "$program" kernels/ladder/check.cu -lcuda -lpthread
	fi
	cp kernels/*.fatbin bin/gpu/
	kernels=("$program" bin/gpu)
	[ "$what" = bench ] && kernels=("$program" --times "" bin/gpu)
else
	echo "gpu: nvcc is not installed; the program that runs single kernels is not built"
fi

engine=(bin/gpu/gpu.test -test.v)
[ "$what" = bench ] && engine=(bin/gpu/gpu.test "-test.run=^$" -test.bench=. -test.benchtime=20x)
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
	echo "gpu: this machine has no GPU; copy bin/gpu to one that has, and run there, in the folder that holds bin:"
	[ ${#kernels[@]} = 0 ] || echo "  ${kernels[*]@Q}"
	echo "  ${engine[*]@Q}"
	exit 0
fi
[ ${#kernels[@]} = 0 ] || "${kernels[@]}"
"${engine[@]}"
