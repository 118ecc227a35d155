#!/usr/bin/env bash
# Drives the workbench with keys and mouse on a virtual display, and checks that every gesture changes the picture, that
# the log holds no fault, and that the workbench quits with exit code 0.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/screen.sh

work=$(mktemp -d)
trap 'screen_stop; rm -rf "$work"' EXIT
screen_start

settled "$work/last.png"
changed() { # changed WHAT: fails unless the display differs from the last call
	local different
	different=$(changed_from "$work/last.png" 500)
	if [ "$different" -lt 500 ]; then
		cp "$screen_dir/now.png" "${TMPDIR:-/tmp}/quell-drive-failed.png"
		echo "drive: $1 changed only $different pixels of the screen" >&2
		exit 1
	fi
	kill -0 "$screen_app" || { cat "$screen_dir/log" >&2; echo "drive: the workbench ended at: $1" >&2; exit 1; }
	settled "$work/last.png"
	echo "drive: $1: $different pixels changed"
}

mouse_to 400 420
xdotool click 4;                                changed "wheel to the next slice"
key 8;                                          changed "the bone window"
xdotool mousedown 1 mousemove_relative --sync 60 40 mouseup 1; changed "window/level by left drag"
xdotool mousedown 2 mousemove_relative --sync 50 30 mouseup 2; changed "pan by middle drag"
xdotool keydown ctrl click 4 click 4 keyup ctrl; changed "zoom by Ctrl+wheel"
key r;                                          changed "reset of the view"
key c;                                          changed "the coronal plane"
key a;                                          changed "the axial plane"
key ctrl+Return;                                changed "apply to the volume"

screen_quit
if grep -nE 'panic|fatal|DATA RACE|Fyne error|\*\*\* Error' "$screen_dir/log"; then
	echo "drive: the lines above are faults in the log" >&2
	exit 1
fi
echo "drive: done"
