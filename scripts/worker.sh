#!/usr/bin/env bash
# Builds the GPU worker bin/quell-gpu where CUDA's headers are; installs them where an NVIDIA device is present and
# they are missing; leaves the worker out where there is no device. Says in one line what it did. The kernels are
# checked in: no CUDA compiler is needed.
set -euo pipefail
cd "$(dirname "$0")/.."

headers() { # the folder of cuda.h
	local d
	for d in /usr/include /usr/local/cuda/include "${CUDA_HOME:-/nowhere}/include"; do
		[ -f "$d/cuda.h" ] && echo "$d" && return
	done
	return 1
}

if ! headers >/dev/null; then
	scripts/setup.sh cuda || { echo "worker: CUDA's headers could not be installed; the CPU engine is used"; exit 0; }
	headers >/dev/null || exit 0
fi
command -v gcc >/dev/null || scripts/setup.sh window
# Headers of CUDA 13 do not fit cu: that costs the GPU engine, not the program.
if ! gpu/build.sh worker; then
	rm -f bin/quell-gpu
	echo "worker: it could not be built, as the lines above say; it needs the headers of CUDA 11 or 12; the CPU engine is used"
	exit 0
fi
echo "worker: built bin/quell-gpu; the CUDA engine is used where a driver finds a device"
