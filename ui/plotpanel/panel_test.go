package plotpanel

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/volume"
)

func TestOnlyWhatThePlotShowsIsDrawnAgain(t *testing.T) {
	test.NewTempApp(t)
	var queue []func()
	now := func(f func()) { f() }
	p := New(func(f func()) { queue = append(queue, f) }, now, Hooks{})
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
	p.Display(pic, [3]int{1, 1, 0}, window)
	if drain() != 1 || p.image.Image == nil {
		t.Fatal("the first picture was not plotted")
	}
	p.Display(pic, [3]int{1, 2, 0}, window)
	if drain() != 0 {
		t.Error("the histogram was drawn again because the pointer moved")
	}
	p.Select(Profile)
	if drain() != 1 || p.Kind() != Profile {
		t.Error("selecting the profile did not draw it")
	}
	p.Display(pic, [3]int{1, 2, 0}, window)
	if drain() != 0 {
		t.Error("the same profile was drawn again")
	}
	p.Display(pic, [3]int{1, 3, 0}, window)
	if drain() != 1 {
		t.Error("the profile did not follow the pointer")
	}
	if size, b := p.area.Size(), p.image.Image.Bounds(); int(size.Width+0.5) != b.Dx() || int(size.Height+0.5) != b.Dy() {
		t.Errorf("the plot is %v in an area of %v", b, size)
	}
}
