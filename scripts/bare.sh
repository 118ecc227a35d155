#!/usr/bin/env bash
# Tries the two commands of the README in a bare Debian (debootstrap, minbase) with Go and an archive of this source:
# as root, while another program holds apt's locks at first, and as a user without sudo. Needs root, Debian's mirror and
# the Go module proxy. Go is mounted into it from this machine; the user's caches begin as copies of root's.
# All mounts are in a namespace of their own, which ends with each command, so that none can stay.
set -euo pipefail
cd "$(dirname "$0")/.."

[ "$(id -u)" -eq 0 ] || { echo "bare: run it as root, which debootstrap needs" >&2; exit 1; }
scripts/setup.sh bare
go=$(go env GOROOT)
suite=${BARE_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" 'Component: main' | head -n 1)
work=$(mktemp -d)
root=$work/debian
trap 'rm -rf --one-file-system "$work"' EXIT

echo "bare: installing Debian $suite from ${mirror:=http://deb.debian.org/debian}"
if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1; then
	tail -n 20 "$work/log" >&2
	exit 1
fi
rm -f "$root/etc/resolv.conf"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/usr/local/go" "$root/src"
# Authorities that this machine trusts beside those of Debian; the package ca-certificates reads them.
[ ! -d /usr/local/share/ca-certificates ] || cp -rL /usr/local/share/ca-certificates "$root/usr/local/share/"
# Two copies, as each builds into bin/.
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$root/src"
chroot "$root" useradd --create-home someone
cp -r "$root/src" "$root/home/someone/src"

# inside USER FOLDER COMMAND... runs a command in the new Debian and keeps what it prints in $work/log.
inside() {
	local status=0
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1 go=$2 user=$3 folder=$4 proxy=$5 sums=$6
		shift 6
		mount --make-rprivate / && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
			mount --bind -o ro "$go" "$root/usr/local/go" &&
			exec chroot --userspec="$user" "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin \
				HOME="$(chroot "$root" getent passwd "$user" | cut -d: -f6)" GOPROXY="$proxy" GOSUMDB="$sums" GOTOOLCHAIN=local \
				sh -c "cd \"\$0\" && exec \"\$@\"" "$folder" "$@"
	' sh "$root" "$go" "$1" "$2" "$(go env GOPROXY)" "$(go env GOSUMDB)" "${@:3}" >"$work/log" 2>&1 || status=$?
	sed 's/^/    /' "$work/log"
	return "$status"
}

fail() {
	echo "bare: $*" >&2
	exit 1
}

# count N PATTERN: the last command printed so many lines with it.
count() {
	local n
	n=$(grep -c -- "$2" "$work/log" || true)
	[ "$n" -eq "$1" ] || fail "$n lines hold \"$2\", and not $1"
}

# results FOLDER: make run left its results.
results() {
	local f
	for f in denoised/IM00001.dcm denoised.nii.gz denoised.recipe.json pictures/before.png; do
		[ -s "$root/$1/out/$f" ] || fail "out/$f is missing"
	done
	count 1 'gantry tilt'
	count 1 'run: done'
	count 0 'x509'
}

# Tests of the whole take long and are those of this machine anyway; these have no files beside the checkout.
tests=PACKAGES='quell/volume quell/measure quell/tools/testsummary'

echo "bare: a user without sudo and without make is told what is missing"
if inside someone /home/someone/src scripts/make.sh run; then fail "it worked"; fi
count 1 'install them as root and try again: apt-get install make ca-certificates'
[ "$(wc -l <"$work/log")" -eq 1 ] || fail "more than one line was printed"

echo "bare: make run as root, while another program uses apt"
chroot "$root" perl -MFcntl -e '
	for ("/var/lib/apt/lists/lock", "/var/lib/dpkg/lock-frontend") {
		open(my $f, ">>", $_) or die $!;
		my $lock = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
		fcntl($f, F_SETLK, $lock) or die $!;
		push @held, $f;
	}
	sleep 20' &
began=$SECONDS
inside root /src scripts/make.sh run || fail "it failed"
count 1 'another program uses apt; waiting'
count 1 'setup: installing for the build: make ca-certificates'
results src
echo "bare: ok, $((SECONDS - began)) s"

echo "bare: make test as root"
inside root /src scripts/make.sh test "$tests" || fail "it failed"
count 1 ' 0 failed'

echo "bare: both as a user without sudo"
for f in .cache go; do
	[ ! -e "$root/root/$f" ] || cp -r "$root/root/$f" "$root/home/someone/$f"
done
chroot "$root" chown -R someone: /home/someone
inside someone /home/someone/src scripts/make.sh run || fail "it failed"
count 0 'setup: installing'
results home/someone/src
inside someone /home/someone/src scripts/make.sh test "$tests" || fail "it failed"
count 1 ' 0 failed'
echo "bare: ok"
