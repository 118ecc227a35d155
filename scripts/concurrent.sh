#!/usr/bin/env bash
# Prints the packages that make race tests: those that start goroutines themselves or in their tests, and those whose code
# the engines, the executor and the window run on goroutines. What the others do is tested where it is called from several.
set -euo pipefail
cd "$(dirname "$0")/.."
CGO_ENABLED=1 "${GO:-go}" list -f '{{.Dir}} {{.ImportPath}}' ./internal/... ./volume ./measure ./app/... ./ui/... ./gpu/... ./denoise/... ./io/... |
	while read -r dir package; do
		case $package in
		quell/app* | quell/ui* | quell/gpu* | quell/denoise/filter*) echo "$package" ;;
		*) if grep -qsE '^\s*go (func|[a-zA-Z_.]+\()|errgroup\.|pgzip\.|parallel\.|\.Go\(' "$dir"/*.go; then echo "$package"; fi ;;
		esac
	done
