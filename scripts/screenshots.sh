#!/usr/bin/env bash
# Redraws docs/images from the running workbench, on a virtual display with real keys and clicks.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh screen
make --no-print-directory workbench
. scripts/screen.sh
trap screen_stop EXIT

images=docs/images
mkdir -p "$images"
save() { shot "$images/$1.png" && echo "screenshots: $images/$1.png"; }

screen_start
key 2 # the brain window
mouse_to 520 420
sleep 3
save workbench
