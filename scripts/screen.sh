# Sourced by drive.sh, drive-gpu.sh and screenshots.sh: runs the workbench on a virtual display of its own, with empty
# settings.
#   screen_start [ARG...]   starts Xvfb and bin/quell-workbench ARG..., and waits until it shows the series; with the notice
#                           of a first start where screen_notice is yes. screen_settings is JSON of more settings: ', "keys": …'
#   screen_run [ARG...]     starts the workbench again on the same display, with the same settings and cache
#   screen_quit             quits the workbench with Ctrl+Q, discards a result, and checks that the exit code is 0
#   screen_ended            waits until the workbench has ended and checks that the exit code is 0
#   screen_stop             ends both processes
#   shot FILE               saves the whole display as PNG
#   differ A B              prints the number of pixels that differ between two pictures
#   settled FILE            waits until the display does not change any more, and saves it
#   changed_from FILE N     waits until N pixels of the display differ from a picture; prints their number
#   small A B               saves picture A as B, at an eighth of its size, grey, without the status bar
#   deviates FILE NAME      prints how many pixels of a picture, reduced by small, deviate from scripts/screens/NAME.png
#   matches NAME            waits until the display is as in scripts/screens/NAME.png, for as long as the workbench computes;
#                           writes that file if SCREEN_UPDATE is all or holds the name
#   computes                holds if the workbench takes 6 % of a core or more for 10 s
#   rests WHAT              waits until the workbench draws nothing any more: it no longer computes
#   key KEY...              presses keys in the workbench
#   mouse_to X Y            moves the pointer
# shellcheck shell=bash

screen_size=1600x1000
screen_notice=no
screen_settings=
screen_dir=

screen_start() {
	screen_dir=$(mktemp -d)
	Xvfb -displayfd 3 -screen 0 "${screen_size}x24" -nolisten tcp 3>"$screen_dir/display" 2>"$screen_dir/xvfb.log" &
	screen_server=$!
	local i
	for i in $(seq 600); do [ -s "$screen_dir/display" ] && break; sleep 0.1; done
	[ -s "$screen_dir/display" ] || { cat "$screen_dir/xvfb.log" >&2; echo "screen: Xvfb did not start" >&2; return 1; }
	DISPLAY=":$(cat "$screen_dir/display")"
	export DISPLAY LIBGL_ALWAYS_SOFTWARE=1 XDG_CONFIG_HOME="$screen_dir/config" XDG_CACHE_HOME="$screen_dir/cache"
	mkdir -p "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME" # which Fyne takes for granted
	if [ "$screen_notice" = no ]; then
		mkdir -p "$XDG_CONFIG_HOME/quell"
		printf '{"noticed": "%s"%s}' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$screen_settings" >"$XDG_CONFIG_HOME/quell/settings.json"
	fi
	screen_run "$@"
}

screen_run() {
	local i
	env LC_ALL=en_US.UTF-8 bin/quell-workbench "$@" >"$screen_dir/log" 2>&1 &
	screen_app=$!
	screen_window=$(timeout 60 xdotool search --sync --onlyvisible --name '^Quell' | head -n 1) || true
	[ -n "$screen_window" ] || { cat "$screen_dir/log" >&2; echo "screen: the workbench opened no window" >&2; return 1; }
	# The workbench is empty at first, then shows its panels, then the series. On a busy machine it sets its own size after
	# this one.
	for i in $(seq 120); do
		screen_filled || xdotool windowmove "$screen_window" 0 0 windowsize "$screen_window" "${screen_size%x*}" "${screen_size#*x}"
		settled "$screen_dir/start.png"
		[ "$(identify -format %k "$screen_dir/start.png")" -gt 200 ] && screen_filled && break
	done
	xdotool windowfocus "$screen_window"
}

# screen_filled says whether the window has the size of the screen.
screen_filled() {
	local WIDTH=0 HEIGHT=0
	eval "$(xdotool getwindowgeometry --shell "$screen_window" | grep -E '^(WIDTH|HEIGHT)=[0-9]+$')"
	[ "${WIDTH}x$HEIGHT" = "$screen_size" ]
}

screen_quit() {
	key ctrl+q
	# A question stays open where a result would be lost; Discard is its second button.
	if kill -0 "$screen_app" 2>/dev/null; then key Tab Return; fi
	screen_ended
}

screen_ended() {
	local i code=0
	for i in $(seq 150); do kill -0 "$screen_app" 2>/dev/null || break; sleep 0.2; done
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

# The status bar names the processor and how long things took. A pixel of the reduced pictures is the mean of 64, so
# that neither edges of letters nor the rounding of another OpenGL count.
small() {
	local height
	height=$(identify -format %h "$1")
	convert "$1" -fill black -draw "rectangle 0,$((height - 30)) 9999,9999" -colorspace Gray -scale 12.5% -depth 8 -strip "$2"
}

deviates() {
	local n
	small "$1" "$screen_dir/small.png"
	n=$(compare -fuzz 6% -metric AE "scripts/screens/$2.png" "$screen_dir/small.png" null: 2>&1 || true)
	printf '%.0f' "${n%% *}"
}

# screen_tolerance is how many of the reduced pixels (25000 at 1600x1000) may deviate by more than 6 % of white: a panel
# that moves by 8 pixels changes several times as many.
screen_tolerance=30

matches() {
	local i n=none
	case " ${SCREEN_UPDATE:-} " in
	" all " | *" $1 "*)
		for i in $(seq 12); do computes || break; done # a cursor that blinks does not end
		settled "$screen_dir/now.png"
		small "$screen_dir/now.png" "scripts/screens/$1.png"
		echo "screen: wrote scripts/screens/$1.png"
		return
		;;
	esac
	for i in $(seq 900); do
		shot "$screen_dir/now.png"
		n=$(deviates "$screen_dir/now.png" "$1")
		[ "$n" -gt "$screen_tolerance" ] || { echo "screen: as in $1.png, but for $n pixels"; return 0; }
		sleep 0.5
		[ "$i" -lt 100 ] || computes || break
	done
	cp "$screen_dir/now.png" "${TMPDIR:-/tmp}/quell-$1.png"
	echo "screen: $n pixels deviate from scripts/screens/$1.png; the display is in ${TMPDIR:-/tmp}/quell-$1.png" >&2
	echo "screen: look at both; where the change is wanted, SCREEN_UPDATE=$1 scripts/drive.sh writes the reference again" >&2
	return 1
}

# computes counts the time of the processor over 10 s, which others on a busy machine do not change. The event loop of the
# toolkit takes 1 to 2 %, a blinking cursor 15 to 26 % if OpenGL is drawn in software.
computes() {
	local before after
	before=$(awk '{print $14 + $15}' "/proc/$screen_app/stat")
	sleep 10
	after=$(awk '{print $14 + $15}' "/proc/$screen_app/stat")
	screen_ticks=$((after - before))
	[ "$screen_ticks" -ge $((6 * $(getconf CLK_TCK) / 10)) ]
}

# Work in the background may end first.
rests() {
	local i
	for i in $(seq 90); do
		computes || { echo "screen: at rest after $1: $screen_ticks ticks in 10 s"; return 0; }
	done
	echo "screen: after $1 the workbench takes $screen_ticks ticks in 10 s, and is not at rest" >&2
	return 1
}

key() {
	xdotool key --clearmodifiers "$@"
	sleep "${KEY_WAIT:-1}"
}

mouse_to() { xdotool mousemove "$1" "$2"; sleep 0.2; }
