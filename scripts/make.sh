#!/bin/sh
# make, on a machine that may not have it: "scripts/make.sh run" is "make run", "scripts/make.sh test" is "make test".
# Bare Debian with Go needs no more than this script to begin with.
set -eu
cd "$(dirname "$0")/.."
command -v make >/dev/null || scripts/setup.sh make
exec make "$@"
