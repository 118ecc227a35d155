package sliceview

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/ui/viewer"
)

func at(x, y float32) *desktop.MouseEvent {
	e := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary}
	e.Position = fyne.NewPos(x, y)
	return e
}

// The divider of a curtain is dragged where it is; beside it a drag sets the window.
func TestTheDividerIsDragged(t *testing.T) {
	p, _, state := shownPane(t, viewer.Denoised)
	state.Compare(viewer.Curtain)
	p.Refresh()
	drag := func(from, to float32) {
		p.MouseMoved(at(from, 200))
		p.MouseDown(at(from, 200))
		e := &fyne.DragEvent{Dragged: fyne.NewDelta(to-from, 0)}
		e.Position = fyne.NewPos(to, 200)
		p.Dragged(e)
		p.DragEnd()
	}
	window := state.Window()
	for _, from := range []float32{150 - dividerReach - 1, 150 + dividerReach + 1} {
		drag(from, from+10)
		if state.Comparison().Share != 0.5 || state.Window() == window || p.Cursor() != desktop.CrosshairCursor {
			t.Errorf("a drag at %g moves the divider at 150, or does not set the window", from)
		}
	}
	window = state.Window()
	drag(150+dividerReach, 225)
	if state.Comparison().Share != 0.75 || state.Window() != window {
		t.Errorf("share %g; want 0.75 and the window as before", state.Comparison().Share)
	}
	p.MouseIn(at(225, 200))
	if p.Cursor() != desktop.HResizeCursor {
		t.Error("the pointer does not show that the divider can be dragged")
	}
	for _, away := range []fyne.Position{fyne.NewPos(225, headHeight-1), fyne.NewPos(150, 200)} {
		p.MouseMoved(at(away.X, away.Y))
		if p.Cursor() != desktop.CrosshairCursor {
			t.Errorf("at %v the pointer is that of the divider", away)
		}
	}
	state.Compare(viewer.Fade)
	p.MouseMoved(at(225, 200))
	if p.Cursor() != desktop.CrosshairCursor {
		t.Error("a mixture has a divider")
	}
}

// Both sides are labelled wherever both are shown, and a label that has no room is left
// out.
func TestSidesAreLabelled(t *testing.T) {
	p, r, state := shownPane(t, viewer.Denoised)
	c := p.Caption()
	c.Sides, c.Title = [2]string{"RUN 1", "RUN 2"}, "RUN 1 | RUN 2"
	p.SetCaption(c)
	shown := func() (out [2]bool) {
		for i, label := range r.sides.labels {
			out[i] = !label.text.Hidden && label.text.Text == c.Sides[i]
		}
		return out
	}
	check := func(what string, divider bool, labels [2]bool) {
		t.Helper()
		p.Refresh()
		if got := shown(); got != labels || r.sides.line.Hidden == divider || r.sides.handle.Hidden == divider || r.title.Text != c.Title {
			t.Errorf("%s: labels %v, divider hidden %t, title %q", what, got, r.sides.line.Hidden, r.title.Text)
		}
	}
	check("off", false, [2]bool{})
	state.Compare(viewer.Curtain)
	check("curtain", true, [2]bool{true, true})
	if x := r.sides.line.Position1.X; x != 150 || r.sides.labels[0].text.Position().X >= x || r.sides.labels[1].text.Position().X <= x {
		t.Errorf("the divider is at %g", x)
	}
	state.SetShare(0.05)
	check("curtain at the left", true, [2]bool{false, true})
	state.SetShare(0.95)
	check("curtain at the right", true, [2]bool{true, false})
	state.Compare(viewer.Checkerboard)
	check("checkerboard", false, [2]bool{true, true})
	size := float32(300 / 8)
	for i, label := range r.sides.labels { // square 2 from above is of A, 3 of B
		if y := label.text.Position().Y - headHeight; y < size*float32(2+i) || y+label.size().Height > size*float32(3+i) {
			t.Errorf("label %d at %g is not in its square", i, y)
		}
	}
	state.Compare(viewer.Fade)
	check("fade", false, [2]bool{})
	state.Compare(viewer.Curtain)
	p.SetFrame(viewer.Frame{})
	check("without a picture", false, [2]bool{})
	p.SetFrame(viewer.Frame{Image: image.NewRGBA(image.Rect(0, 0, 300, 300)), X1: 300, Y1: 300})
	c.Sides = [2]string{}
	p.SetCaption(c)
	check("while it shows one side", false, [2]bool{})
	other, right, state := shownPane(t, viewer.Original)
	state.Compare(viewer.Curtain)
	other.Refresh()
	if !right.sides.line.Hidden {
		t.Error("the pane of the original has a divider")
	}
}

// A click on the heading asks what the pane shows; one on the picture does not.
func TestTheHeadingIsClicked(t *testing.T) {
	p, _, _ := shownPane(t, viewer.Denoised)
	var clicked []viewer.Role
	p.events.Heading = func(r viewer.Role, _ fyne.Position) { clicked = append(clicked, r) }
	p.Tapped(&fyne.PointEvent{Position: fyne.NewPos(20, headHeight)})
	if len(clicked) != 0 {
		t.Error("a click on the picture is one on the heading")
	}
	p.Tapped(&fyne.PointEvent{Position: fyne.NewPos(20, headHeight-1)})
	if len(clicked) != 1 || clicked[0] != viewer.Denoised {
		t.Errorf("the heading was clicked %v", clicked)
	}
}
