package sliceview

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	_ "quell/internal/locale" // English
	"quell/ui/viewer"
)

func at(x, y float32) *desktop.MouseEvent {
	e := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary}
	e.Position = fyne.NewPos(x, y)
	return e
}

// The divider of a swipe is dragged at its place; next to it a drag sets the
// window.
func TestTheDividerIsDragged(t *testing.T) {
	p, _, state := shownPane(t, viewer.Denoised)
	state.Compare(viewer.Swipe)
	p.Refresh()
	drag := func(from, to float32) {
		p.MouseMoved(at(from, 200))
		p.MouseDown(at(from, 200))
		e := &fyne.DragEvent{Dragged: fyne.NewDelta(to-from, 0)}
		e.Position = fyne.NewPos(to, 200)
		p.Dragged(e)
		p.DragEnd()
	}
	window := state.Windows.Current()
	for _, from := range []float32{150 - dividerReach - 1, 150 + dividerReach + 1} {
		drag(from, from+10)
		if state.Comparison().Share != 0.5 || state.Windows.Current() == window || p.Cursor() != desktop.CrosshairCursor {
			t.Errorf("a drag at %g moves the divider at 150, or does not set the window", from)
		}
	}
	window = state.Windows.Current()
	drag(150+dividerReach, 225)
	if state.Comparison().Share != 0.75 || state.Windows.Current() != window {
		t.Errorf("share %g; want 0.75 and the window as before", state.Comparison().Share)
	}
	p.MouseIn(at(225, 200))
	if p.Cursor() != desktop.HResizeCursor {
		t.Error("the pointer does not show that the divider can be dragged")
	}
	for _, away := range []fyne.Position{fyne.NewPos(225+dividerReach+1, 200), fyne.NewPos(150, 200)} {
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
		if got := shown(); got != labels || r.sides.line.Hidden == divider || r.sides.handle.Hidden == divider || r.title.text.Text != c.Title {
			t.Errorf("%s: labels %v, divider hidden %t, title %q", what, got, r.sides.line.Hidden, r.title.text.Text)
		}
	}
	check("off", false, [2]bool{})
	state.Compare(viewer.Swipe)
	check("swipe", true, [2]bool{true, true})
	if x := r.sides.line.Position1.X; x != 150 || r.sides.labels[0].text.Position().X >= x || r.sides.labels[1].text.Position().X <= x {
		t.Errorf("the divider is at %g", x)
	}
	state.SetShare(0.05)
	check("swipe at the left", true, [2]bool{false, true})
	state.SetShare(0.95)
	check("swipe at the right", true, [2]bool{true, false})
	state.Compare(viewer.Checkerboard)
	check("checkerboard", false, [2]bool{true, true})
	size := float32(300 / 8)
	for i, label := range r.sides.labels { // square 2 from above is of A, 3 of B
		if y := label.text.Position().Y; y < size*float32(2+i) || y+label.size().Height > size*float32(3+i) {
			t.Errorf("label %d at %g is not in its square", i, y)
		}
	}
	state.Compare(viewer.Fade)
	check("fade", false, [2]bool{})
	state.Compare(viewer.Swipe)
	p.SetFrame(viewer.Frame{})
	check("without a picture", false, [2]bool{})
	p.SetFrame(viewer.Frame{Image: image.NewRGBA(image.Rect(0, 0, 300, 300)), X1: 300, Y1: 300})
	c.Sides = [2]string{}
	p.SetCaption(c)
	check("while it shows one side", false, [2]bool{})
	other, right, state := shownPane(t, viewer.Original)
	state.Compare(viewer.Swipe)
	other.Refresh()
	if !right.sides.line.Hidden {
		t.Error("the pane of the original has a divider")
	}
}

// A click on the heading asks what the pane shows; one on the picture does not.
func TestTheHeadingIsClicked(t *testing.T) {
	p, r, _ := shownPane(t, viewer.Denoised)
	var clicked []viewer.Role
	p.events.Heading = func(r viewer.Role, _ fyne.Position) { clicked = append(clicked, r) }
	for _, beside := range []fyne.Position{fyne.NewPos(20, p.heading.Height), fyne.NewPos(p.heading.Width, 10)} {
		if p.Tapped(&fyne.PointEvent{Position: beside}); len(clicked) != 0 {
			t.Errorf("a click at %v is one on the heading", beside)
		}
	}
	p.Tapped(&fyne.PointEvent{Position: fyne.NewPos(p.heading.Width-1, p.heading.Height-1)})
	if len(clicked) != 1 || clicked[0] != viewer.Denoised {
		t.Errorf("the heading was clicked %v", clicked)
	}
	c := p.Caption()
	c.Choice = true
	p.SetCaption(c)
	if r.title.text.Text != "DENOISED ▾" {
		t.Errorf("the heading is %q", r.title.text.Text)
	}
}

// The crosshair crosses the picture with a gap at its point; parts that do not fit into
// the picture are left out.
func TestTheCrosshairIsDrawn(t *testing.T) {
	p, r, state := shownPane(t, viewer.Original)
	click := func(x, y, dx float32) {
		p.MouseDown(at(x, y))
		p.MouseUp(at(x+dx, y))
		p.Refresh()
	}
	shown := func() (out [4]bool) {
		for i, line := range r.hair {
			out[i] = !line.Hidden
		}
		return out
	}
	click(50, 100, 0)
	if shown() != [4]bool{} {
		t.Error("there is a crosshair before it is marked")
	}
	state.MarkCrosshair(true)
	click(0.5*300/8, 2.5*300/8, 0)
	if point, _ := state.Crosshair(); point != [3]int{0, 2, 2} {
		t.Fatalf("the crosshair is at %v", point)
	}
	if shown() != [4]bool{true, true, true, true} {
		t.Errorf("parts %v", shown())
	}
	x, y := float32(0.5*300/8), float32(2.5*300/8)
	for i, want := range [4][2]fyne.Position{
		{fyne.NewPos(0, y), fyne.NewPos(x-hairGap, y)}, {fyne.NewPos(x+hairGap, y), fyne.NewPos(300, y)},
		{fyne.NewPos(x, 0), fyne.NewPos(x, y-hairGap)}, {fyne.NewPos(x, y+hairGap), fyne.NewPos(x, 300)},
	} {
		if r.hair[i].Position1 != want[0] || r.hair[i].Position2 != want[1] {
			t.Errorf("part %d is from %v to %v; want %v", i, r.hair[i].Position1, r.hair[i].Position2, want)
		}
	}
	for _, c := range []struct{ x, y, dx float32 }{{200, 200, clickTravel}, {20, 5, 0}} { // a drag, a click on the heading
		click(c.x, c.y, c.dx)
		if point, _ := state.Crosshair(); point != [3]int{0, 2, 2} {
			t.Errorf("%+v moved the crosshair to %v", c, point)
		}
	}
	click(200, 200, clickTravel-1)
	if point, _ := state.Crosshair(); point != [3]int{5, 5, 2} {
		t.Errorf("a click moved it to %v", point)
	}
	state.Cut().ZoomAt(8, 300, 300, 300, 300) // its point lies outside
	p.Refresh()
	if shown() != [4]bool{} {
		t.Errorf("outside the picture: parts %v", shown())
	}
	p.SetFrame(viewer.Frame{})
	state.Fit()
	p.Refresh()
	if shown() != [4]bool{} {
		t.Error("a crosshair without a picture")
	}
}

// The voxel under the pointer is marked if its slice is shown.
func TestTheCrossIsInItsSlice(t *testing.T) {
	p, r, state := shownPane(t, viewer.Original)
	coronal := state.In(1)
	coronal.PointAt(150, 150, 300, 300) // of 8 x 4 voxels of 1 x 2 mm
	p.Refresh()
	voxel, _ := state.Cursor()
	if shown := !r.cross[0].Hidden; shown != (voxel[2] == state.Cut().Index()) {
		t.Errorf("the cross of %v is shown in slice %d: %t", voxel, state.Cut().Index(), shown)
	}
	coronal.PointAt(150, 1, 300, 300)
	p.Refresh()
	if !r.cross[0].Hidden {
		t.Error("a voxel of another slice is marked")
	}
}

// The number of a slice that is not that asked for stands across it, whatever texts are shown.
func TestTheNumberOfAnotherSliceStandsAcrossIt(t *testing.T) {
	for _, size := range []fyne.Size{{Width: 300, Height: 400}, {Width: 160, Height: 160}} {
		p, _, state := shownPane(t, viewer.Denoised)
		p.Resize(size)
		r := test.WidgetRenderer(p).(*renderer)
		f := p.Frame()
		for range 3 {
			state.CycleOverlay()
			f.Other = 98
			p.SetFrame(f)
			text := r.other.text
			middle := text.Position().AddXY(text.Size().Width/2, text.Size().Height/2)
			if text.Hidden || text.Text != "SLICE 98" || text.TextSize < 1.5*textSize || max(middle.X-size.Width/2, size.Width/2-middle.X) > 1 || max(middle.Y-size.Height/2, size.Height/2-middle.Y) > 1 {
				t.Errorf("%v: %q of size %g at %v, hidden %v", size, text.Text, text.TextSize, middle, text.Hidden)
			}
			f.Other = 0
			if p.SetFrame(f); !r.other.text.Hidden || !r.other.ground.Hidden {
				t.Errorf("%v: a number is across the slice that is asked for", size)
			}
		}
	}
}
