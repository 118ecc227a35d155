#!/usr/bin/env bash
# Builds, into bin/gpu/, programs that test or time the CUDA engine on a machine without Go or a CUDA toolkit, and
# runs them where a GPU is.
#   gpu.sh test    the engine's conformance suite and fault drills; every kernel against a float64 reference
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
	echo "gpu: no nvcc here, so the programs that run single kernels are left out"
fi

engine=(bin/gpu/gpu.test -test.v)
[ "$what" = bench ] && engine=(bin/gpu/gpu.test "-test.run=^$" -test.bench=. -test.benchtime=20x)
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
	echo "gpu: no GPU here; copy bin/gpu to a machine that has one and run there, in its parent folder:"
	[ -n "$kernels" ] && echo "  $kernels bin/gpu"
	echo "  ${engine[*]}"
	exit 0
fi
[ -z "$kernels" ] || "$kernels" bin/gpu
"${engine[@]}"
