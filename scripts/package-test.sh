#!/usr/bin/env bash
# Tries what package.sh built in out/package, of the commit that is checked out. Installs what it needs; all parts but metadata need root.
#   package-test.sh            everything below
#   package-test.sh metadata   desktop file, types of files, AppStream, versions, resources of Windows; takes seconds, builds nothing
#   package-test.sh sums       SHA256SUMS names every file, and fits
#   package-test.sh archives   the command line on Linux, ARM (QEMU) and Windows (Wine): the same bytes of a result; macOS unpacked
#   package-test.sh window     the workbench for Windows under Wine shows the bundled series
#   package-test.sh lint       lintian and rpm on the packages
#   package-test.sh debian     .deb in an empty Debian (debootstrap): installed, run, shown on a virtual display, removed
#   package-test.sh image      the image by skopeo and umoci, its program in a chroot
#   package-test.sh twice      the archives again in another folder, that for Linux with an empty cache: the same bytes
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
out=$root/out/package
parts=${*:-metadata sums archives window lint debian image twice}
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; WINEPREFIX=$work/wine wineserver -k 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

fail() {
	echo "package-test: $*" >&2
	exit 1
}

# one PATTERN prints the only file of out/package that fits.
one() {
	local found=("$out"/$1)
	[ ${#found[@]} -eq 1 ] && [ -e "${found[0]}" ] || fail "out/package has no single $1; run make package"
	echo "${found[0]}"
}

# What is denoised everywhere: two slices by a filter whose sums any change of the order of operations shows in.
task=(--filter nlm --dims 2 --slices 4:5)

# reference makes the result of the command line for Linux on x86-64, for the others to equal.
reference() {
	[ ! -e "$work/expected.nii" ] || return 0
	mkdir "$work/linux-amd64"
	tar -xzf "$(one 'quell-*-linux-amd64.tar.gz')" -C "$work/linux-amd64" --strip-components 1
	"$work/linux-amd64/quell" denoise assets/series "$work/expected.nii" "${task[@]}" >/dev/null 2>&1
}

# expected FILE: a result is the reference.
expected() {
	reference
	cmp "$work/expected.nii" "$1" || fail "$1 differs from the result on x86-64"
}

test_metadata() {
	scripts/setup.sh metadata
	desktop-file-validate packaging/linux/org.quell.workbench.desktop
	local release dated=$work/metadata
	release=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' internal/version/version.go)
	mkdir -p "$dated/share/mime/packages"
	sed "s/@VERSION@/$release/; s/@DATE@/$(date +%Y-%m-%d)/" packaging/linux/org.quell.workbench.metainfo.xml >"$dated/org.quell.workbench.metainfo.xml"
	appstreamcli validate --no-net "$dated/org.quell.workbench.metainfo.xml" >"$dated/log" || { cat "$dated/log"; fail "AppStream refuses the description"; }
	# Every type that the desktop file names is known to shared-mime-info, or is one of ours.
	cp packaging/linux/org.quell.workbench.xml "$dated/share/mime/packages/"
	cp /usr/share/mime/packages/freedesktop.org.xml "$dated/share/mime/packages/"
	update-mime-database "$dated/share/mime" 2>"$dated/log" || { cat "$dated/log"; fail "the types of files cannot be read"; }
	for type in $(sed -n 's/^MimeType=//p' packaging/linux/org.quell.workbench.desktop | tr ';' ' '); do
		[ -e "$dated/share/mime/$type.xml" ] || fail "the desktop file names the unknown type $type"
	done
	CGO_ENABLED=0 "${GO:-go}" test ./tools/thirdparty
}

test_sums() {
	(cd "$out" && sha256sum --quiet -c SHA256SUMS)
	local f
	for f in "$out"/*; do
		[ "$f" = "$out/SHA256SUMS" ] || grep -q "  $(basename "$f")\$" "$out/SHA256SUMS" || fail "SHA256SUMS lacks $(basename "$f")"
	done
}

# complete FOLDER: an archive holds what a release promises.
complete() {
	local f
	for f in LICENSE THIRD_PARTY.md CHANGELOG.md; do [ -s "$1/$f" ] || fail "$1 lacks $f"; done
}

# wine_prefix makes a Windows whose random numbers Go 1.26 finds: Wine 8 lacks bcryptprimitives.dll. It is never shipped.
wine_prefix() {
	export WINEPREFIX=$work/wine WINEDEBUG=-all
	[ ! -d "$WINEPREFIX" ] || return 0
	wineboot --init >/dev/null 2>&1
	wineserver -w
	[ -e "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" ] && return
	cat >"$work/prng.c" <<-'C'
		#include <windows.h>
		BOOLEAN NTAPI SystemFunction036(void *, ULONG);
		__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T size) { return SystemFunction036(data, size); }
	C
	x86_64-w64-mingw32-gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$work/prng.c" -ladvapi32
}

# has_resources FILE VERSION: Windows shows an icon and the version.
has_resources() {
	strings -el "$1" >"$work/strings"
	grep -qx FileVersion "$work/strings" && grep -qxF "$2" "$work/strings" || fail "$1 has no resource with its version $2"
	x86_64-w64-mingw32-objdump -h "$1" | grep -q ' \.rsrc ' || fail "$1 has no resources"
}

test_archives() {
	local version said system dir
	reference
	version=$("$work/linux-amd64/quell" --version)
	complete "$work/linux-amd64"
	# A template of the standard library, or fonts of charts, add 5 MB each unseen.
	[ "$(stat -c %s "$work/linux-amd64/quell")" -le 42000000 ] || fail "the command line has more than 42 MB; packaging/README.md says what was in it"
	for system in linux-arm64 darwin-amd64 darwin-arm64; do
		dir=$work/$system
		mkdir "$dir"
		tar -xzf "$(one "quell-*-$system.tar.gz")" -C "$dir" --strip-components 1
		complete "$dir"
		"${GO:-go}" version -m "$dir/quell" | grep -q "GOARCH=${system#*-}" || fail "$system is for another processor"
	done
	said=$(qemu-aarch64-static "$work/linux-arm64/quell" --version)
	[ "$said" = "$version" ] || fail "ARM says $said, x86-64 $version"
	qemu-aarch64-static "$work/linux-arm64/quell" denoise assets/series "$work/arm.nii" "${task[@]}" >/dev/null 2>&1
	expected "$work/arm.nii"
	echo "package-test: linux-arm64: $said, the same bytes"

	wine_prefix
	unzip -q "$(one 'quell-[0-9]*-windows-amd64.zip')" -d "$work/zip"
	dir=$(echo "$work"/zip/quell-[0-9]*)
	complete "$dir"
	has_resources "$dir/quell.exe" "${version##* }"
	said=$(wine "$dir/quell.exe" --version | tr -d '\r')
	[ "$said" = "$version" ] || fail "Windows says $said, Linux $version"
	wine "$dir/quell.exe" denoise assets/series "$work/windows.nii" "${task[@]}" >/dev/null 2>&1
	expected "$work/windows.nii"
	echo "package-test: windows-amd64: $said, the same bytes"
}

# display starts a virtual display whose number is in DISPLAY.
display() {
	Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
	pids+=($!)
	local i
	for i in $(seq 300); do [ -s "$work/display" ] && break; sleep 0.1; done
	DISPLAY=:$(cat "$work/display")
	export DISPLAY LIBGL_ALWAYS_SOFTWARE=1
}

# shows WHAT: a window of the workbench names the bundled series within two minutes.
shows() {
	local i
	for i in $(seq 120); do
		if xwininfo -root -tree 2>/dev/null | grep -q '"Quell.* CT series"'; then
			echo "package-test: $1 shows the series"
			return
		fi
		sleep 1
	done
	fail "$1 does not show the series"
}

test_window() {
	wine_prefix
	unzip -q "$(one 'quell-workbench-*-windows-amd64.zip')" -d "$work/zip"
	local dir
	dir=$(echo "$work"/zip/quell-workbench-*)
	complete "$dir"
	has_resources "$dir/quell-workbench.exe" "$(basename "$dir" | sed 's/quell-workbench-\(.*\)-windows-amd64/\1/')"
	display
	wine "$dir/quell-workbench.exe" assets/series >/dev/null 2>&1 &
	pids+=($!)
	shows "the workbench for Windows"
	wineserver -k
}

test_lint() {
	local f
	# The address of the maintainer is a placeholder unless QUELL_MAINTAINER is set.
	lintian --fail-on error --suppress-tags bogus-mail-host,mail-address-loops-or-bounces,maintainer-address-malformed,root-in-contact "$out"/*.deb
	for f in "$out"/*.rpm; do
		rpm -K --nosignature "$f" >/dev/null || fail "$f is damaged"
		rpm --force-debian -i --root "$work/rpm" --dbpath /db --nodeps --noscripts "$f"
		rpm --force-debian -e --root "$work/rpm" --dbpath /db --nodeps --noscripts "$(rpm -qp --qf '%{NAME}' "$f")"
	done
	[ -z "$(find "$work/rpm" -path "$work/rpm/db" -prune -o -type f -print)" ] || fail "rpm -e leaves files"
	echo "package-test: rpm installs and removes its packages"
}

# kubernetes ROOT runs the command of the indexed Job in an image, once for each part, on the bundled series.
kubernetes() {
	local command part
	command=$(sed -n 's/^ *command: \["\(quell.*\)"\]$/\1/p' docs/cluster/kubernetes.yaml | sed 's/", "/ /g; s/ --metrics [^ ]*//')
	mkdir -p "$1/data/cohort"
	for part in 1 2 3; do "$work/linux-amd64/quell" phantom "$1/data/cohort/s$part.nii" --kind mr --snr 20 --seed $part --dims 40,40,10 >/dev/null; done
	chmod -R a+rwX "$1/data"
	for part in 0 1 2 3 4 5 6 7; do
		# shellcheck disable=SC2086 # a list of words
		chroot --userspec=1000:1000 "$1" /usr/bin/${command//'$(PART)'/$part} >"$work/log" 2>&1 || { cat "$work/log"; fail "part $part of $command failed"; }
	done
	[ "$(find "$1/data/denoised" -name 's*.nii' | wc -l)" -eq 3 ] || fail "the parts of $command left series out"
}

test_image() {
	local file tag
	file=$(one 'quell-*-image.tar')
	tag=$(skopeo inspect --config "oci-archive:$file" | sed -n 's/.*"org.opencontainers.image.version": *"\([^"]*\)".*/\1/p')
	[ -n "$tag" ] || fail "skopeo finds no version in the image"
	# Both forms that docker load and podman load take; a copy checks every digest.
	skopeo --insecure-policy copy -q "oci-archive:$file" "dir:$work/by-oci"
	skopeo --insecure-policy copy -q "docker-archive:$file" "oci:$work/by-docker:quell"
	umoci unpack --rootless --image "$work/by-docker:quell" "$work/bundle" >/dev/null 2>&1
	cp -r assets/series "$work/bundle/rootfs/tmp/series"
	chroot --userspec=1000:1000 "$work/bundle/rootfs" /usr/bin/quell denoise /tmp/series /tmp/out.nii "${task[@]}" >/dev/null 2>&1
	expected "$work/bundle/rootfs/tmp/out.nii"
	kubernetes "$work/bundle/rootfs"
	[ "$(stat -c %s "$file")" -le 40000000 ] || fail "the image has more than 40 MB"
	echo "package-test: the image of version $tag: the same bytes"
}

# again SYSTEM/PROCESSOR... packs in another folder, and compares.
again() {
	local f version
	version=$(basename "$(one 'quell-*-linux-amd64.tar.gz')" | sed 's/quell-\(.*\)-linux-amd64.tar.gz/\1/')
	(cd "$work/elsewhere" && QUELL_VERSION=$version QUELL_SYSTEMS="$*" scripts/package.sh cli) >/dev/null
	for f in "$work"/elsewhere/out/package/quell-[0-9]*-{linux,windows,darwin}-*; do
		[ ! -e "$f" ] || cmp "$f" "$out/$(basename "$f")" || fail "$(basename "$f") differs between two folders"
	done
	echo "package-test: the same bytes from another folder: $*"
}

# Objects of one cache would hide a compiler that writes the folder into them. An empty one takes two minutes of processor
# time for each system, so the others share this machine's.
test_twice() {
	git clone -q --shared . "$work/elsewhere"
	again linux/arm64 windows/amd64 darwin/amd64 darwin/arm64
	GOCACHE=$work/cache again linux/amd64
}

[ "$parts" = metadata ] || scripts/setup.sh packages
for part in $parts; do
	began=$SECONDS
	case $part in
	debian) scripts/package-debian.sh ;;
	metadata | sums | archives | window | lint | image | twice) "test_$part" ;;
	*) fail "no part is called $part" ;;
	esac
	echo "package-test: $part: ok, $((SECONDS - began)) s"
done
