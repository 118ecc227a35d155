package ui_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/ui/session/marks"
	"quell/ui/viewer"
)

// dragOn drags the left button over a pane, between places in shares of its size.
func (b *bench) dragOn(role viewer.Role, from, to [2]float32) {
	pane := b.workbench.Panes()[role]
	size := pane.Size()
	at := func(share [2]float32) fyne.Position { return fyne.NewPos(share[0]*size.Width, share[1]*size.Height) }
	down := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary}
	down.Position = at(from)
	pane.MouseDown(down)
	move := &fyne.DragEvent{}
	move.Position = at(to)
	pane.Dragged(move)
	pane.DragEnd()
	b.drain()
}

// An ROI drawn on one pane is on all of them at once, with its figures in each; keys draw,
// move focus, delete and bring back.
func TestAnROIIsOnAllPanes(t *testing.T) {
	b := newBench(t, large)
	b.key(fyne.KeyE)
	if b.session().Marks.Tool() != marks.EllipseTool {
		t.Fatal("the key E takes no tool")
	}
	window := b.state().Windows.Current()
	b.dragOn(viewer.Denoised, [2]float32{0.4, 0.5}, [2]float32{0.6, 0.6})
	if b.state().Windows.Current() != window || b.session().Marks.Tool() != marks.NoTool {
		t.Error("the drag that draws changes the window, or leaves the tool")
	}
	for role, pane := range b.workbench.Panes() {
		marks := pane.Caption().Marks
		if len(marks) != 1 || !strings.HasPrefix(marks[0].Text, "1: mean ") || !strings.Contains(marks[0].Text, " SD ") || !strings.HasSuffix(marks[0].Text, " HU") || !marks[0].Selected {
			t.Errorf("pane %d has %+v", role, marks)
		}
	}
	b.key(fyne.KeyL)
	b.dragOn(viewer.Original, [2]float32{0.3, 0.4}, [2]float32{0.7, 0.4})
	if marks := b.workbench.Panes()[viewer.Residual].Caption().Marks; len(marks) != 2 || !strings.HasSuffix(marks[1].Text, " mm") {
		t.Errorf("marks %+v", marks)
	}
	b.command("marks-copy").Run()
	rows, err := csv.NewReader(strings.NewReader(b.app.Clipboard().Content())).ReadAll()
	if err != nil || len(rows) != 1+3+2 {
		t.Errorf("%d rows on the clipboard, %v", len(rows), err)
	}
	b.key(fyne.KeyDelete)
	b.drain()
	if got := b.workbench.Panes()[viewer.Original].Caption().Marks; len(got) != 1 {
		t.Errorf("%d marks after Delete", len(got))
	}
	b.session().History.Undo()
	b.drain()
	if got := b.workbench.Panes()[viewer.Original].Caption().Marks; len(got) != 2 {
		t.Errorf("%d marks after undo", len(got))
	}
	b.state().Cut().Scroll(1)
	b.drain()
	if got := b.workbench.Panes()[viewer.Original].Caption().Marks; len(got) != 0 {
		t.Errorf("%d marks on another slice", len(got))
	}
}

// The same key takes a tool and puts it away; Escape does too.
func TestToolsArePutAway(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.key(fyne.KeyU)
	b.key(fyne.KeyU)
	if b.session().Marks.Tool() != marks.NoTool {
		t.Error("the key twice leaves the tool")
	}
	b.key(fyne.KeyL)
	b.press(fyne.KeyEscape)
	if b.session().Marks.Tool() != marks.NoTool {
		t.Error("Escape leaves the tool")
	}
}
