#!/usr/bin/env bash
# Installs the Debian packages that a step needs and that are missing, and prints their names.
#   setup.sh make        make itself: for make.sh
#   setup.sh modules     certificates, if Go modules have to be downloaded and the machine has none: for every build. Fails
#                        with one line if none can be downloaded
#   setup.sh workbench   C compiler, headers of OpenGL, X11 and Wayland, and Mesa: to build and show the workbench
#   setup.sh screen      a virtual display and tools that press keys and compare pictures: for drive.sh and screenshots.sh
#   setup.sh cuda        CUDA headers, only if an NVIDIA device is present: to build the GPU worker
#   setup.sh nvcc        the CUDA compiler and headers, on any machine: to compile the kernels and test the worker
#   setup.sh pacs        Orthanc, a PACS, DICOM network tools, a validator and pydicom: for pacs.sh
#   setup.sh validators  programs that tests ask about the DICOM files that Quell writes, and npm: for bids.sh
#   setup.sh python      numpy and virtual environments: for wheel.sh test
#   setup.sh mingw       the C compiler for Windows, and zip: for package.sh
#   setup.sh checks      what most steps of .ci/run need: the screen, the validators, the PACS, Python, and the headers of CUDA
#                        for the worker on the fake driver
#   setup.sh zip         zip alone: for package.sh cli
#   setup.sh metadata    what checks desktop files, types and descriptions: for package-test.sh metadata
#   setup.sh packages    what installs packages and runs programs of other systems: for package-test.sh
#   setup.sh bare        debootstrap: for bare.sh
set -euo pipefail

workbench=(gcc pkg-config libc6-dev libgl1-mesa-dev xorg-dev libwayland-dev libxkbcommon-dev libgl1-mesa-dri libglx-mesa0)
screen=(xvfb xdotool x11-utils imagemagick apngasm xauth procps "${workbench[@]}")
cuda=(gcc libc6-dev nvidia-cuda-dev)
nvcc=(g++ nvidia-cuda-toolkit "${cuda[@]}")
pacs=(orthanc orthanc-dicomweb dcmtk dicom3tools python3-pydicom)
validators=(dcmtk dicom3tools libgdcm-tools dcm2niix)
metadata=(desktop-file-utils appstream shared-mime-info)
command -v npm >/dev/null || validators+=(npm)

missing() {
	local p
	for p in "$@"; do
		dpkg-query -W -f='${Status}\n' "$p" 2>/dev/null | grep -q '^install ok installed$' || echo "$p"
	done
}

# apt runs apt-get. For CUDA it adds Debian's contrib and non-free components to the machine's sources, for this call
# alone: the machine's list of sources stays as it is.
apt() {
	local extra=()
	if [[ " $need" == *" nvidia-"* ]]; then
		local lists=$work/sources
		mkdir -p "$lists"
		local f
		for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
			[ -f "$f" ] || continue
			sed -E '/^(deb|Components:)/{/non-free( |$)/!s/\bmain\b/main contrib non-free/}' "$f" >"$lists/$(basename "$f")"
		done
		[ -f "$lists/sources.list" ] || : >"$lists/sources.list"
		extra=(-o "Dir::Etc::SourceList=$lists/sources.list" -o "Dir::Etc::SourceParts=$lists")
	fi
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=5 "${extra[@]}" "$@"
}

# patient runs apt and waits while another program holds one of its locks; DPkg::Lock::Timeout waits for those of dpkg
# alone, and says nothing.
lock_wait=${SETUP_LOCK_WAIT:-600} # seconds
patient() {
	local until=$((SECONDS + lock_wait))
	until apt "$@" >"$work/log" 2>&1; do
		if ! grep -q 'Could not get lock\|Unable to lock\|Unable to acquire the dpkg' "$work/log" || [ "$SECONDS" -ge "$until" ]; then
			return 1
		fi
		[ -n "$told" ] || echo "setup: another program uses apt; waiting for it, at most $lock_wait s"
		told=1
		sleep 2
	done
}

install() {
	local what=$1 need root=() told=
	shift
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		echo "setup: this is not a Debian system; if the build fails, install the equivalents of: $*"
		return 0
	fi
	need=$(missing "$@" | tr '\n' ' ')
	[ -z "$need" ] && return 0
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "setup: $what needs more packages; install them as root and try again: apt-get install $need" >&2
			return 1
		fi
		root=(sudo)
	fi
	echo "setup: installing for $what: $need"
	local work
	work=$(mktemp -d)
	chmod 755 "$work" # apt reads the lists as another user
	if ! { patient update -qq && patient install -y -qq --no-install-recommends $need; }; then
		tail -n 20 "$work/log" >&2
		rm -rf "$work"
		echo "setup: apt-get failed; see the lines above" >&2
		return 1
	fi
	rm -rf "$work"
}

# certificates reports whether this machine has certificates where Go looks for them.
certificates() {
	local f
	for f in "${SSL_CERT_FILE:-}" "${SSL_CERT_DIR:-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt \
		/etc/ssl/ca-bundle.pem /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem /etc/ssl/cert.pem; do
		[ -e "$f" ] && return
	done
	return 1
}

case ${1:-} in
make) install "the build" make ca-certificates ;;
modules)
	if ! command -v "${GO:-go}" >/dev/null; then
		echo "setup: Go is not on the PATH; install Go 1.26 or later and try again" >&2
		exit 1
	fi
	if ! certificates && ! GOPROXY=off GOFLAGS=-mod=readonly "${GO:-go}" mod download >/dev/null 2>&1; then
		install "the download of Go modules" ca-certificates
	fi
	# One small module shows whether others can be had; else go prints the same error for each of them.
	if ! problem=$(GOFLAGS=-mod=readonly "${GO:-go}" mod download golang.org/x/term 2>&1); then
		echo "setup: Go modules cannot be downloaded: $(tail -n 1 <<<"$problem")" >&2
		exit 1
	fi
	;;
workbench) install "the workbench" "${workbench[@]}" ;;
screen) install "screenshots" "${screen[@]}" ;;
cuda)
	if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1 && ! command -v nvidia-smi >/dev/null; then
		echo "setup: this machine has no NVIDIA device; the GPU worker is not built, and Quell uses the CPU engine"
	else
		install "the GPU worker" "${cuda[@]}"
	fi
	;;
nvcc) install "the kernels" "${nvcc[@]}" ;;
pacs)
	install "exports through a PACS" "${pacs[@]}"
	if systemctl --quiet is-active orthanc 2>/dev/null; then
		echo "setup: Debian has started Orthanc as a service, which is not needed; 'systemctl disable --now orthanc' stops it"
	fi
	;;
validators) install "the validators" "${validators[@]}" ;;
python) install "tests of the wheel" python3-numpy python3-venv ;;
checks) install "the checks" "${screen[@]}" "${validators[@]}" "${pacs[@]}" "${cuda[@]}" python3-numpy python3-venv ;;
zip) install "archives for Windows" zip ;;
mingw) install "the workbench for Windows" gcc-mingw-w64-x86-64 zip ;;
metadata) install "checks of metadata" "${metadata[@]}" ;;
packages)
	install "tests of packages" "${metadata[@]}" debootstrap lintian rpm skopeo umoci unzip wine wine64 qemu-user-static gcc-mingw-w64-x86-64 xvfb x11-utils
	;;
bare) install "a bare Debian" debootstrap ;;
*)
	echo "usage: setup.sh make|modules|workbench|screen|cuda|nvcc|pacs|validators|python|checks|mingw|zip|metadata|packages|bare" >&2
	exit 2
	;;
esac
