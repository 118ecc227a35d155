#!/usr/bin/env bash
# Compiles a tool of the build, once per machine and version, and prints its path.
#   tool.sh NAME PACKAGE@VERSION
# The tools come from the Go module proxy as sources: neither Debian nor npm ships them compiled. They are kept
# outside the checkout, in ${XDG_CACHE_HOME:-~/.cache}/quell/tools, so that every clone on a machine shares them.
set -euo pipefail
name=$1 package=$2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/quell/tools
tool=$cache/$name-${package##*@}
if [ ! -x "$tool" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/build.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	echo "tool: compiling $package; this happens once per machine" >&2
	CGO_ENABLED=0 GOBIN=$work GOFLAGS= "${GO:-go}" install "$package"
	mv "$work/$name" "$tool"
fi
echo "$tool"
