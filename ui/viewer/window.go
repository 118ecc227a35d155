package viewer

import (
	"math"

	"quell/volume"
)

// DefaultSigmas is the initial scale of the residual. Noise stays within three
// sigmas, so that what saturates is probably structure.
const DefaultSigmas = 3

// Limits of the residual's scale, in sigmas.
const (
	minSigmas = 0.25
	maxSigmas = 50
)

// dragOctave is the drag, in screen units, that changes the width by a factor of e
// and the level by half the width.
const dragOctave = 200

// Windows are the grey-scale windows of original and denoised picture, and the scale of the
// residual.
type Windows struct {
	*shared
	first  bool // the original was pointed at last, not the denoised picture
	darken bool // dragging down darkens
}

// Current returns the window of both pictures; if each has its own, the window of the one
// last pointed at.
func (w *Windows) Current() volume.Window { return w.Of(w.Attended()) }

// Attended returns which of original and denoised picture was pointed at last.
func (w *Windows) Attended() Role {
	if w.first {
		return Original
	}
	return Denoised
}

// Of returns the window of the pane of a role. Both sides of a comparison in the
// denoised pane have the window of the pane, so that the filter alone makes them
// differ.
func (w *Windows) Of(role Role) volume.Window {
	if role == Denoised && w.Unlinked() {
		return w.second
	}
	return w.window
}

// Second returns the window that the denoised pane has for itself, without a width if it
// has the window of the original.
func (w *Windows) Second() volume.Window { return w.second }

// Unlinked says whether original and denoised picture have their own windows.
func (w *Windows) Unlinked() bool { return w.second.Width > 0 }

// ToggleLink gives original and denoised picture their own windows, which begin alike, or one
// again: the window of the picture last pointed at.
func (w *Windows) ToggleLink() {
	switch {
	case w.volume == nil:
		return
	case w.Unlinked():
		w.window, w.second = w.Current(), volume.Window{}
	default:
		w.second = w.window
	}
	w.chosen(false)
	w.changed()
}

// Attend notes that the pane of a role is pointed at: Current is about it from then on.
func (w *Windows) Attend(role Role) {
	if first := role == Original; role != Residual && w.first != first {
		w.first = first
		if w.Unlinked() {
			w.pointed()
		}
	}
}

// Show sets the window of both pictures, or if second has a width the window of
// the original alone; it is not reported as chosen.
func (w *Windows) Show(both, second volume.Window) {
	if both.Width > 0 {
		w.window = both
	}
	w.second = volume.Window{}
	if second.Width > 0 {
		w.second = second
	}
	w.changed()
}

// set sets what Current returns.
func (w *Windows) set(to volume.Window) {
	if w.Unlinked() && !w.first {
		w.second = to
	} else {
		w.window = to
	}
}

// Set sets what Current returns; a width that is not positive is ignored.
func (w *Windows) Set(to volume.Window) {
	if !(to.Width > 0) {
		return
	}
	w.set(to)
	w.chosen(false)
	w.changed()
}

// Automatic returns the window computed from percentiles of the volume.
func (w *Windows) Automatic() volume.Window { return w.auto }

// SetAutomatic sets the window computed from percentiles.
func (w *Windows) SetAutomatic() { w.Set(w.auto) }

// SetInvertLevel selects whether dragging down darkens (on) or brightens, in which
// viewers differ.
func (w *Windows) SetInvertLevel(on bool) { w.darken = on }

// Drag changes width (dx > 0 widens) and level (dy > 0 brightens) by a drag in
// screen units, until EndDrag, of what Current returns. The gain is proportional to the width,
// for narrow brain windows and wide bone windows alike.
func (w *Windows) Drag(dx, dy float64) {
	if w.volume == nil {
		return
	}
	w.begin()
	to := w.Current()
	to.Name = ""
	smallest := w.auto.Width / 2000
	to.Width = min(max(to.Width*math.Exp(dx/dragOctave), smallest), 20*w.auto.Width)
	if w.darken {
		dy = -dy
	}
	to.Center -= dy / dragOctave * to.Width / 2
	w.set(to)
	w.changed()
}

// Inverted says whether black and white are exchanged.
func (w *Windows) Inverted() bool { return w.invert }

// ToggleInvert exchanges black and white.
func (w *Windows) ToggleInvert() {
	w.invert = !w.invert
	w.changed()
}

// Sigmas returns the residual's scale: the multiple of the noise's sigma at
// which its colours saturate.
func (w *Windows) Sigmas() float64 { return w.sigmas }

// DragResidual widens (dx > 0) or narrows the scale of the residual by a drag in
// screen units.
func (w *Windows) DragResidual(dx float64) {
	if w.volume == nil {
		return
	}
	w.sigmas = min(max(w.sigmas*math.Exp(dx/dragOctave), minSigmas), maxSigmas)
	w.changed()
}
