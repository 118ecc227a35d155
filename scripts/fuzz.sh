#!/usr/bin/env bash
# Runs every fuzz target of the module, each for FUZZTIME (default 60s). A failing input is kept in the package's
# testdata/fuzz and then fails "go test" too.
#   fuzz.sh [PACKAGE...]     all packages that have fuzz targets, or those given: ./io/nifti
set -euo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-60s}
export CGO_ENABLED=0

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# fuzz PACKAGE TARGET. Inputs are minimized by a count of calls, since a minimization by time takes most of a short
# run. At the end of its time the fuzzing engine itself sometimes fails with "context deadline exceeded" and no failing
# input (golang.org/issue/75804, mended in Go 1.27): that is an end of the time, not a failure of the target.
fuzz() {
	if go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 1000x >"$log" 2>&1; then
		grep -vE '^(PASS|fuzz: elapsed: [0-9]+s, gathering)' "$log"
		return
	fi
	cat "$log"
	grep -qx '    context deadline exceeded' "$log" && ! grep -qE 'Failing input|panic:|hung or terminated' "$log" || exit 1
	echo "fuzz: $1 $2 ended by its time"
}

packages=("$@")
if [ $# -eq 0 ]; then
	mapfile -t packages < <(git grep -lE '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|')
fi
targets=0
for package in "${packages[@]}"; do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "fuzz: $package $target, $time"
		fuzz "$package" "$target"
		targets=$((targets + 1))
	done
done
echo "fuzz: $targets targets, no failure"
[ "$targets" -gt 0 ]
