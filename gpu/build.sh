#!/bin/sh
# Builds programs that run and test Quell on a GPU machine without Go, a CUDA toolkit or
# this source tree: bin/gpu/quell-gpu (the worker), quell (the command line) and gpu.test
# (the engine's tests and benchmarks).
#
#   gpu/build.sh
#   gpu/build.sh worker                             # the worker alone, as bin/quell-gpu
#   bin/gpu/gpu.test -test.v                        # conformance and fault drills on the GPU
#   bin/gpu/gpu.test -test.run '^$' -test.bench .   # the tables of docs/benchmarks/performance.md
#   bin/gpu/quell bench --engine cuda --report R.html --csv R.csv   # the experiments of the papers
#
# It needs Go, gcc and CUDA's headers with the libcuda stub (Debian:
# nvidia-cuda-dev). The worker runs on any driver of CUDA 11 or newer.
set -eu
cd "$(dirname "$0")/.."
mkdir -p bin/gpu
link="-s -w${QUELL_VERSION:+ -X quell/internal/version.stamped=$QUELL_VERSION}"
worker=bin/gpu/quell-gpu
tags=cuda,kerneltest # gpu.test also runs the two-pass filter of package kerneltest
[ "${1:-}" = worker ] && worker=bin/quell-gpu && tags=cuda
CGO_ENABLED=1 CGO_LDFLAGS="-g -O2 -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs" \
    go build -tags "$tags" -trimpath -ldflags "$link" -o "$worker" ./cmd/quell-gpu
[ "${1:-}" = worker ] && exit 0
CGO_ENABLED=0 go build -trimpath -ldflags "$link" -o bin/gpu/quell ./cmd/quell
CGO_ENABLED=0 go test -c -trimpath -o bin/gpu/gpu.test ./gpu
