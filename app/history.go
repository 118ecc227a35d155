package app

// History is a bounded undo list over values of one type. The zero History is
// empty and keeps 100 steps. It is for one goroutine.
type History[T any] struct {
	Limit int // steps that can be undone; 0 means 100

	past   []T // oldest first; the last is the present
	future []T // undone, next last
}

// Push makes v the present; what was undone is forgotten.
func (h *History[T]) Push(v T) {
	h.past = append(h.past, v)
	h.future = nil
	limit := h.Limit
	if limit <= 0 {
		limit = 100
	}
	if extra := len(h.past) - limit - 1; extra > 0 {
		h.past = append([]T(nil), h.past[extra:]...)
	}
}

// Present returns the newest value that is not undone; false where there is
// none.
func (h *History[T]) Present() (T, bool) {
	if len(h.past) == 0 {
		var none T
		return none, false
	}
	return h.past[len(h.past)-1], true
}

// CanUndo says whether there is an earlier value.
func (h *History[T]) CanUndo() bool { return len(h.past) > 1 }

// CanRedo says whether something undone can come back.
func (h *History[T]) CanRedo() bool { return len(h.future) > 0 }

// Undo goes back one step and returns the value that is now present; false
// where there is no earlier one.
func (h *History[T]) Undo() (T, bool) {
	if h.CanUndo() {
		last := len(h.past) - 1
		h.future = append(h.future, h.past[last])
		h.past = h.past[:last]
		return h.past[last-1], true
	}
	var none T
	return none, false
}

// Redo is the inverse of Undo.
func (h *History[T]) Redo() (T, bool) {
	if h.CanRedo() {
		last := len(h.future) - 1
		v := h.future[last]
		h.future = h.future[:last]
		h.past = append(h.past, v)
		return v, true
	}
	var none T
	return none, false
}
