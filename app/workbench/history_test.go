package workbench_test

import (
	"testing"

	"quell/app/apptest"
	"quell/app/workbench"
	"quell/denoise"
	"quell/measure"
	"quell/volume"
)

// The window alone is a step, but no work; a step that replaces the present cannot be undone.
func TestWorkedAndAmend(t *testing.T) {
	var h workbench.History
	first := workbench.Edit{Recipe: apptest.MustRecipe("nlm", 3), Window: volume.Window{Width: 9}}
	h.Amend(first)
	if got, ok := h.Present(); !ok || got.Window != first.Window || h.CanUndo() || h.Worked() {
		t.Errorf("an empty history amended holds %+v", got)
	}
	second := first
	second.Window.Width = 10
	h.Push(second)
	if !h.CanUndo() || h.Worked() {
		t.Error("a window is no step, or counts as work")
	}
	second.Window.Width = 11
	h.Amend(second)
	if got, _ := h.Present(); got.Window.Width != 11 {
		t.Errorf("the present is %+v", got)
	}
	if got, _ := h.Undo(); got.Window.Width != 9 || h.CanUndo() {
		t.Errorf("undo gives %+v", got)
	}
	for what, change := range map[string]func(e *workbench.Edit){
		"recipe": func(e *workbench.Edit) { e.Recipe = e.Recipe.With("h", denoise.Number(3)) }, "marks": func(e *workbench.Edit) { e.Marks = []workbench.Mark{{ID: 1}} },
		"ground": func(e *workbench.Edit) { e.Ground = 1 }, "noise": func(e *workbench.Edit) { e.Noise = &workbench.GivenNoise{} },
	} {
		worked := h
		e := first
		change(&e)
		worked.Push(e)
		if !worked.Worked() {
			t.Errorf("a change of the %s is no work", what)
		}
		worked.Undo()
		if worked.Worked() {
			t.Errorf("a change of the %s that was undone is work", what)
		}
	}
}

// The number of a mark is not given again while undo or redo can bring the mark back.
func TestNewMarkID(t *testing.T) {
	var h workbench.History
	if h.NewMarkID() != 1 {
		t.Error("the first mark is not 1")
	}
	h.Push(workbench.Edit{})
	h.Push(workbench.Edit{Marks: []workbench.Mark{{ID: 1}, {ID: 4}}})
	h.Push(workbench.Edit{Marks: []workbench.Mark{{ID: 1}}}) // 4 is deleted
	if id := h.NewMarkID(); id != 5 {
		t.Errorf("%d after a mark was deleted, want 5", id)
	}
	h.Undo()
	h.Undo()
	if id := h.NewMarkID(); id != 5 {
		t.Errorf("%d after undo, want 5", id)
	}
	h.Push(workbench.Edit{})
	if id := h.NewMarkID(); id != 1 {
		t.Errorf("%d where no mark can come back, want 1", id)
	}
}

func TestNamesOfMarks(t *testing.T) {
	if got := (workbench.Mark{ID: 2}).Name(); got != "ROI 2" {
		t.Errorf("%q", got)
	}
	if got := (workbench.Mark{ID: 3, Outline: measure.Outline{Shape: measure.Line}}).Name(); got != "Line 3" {
		t.Errorf("%q", got)
	}
}

func TestMarksFromAFile(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 5, 6}, [3]float64{1, 1, 1})
	two := [][2]float64{{1, 1}, {2, 2}}
	good := workbench.Mark{ID: 1, Index: 5, Outline: measure.Outline{Shape: measure.Box, Points: two}}
	if !good.On(g) || !(workbench.Mark{ID: 1, Outline: measure.Outline{Shape: measure.Freehand, Points: two[:1]}}).On(g) ||
		!(workbench.Mark{ID: 1, Plane: volume.Sagittal, Index: 3, Outline: measure.Outline{Shape: measure.Line, Points: two}}).On(g) {
		t.Error("a sound mark is refused")
	}
	for what, change := range map[string]func(m *workbench.Mark){
		"no number": func(m *workbench.Mark) { m.ID = 0 }, "a slice beyond": func(m *workbench.Mark) { m.Index = 6 }, "a slice before": func(m *workbench.Mark) { m.Index = -1 },
		"no plane": func(m *workbench.Mark) { m.Plane = 3 }, "a negative plane": func(m *workbench.Mark) { m.Plane = -1 }, "one point": func(m *workbench.Mark) { m.Points = two[:1] },
		"no shape": func(m *workbench.Mark) { m.Shape = 4 }, "a negative shape": func(m *workbench.Mark) { m.Shape = -1 },
		"no point": func(m *workbench.Mark) { m.Shape, m.Points = measure.Freehand, nil },
	} {
		m := good
		if change(&m); m.On(g) {
			t.Errorf("%s: drawn", what)
		}
	}
}

// A step that may go on does so until there is another one, or it is undone.
func TestStepsThatGoOn(t *testing.T) {
	zoom := func(z float64) workbench.Edit {
		return workbench.Edit{Recipe: apptest.MustRecipe("nlm", 3), Places: [3]workbench.Framing{{Zoom: z}}}
	}
	var h workbench.History
	h.Push(zoom(1))
	if h.Turning() {
		t.Error("a step goes on")
	}
	h.PushTurn(zoom(2))
	if !h.Turning() {
		t.Error("a turn does not go on")
	}
	h.Amend(zoom(3))
	if e, _ := h.Undo(); !h.CanRedo() || h.CanUndo() || e.Places[0].Zoom != 1 || h.Turning() {
		t.Errorf("undo gives %+v, turning %v", e, h.Turning())
	}
	if e, _ := h.Redo(); e.Places[0].Zoom != 3 || h.Turning() {
		t.Errorf("redo gives %+v, turning %v", e, h.Turning())
	}
	h.PushTurn(zoom(4))
	h.Push(zoom(5))
	if h.Turning() || h.Worked() {
		t.Errorf("after another step: turning %v, worked %v", h.Turning(), h.Worked())
	}
}
