#!/bin/sh
# Builds for tests, into the folder DIR, a driver without a GPU, libcuda.so.1, and the worker, quell-gpu,
# with the kernels of the tests.
#   gpu/fakecuda/build.sh DIR
# It needs Go, gcc and cuda.h (Debian: nvidia-cuda-dev).
set -eu
dir=$(cd "$1" && pwd)
cd "$(dirname "$0")"
gcc -O3 -fopenmp -shared -fPIC -I/usr/local/cuda/include -Wl,-soname,libcuda.so.1 -o "$dir/libcuda.so.1" ./*.c -lm
CGO_ENABLED=1 CGO_LDFLAGS="-g -O2 -L/usr/lib/x86_64-linux-gnu/stubs -L/usr/local/cuda/lib64/stubs" \
    go build -tags cuda,kerneltest -o "$dir/quell-gpu" quell/cmd/quell-gpu
