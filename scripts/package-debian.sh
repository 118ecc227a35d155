#!/usr/bin/env bash
# Installs the .deb of out/package in an empty Debian (debootstrap, minbase), runs them, shows the workbench on a virtual
# display, removes them, and looks for remains. Needs root and Debian's mirror; package-test.sh calls it.
# DEBIAN_CACHE names a folder in which downloaded packages stay for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/out/package
[ "$(id -u)" -eq 0 ] || { echo "package-debian: run it as root, which debootstrap needs" >&2; exit 1; }
suite=${BARE_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" 'Component: main' | head -n 1)
work=$(mktemp -d)
debian=$work/debian
server=
trap 'kill $server 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

fail() {
	tail -n 20 "$work/log" >&2 2>/dev/null || true
	echo "package-debian: $*" >&2
	exit 1
}

# inside USER COMMAND... runs a command in the new Debian, with mounts that end with it.
inside() {
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1 user=$2
		shift 2
		mount --make-rprivate / && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
			mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix" &&
			exec chroot --userspec="$user" "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
				LC_ALL=C.UTF-8 HOME=/tmp/home DISPLAY="${DISPLAY:-}" LIBGL_ALWAYS_SOFTWARE=1 "$@"
	' sh "$debian" "$@"
}

# files lists what the system holds, without what packages and apt themselves write when anything is installed.
files() {
	(cd "$debian" && find . \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
		-o -path ./var/lib/dpkg \) -prune -o -print | sort)
}

# removed PACKAGE...: after a purge nothing of theirs is left, and nothing that was not there before.
removed() {
	inside root dpkg --purge "$@" >"$work/log" 2>&1 || fail "$* cannot be removed"
	files >"$work/after"
	diff "$work/before" "$work/after" >"$work/log" || fail "$* left what is listed above"
	! (cd "$debian/var/lib/dpkg" && grep -rlE '(^|/)quell' info/*.list 2>/dev/null) || fail "dpkg still knows $*"
}

mkdir -p "${DEBIAN_CACHE:=$work/cache}"
debootstrap --cache-dir="$(realpath "$DEBIAN_CACHE")" --variant=minbase "$suite" "$debian" "${mirror:-http://deb.debian.org/debian}" >"$work/log" 2>&1 ||
	fail "debootstrap failed"
rm -f "$debian/etc/resolv.conf"
cp /etc/resolv.conf "$debian/etc/resolv.conf"
mkdir -p "$debian/packages" "$debian/tmp/.X11-unix" "$debian/tmp/home"
chmod 777 "$debian/tmp/home"
cp "$out"/*.deb "$debian/packages/"
cp -r assets/series "$debian/packages/series"

files >"$work/before"
inside root sh -c 'dpkg -i /packages/quell_*.deb' >"$work/log" 2>&1 || fail "quell cannot be installed"
if ls "$out"/quell-cuda_*.deb >/dev/null 2>&1; then
	inside root sh -c 'dpkg -i /packages/quell-cuda_*.deb' >"$work/log" 2>&1 || fail "quell-cuda cannot be installed"
	inside nobody:nogroup quell-gpu --version >"$work/log" 2>&1 || true # it may need a driver; its file has to be there
	[ -x "$debian/usr/bin/quell-gpu" ] || fail "quell-cuda has no worker"
fi
inside nobody:nogroup quell --version
[ -s "$debian/usr/share/doc/quell/html/docs/GUIDE.html" ] && [ -s "$debian/usr/share/doc/quell/CHANGELOG.md.gz" ] || fail "quell has no guide or no list of changes"
inside nobody:nogroup quell info /packages/series >"$work/log" 2>&1 || fail "quell info failed"
inside nobody:nogroup quell denoise /packages/series /tmp/home/quiet --filter gaussian >"$work/log" 2>&1 || fail "quell denoise failed"
[ -s "$debian/tmp/home/quiet/IM00001.dcm" ] || fail "quell denoise wrote nothing"
if [ -d "$debian/var/lib/dpkg/info" ] && ls "$debian"/var/lib/dpkg/info/quell-cuda.list >/dev/null 2>&1; then
	removed quell-cuda quell
else
	removed quell
fi
echo "package-debian: the command line was installed, ran, and left nothing"

inside root apt-get update -qq >"$work/log" 2>&1 || fail "apt-get update failed"
# What it depends on stays when it goes, so that comes first.
depends=$(dpkg-deb -f "$out"/quell-workbench_*.deb Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
inside root sh -c "apt-get install -y -qq --no-install-recommends $depends libgl1-mesa-dri" >"$work/log" 2>&1 || fail "the workbench depends on what Debian lacks"
files >"$work/before"
inside root sh -c 'dpkg -i /packages/quell-workbench_*.deb' >"$work/log" 2>&1 || fail "quell-workbench cannot be installed"
Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp 3>"$work/display" 2>/dev/null &
server=$!
for _ in $(seq 300); do [ -s "$work/display" ] && break; sleep 0.1; done
DISPLAY=:$(cat "$work/display")
export DISPLAY
inside nobody:nogroup timeout 180 quell-workbench /packages/series >"$work/log" 2>&1 &
shown=no
for _ in $(seq 120); do
	if xwininfo -root -tree 2>/dev/null | grep -q '"Quell.* CT series"'; then shown=yes; break; fi
	sleep 1
done
kill "$server"
wait 2>/dev/null || true
[ "$shown" = yes ] || fail "the workbench shows no series"
removed quell-workbench
echo "package-debian: the workbench was installed, showed the series, and left nothing"
