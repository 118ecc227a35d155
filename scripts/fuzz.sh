#!/usr/bin/env bash
# Runs every fuzz target of the module, each for FUZZTIME (default 60s). A failing input is kept in the package's
# testdata/fuzz and then fails "go test" too.
#   fuzz.sh [PACKAGE...]     all packages that have fuzz targets, or those given: ./io/nifti
set -euo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-60s}
export CGO_ENABLED=0

packages=("$@")
if [ $# -eq 0 ]; then
	mapfile -t packages < <(git grep -lE '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|')
fi
targets=0
for package in "${packages[@]}"; do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "fuzz: $package $target, $time"
		go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10s | grep -vE '^(PASS|fuzz: elapsed: [0-9]+s, gathering)' || exit 1
		targets=$((targets + 1))
	done
done
echo "fuzz: $targets targets, no failure"
[ "$targets" -gt 0 ]
