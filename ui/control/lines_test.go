package control

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// Objects stand in the fewest lines within the width, which are about equally full and end at the edge.
func TestLines(t *testing.T) {
	for _, x := range []struct {
		widths []float32
		want   []int // objects by line
	}{
		{nil, nil},
		{[]float32{40, 40}, []int{2}},
		{[]float32{50, 49}, []int{2}},    // 50 + 1 + 49 fit
		{[]float32{50, 50}, []int{1, 1}}, // one more does not
		{[]float32{30, 30, 30, 20}, []int{2, 2}},
		{[]float32{10, 10, 10, 10, 10, 10, 90}, []int{6, 1}},
		{[]float32{130, 20}, []int{1, 1}}, // wider than a line
	} {
		var objects []fyne.CanvasObject
		for _, w := range x.widths {
			o := canvas.NewRectangle(nil)
			o.SetMinSize(fyne.NewSize(w, 10))
			objects = append(objects, o)
		}
		l := linesLayout{width: 100, gap: 1}
		if height := float32(max(11*len(x.want)-1, 0)); l.MinSize(objects).Height != height {
			t.Errorf("%v: %g high, want %g", x.widths, l.MinSize(objects).Height, height)
		}
		l.Layout(objects, fyne.NewSize(100, 50))
		i := 0
		for line, n := range x.want {
			for k := range n {
				if o := objects[i+k]; o.Position().Y != float32(11*line) || k == 0 && o.Position().X != 0 || o.Size().Width < o.MinSize().Width {
					t.Errorf("%v: object %d at %v, of %v", x.widths, i+k, o.Position(), o.Size())
				}
			}
			last := objects[i+n-1]
			if end := last.Position().X + last.Size().Width; last.MinSize().Width < 100 && (end < 99.9 || end > 100.1) {
				t.Errorf("%v: line %d ends at %g", x.widths, line, end)
			}
			i += n
		}
	}
}
