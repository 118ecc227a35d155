#!/usr/bin/env bash
# Times Quell's filters on the CPU beside those of scipy, OpenCV, scikit-image, dipy and ITK, and compares the results where
# the definitions are the same: the table of docs/benchmarks/performance.md. What is not installed is left out; all is in Debian:
#   apt install python3-nibabel python3-scipy python3-opencv python3-skimage python3-dipy libinsighttoolkit5-dev cmake g++
#   peers.sh [VOLUME.nii]     default: a phantom of 181 x 217 x 51 voxels with noise of sigma 10
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
without() { echo "peers: without $*" >&2; }

CGO_ENABLED=0 go build -o "$work/quell" ./cmd/quell
volume=${1:-}
if [ -z "$volume" ]; then
	volume=$work/noisy.nii
	"$work/quell" phantom "$work/clean.nii" --kind mr --dims 181,217,51 >/dev/null
	"$work/quell" noise "$work/clean.nii" "$volume" --model gaussian --sigma 10 >/dev/null
fi
itk=
if { cmake -S tools/peers -B "$work/itk" && cmake --build "$work/itk"; } >"$work/itk.log" 2>&1; then
	itk=$work/itk/itk
else
	without "ITK (libinsighttoolkit5-dev, cmake, g++)"
fi
python=
for p in python3 /usr/bin/python3; do
	[ -z "$python" ] && "$p" -c 'import nibabel' 2>/dev/null && python=$p
done
[ -n "$python" ] || { echo "peers: nibabel is needed to read volumes (python3-nibabel)" >&2; exit 1; }
"$python" tools/peers/peers.py "$work/quell" "$volume" "$work" $itk
