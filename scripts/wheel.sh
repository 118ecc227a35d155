#!/usr/bin/env bash
# Builds the Python wheel for Linux on x86-64 into out/wheel: the package python/quell with the static command line. The
# same sources give the same bytes, in any folder. QUELL_VERSION names a release, as for make.
#   wheel.sh          builds it
#   wheel.sh test     builds it, installs it into a fresh virtual environment beside Debian's numpy, and runs its tests there
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v python3 >/dev/null; then
	echo "wheel: Python 3 is not on the PATH; install it and try again: apt-get install python3" >&2
	exit 1
fi
python=$(command -v /usr/bin/python3 || command -v python3) # Debian's first: its numpy is a package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A commit after a release is a development version of the next one, so that pip sees an upgrade.
release=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' internal/version/*.go)
since=$(git log -1 --format=%H -G'^const Release = ' -- internal/version/version.go 2>/dev/null || true)
later=$(git rev-list --count "${since:-HEAD}..HEAD" 2>/dev/null || echo 0)
[ "$later" -eq 0 ] || release=${release%.*}.$((${release##*.} + 1)).dev$later
flags="-s -w ${QUELL_VERSION:+-X quell/internal/version.stamped=$QUELL_VERSION}"
CGO_ENABLED=0 GOOS=linux GOARCH=amd64 GOAMD64=v1 "${GO:-go}" build -tags minimal -trimpath -buildvcs=false -ldflags "$flags" -o "$work/quell" ./cmd/quell
wheel=$("$python" scripts/wheel.py "$work/quell" "${QUELL_VERSION:-$release}" out/wheel)
size=$(stat -c %s "$wheel")
echo "wheel: $wheel, $((size / 1000000)) MB"
if [ "$size" -gt 25000000 ]; then
	echo "wheel: it is larger than 25 MB" >&2
	exit 1
fi
[ "${1:-}" = test ] || exit 0

scripts/setup.sh python
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" --quiet --disable-pip-version-check install --no-index --no-deps "$wheel"
cp -r python/tests "$work/tests" # away from the sources: the installed package is tested
cd "$work/tests"
"$work/venv/bin/quell" version
env -u QUELL_PROGRAM "$work/venv/bin/python" -m unittest -q
