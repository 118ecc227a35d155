package workbench

import (
	"reflect"

	"quell/denoise"
	"quell/volume"
)

// maxUndo is how many steps of a history can be undone.
const maxUndo = 500

// Edit is what undo returns to: the state after one change.
type Edit struct {
	Recipe denoise.Recipe
	Marks  []Mark      // in the order in which they were drawn
	Ground int         // the mark that contrasts are measured against; 0 for none
	Noise  *GivenNoise // nil: the estimate
	Window volume.Window
	Second volume.Window // of the denoised picture; no width if it has Window
	Places [3]Framing    // of the pictures, by plane
}

// Framing is how a plane is placed in its panes.
type Framing struct {
	Zoom float64    // 1 fits the picture
	Pan  [2]float64 // mm

	volume.Turn
}

// History is a bounded undo list. The zero History is empty. It is for one goroutine.
type History struct {
	past   []Edit // oldest first; the last is the present
	future []Edit // undone, next last
	open   bool   // the present is of a gesture that may go on
}

// Push makes s the present and forgets what was undone.
func (h *History) Push(s Edit) {
	h.past = append(h.past, s)
	h.future, h.open = nil, false
	if extra := len(h.past) - maxUndo - 1; extra > 0 {
		h.past = append([]Edit(nil), h.past[extra:]...)
	}
}

// Amend makes s the present state in place of the last, which cannot be returned to.
func (h *History) Amend(s Edit) {
	if len(h.past) == 0 {
		h.Push(s)
		return
	}
	h.past[len(h.past)-1] = s
}

// PushTurn is Push of a step that may go on, as a wheel has no end: until there is another
// one, Turning is true, and Amend continues it.
func (h *History) PushTurn(s Edit) {
	h.Push(s)
	h.open = true
}

// Turning reports whether the present step may go on.
func (h *History) Turning() bool { return h.open }

// Worked reports whether any step that can be undone changed more than windows and places.
func (h *History) Worked() bool {
	for i := 1; i < len(h.past); i++ {
		a, b := h.past[i-1], h.past[i]
		if !a.Recipe.Equal(b.Recipe) || !reflect.DeepEqual(a.Marks, b.Marks) || a.Ground != b.Ground || a.Noise != b.Noise {
			return true
		}
	}
	return false
}

// Present returns the newest step that is not undone; false if there is none.
func (h *History) Present() (Edit, bool) {
	if len(h.past) == 0 {
		return Edit{}, false
	}
	return h.past[len(h.past)-1], true
}

// CanUndo reports whether there is an earlier step.
func (h *History) CanUndo() bool { return len(h.past) > 1 }

// CanRedo reports whether an undone step can be restored.
func (h *History) CanRedo() bool { return len(h.future) > 0 }

// Undo goes back one step and returns the one that is now present; false if there is no
// earlier one.
func (h *History) Undo() (Edit, bool) {
	if !h.CanUndo() {
		return Edit{}, false
	}
	last := len(h.past) - 1
	h.open = false
	h.future = append(h.future, h.past[last])
	h.past = h.past[:last]
	return h.Present()
}

// Redo is the inverse of Undo.
func (h *History) Redo() (Edit, bool) {
	if !h.CanRedo() {
		return Edit{}, false
	}
	last := len(h.future) - 1
	h.open = false
	h.past = append(h.past, h.future[last])
	h.future = h.future[:last]
	return h.Present()
}

// NewMarkID returns a number that no mark of any step has.
func (h *History) NewMarkID() int {
	id := 0
	for _, steps := range [][]Edit{h.past, h.future} {
		for _, s := range steps {
			for _, m := range s.Marks {
				id = max(id, m.ID)
			}
		}
	}
	return id + 1
}

// Rebind makes the noise that was given for a volume the noise of another one with the
// same voxels. That for other volumes is dropped.
func (h *History) Rebind(from, to *volume.Volume) {
	for _, steps := range [][]Edit{h.past, h.future} {
		for i, s := range steps {
			switch {
			case s.Noise == nil:
			case s.Noise.Of == from:
				moved := *s.Noise
				moved.Of = to
				steps[i].Noise = &moved
			default:
				steps[i].Noise = nil
			}
		}
	}
}
