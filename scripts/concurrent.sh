#!/usr/bin/env bash
# Prints the packages that make race tests: those with tests that start goroutines and hold what these share, without
# widgets, and ui/session, whose tests drive ui/session/desk. "concurrent.sh all" prints what make race-full tests: also
# those whose tests start goroutines, and all that the engines, the executor and the window run on goroutines.
set -euo pipefail
cd "$(dirname "$0")/.."
starts='^\s*go (func|[a-zA-Z_.]+\()|\.Go\('
shares='sync\.(Mutex|RWMutex|Map)|atomic\.[A-Z]|make\(chan'
CGO_ENABLED=1 "${GO:-go}" list -f '{{.Dir}} {{.ImportPath}} {{len .TestGoFiles}}{{len .XTestGoFiles}} {{join .Imports " "}}' \
	./internal/... ./volume ./measure ./app/... ./ui/... ./gpu/... ./denoise/... ./io/... |
	while read -r dir package tests imports; do
		if [ "${1:-}" = all ]; then
			case $package in
			quell/app* | quell/ui* | quell/gpu* | quell/denoise/filter*) echo "$package" ;;
			*) if grep -qsE "$starts|errgroup\.|pgzip\.|parallel\." "$dir"/*.go; then echo "$package"; fi ;;
			esac
			continue
		fi
		mapfile -t product < <(ls "$dir"/*.go | grep -v '_test\.go$')
		if [ "$package" = quell/ui/session ] || {
			[ "$tests" != 00 ] && [[ $imports != *fyne.io/fyne/v2* ]] && grep -qsE "$starts" "${product[@]}" && grep -qsE "$shares" "${product[@]}"
		}; then
			echo "$package"
		fi
	done
