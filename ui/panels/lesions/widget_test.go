package lesions

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/denoise/lesions"
	_ "quell/internal/locale" // English
	"quell/measure"
	"quell/measure/detect"
	"quell/ui/palette"
	"quell/volume"
)

// some returns a panel of two lesions: one that is visible and fades, and one that was not visible.
func some() *lesions.Panel {
	at := func(x float64) detect.Interval { return detect.Interval{Value: x, Lo: x - 0.1, Hi: x + 0.1} }
	seen := func(before, after float64) lesions.Seen {
		return lesions.Seen{Before: at(before), After: at(after), Ratio: at(after / before)}
	}
	row := func(sigmas, kept, before float64) lesions.Row {
		l := lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 10 * sigmas, Sigmas: sigmas, Slices: 1}
		return lesions.Row{Lesion: l, Kept: at(kept), EdgeBefore: 2, EdgeAfter: measure.Float(3.25), Eye: seen(before, before/2), Channels: seen(before, before)}
	}
	g := volume.NewGeometry([3]int{15, 15, 1}, [3]float64{1, 1, 1})
	picture := &lesions.Picture{Lesion: lesions.Lesion{Size: 4, Contrast: 20, Sigmas: 2}, Before: volume.New(g), After: volume.New(g)}
	for i := range picture.Before.Data {
		picture.Before.Data[i] = 100
	}
	return &lesions.Panel{Rows: []lesions.Row{row(1, 0.5, 1), row(2, 0.6, 12)}, Picture: picture}
}

func TestTheTab(t *testing.T) {
	test.NewTempApp(t)
	now := func(f func()) { f() }
	started, stopped := 0, 0
	p := NewWidget(now, now, Hooks{Start: func() { started++ }, Stop: func() { stopped++ }})
	test.NewTempWindow(t, p).Resize(fyne.NewSize(346, 640))
	shows := func() string {
		var texts []string
		for _, o := range test.LaidOutObjects(p) {
			if l, ok := o.(*widget.Label); ok && l.Visible() {
				texts = append(texts, l.Text)
			}
		}
		return strings.Join(texts, "|")
	}
	panel := some()
	s := Snapshot{Panel: panel}
	s.describe(*panel)
	p.Display(s)
	for _, want := range []string{"A lesion of 4 mm at 2 sigma, which is visible before, keeps 60 % of its contrast", "|60 %|", "|2.0→3.2|", "|12→6.0 (5.9–6.1)", "|1.0→0.5 (0.4–0.6)", "in the middle, before and after, W 80 L 100"} {
		if !strings.Contains(shows(), want) {
			t.Errorf("%q is not in %q", want, shows())
		}
	}
	if !s.Warns || s.Rows[0].Over || s.Rows[0].Visible || !s.Rows[1].Over {
		t.Errorf("%+v", s)
	}
	if p.plot.Image == nil || p.images[0].Image == nil || p.images[1].Image == nil || !p.button.Hidden {
		t.Error("plot or pictures are missing, or there is a button")
	}

	p.Display(Snapshot{Text: "Lesion 2 of 12 is being filtered …", Measuring: true})
	if got := shows(); strings.Contains(got, "60 %") || p.plot.Image != nil || p.button.Text != "Cancel" {
		t.Errorf("while it is measured: %q, button %q", got, p.button.Text)
	}
	test.Tap(p.button)
	p.Display(Snapshot{Text: "The measurement was cancelled.", Stopped: true})
	test.Tap(p.button)
	if started != 1 || stopped != 1 || p.button.Text != "Measure" {
		t.Errorf("started %d, stopped %d, button %q", started, stopped, p.button.Text)
	}
	// A picture of a panel that is not shown any more is dropped.
	p.drawn(draw(request{panel, palette.Dark, 1}))
	if p.plot.Image != nil {
		t.Error("an old picture is shown")
	}
}

func TestIndexHasTwoDigits(t *testing.T) {
	for d, want := range map[float64]string{0.04: "0.0", 3.25: "3.2", 9.94: "9.9", 9.96: "10", 17.4: "17"} {
		if got := index(d); got != want {
			t.Errorf("%g is written %s, want %s", d, got, want)
		}
	}
}
