#!/usr/bin/env bash
# Validates what quell bids writes with the bids-validator of npm. It is installed once per machine, beside the tools of
# tool.sh. Needs the packages of setup.sh validators.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.15.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/quell/tools
validator=$cache/bids-validator-$version
if [ ! -d "$validator" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/install.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	echo "bids: installing bids-validator $version; this happens once per machine"
	npm install --silent --no-audit --no-fund --ignore-scripts --omit=dev --prefix "$work" "bids-validator@$version"
	mv "$work" "$validator"
fi
QUELL_BIDS_VALIDATOR=$validator/node_modules/.bin/bids-validator CGO_ENABLED=0 "${GO:-go}" test -count=1 -run TestDerivative -v ./app/batch/bids
