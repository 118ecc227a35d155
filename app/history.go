package app

import "quell/denoise"

// maxUndo is how many steps of a recipe history can be undone.
const maxUndo = 100

// History is a bounded undo list of recipes. The zero History is empty. It is
// for one goroutine.
type History struct {
	past   []denoise.Recipe // oldest first; the last is the present
	future []denoise.Recipe // undone, next last
}

// Push makes r the present and forgets what was undone.
func (h *History) Push(r denoise.Recipe) {
	h.past = append(h.past, r)
	h.future = nil
	if extra := len(h.past) - maxUndo - 1; extra > 0 {
		h.past = append([]denoise.Recipe(nil), h.past[extra:]...)
	}
}

// Present returns the newest recipe that is not undone; false where there is
// none.
func (h *History) Present() (denoise.Recipe, bool) {
	if len(h.past) == 0 {
		return denoise.Recipe{}, false
	}
	return h.past[len(h.past)-1], true
}

// CanUndo reports whether there is an earlier recipe.
func (h *History) CanUndo() bool { return len(h.past) > 1 }

// CanRedo reports whether an undone recipe can be restored.
func (h *History) CanRedo() bool { return len(h.future) > 0 }

// Undo goes back one step and returns the recipe that is now present; false
// where there is no earlier one.
func (h *History) Undo() (denoise.Recipe, bool) {
	if !h.CanUndo() {
		return denoise.Recipe{}, false
	}
	last := len(h.past) - 1
	h.future = append(h.future, h.past[last])
	h.past = h.past[:last]
	return h.Present()
}

// Redo is the inverse of Undo.
func (h *History) Redo() (denoise.Recipe, bool) {
	if !h.CanRedo() {
		return denoise.Recipe{}, false
	}
	last := len(h.future) - 1
	h.past = append(h.past, h.future[last])
	h.future = h.future[:last]
	return h.Present()
}
