# Sourced by drive.sh, drive-gpu.sh and screenshots.sh: runs the workbench on a virtual display of its own, with empty
# settings.
#   screen_start [ARG...]   starts Xvfb and bin/quell-workbench ARG..., and waits until it shows the series
#   screen_run [ARG...]     starts the workbench again on the same display, with the same settings and cache
#   screen_quit             quits the workbench with Ctrl+Q, discards a result, and checks that the exit code is 0
#   screen_ended            waits until the workbench has ended and checks that the exit code is 0
#   screen_stop             ends both processes
#   shot FILE               saves the whole display as PNG
#   differ A B              prints the number of pixels that differ between two pictures
#   settled FILE            waits until the display does not change any more, and saves it
#   changed_from FILE N     waits until N pixels of the display differ from a picture; prints their number
#   key KEY...              presses keys in the workbench
#   mouse_to X Y            moves the pointer
# shellcheck shell=bash

screen_size=1600x1000
screen_dir=

screen_start() {
	screen_dir=$(mktemp -d)
	Xvfb -displayfd 3 -screen 0 "${screen_size}x24" -nolisten tcp 3>"$screen_dir/display" 2>"$screen_dir/xvfb.log" &
	screen_server=$!
	local i
	for i in $(seq 100); do [ -s "$screen_dir/display" ] && break; sleep 0.1; done
	[ -s "$screen_dir/display" ] || { cat "$screen_dir/xvfb.log" >&2; echo "screen: Xvfb did not start" >&2; return 1; }
	DISPLAY=":$(cat "$screen_dir/display")"
	export DISPLAY LIBGL_ALWAYS_SOFTWARE=1 XDG_CONFIG_HOME="$screen_dir/config" XDG_CACHE_HOME="$screen_dir/cache"
	screen_run "$@"
}

screen_run() {
	local i
	env LC_ALL=en_US.UTF-8 bin/quell-workbench "$@" >"$screen_dir/log" 2>&1 &
	screen_app=$!
	screen_window=$(timeout 60 xdotool search --sync --onlyvisible --name '^Quell' | head -n 1) || true
	[ -n "$screen_window" ] || { cat "$screen_dir/log" >&2; echo "screen: the workbench opened no window" >&2; return 1; }
	xdotool windowmove "$screen_window" 0 0 windowsize "$screen_window" "${screen_size%x*}" "${screen_size#*x}"
	# The workbench is empty at first, then shows its panels, then the series.
	for i in $(seq 120); do
		settled "$screen_dir/start.png"
		[ "$(identify -format %k "$screen_dir/start.png")" -gt 200 ] && break
	done
	xdotool windowfocus "$screen_window"
}

screen_quit() {
	key ctrl+q
	# A question stays open where a result would be lost; Discard is its second button.
	if kill -0 "$screen_app" 2>/dev/null; then key Tab Return; fi
	screen_ended
}

screen_ended() {
	local i code=0
	for i in $(seq 50); do kill -0 "$screen_app" 2>/dev/null || break; sleep 0.2; done
	kill -0 "$screen_app" 2>/dev/null && { echo "screen: the workbench did not quit" >&2; return 1; }
	wait "$screen_app" || code=$?
	[ "$code" -eq 0 ] || { cat "$screen_dir/log" >&2; echo "screen: the workbench ended with exit code $code" >&2; return 1; }
}

screen_stop() {
	kill "${screen_app:-}" "${screen_server:-}" 2>/dev/null || true
	wait 2>/dev/null || true
	[ -n "$screen_dir" ] && rm -rf "$screen_dir"
	screen_dir=
}

shot() { import -window root "$1"; }

differ() {
	local n
	n=$(compare -metric AE "$1" "$2" null: 2>&1 || true)
	printf '%.0f' "$n" # compare may print 1.2e+06
}

settled() {
	local i still=0
	shot "$1"
	for i in $(seq 120); do
		sleep 0.6
		shot "$screen_dir/later.png"
		if [ "$(differ "$1" "$screen_dir/later.png")" -lt 20 ]; then still=$((still + 1)); else still=0; fi
		[ "$still" -lt 2 ] || return 0
		mv "$screen_dir/later.png" "$1"
	done
	echo "screen: the display keeps changing" >&2
	return 1
}

changed_from() {
	local i different=0
	for i in $(seq 60); do
		shot "$screen_dir/now.png"
		different=$(differ "$1" "$screen_dir/now.png")
		[ "$different" -ge "$2" ] && break
		sleep 0.5
	done
	echo "$different"
}

key() {
	xdotool key --clearmodifiers "$@"
	sleep "${KEY_WAIT:-1}"
}

mouse_to() { xdotool mousemove "$1" "$2"; sleep 0.2; }
