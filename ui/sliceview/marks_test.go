package sliceview

import (
	"image"
	"math"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/measure"
	"quell/ui/palette"
	"quell/ui/viewer"
)

func shape(s measure.Shape, points ...[2]float64) measure.Outline {
	return measure.Outline{Shape: s, Points: points}
}

func TestMarksAreDrawnWhereTheyLie(t *testing.T) {
	p, r, _ := shownPane(t, viewer.Original)
	tr := p.state.Cut().Transform(float64(p.Pixels().Width), float64(p.Pixels().Height))
	lit := func(col, row float64) uint32 { // alpha of the layer at a place of the picture
		at := onDevice([][2]float64{{col, row}}, tr)[0]
		img, _ := r.marks.image.Image.(*image.RGBA)
		if img == nil {
			return 0
		}
		_, _, _, a := img.At(int(at[0])-r.marks.area.Min.X, int(at[1])-r.marks.area.Min.Y).RGBA()
		return a >> 8
	}
	p.SetCaption(Caption{Marks: []Mark{{Outline: shape(measure.Box, [2]float64{1, 1}, [2]float64{5, 4}), Text: "1: mean 3"}}})
	if lit(3, 1) < 200 || lit(1, 2) < 200 || lit(5, 4) < 200 || lit(3, 2.5) != 0 || lit(5.6, 2) != 0 {
		t.Errorf("the edges %d %d %d, inside %d, outside %d", lit(3, 1), lit(1, 2), lit(5, 4), lit(3, 2.5), lit(5.6, 2))
	}
	if text := r.marks.texts[0]; text.text.Hidden || text.text.Text != "1: mean 3" || text.text.Color != palette.Picture.Mark || !r.marks.texts[1].text.Hidden {
		t.Errorf("text %q, hidden %v", text.text.Text, text.text.Hidden)
	}
	first := r.marks.image.Image
	p.Refresh()
	if r.marks.image.Image != first {
		t.Error("marks that stay are drawn again")
	}
	p.SetCaption(Caption{Marks: []Mark{{Outline: shape(measure.Line, [2]float64{1, 1}, [2]float64{5, 4}), Selected: true}}})
	if lit(3, 2.5) < 200 || lit(1, 4) != 0 || r.marks.texts[0].text.Color != palette.Picture.Selected {
		t.Error("a line is closed, or not selected")
	}
	p.state.CycleOverlay()
	p.state.CycleOverlay()
	p.Refresh()
	if !r.marks.image.Hidden || !r.marks.texts[0].text.Hidden {
		t.Error("marks are on a bare picture")
	}
	p.state.CycleOverlay()
	p.SetCaption(Caption{})
	if !r.marks.image.Hidden {
		t.Error("marks stay after they are gone")
	}
}

// The text of a mark lies below it, above it if there is no room, and in the pane.
func TestTextsOfMarksStayInThePane(t *testing.T) {
	p, r, _ := shownPane(t, viewer.Original)
	text := r.marks.texts[0]
	for _, c := range []struct {
		name string
		o    measure.Outline
	}{
		{"in the middle", shape(measure.Box, [2]float64{3, 3}, [2]float64{4, 4})},
		{"at the bottom", shape(measure.Box, [2]float64{3, 5}, [2]float64{4, 7.5})},
		{"at the left", shape(measure.Line, [2]float64{-0.5, 3}, [2]float64{0, 3})},
		{"at the right", shape(measure.Line, [2]float64{7.5, 3}, [2]float64{7, 3})},
		{"all", shape(measure.Box, [2]float64{-0.5, -0.5}, [2]float64{7.5, 7.5})},
	} {
		p.SetCaption(Caption{Marks: []Mark{{Outline: c.o, Text: "1: mean 33.1 SD 4.9 HU"}}})
		at, size := text.text.Position(), text.size()
		if text.text.Hidden || at.X < 0 || at.Y < 0 || at.X+size.Width > p.Size().Width || at.Y+size.Height > p.Size().Height {
			t.Errorf("%s: at %v, size %v, hidden %v", c.name, at, size, text.text.Hidden)
		}
	}
	p.SetCaption(Caption{Marks: []Mark{{Outline: shape(measure.Line, [2]float64{40, 3}, [2]float64{50, 3}), Text: "1"}}})
	if !text.text.Hidden {
		t.Error("the text of a mark outside the pane is shown")
	}
}

// A line is as wide as asked for, smooth at its edges, and not darker if segments meet.
func TestStroke(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 20, 10))
	stroke(img, [][2]float64{{2, 5}, {10, 5}, {18, 5}}, false, 3, palette.Picture.Halo)
	column := func(x int) (alpha []uint8) {
		for y := range 10 {
			alpha = append(alpha, img.RGBAAt(x, y).A)
		}
		return alpha
	}
	sum := 0
	for _, a := range column(6) {
		sum += int(a)
	}
	if math.Abs(float64(sum)-3*176) > 4 {
		t.Errorf("across: %v; want 3 pixels of 176", column(6))
	}
	if !slices.Equal(column(6), column(10)) {
		t.Errorf("where segments meet %v, elsewhere %v", column(10), column(6))
	}
	stroke(img, nil, true, 3, palette.Picture.Halo) // nothing to draw
	stroke(img, [][2]float64{{math.NaN(), 1}}, true, 3, palette.Picture.Halo)
	stroke(img, [][2]float64{{1e12, 1e12}, {-1e12, -1e12}}, false, 3, palette.Picture.Halo)
}

// marker records the drags that it takes.
type marker struct {
	takes    bool
	pressed  [][2]float64
	reach    [2]float64
	dragged  [][2]float64
	released int
}

func (m *marker) PressMark(at, reach [2]float64) bool {
	m.pressed, m.reach = append(m.pressed, at), reach
	return m.takes
}
func (m *marker) DragMark(at [2]float64) { m.dragged = append(m.dragged, at) }
func (m *marker) ReleaseMark()           { m.released++ }

func TestDragsOfMarks(t *testing.T) {
	p, _, state := shownPane(t, viewer.Original)
	m := &marker{takes: true}
	p.events.Marker = m
	area := p.Size()
	tr := state.Cut().Transform(float64(area.Width), float64(area.Height))
	at := func(col, row int) fyne.Position {
		x, y := tr.Center(col, row)
		return fyne.NewPos(float32(x), float32(y))
	}
	near := func(got, want [2]float64) bool { return math.Hypot(got[0]-want[0], got[1]-want[1]) < 1e-4 }
	press := func(button desktop.MouseButton, mod fyne.KeyModifier) {
		e := &desktop.MouseEvent{Button: button, Modifier: mod}
		e.Position = at(2, 3)
		p.MouseDown(e)
	}
	drag := func() {
		e := &fyne.DragEvent{Dragged: fyne.NewDelta(30, 0)}
		e.Position = at(5, 1)
		p.Dragged(e)
	}
	window := state.Windows.Current()
	press(desktop.MouseButtonPrimary, 0)
	drag()
	if len(m.pressed) != 1 || !near(m.pressed[0], [2]float64{2, 3}) || len(m.dragged) != 1 || !near(m.dragged[0], [2]float64{5, 1}) || state.Windows.Current() != window {
		t.Errorf("pressed %v, dragged %v, window %v", m.pressed, m.dragged, state.Windows.Current())
	}
	if math.Abs(m.reach[0]*tr.PixelSize[0]-markReach) > 1e-6 || math.Abs(m.reach[1]*tr.PixelSize[1]-markReach) > 1e-6 {
		t.Errorf("reach %v", m.reach)
	}
	p.MouseUp(&desktop.MouseEvent{})
	p.DragEnd() // Fyne calls both
	if m.released != 1 {
		t.Errorf("released %d times", m.released)
	}
	drag()
	if len(m.dragged) != 1 || state.Windows.Current() == window {
		t.Error("the drag after the release is still that of the mark")
	}
	press(desktop.MouseButtonPrimary, 0)
	p.DragEnd()
	if m.released != 2 {
		t.Error("the end of a drag outside the pane does not release")
	}
	press(desktop.MouseButtonSecondary, 0)
	press(desktop.MouseButtonTertiary, 0)
	press(desktop.MouseButtonPrimary, fyne.KeyModifierShift)
	if len(m.pressed) != 2 {
		t.Error("another button, or Shift, draws")
	}
	m.takes = false
	window = state.Windows.Current()
	press(desktop.MouseButtonPrimary, 0)
	drag()
	if state.Windows.Current() == window || len(m.dragged) != 1 {
		t.Error("a drag that the marker leaves does not change the window")
	}
}
