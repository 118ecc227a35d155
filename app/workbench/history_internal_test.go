package workbench

import (
	"testing"

	"quell/app/apptest"
	"quell/denoise"
)

func TestHistory(t *testing.T) {
	recipe := func(i int) Edit {
		return Edit{Recipe: apptest.MustRecipe("nlm", 3).With("h", denoise.Number(float64(i)))}
	}
	step := func(s Edit, ok bool) int {
		if !ok {
			return -1
		}
		return int(s.Recipe.Get("h").Float())
	}
	var h History
	if step(h.Undo()) != -1 || step(h.Redo()) != -1 || h.CanUndo() || h.CanRedo() || step(h.Present()) != -1 {
		t.Error("an empty history has recipes")
	}
	for i := range 4 {
		h.Push(recipe(i))
	}
	expect := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s gives %d; want %d", what, got, want)
		}
	}
	expect("undo", step(h.Undo()), 2)
	expect("undo", step(h.Undo()), 1)
	expect("redo", step(h.Redo()), 2)
	expect("redo", step(h.Redo()), 3)
	expect("redo of the last", step(h.Redo()), -1)
	expect("undo", step(h.Undo()), 2)
	h.Push(recipe(9))
	if h.CanRedo() {
		t.Error("a new recipe leaves a redo behind")
	}
	expect("undo", step(h.Undo()), 2)
	expect("undo", step(h.Undo()), 1)
	expect("undo", step(h.Undo()), 0)
	expect("undo of the first", step(h.Undo()), -1)

	for i := range 10 + maxUndo {
		h.Push(recipe(i))
	}
	undone := 0
	for h.CanUndo() {
		h.Undo()
		undone++
	}
	expect("the oldest step", step(h.Present()), 9)
	expect("the number of steps", undone, maxUndo)
}
