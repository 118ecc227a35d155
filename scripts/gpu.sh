#!/usr/bin/env bash
# Builds, into bin/gpu/, programs that test or time the CUDA engine on a machine without Go or a CUDA toolkit, and
# runs them if this machine has a GPU.
#   gpu.sh test    the engine's conformance suite and fault tests; every kernel against a float64 reference
#   gpu.sh bench   the tables of docs/benchmarks/gpu.md
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?test or bench}
gpu/build.sh

kernels=
if command -v nvcc >/dev/null; then
	source=check
	[ "$what" = bench ] && source=bench
	kernels=bin/gpu/kernel-$source
	nvcc -O2 -std=c++17 -arch=sm_75 -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs \
		-Xcompiler -static-libstdc++,-static-libgcc -o "$kernels" "kernels/ladder/$source.cu" -lcuda -lpthread
	cp kernels/*.fatbin bin/gpu/
else
	echo "gpu: nvcc is not installed; the programs that run single kernels are not built"
fi

engine=(bin/gpu/gpu.test -test.v)
[ "$what" = bench ] && engine=(bin/gpu/gpu.test "-test.run=^$" -test.bench=. -test.benchtime=20x)
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
	echo "gpu: this machine has no GPU; copy bin/gpu to one that has, and run there, in the folder that holds bin:"
	[ -n "$kernels" ] && echo "  $kernels bin/gpu"
	echo "  ${engine[*]}"
	exit 0
fi
[ -z "$kernels" ] || "$kernels" bin/gpu
"${engine[@]}"
