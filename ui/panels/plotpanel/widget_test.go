package plotpanel

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/measure"
	"quell/ui/control"
	"quell/volume"
)

func TestOnlyWhatThePlotShowsIsDrawnAgain(t *testing.T) {
	test.NewTempApp(t)
	var queue []func()
	now := func(f func()) { f() }
	p := NewWidget(func(f func()) { queue = append(queue, f) }, now, Hooks{})
	w := test.NewTempWindow(t, p)
	w.Resize(fyne.NewSize(500, 260))
	drain := func() (n int) {
		for len(queue) > 0 {
			f := queue[0]
			queue = queue[1:]
			f()
			n++
		}
		return n
	}
	drain()
	pic, window := picture(t), volume.Window{Center: 50, Width: 100}
	p.Display(pic, [3]int{1, 1, 0}, window, Marked{})
	if drain() != 1 || p.image.Image == nil {
		t.Fatal("the first picture was not plotted")
	}
	p.Display(pic, [3]int{1, 2, 0}, window, Marked{})
	if drain() != 0 {
		t.Error("the histogram was drawn again because the pointer moved")
	}
	p.Select(Profile)
	if drain() != 1 || p.Kind() != Profile {
		t.Error("selecting the profile did not draw it")
	}
	p.Display(pic, [3]int{1, 2, 0}, window, Marked{})
	if drain() != 0 {
		t.Error("the same profile was drawn again")
	}
	p.Display(pic, [3]int{1, 3, 0}, window, Marked{})
	if drain() != 1 {
		t.Error("the profile did not follow the pointer")
	}
	if size, b := p.area.Size(), p.image.Image.Bounds(); int(size.Width+0.5) != b.Dx() || int(size.Height+0.5) != b.Dy() {
		t.Errorf("the plot is %v in an area of %v", b, size)
	}
	// A line and an ROI are followed, and the pointer is not.
	line := Marked{Line: &measure.Outline{Shape: measure.Line, Points: [][2]float64{{1, 1}, {9, 9}}}, LineNote: "4.0 mm"}
	p.Display(pic, [3]int{1, 3, 0}, window, line)
	if drain() != 1 || p.note.Text != "4.0 mm" {
		t.Errorf("a line was not profiled, or its note is %q", p.note.Text)
	}
	p.Display(pic, [3]int{1, 5, 0}, window, line)
	same := line
	same.Line = &measure.Outline{Shape: measure.Line, Points: [][2]float64{{1, 1}, {9, 9}}}
	p.Display(pic, [3]int{1, 5, 0}, window, same)
	if drain() != 0 {
		t.Error("the profile of a line follows the pointer")
	}
	same.Line.Points[1][0] = 8
	p.Display(pic, [3]int{1, 5, 0}, window, Marked{Line: &measure.Outline{Shape: measure.Line, Points: [][2]float64{{1, 1}, {8, 9}}}})
	if drain() != 1 {
		t.Error("a line that was moved is not profiled again")
	}
	if !p.log.Hidden || !p.removed.Hidden {
		t.Error("the choices of the histogram are shown with a profile")
	}
	p.Select(Histogram)
	drain()
	if p.log.Hidden || p.removed.Hidden || p.note.Text != "" {
		t.Errorf("the choices of the histogram are hidden, or its note is %q", p.note.Text)
	}
	for _, c := range []*control.Check{p.log, p.removed} {
		before := p.image.Image
		c.SetChecked(true)
		if drain() != 1 || p.image.Image == before {
			t.Error("a choice of the histogram draws nothing")
		}
	}
	p.Display(pic, [3]int{1, 5, 0}, window, Marked{Region: &measure.Outline{Points: [][2]float64{{1, 1}, {9, 9}}}, RegionName: "ROI 2"})
	if drain() != 1 || p.note.Text != "In ROI 2" {
		t.Errorf("the histogram of an ROI: %q", p.note.Text)
	}
}

// Without a slice nothing is plotted, also if the plot of the last one is late or the kind changes.
func TestAClosedSeriesIsNotPlotted(t *testing.T) {
	test.NewTempApp(t)
	var queue []func()
	p := NewWidget(func(f func()) { queue = append(queue, f) }, func(f func()) { f() }, Hooks{})
	test.NewTempWindow(t, p).Resize(fyne.NewSize(500, 260))
	drain := func() {
		for len(queue) > 0 {
			f := queue[0]
			queue = queue[1:]
			f()
		}
	}
	window := volume.Window{Center: 50, Width: 100}
	p.Display(picture(t), [3]int{1, 1, 0}, window, Marked{})
	drain()
	if p.image.Image == nil {
		t.Fatal("the slice is not plotted")
	}
	p.Display(nil, [3]int{}, volume.Window{}, Marked{})
	if p.image.Image != nil {
		t.Error("the plot of a closed series stays")
	}
	p.Display(picture(t), [3]int{1, 1, 0}, window, Marked{})
	p.Display(nil, [3]int{}, volume.Window{}, Marked{})
	drain()
	if p.image.Image != nil {
		t.Error("a late plot of a closed series is shown")
	}
	p.Select(Strength)
	p.Select(Profile)
	drain()
	if p.image.Image != nil {
		t.Error("another kind of plot shows the closed series")
	}
	p.Display(picture(t), [3]int{1, 1, 0}, window, Marked{})
	drain()
	if p.image.Image == nil {
		t.Error("the next series is not plotted")
	}
}
