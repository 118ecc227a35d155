package measurepanel

import (
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/denoise/verdict"
)

// The figures are those of the slice, or of the volume if the slice has none of the present parameters; the good part begins
// at the bound, and a figure whose interval holds the bound is doubtful.
func TestTheBarsOfTheFigures(t *testing.T) {
	c := measured()
	b := bars(Snapshot{Slice: c})
	if len(b) != 3 || b[0].Title != "Noise removed" || b[1].Title != "Contrast kept" || b[2].Title != "Texture kept" {
		t.Fatalf("%+v", b)
	}
	if b[0].Figure != "40 %" || b[0].From != verdict.Usual.Little || b[1].From != verdict.Usual.Contrast || b[2].From != verdict.Usual.Texture || !strings.Contains(b[1].Tapped, "1.5 mm") {
		t.Errorf("%+v", b)
	}
	for _, x := range []struct {
		kept, low, high float64
		good, doubtful  bool
	}{{0.9, 0.87, 0.93, true, false}, {0.86, 0.83, 0.89, true, true}, {0.84, 0.81, 0.87, false, true}, {0.75, 0.72, 0.78, false, false}} {
		c.Verdict.Figures = figures(0.4, verdict.Share{Value: x.kept, Low: x.low, High: x.high})
		if kept := bars(Snapshot{Volume: c})[1]; !kept.Known || kept.good() != x.good || kept.Doubtful != x.doubtful {
			t.Errorf("%+v gives %+v", x, kept)
		}
	}
	c.Current = false
	unknown := measured()
	unknown.Verdict.Figures = verdict.None()
	for name, s := range map[string]Snapshot{"nothing": {}, "unknown": {Slice: unknown}} {
		for _, b := range bars(s) {
			if b.Known || b.Figure != missing {
				t.Errorf("%s: %+v", name, b)
			}
		}
	}
}

// A click on a figure shows what is left of virtual lesions.
func TestBarsLeadToTheLesions(t *testing.T) {
	test.NewTempApp(t)
	var did []string
	p := NewWidget(Hooks{
		Jump: func(bool) {}, Seen: func() { did = append(did, "seen") }, Hover: func(_ fyne.CanvasObject, text string) { did = append(did, text) },
	})
	s := Snapshot{Slice: measured(), Name: "Slice 3"}
	s.Bars = bars(s)
	p.Display(s)
	p.bars[1].Tapped(nil)
	p.bars[1].MouseIn(nil)
	p.bars[1].MouseOut()
	if strings.Join(did, "|") != "seen|"+s.Bars[1].Tapped+"|" {
		t.Errorf("the bars did %q", did)
	}
}

// The value lies over the track at its place, and the good part between its bounds.
func TestBarsAreDrawnToScale(t *testing.T) {
	test.NewTempApp(t)
	b := newBar(func() {}, func(fyne.CanvasObject, string) {})
	w := test.NewTempWindow(t, b)
	w.Resize(fyne.NewSize(340, barHeight))
	b.show(Bar{Title: "Visibility", Figure: "80 %", Known: true, Value: 0.6, Lo: 0.5, Hi: 0.7, From: 0.7, To: 1})
	x := func(share float64) float32 { return b.track.Position().X + float32(share)*b.track.Size().Width }
	near := func(what string, got, want float32) {
		if math.Abs(float64(got-want)) > 0.01 {
			t.Errorf("%s at %g, want %g", what, got, want)
		}
	}
	near("the value", b.value.Position().X+valueWidth/2, x(0.6))
	near("the good part", b.good.Position().X, x(0.7))
	near("its end", b.good.Position().X+b.good.Size().Width, x(1))
	near("the interval", b.spread.Position().X, x(0.5))
	near("its end", b.spread.Position().X+b.spread.Size().Width, x(0.7))
	if b.ends[0].Hidden || !b.ends[1].Hidden || !b.middle.Hidden || b.spread.Hidden {
		t.Error("the lines of the bounds, or of the middle, are wrong")
	}
	b.show(Bar{Title: "Visibility", Figure: "click to measure"})
	if !b.track.Hidden || !b.value.Hidden || !b.spread.Hidden || b.figure.Size().Width < 150 {
		t.Error("a bar without a value draws one")
	}
}
