#!/usr/bin/env bash
# Drives the workbench with keys and mouse on a virtual display, and checks that every gesture changes the picture,
# comparing and the three planes among them, that keys work while a control has the focus, that Escape takes one step at a
# time, that a result is not lost without a question, that SIGTERM ends the workbench in order and a crash loses no work,
# that a window at rest draws nothing, that the log holds no fault, and that the exit code is 0. Some screens are compared
# with reference pictures in scripts/screens, so that a change of the layout is seen; SCREEN_UPDATE=all scripts/drive.sh
# writes them again, on a machine with little else to do; look at them before they are committed.
#
# Steps that follow background work wait for its outcome on the screen, however slow the machine is.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/screen.sh

KEY_WAIT=0.5
work=$(mktemp -d)
trap 'screen_stop; rm -rf "$work"' EXIT
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

no_faults() {
	# A virtual display has no desktop that says whether it is dark.
	if grep -v 'failed to watch theme settings' "$screen_dir/log" | grep -nE 'panic|fatal|DATA RACE|Fyne error|\*\*\* Error'; then
		echo "drive: the lines above are faults in the log" >&2
		exit 1
	fi
	if [ -e "$screen_dir/cache/quell/crash.log" ]; then
		cat "$screen_dir/cache/quell/crash.log" >&2
		exit 1
	fi
}

screen_notice=yes screen_start
settled "$work/last.png"
key Return;                                     changed "Return, which closes the notice of a first start"
screen_quit
no_faults
screen_stop

screen_start
mouse_to 400 420
matches column
settled "$work/last.png"
key p;                                          changed "P, which hides the column of filter and measures"
key p;                                          changed "P, which shows it again"
xdotool click 4;                                changed "wheel to the next slice"
key 8;                                          changed "the bone window"
xdotool mousedown 1 mousemove_relative --sync 60 40 mouseup 1; changed "window/level by left drag"
xdotool mousedown 2 mousemove_relative --sync 50 30 mouseup 2; changed "pan by middle drag"
xdotool keydown ctrl click 4 click 4 keyup ctrl; changed "zoom by Ctrl+wheel"
key r;                                          changed "reset of the view"
key c;                                          changed "the coronal plane"
key a;                                          changed "the axial plane"
key e
mouse_to 300 480
xdotool mousedown 1 mousemove_relative --sync 50 40 mouseup 1; changed "an ROI, drawn on one pane and shown on all"
key l
mouse_to 300 400
xdotool mousedown 1 mousemove_relative --sync 60 20 mouseup 1; changed "a line and its length"
key Delete;                                     changed "the line deleted"
key ctrl+z;                                     changed "undo, which brings it back"
key b;                                          changed "the search for the best strength"
rests "the search" # until the curve is there
matches strength
settled "$work/last.png"
mouse_to 1400 800
xdotool click 1;                                changed "a click on the curve, which takes a point"
mouse_to 1537 394
xdotool click 1;                                changed "the tab of the histogram"
key w;                                          changed "a swipe in the denoised pane"
mouse_to 937 640 # the line in the middle of the pane
xdotool mousedown 1 mousemove_relative --sync 60 0 mousemove_relative --sync 60 0 mouseup 1; changed "a drag of the line of the swipe"
key Left;                                       changed "Left, which moves the line"
key q;                                          changed "a checkerboard"
key q;                                          changed "the denoised slice alone"
key F5;                                         changed "the three planes and a swipe"
matches planes
key e
mouse_to 900 230
xdotool mousedown 1 mousemove_relative --sync 60 40 mouseup 1; changed "an ROI on the coronal plane"
mouse_to 900 300
xdotool click 4 click 4;                        changed "the wheel over the coronal plane"
xdotool mousemove 960 280 click 1;              changed "a click, which moves the crosshair"
key z;                                          changed "the magnifier"
key z;                                          changed "the magnifier taken off"
mouse_to 234 38
xdotool click 1;                                changed "the layout of three panes"
key ctrl+1;                                     changed "one to one"
key h;                                          changed "the identity, which is hidden"
key F11;                                        changed "the pictures alone"
key Escape;                                     changed "Escape, which shows everything again"
key r;                                          changed "the picture fitted again"
mouse_to 400 420
key m;                                          changed "the noise map"
mouse_to 400 400;                               changed "the noise under the pointer"
key m;                                          changed "the noise map taken off"
key t;                                          changed "the marks of structure in the residual"
key t;                                          changed "the marks taken off"
key ctrl+Return;                                changed "apply to the volume"
matches applied
settled "$work/last.png"
key ctrl+q;                                     changed "the question before the result is lost"
key Escape;                                     changed "Escape, which keeps it"
key ctrl+e;                                     changed "the export dialog"
matches export
key Escape;                                     changed "Escape in the field of the dialog"
for keys in ctrl+l ctrl+s ctrl+e; do key "$keys" Escape; done
rests "dialogs with text fields"
screen_quit
no_faults
screen_stop

screen_start
settled "$work/last.png"
mouse_to 1400 158
xdotool click 1;                                changed "a click on the slider of the strength"
key 8;                                          changed "a key while the slider has the focus"
key ctrl+Return Escape # cancels the run: there is no result and no question
key ctrl+q
screen_ended
no_faults
screen_stop

screen_start
settled "$work/last.png"
key ctrl+Return ctrl+Return
mouse_to 20 12
xdotool click 1
key Escape;                                     changed "a run during which a menu was opened and closed"
key ctrl+q;                                     changed "the question before its result is lost"
key Escape
kill -TERM "$screen_app"
screen_ended
no_faults
grep -q window_size "$screen_dir/config/quell/settings.json" || { echo "drive: SIGTERM did not save the settings" >&2; exit 1; }
screen_stop

screen_size=1280x720 screen_start
mouse_to 900 12 # away from the pictures, whose value it would show
key p
matches small-window
key ctrl+Return
kill -TERM "$screen_app"
screen_ended
no_faults
screen_stop

screen_start
mouse_to 400 420
matches column # with the filter that is proposed, which the run has then
settled "$work/last.png"
key ctrl+Return;                                changed "a run, whose result is kept against a crash"
matches result
settled "$work/last.png"
key ctrl+l ctrl+a
xdotool type "$PWD/assets/series"
key Return;                                     changed "another series, beside the first"
matches beside
settled "$work/last.png"
key ctrl+Tab;                                   changed "the first series again"
key c;                                          changed "the coronal plane"
kill -KILL "$screen_app"
wait "$screen_app" || true
screen_run
matches crashed
settled "$work/last.png"
key Return;                                     changed "Open, the answer to the question after a crash"
matches restored
settled "$work/last.png"
key ctrl+Tab;                                   changed "the other series, which is read again"
key ctrl+q;                                     changed "the question before the result of the last session is lost"
key Tab Return
screen_ended
no_faults
if compgen -G "$screen_dir/cache/quell/autosave/work-*" >/dev/null; then echo "drive: an orderly end left work in the cache" >&2; exit 1; fi
echo "drive: done"
