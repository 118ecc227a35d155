#!/usr/bin/env bash
# Builds the GPU worker bin/quell-gpu if the CUDA headers are installed. If they are missing, installs them on a machine
# with an NVIDIA device and builds nothing on any other. Compiled kernels are in the repository: no CUDA compiler is
# needed.
set -euo pipefail
cd "$(dirname "$0")/.."

headers() { # prints the folder of cuda.h
	local d
	for d in /usr/include /usr/local/cuda/include "${CUDA_HOME:-/nowhere}/include"; do
		[ -f "$d/cuda.h" ] && echo "$d" && return
	done
	return 1
}

if ! headers >/dev/null; then
	scripts/setup.sh cuda || { echo "worker: the CUDA headers could not be installed; Quell uses the CPU engine"; exit 0; }
	headers >/dev/null || exit 0
fi
command -v gcc >/dev/null || scripts/setup.sh workbench
# Headers of CUDA 13 do not fit gorgonia.org/cu. Quell then works without the GPU engine.
if ! gpu/build.sh worker; then
	rm -f bin/quell-gpu
	echo "worker: the build failed, see the lines above; it needs the headers of CUDA 11 or 12; Quell uses the CPU engine"
	exit 0
fi
echo "worker: built bin/quell-gpu; Quell uses the CUDA engine if the driver finds a device"
