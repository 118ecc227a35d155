#!/usr/bin/env bash
# Redraws docs/images from the running workbench: a virtual display, real keys and clicks, one picture a screen.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh screen
make --no-print-directory workbench

images=docs/images
mkdir -p "$images"
config=$(mktemp -d)
cleanup() {
	kill "${app:-}" "${server:-}" 2>/dev/null || true
	rm -rf "$config"
}
trap cleanup EXIT

exec {ready}<> <(:)
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$config/display" 2>/dev/null &
server=$!
for _ in $(seq 100); do [ -s "$config/display" ] && break; sleep 0.1; done
export DISPLAY=":$(cat "$config/display")" LIBGL_ALWAYS_SOFTWARE=1 XDG_CONFIG_HOME="$config"

bin/quell-workbench &
app=$!
window=$(timeout 60 xdotool search --sync --onlyvisible --name '^Quell' | head -n 1)
xdotool windowmove "$window" 0 0 windowsize "$window" 1600 1000
sleep 8

shot() { import -window root "$images/$1.png" && echo "screenshots: $images/$1.png"; }
key() { xdotool windowfocus "$window" key --window "$window" "$@"; sleep 2; }

key 2 # the brain window
shot workbench
