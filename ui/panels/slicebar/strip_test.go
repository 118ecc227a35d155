package slicebar

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/ui/palette"
	"quell/ui/session/measures"
	"quell/volume"

	_ "quell/internal/locale" // English
)

func strips(t *testing.T) (s *strip, said *string, chosen *int) {
	test.NewTempApp(t)
	said, chosen = new(string), new(int)
	s = newStrip(func(text string) { *said = text }, func(i int) { *chosen = i })
	s.Resize(fyne.NewSize(80, stripHeight))
	s.display([]measures.SliceFigure{
		{Noise: noise.Figure{Sigma: 2, Confidence: noise.High}, Verdict: verdict.Little, Why: message.Verbatim("Too weak.")},
		{Noise: noise.Figure{Sigma: 4, Confidence: noise.Low}},
		{Noise: noise.Figure{Confidence: noise.None, Why: message.Verbatim("There is no tissue.")}, Verdict: verdict.Unknown, Why: message.Verbatim("There is no ground.")},
		{Noise: noise.Figure{Sigma: 4, Confidence: noise.High}, Verdict: verdict.Fades, Why: message.Verbatim("Too strong.")},
	}, "HU", 1)
	return s, said, chosen
}

// The height of a column is sigma, the tick below it the verdict; an unknown one has no
// column and a dark tick.
func TestTheStripShowsSigmaAndVerdicts(t *testing.T) {
	s, _, _ := strips(t)
	img := s.draw(80, 44).(*image.NRGBA)
	heights := func(x int, c color.NRGBA) (n int) {
		for y := range 44 {
			if img.NRGBAAt(x, y) == c {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		x    int
		c    color.NRGBA
		want int
	}{
		{5, palette.Dark.Sigma, 17}, {25, palette.Dark.UnsureSigma, 34}, {45, palette.Dark.Sigma, 0}, {65, palette.Dark.Sigma, 34},
		{5, palette.Dark.Under, 8}, {25, palette.Dark.Unjudged, 8}, {45, palette.Dark.Unknown, 8}, {65, palette.Dark.Strong, 8},
		{30, palette.Dark.Current, 44}, {10, palette.Dark.Current, 0},
		{19, palette.Dark.Sigma, 0}, {19, palette.Dark.Under, 0}, // a gap
	} {
		if got := heights(c.x, c.c); got != c.want {
			t.Errorf("column %d has %d pixels of %v; want %d", c.x, got, c.c, c.want)
		}
	}
	if got := s.draw(3, 22).Bounds(); got.Dx() != 3 {
		t.Error("more slices than pixels")
	}
	if got := s.summary(); got != "σ 2 to 4 HU" {
		t.Errorf("summary %q", got)
	}
}

// Noise that is known roughly says so.
func TestTheStripSaysWhatIsUnknown(t *testing.T) {
	s, said, _ := strips(t)
	s.display([]measures.SliceFigure{{Noise: noise.Figure{Sigma: 2, Low: 1, High: 15, Confidence: noise.Low}}, {Noise: noise.Figure{Sigma: 4, Confidence: noise.High}}}, "HU", 1)
	s.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(5, 5)}})
	if *said != "Slice 1: σ 2 HU, low; not judged yet" || s.summary() != "σ 2 to 4 HU" {
		t.Errorf("%q, %q", *said, s.summary())
	}
}

func TestTheStripSaysWhatItKnows(t *testing.T) {
	s, said, chosen := strips(t)
	for x, want := range map[float32]string{
		5:  "Slice 1: σ 2 HU, high; little removed. Too weak.",
		25: "Slice 2: σ 4 HU, low; not judged yet",
		45: "Slice 3: σ not measured: there is no tissue.; cannot be judged. There is no ground.",
		79: "Slice 4: σ 4 HU, high; objects fade. Too strong.",
	} {
		e := &desktop.MouseEvent{}
		e.Position = fyne.NewPos(x, 4)
		if s.MouseIn(e); *said != strings.Replace(want, ".;", ";", 1) {
			t.Errorf("at %g: %q, want %q", x, *said, want)
		}
	}
	s.MouseOut()
	if *said != "" {
		t.Error("the text stays")
	}
	s.Tapped(&fyne.PointEvent{Position: fyne.NewPos(45, 4)})
	if *chosen != 2 {
		t.Errorf("a click chooses slice %d", *chosen)
	}
	s.display(nil, "", 0)
	s.Tapped(&fyne.PointEvent{Position: fyne.NewPos(5, 4)})
	if *chosen != 2 || s.summary() != "" {
		t.Error("an empty strip has slices")
	}
	s.display(make([]measures.SliceFigure, 2), "", 0)
	if s.summary() != "σ not measured" || s.text(0) != "Slice 1: σ not measured; not judged yet" {
		t.Errorf("%q, %q", s.summary(), s.text(0))
	}
	one := measures.SliceFigure{Noise: noise.Figure{Sigma: 3, Confidence: noise.Fair}}
	if s.display([]measures.SliceFigure{one, one}, "", 0); s.summary() != "σ 3" {
		t.Errorf("%q", s.summary())
	}
}

// The strip is in the order of the slider, which may run against the order of the
// series.
func TestTheStripIsInTheOrderOfTheSlider(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 4, 3}, [3]float64{1, 1, 1})
	figures := []measures.SliceFigure{{Why: message.Verbatim("a")}, {Why: message.Verbatim("b")}, {Why: message.Verbatim("c")}}
	view := g.View(volume.Axial)
	if got := ordered(view, figures); len(got) != 3 || got[0].Why.String() != "a" {
		t.Errorf("%+v", got)
	}
	view.Flip[2] = true
	if got := ordered(view, figures); len(got) != 3 || got[0].Why.String() != "c" || got[1].Why.String() != "b" {
		t.Errorf("%+v", got)
	}
	if ordered(g.View(volume.Coronal), figures) != nil || ordered(view, figures[:2]) != nil {
		t.Error("the slices of another axis are shown")
	}
}
