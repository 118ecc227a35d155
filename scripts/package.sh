#!/usr/bin/env bash
# Builds what is installed from into out/package. packaging/README.md says what each file is and how it was tried.
#   package.sh           everything below
#   package.sh cli       the command line for five systems as tar.gz and zip, with manual pages and completions
#   package.sh windows   the workbench for Windows as zip
#   package.sh linux     .deb and .rpm of the command line, the workbench and the GPU worker (quell-cuda)
#   package.sh image     an OCI image of the command line, which docker load takes
# The bill of materials, the licences and SHA256SUMS are always written.
#
# QUELL_VERSION names a release; else a tag of this commit (v1.2.3) does, else the version holds the revision.
# QUELL_SYSTEMS="linux/arm64 ..." limits the systems of the command line.
# QUELL_MAINTAINER="Name <address>" is who makes the packages. The command line has the same bytes in every folder.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=${*:-cli windows linux image}
out=out/package
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

if [ -n "$(git status --porcelain)" ] && [ -z "${QUELL_VERSION:-}" ]; then
	echo "package: files differ from the last commit, so its revision does not name them; commit them, or set QUELL_VERSION" >&2
	exit 1
fi
release=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' internal/version/version.go)
tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null || true)
version=${QUELL_VERSION:-${tag#v}}
version=${version:-$release+$(git rev-parse --short=8 HEAD)}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C GOFLAGS=-mod=readonly GOTOOLCHAIN=local GOAMD64=v1
day=$(date -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)
export PACKAGE_VERSION=$version PACKAGE_MAINTAINER=${QUELL_MAINTAINER:-"Quell <quell@localhost>"}
link="-s -w -X quell/internal/version.stamped=$version"

# compile SYSTEM PROCESSOR FILE compiles the command line. The tag leaves out formats of gonum/plot that no chart has.
compile() {
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 "${GO:-go}" build -tags minimal -trimpath -buildvcs=false -ldflags "$link" -o "$3" ./cmd/quell
}

# resources FILE gives a program for Windows its icon, version and manifest. The icons lie beside the description, which
# names them.
resources() {
	local number=${version%%[-+]*}
	mkdir -p "$work/windows"
	cp -r assets/icons/hicolor "$work/windows/"
	sed "s/@VERSION@/$version/; s/@NUMBER@/$number.0/; s/@FILE@/$(basename "$1")/" packaging/windows/resources.json >"$work/windows/resources.json"
	"$winres" patch --no-backup --in "$work/windows/resources.json" "$1"
}

# dated FOLDER gives all files the time of the commit, and the same rights whatever the umask of the checkout.
dated() {
	chmod -R u=rwX,go=rX "$1"
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# packed FOLDER writes a sorted tar without names of users to standard output.
packed() {
	tar -C "$(dirname "$1")" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner -c "$(basename "$1")"
}

if [[ " $parts " == *" cli "* || " $parts " == *" windows "* ]]; then
	command -v zip >/dev/null || scripts/setup.sh zip
	winres=$(scripts/tool.sh go-winres github.com/tc-hib/go-winres@v0.3.3)
fi

rm -rf "$out"
mkdir -p "$out"
echo "package: $version"
compile linux amd64 "$work/quell"
programs=("$work/quell")

# Documents of the command line: it writes them itself.
docs=$work/docs
mkdir -p "$docs/man" "$docs/completion"
"$work/quell" man "$docs/man"
for shell in bash zsh fish powershell; do "$work/quell" completion "$shell" >"$docs/completion/quell.$shell"; done

if [[ " $parts " == *" linux "* ]]; then
	scripts/setup.sh workbench
	mkdir -p "$work/pie" # Debian asks for position-independent programs; a static one of archives and images cannot be one
	CGO_ENABLED=0 "${GO:-go}" build -buildmode=pie -tags minimal -trimpath -buildvcs=false -ldflags "$link" -o "$work/pie/quell" ./cmd/quell
	CGO_ENABLED=1 "${GO:-go}" build -buildmode=pie -trimpath -buildvcs=false -ldflags "$link" -o "$work/quell-workbench" .
	programs+=("$work/quell-workbench")
	if [ -f /usr/include/cuda.h ]; then
		CGO_ENABLED=1 CGO_LDFLAGS="-g -O2 -L/usr/lib/x86_64-linux-gnu/stubs" "${GO:-go}" build -buildmode=pie -tags cuda -trimpath -buildvcs=false \
			-ldflags "$link" -o "$work/quell-gpu" ./cmd/quell-gpu
		programs+=("$work/quell-gpu")
	else
		echo "package: quell-cuda is left out: it needs the headers of CUDA (nvidia-cuda-dev)"
	fi
fi
if [[ " $parts " == *" windows "* ]]; then
	scripts/setup.sh mingw
	# Static, so that no library of the compiler has to be beside it.
	CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc GOOS=windows GOARCH=amd64 "${GO:-go}" build -trimpath -buildvcs=false \
		-ldflags "$link -H windowsgui -extldflags=-static" -o "$work/quell-workbench.exe" .
	programs+=("$work/quell-workbench.exe")
fi
(cd "$work" && stat -c 'package: %n has %s bytes' "${programs[@]##*/}")
CGO_ENABLED=0 "${GO:-go}" run ./tools/thirdparty "$version" "$work/parts" "${programs[@]}"
cp "$work/parts/THIRD_PARTY.md" "$work/parts/quell.cdx.json" "$out"
# The archives of the command line name its works alone, so that they are the same whatever is packed beside them.
CGO_ENABLED=0 "${GO:-go}" run ./tools/thirdparty "$version" "$work/parts-cli" "$work/quell"

# zipped FOLDER FILE.zip packs a folder, sorted.
zipped() {
	(cd "$(dirname "$1")" && find "$(basename "$1")" -type f | sort | zip -q -X -@ "$root/$2")
}

# archive SYSTEM PROCESSOR packs the command line for one system.
archive() {
	local name=quell-$version-$1-$2 file=quell
	[ "$1" = windows ] && file=quell.exe
	mkdir -p "$work/archives/$name"
	compile "$1" "$2" "$work/archives/$name/$file"
	[ "$1" != windows ] || resources "$work/archives/$name/$file"
	cp -r LICENSE "$work/parts-cli/THIRD_PARTY.md" CHANGELOG.md "$docs/completion" "$work/archives/$name/"
	[ "$1" = windows ] || cp -r "$docs/man" "$work/archives/$name/"
	dated "$work/archives/$name"
	if [ "$1" = windows ]; then
		zipped "$work/archives/$name" "$out/$name.zip"
	else
		packed "$work/archives/$name" | gzip -n9 >"$out/$name.tar.gz"
	fi
}

# stage PACKAGE makes the tree of a package: its program and what Debian's policy asks for.
stage() {
	local tree=$work/tree/$1 program=$2 doc
	doc=$tree/usr/share/doc/$1
	[ ! -f "$work/pie/$program" ] || program=pie/$program
	install -D -m 755 "$work/$program" "$tree/usr/bin/$2"
	if [ -f "packaging/linux/$2.1" ]; then
		gzip -n9 <"packaging/linux/$2.1" | install -D -m 644 /dev/stdin "$tree/usr/share/man/man1/$2.1.gz"
	fi
	mkdir -p "$doc"
	{
		printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Quell\n\n'
		printf 'Files: *\nCopyright: %s The Quell authors\nLicense: Apache-2.0\n On Debian systems its text is in /usr/share/common-licenses/Apache-2.0.\n' "${day%%-*}"
		printf 'Comment: Works of others in the program are in THIRD_PARTY.md.gz.\n'
	} >"$doc/copyright"
	printf '%s (%s) unstable; urgency=medium\n\n  * CHANGELOG.md.gz lists the changes.\n\n -- %s  %s\n' \
		"$1" "$version" "$PACKAGE_MAINTAINER" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -n9 >"$doc/changelog.gz"
	gzip -n9 <"$work/parts/THIRD_PARTY.md" >"$doc/THIRD_PARTY.md.gz"
	gzip -n9 <CHANGELOG.md >"$doc/CHANGELOG.md.gz"
}

# depends PROGRAM prints the Debian packages of the libraries that a program needs, as dpkg-shlibdeps knows them.
depends() {
	mkdir -p "$work/shlibs/debian"
	printf 'Source: quell\n\nPackage: quell\nArchitecture: amd64\n' >"$work/shlibs/debian/control"
	(cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info "$1" 2>/dev/null) | sed 's/^shlibs:Depends=//; s/, /\n/g' | grep -v '^libcuda'
}

# pack PACKAGE writes the .deb and the .rpm of a tree. Its list of dependencies is appended to the file of nfpm.
pack() {
	dated "$work/tree/$1"
	grep -v '^license:' "$work/$1.yaml" >"$work/$1-deb.yaml" # a field that Debian does not know
	(cd "$work/tree" && "$nfpm" package --config "$work/$1-deb.yaml" --packager deb --target "$root/$out/" >/dev/null &&
		"$nfpm" package --config "$work/$1.yaml" --packager rpm --target "$root/$out/" >/dev/null)
}

if [[ " $parts " == *" cli "* ]]; then
	for system in ${QUELL_SYSTEMS:-linux/amd64 linux/arm64 windows/amd64 darwin/amd64 darwin/arm64}; do
		archive "${system%/*}" "${system#*/}"
	done
fi

if [[ " $parts " == *" windows "* ]]; then
	tree=$work/archives/quell-workbench-$version-windows-amd64
	mkdir -p "$tree"
	mv "$work/quell-workbench.exe" "$tree/"
	resources "$tree/quell-workbench.exe"
	cp LICENSE "$work/parts/THIRD_PARTY.md" CHANGELOG.md "$tree/"
	dated "$tree"
	zipped "$tree" "$out/$(basename "$tree").zip"
fi

if [[ " $parts " == *" linux "* ]]; then
	# 2.44 and later need modules that the proxy does not have.
	nfpm=$(scripts/tool.sh nfpm github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4)
	share=$work/tree/quell/usr/share
	stage quell quell
	for page in "$docs"/man/*; do
		gzip -n9 <"$page" | install -D -m 644 /dev/stdin "$share/man/man${page##*.}/$(basename "$page").gz"
	done
	"${GO:-go}" run ./tools/site "$share/doc/quell/html" # the guide
	install -D -m 644 "$docs/completion/quell.bash" "$share/bash-completion/completions/quell"
	install -D -m 644 "$docs/completion/quell.zsh" "$share/zsh/vendor-completions/_quell"
	install -D -m 644 "$docs/completion/quell.fish" "$share/fish/vendor_completions.d/quell.fish"
	# By intent: it needs no library, and its decoder of JPEG 2000 is WebAssembly in a sandbox.
	printf 'quell: %s\n' 'shared-library-lacks-prerequisites [usr/bin/quell]' 'embedded-library openjpeg [usr/bin/quell]' |
		install -D -m 644 /dev/stdin "$share/lintian/overrides/quell"
	cp packaging/nfpm/quell.yaml "$work/"
	pack quell

	share=$work/tree/quell-workbench/usr/share
	stage quell-workbench quell-workbench
	install -D -m 644 -t "$share/applications" packaging/linux/org.quell.workbench.desktop
	install -D -m 644 -t "$share/mime/packages" packaging/linux/org.quell.workbench.xml
	sed "s/@VERSION@/$version/; s/@DATE@/$day/" packaging/linux/org.quell.workbench.metainfo.xml |
		install -D -m 644 /dev/stdin "$share/metainfo/org.quell.workbench.metainfo.xml"
	for size in 16 24 32 48 64 128 256 512; do
		install -D -m 644 -t "$share/icons/hicolor/${size}x$size/apps" "assets/icons/hicolor/${size}x$size/org.quell.workbench.png"
	done
	install -D -m 644 -t "$share/icons/hicolor/scalable/apps" assets/icons/org.quell.workbench.svg
	echo 'quell-workbench: embedded-library openjpeg [usr/bin/quell-workbench]' |
		install -D -m 644 /dev/stdin "$share/lintian/overrides/quell-workbench"
	cp packaging/nfpm/quell-workbench.yaml "$work/"
	depends "$work/quell-workbench" | sed 's/^/      - "/; s/$/"/' >>"$work/quell-workbench.yaml"
	pack quell-workbench

	if [ -f "$work/quell-gpu" ]; then
		stage quell-cuda quell-gpu
		cp packaging/nfpm/quell-cuda.yaml "$work/"
		pack quell-cuda
	fi
fi

[[ " $parts " == *" image "* ]] && scripts/package-image.sh "$version" "$work/quell" "$out/quell-$version-image.tar"

(cd "$out" && sha256sum -- * >"$work/SHA256SUMS" && cp "$work/SHA256SUMS" .)
ls -l "$out"
