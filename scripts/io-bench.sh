#!/usr/bin/env bash
# Measures how fast series open: Quell, plain reading and other programs that are installed, alternately, each opening
# in a new process with warm caches. Prints the tables of docs/benchmarks/performance.md, and what is skipped and why.
#   io-bench.sh [ROUNDS [FOLDER]]     default: 7 rounds; the series (1.3 GB) are made in a temporary folder
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-7}
work=${2:-}
if [ -z "$work" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work/bin"
bin=$work/bin
peer=$PWD/tools/iobench/peers
have() { command -v "$1" >/dev/null; }
without() { echo "io-bench: without $*" >&2; }

CGO_ENABLED=0 go build -o "$bin/iobench" ./tools/iobench
CGO_ENABLED=0 go build -o "$bin/quell" ./cmd/quell
s=$work/series
if [ ! -d "$s/ct" ]; then
	echo "io-bench: making the series in $s" >&2
	"$bin/iobench" make "$s"
	"$bin/iobench" tree "$s/tree"
fi
# compress NAME COMMAND: COMMAND FROM TO for each of the 100 slices
compress() {
	local name=$1
	shift
	have "$1" || { without "series in $name, which ${1} makes"; return 0; }
	[ -d "$s/$name" ] && return
	mkdir "$s/$name"
	local f
	for f in "$s"/short/*; do
		case $1 in
		dcmcjpeg) "$@" "$f" "$s/$name/${f##*/}" ;;
		gdcmconv) "$@" -i "$f" -o "$s/$name/${f##*/}" >/dev/null ;;
		esac
	done
}
compress jpeg dcmcjpeg
compress j2k gdcmconv --j2k
for f in ct.nii ct.nii.gz; do
	[ -f "$s/$f" ] || "$bin/quell" convert --dtype int16 "$s/ct" "$s/$f" >/dev/null 2>&1
done

if have cmake && have g++; then
	{ cmake -S "$peer" -B "$bin/peers" && cmake --build "$bin/peers"; } >"$bin/peers.log" 2>&1 || without "the C++ peers: see $bin/peers.log"
fi
[ -x "$bin/peers/itk" ] || without "ITK (cmake, g++, libinsighttoolkit5-dev)"
[ -x "$bin/peers/dcmtk" ] || without "dcmtk's library (cmake, g++, libdcmtk-dev)"
python=
for p in python3 /usr/bin/python3; do
	[ -z "$python" ] && "$p" -c 'import numpy' 2>/dev/null && python=$p
done
declare -A module
for m in pydicom nibabel; do
	[ -n "$python" ] && module[$m]=$("$python" "$peer/peer.py" version $m 2>/dev/null) || without "$m (python3-numpy, python3-$m)"
done

rows=()
declare -A command
# row KEY|WHAT COMMAND...: adds a line to the table; it is omitted if the command fails.
row() {
	rows+=("$1")
	command[$1]="${*:2}"
}
peers() { # peers SET: adds the lines of other programs for a folder of slices
	[ -x "$bin/peers/itk" ] && row "$1|ITK $("$bin/peers/itk" version), GDCM series reader" "$bin/peers/itk" "$s/$1"
	[ -x "$bin/peers/dcmtk" ] && row "$1|dcmtk $("$bin/peers/dcmtk" version), files and pixels" "$bin/peers/dcmtk" "$s/$1"
	[ -n "${module[pydicom]:-}" ] && row "$1|pydicom ${module[pydicom]}" "$python" "$peer/peer.py" pydicom "$s/$1"
	return 0
}
row "ct|read all bytes, a goroutine a core, into the same buffers" "$bin/iobench" read "$s/ct"
row "ct|read all bytes, a goroutine a core, into fresh memory" "$bin/iobench" readfresh "$s/ct"
row "ct|cat into /dev/null" cat_ms "$s/ct"
row "ct|touch fresh memory for the volume, a goroutine a core" "$bin/iobench" touch "$s/ct"
row "ct|**Quell**" "$bin/iobench" open "$s/ct"
row "ct|Quell, listing with thumbnail, nothing loaded" "$bin/iobench" list "$s/ct"
peers ct
row "padded|read all bytes into the same buffers" "$bin/iobench" read "$s/padded"
row "padded|**Quell**" "$bin/iobench" open "$s/padded"
row "frames|read all bytes into the same buffers" "$bin/iobench" read "$s/frames"
row "frames|**Quell**" "$bin/iobench" open "$s/frames"
for c in jpeg j2k; do
	if [ -d "$s/$c" ]; then
		row "$c|**Quell**" "$bin/iobench" open "$s/$c"
		peers $c
	fi
done
for f in ct.nii ct.nii.gz; do
	row "$f|**Quell**" "$bin/iobench" open "$s/$f"
	[ -n "${module[nibabel]:-}" ] && row "$f|nibabel ${module[nibabel]}" "$python" "$peer/peer.py" nibabel "$s/$f"
done
row "tree|Quell, listing with 20 thumbnails" "$bin/iobench" list "$s/tree"
for c in ct frames jpeg j2k; do
	[ -d "$s/$c" ] && row "cancel|Quell, $c: from the cancel to the return" "$bin/iobench" cancel "$s/$c"
done

cat_ms() {
	local from=${EPOCHREALTIME/[.,]/}
	cat "$1"/* >/dev/null
	echo $(((${EPOCHREALTIME/[.,]/} - from) / 1000))
}

declare -A times
for ((i = 0; i < rounds; i++)); do
	for r in "${rows[@]}"; do
		[ "${times[$r]:-}" = failed ] && continue
		# The host of a virtual machine may have reclaimed memory: take it back before the measurement.
		"$bin/iobench" touch "$s/ct" >/dev/null
		if t=$(${command[$r]} 2>>"$bin/errors.log"); then
			times[$r]+="$t "
		else
			times[$r]=failed
			without "${r#*|} for ${r%%|*}: $(tail -1 "$bin/errors.log")"
		fi
	done
	echo "io-bench: round $((i + 1)) of $rounds" >&2
done

echo
printf '%s, %s cores; Linux %s; %s\n\n' "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(uname -r | cut -d. -f1,2)" "$(go version | cut -d' ' -f3)"
declare -A title=(
	[ct]="CT, 548 files of 512 x 512 x 16 bits, explicit little endian (288 MB; 575 MB as float32)"
	[padded]="The same with a padding value, which becomes the mask"
	[frames]="The same in one multi-frame file"
	[jpeg]="100 of the slices in JPEG lossless (SV1)"
	[j2k]="100 of the slices in JPEG 2000 lossless"
	[ct.nii]="The CT as .nii" [ct.nii.gz]="The CT as .nii.gz"
	[tree]="A tree of 10,000 files: 20 series, 2000 other files, links in circles"
	[cancel]="Opening cancelled when a third is done"
)
echo '| | best, ms | median, ms |'
echo '| --- | ---: | ---: |'
last=
for r in "${rows[@]}"; do
	[ "${times[$r]}" = failed ] && continue
	[ "${r%%|*}" = "$last" ] || echo "| **${title[${r%%|*}]}** | | |"
	last=${r%%|*}
	tr ' ' '\n' <<<"${times[$r]}" | grep . | sort -g |
		awk -v what="${r#*|}" '{t[NR] = $1} END {printf "| %s | %.0f | %.0f |\n", what, t[1], t[int((NR + 1) / 2)]}'
done

[ -r /proc/self/status ] || exit 0
echo
echo '| memory | files, MB | volume, MB | most in memory, MB |'
echo '| --- | ---: | ---: | ---: |'
for c in ct padded frames jpeg j2k ct.nii ct.nii.gz; do
	[ -e "$s/$c" ] && echo "| ${title[$c]} | $("$bin/iobench" peak "$s/$c") |"
done
