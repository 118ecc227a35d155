package plotpanel

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/ui/palette"
)

func valley() *Curve {
	return &Curve{
		XLabel: "h, σ", YLabel: "error", X: []float64{0.2, 0.5, 1, 2, 5}, Y: []float64{9, 6, 4, 5, 30},
		Labels: []string{"a", "b", "c", "d", "e"}, Best: 2, Present: 1.9, Without: 10,
	}
}

// colored returns the middle of the pixels of a colour, and how many there are.
func colored(img *image.RGBA, c color.NRGBA) (x, y float64, n int) {
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i] == c.R && img.Pix[i+1] == c.G && img.Pix[i+2] == c.B {
			x, y, n = x+float64(i/4%img.Rect.Dx()), y+float64(i/4/img.Rect.Dx()), n+1
		}
	}
	return x / float64(max(n, 1)), y / float64(max(n, 1)), n
}

func TestTheCurveIsDrawnWhereItsAxisSays(t *testing.T) {
	for _, scale := range []float64{1, 2} {
		c := valley()
		c.Without = 4 // in the legend and on the curve alone
		img, x, _, err := Draw(Request{Colors: palette.Dark, Kind: Strength, Curve: c, Width: 600, Height: 300, Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != 600 || b.Dy() != 300 {
			t.Errorf("the plot is %v", b)
		}
		if !x.log || x.lo != 0.2 || x.hi != 5 || x.from < 20 || x.to > 600 || x.to < 500 {
			t.Errorf("axis %+v", x)
		}
		// The vertical line of the present value, above the legend.
		top := img.SubImage(image.Rect(0, 0, 600, 100)).(*image.RGBA)
		best, column := 0, 0
		for col := range 600 {
			n := 0
			for row := range 100 {
				if r, g, b, _ := top.At(col, row).RGBA(); r>>8 > 0xa0 && r == g && g == b {
					n++
				}
			}
			if n > best {
				best, column = n, col
			}
		}
		if best < 50 || math.Abs(float64(column)-x.at(1.9)) > 2 {
			t.Errorf("scale %g: the line of the present value is at %d; the axis says %.1f", scale, column, x.at(1.9))
		}
	}
}

func TestOnlyABestPointIsMarked(t *testing.T) {
	draw := func(c *Curve) *image.RGBA {
		img, _, _, err := Draw(Request{Colors: palette.Dark, Kind: Strength, Curve: c, Width: 600, Height: 300, Scale: 1})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	c := valley()
	if _, _, n := colored(draw(c), palette.Dark.Best); n < 40 {
		t.Error("the best point is not marked")
	}
	c.Best = -1
	if _, _, n := colored(draw(c), palette.Dark.Best); n != 0 {
		t.Error("a best point is marked although there is none")
	}
	if _, _, n := colored(draw(c), palette.Dark.After); n == 0 {
		t.Error("no curve")
	}
	c.Old = true
	if _, _, n := colored(draw(c), palette.Dark.After); n != 0 {
		t.Error("an old curve looks like a current one")
	}
}

func TestCurvesOfAllShapesAreDrawn(t *testing.T) {
	for name, c := range map[string]*Curve{
		"one point":     {X: []float64{1}, Y: []float64{2}, Labels: []string{""}},
		"zeros":         {X: []float64{0, 1, 2}, Y: []float64{0, 0, 0}, Labels: make([]string, 3), Without: 0},
		"a present far": {X: []float64{1, 2}, Y: []float64{3, 4}, Labels: make([]string, 2), Present: 400, Without: 5},
		"no points":     {},
	} {
		if _, _, _, err := Draw(Request{Colors: palette.Dark, Kind: Strength, Curve: c, Width: 300, Height: 200, Scale: 1}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if img, _, _, err := Draw(Request{Colors: palette.Dark, Kind: Strength, Width: 300, Height: 200, Scale: 1}); img != nil || err != nil {
		t.Errorf("without a curve: %v, %v; want nothing", img, err)
	}
	_, x, _, _ := Draw(Request{Colors: palette.Dark, Kind: Strength, Curve: &Curve{X: []float64{1, 2}, Y: []float64{3, 4}, Present: 400}, Width: 300, Height: 200, Scale: 1})
	if x.hi != 400 {
		t.Errorf("the axis ends at %g; want it to contain the present value", x.hi)
	}
}

func TestTheAxis(t *testing.T) {
	linear := axis{from: 100, to: 300, lo: 0, hi: 4}
	logarithmic := axis{from: 100, to: 300, lo: 0.1, hi: 10, log: true}
	for x, want := range map[float64]float64{0: 100, 1: 150, 4: 300} {
		if got := linear.at(x); got != want {
			t.Errorf("%g is at %g; want %g", x, got, want)
		}
	}
	for x, want := range map[float64]float64{0.1: 100, 1: 200, 10: 300} {
		if got := logarithmic.at(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g is at %g; want %g", x, got, want)
		}
	}
	c := &Curve{X: []float64{0.1, 1, 10}}
	for pixel, want := range map[float64]int{-50: 0, 149: 0, 151: 1, 249: 1, 251: 2, 900: 2} {
		if got := c.nearest(logarithmic, pixel); got != want {
			t.Errorf("nearest to %g is point %d; want %d", pixel, got, want)
		}
	}
	if (&Curve{}).nearest(linear, 3) != -1 {
		t.Error("a point of a curve that has none")
	}
}

// curvePanel shows valley in a panel and collects the points that are taken.
func curvePanel(t *testing.T) (p *Widget, taken *[]int, found *int) {
	t.Helper()
	test.NewTempApp(t)
	now := func(f func()) { f() }
	taken, found = &[]int{}, new(int)
	p = NewWidget(now, now, Hooks{Take: func(i int) { *taken = append(*taken, i) }, Find: func() { *found++ }})
	w := test.NewTempWindow(t, p)
	w.Resize(fyne.NewSize(600, 300))
	return p, taken, found
}

func TestAClickTakesTheNearestPoint(t *testing.T) {
	p, taken, _ := curvePanel(t)
	p.DisplayCurve(valley(), false, true)
	if !p.over.Hidden || !p.find.Hidden {
		t.Error("the histogram has the controls of the curve")
	}
	p.Select(Strength)
	if p.over.Hidden || p.find.Hidden || p.note.Text != "Click a point to take it." {
		t.Fatalf("note %q", p.note.Text)
	}
	for i, x := range p.curve.X {
		at := fyne.NewPos(float32(p.axis.at(x))+3, 50)
		p.over.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at}})
		if p.note.Text != p.curve.Labels[i] {
			t.Errorf("at point %d the note is %q", i, p.note.Text)
		}
		p.over.Tapped(&fyne.PointEvent{Position: at})
	}
	p.over.MouseOut()
	if p.note.Text != "Click a point to take it." {
		t.Errorf("the note %q stays", p.note.Text)
	}
	if want := []int{0, 1, 2, 3, 4}; !slices.Equal(*taken, want) {
		t.Errorf("taken %v; want %v", *taken, want)
	}
}

func TestArrowKeysTakeTheNeighbours(t *testing.T) {
	p, taken, _ := curvePanel(t)
	p.over.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft}) // without a curve
	p.DisplayCurve(valley(), false, true)
	p.Select(Strength)
	for _, key := range []fyne.KeyName{fyne.KeyLeft, fyne.KeyRight} { // of 1.9, which is near 2
		p.over.TypedKey(&fyne.KeyEvent{Name: key})
	}
	c := valley()
	c.Present = 0
	p.DisplayCurve(c, false, true)
	p.over.TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft}) // of the best
	c = valley()
	c.Present = 5
	p.DisplayCurve(c, false, true)
	p.over.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight}) // there is none beyond
	if want := []int{2, 4, 1}; !slices.Equal(*taken, want) {
		t.Errorf("taken %v; want %v", *taken, want)
	}
	typed := ""
	p.over.FocusGained()
	fyne.CurrentApp().Driver().CanvasForObject(p.over).SetOnTypedKey(func(e *fyne.KeyEvent) { typed += string(e.Name) })
	for _, key := range []fyne.KeyName{fyne.KeyLeft, fyne.KeyUp, fyne.KeyEscape} {
		p.over.TypedKey(&fyne.KeyEvent{Name: key})
	}
	if typed != "UpEscape" {
		t.Errorf("passed on: %q; want all but Left and Right", typed)
	}
}

func TestTheNoteSaysWhatTheCurveIs(t *testing.T) {
	p, _, found := curvePanel(t)
	p.Select(Strength)
	old := valley()
	old.Old = true
	for _, c := range []struct {
		curve        *Curve
		finding, can bool
		note         string
		button       bool // visible and enabled
	}{
		{nil, false, true, "The estimated error of each strength.", true},
		{nil, true, true, "Searching … Escape cancels.", false},
		{valley(), false, false, "Click a point to take it.", false},
		{old, false, true, "The curve is of other parameters.", true},
	} {
		p.DisplayCurve(c.curve, c.finding, c.can)
		if on := p.find.Visible() && !p.find.Disabled(); p.note.Text != c.note || on != c.button {
			t.Errorf("note %q, button %v; want %q, %v", p.note.Text, on, c.note, c.button)
		}
		if shown := !p.over.Hidden; shown != (c.curve != nil) {
			t.Errorf("%s: points can be clicked: %v", c.note, shown)
		}
	}
	p.find.OnTapped()
	if *found != 1 {
		t.Error("the button does not search")
	}
	p.Select(Histogram)
	if p.note.Text != "" || !p.find.Hidden {
		t.Errorf("the histogram keeps the note %q", p.note.Text)
	}
}
