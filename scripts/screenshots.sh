#!/usr/bin/env bash
# Redraws the pictures of the README and the guide (docs/images) from the running workbench, on a virtual display with real
# keys and clicks. Look at each before it is committed.
#
#   screenshots.sh [NAME...]   only these
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh screen
make --no-print-directory workbench
. scripts/screen.sh
work=$(mktemp -d)
trap 'screen_stop; rm -rf "$work"' EXIT

images=docs/images
mkdir -p "$images"
wanted=" $* "

# save NAME waits until the display is at rest and writes it with a palette, which is a third of the size.
save() {
	[ "$wanted" = "  " ] || [[ "$wanted" == *" $1 "* ]] || return 0
	settled "$work/now.png"
	convert "$work/now.png" +dither -colors 256 "PNG8:$images/$1.png"
	echo "screenshots: $images/$1.png"
}

# drag X0 Y0 X1 Y1 drags with the left button.
drag() {
	mouse_to "$1" "$2"
	xdotool mousedown 1
	xdotool mousemove $((($1 + $3) / 2)) $((($2 + $4) / 2))
	sleep 0.3
	xdotool mousemove "$3" "$4"
	sleep 0.3
	xdotool mouseup 1
	sleep 0.5
}

# dial writes docs/images/dial.png, an animated PNG: the denoised slice beside the strength, from 0 to 100 % and back.
dial() {
	local i frames=()
	settled "$work/now.png"
	for i in 0 1 2 3 4 5 6 7 8 9 10; do
		xdotool mousemove $((1287 + i * 256 / 10)) 158 click 1
		mouse_to 940 700 # outside of the slider, so that it shows no halo
		changed_from "$work/now.png" 2000 >/dev/null
		settled "$work/now.png"
		convert "$work/now.png" -crop 972x610+628+54 +repage -resize 70% "$work/dial-$(printf %02d "$i").png"
	done
	convert "$work"/dial-*.png -append +dither -colors 96 -unique-colors "$work/colours.png" # one palette for all
	for i in "$work"/dial-*.png; do convert "$i" +dither -remap "$work/colours.png" "PNG8:$i"; done
	frames=("$work"/dial-*.png)
	for i in 9 8 7 6 5 4 3 2 1; do cp "${frames[i]}" "$work/dial-$((20 - i)).png"; done
	apngasm "$images/dial.png" "$work"/dial-*.png 1 3 >/dev/null
	echo "screenshots: $images/dial.png, $(stat -c %s "$images/dial.png") bytes"
}

# Keys for commands that have none, in place of positions in menus and tabs, which move.
screen_settings=', "keys": {"lesions": "Ctrl+F6", "no-beside": "Ctrl+F7", "presets": "Ctrl+F8"}'
screen_size=1600x900
screen_start
key 2 # the brain window
mouse_to 420 420
sleep 3
save workbench

[ "$wanted" != "  " ] && [[ "$wanted" != *" dial "* ]] || dial
[ "$wanted" != " dial " ] || exit 0

key F2 w
mouse_to 640 700
save swipe
key w F3

key e
drag 195 360 235 400
key l
drag 321 423 357 401
mouse_to 420 700
save measuring
key ctrl+z ctrl+z

go run ./cmd/quell denoise assets/series "$work/soft" --filter gaussian --sigma-spatial 1 >/dev/null
key F4 ctrl+b
sleep 2
key ctrl+a
xdotool type --delay 30 "$work/soft"
key Return
sleep 5
mouse_to 420 700
save beside
key ctrl+F7
key F3

key ctrl+F8
save presets
key Escape

key g
rests "the comparison of all filters" # the shape-adaptive filter takes minutes of a busy machine
save filters
key Escape

key ctrl+F6
mouse_to 420 700
rests "the lesions"
save lesions

key F4 ctrl+Return
sleep 5
key ctrl+e
sleep 2
key ctrl+a
xdotool type --delay 30 /data/denoised/ct-s2-nlm-2d
save export
