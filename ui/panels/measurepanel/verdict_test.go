package measurepanel

import (
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/denoise/lesions"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/measure/detect"
	lesionstate "quell/ui/session/lesions"
)

// The error is drawn at the left of the best if a stronger filter would do better, and else at the right; the tolerance of the
// verdict is the good part of the scale, on both sides.
func TestTheBarOfTheError(t *testing.T) {
	at := func(excess, best float64, v tune.Verdict) Bar {
		c := measured()
		c.Excess, c.Best, c.Verdict, c.Place = excess, best, v, "edges in slice 3"
		return errorBar(Snapshot{Slice: c, Name: "Slice 3"})
	}
	for _, c := range []struct {
		excess, best, value float64
		verdict             tune.Verdict
		good                bool
		figure              string
	}{
		{0, 1, 0.5, tune.Matched, true, "+0 %"}, {0.149, 1.5, 0.5 - 0.149, tune.Matched, true, "+15 %"}, {0.151, 1.5, 0.5 - 0.151, tune.Under, false, "+15 %"},
		{0.149, 0.5, 0.5 + 0.149, tune.Matched, true, "+15 %"}, {0.151, 0.5, 0.5 + 0.151, tune.Over, false, "+15 %"},
		{3, 2, 0, tune.Under, false, "+300 %"}, {3, 0, 1, tune.Over, false, "+300 %"}, {-0.01, 1, 0.5, tune.Matched, true, "+0 %"},
	} {
		b := at(c.excess, c.best, c.verdict)
		if !b.Known || math.Abs(b.Value-c.value) > 1e-9 || b.good() != c.good || b.Figure != c.figure || b.Title != "Error, Slice 3" || !strings.HasSuffix(b.Tapped, "show edges in slice 3") {
			t.Errorf("%+v gives %+v", c, b)
		}
	}
	if b := at(0.12, 0.5, tune.Over); !b.Doubtful || !b.good() {
		t.Errorf("over within the tolerance: %+v", b)
	}
	c := measured()
	c.Verdict = tune.Unknown
	for name, s := range map[string]Snapshot{"nothing": {}, "unknown": {Slice: c}, "old": {Slice: Column{Known: true, Measurements: measured().Measurements}}} {
		if b := errorBar(s); b.Known || b.Figure != missing || b.Tapped != "" {
			t.Errorf("%s: %+v", name, b)
		}
	}
	if b := errorBar(Snapshot{Slice: c, Volume: measured(), Name: "Slice 3"}); !b.Known || b.Title != "Error, Volume" {
		t.Errorf("of the volume: %+v", b)
	}
}

// rowOf is a visible lesion that keeps so much of its contrast and of its d'.
func rowOf(kept, ratio float64) lesions.Row {
	interval := func(x float64) detect.Interval { return detect.Interval{Value: x, Lo: x - 0.01, Hi: x + 0.01} }
	seen := lesions.Seen{Before: interval(4), After: interval(4 * ratio), Ratio: interval(ratio)}
	return lesions.Row{Lesion: lesions.Lesion{Size: 3, Sigmas: lesions.UsualContrasts[0]}, Kept: interval(kept), Eye: seen, Channels: seen}
}

// Visibility is the figure that decides: the contrast kept with its bound, or d'. Without figures the bar says why, and what a
// click does.
func TestTheBarOfVisibility(t *testing.T) {
	s := Snapshot{Slice: measured(), Name: "Slice 3"}
	of := func(rows ...lesions.Row) lesionstate.State {
		return lesionstate.State{Panel: &lesions.Panel{Rows: rows}}
	}
	for _, c := range []struct {
		name   string
		now    lesionstate.State
		lost   float64
		known  bool
		good   bool
		doubt  bool
		figure string
		bound  float64
	}{
		{"kept", of(rowOf(0.97, 1)), 0, true, true, false, "97 %", lesions.LeastKept},
		{"just kept", of(rowOf(0.861, 1)), 0, true, true, false, "86 %", lesions.LeastKept},
		{"unsure", of(rowOf(0.859, 1)), 0, true, true, true, "86 %", lesions.LeastKept},
		{"perhaps lost", of(rowOf(0.849, 1)), 0, true, false, true, "85 %", lesions.LeastKept},
		{"lost", of(rowOf(0.839, 1)), 0, true, false, false, "84 %", lesions.LeastKept},
		{"the worst of two", of(rowOf(0.97, 1), rowOf(0.7, 1)), 0, true, false, false, "70 %", lesions.LeastKept},
		{"d'", of(rowOf(1, 0.8)), 0, true, false, false, "d′ 80 %", lesions.LeastRatio},
		{"an object of the series", of(rowOf(0.97, 1)), 0.3, true, false, false, "70 %", lesions.LeastKept},
		{"an object alone", lesionstate.State{}, 0.3, true, false, false, "70 %", lesions.LeastKept},
		{"in progress", lesionstate.State{Measuring: true}, 0, false, false, false, "being measured …", 0},
		{"impossible", lesionstate.State{Problem: message.Verbatim("Too small.")}, 0, false, false, false, "cannot be known", 0},
		{"not asked", lesionstate.State{}, 0, false, false, false, "click to measure", 0},
		{"nothing visible", of(), 0, false, false, false, "no lesion is visible before", 0},
	} {
		b := visibleBar(s, c.now, c.lost)
		if b.Known != c.known || b.Figure != c.figure || c.known && (b.good() != c.good || b.Doubtful != c.doubt || math.Abs(b.From-scaled(c.bound)) > 1e-9 || b.Tapped == "") {
			t.Errorf("%s: %+v", c.name, b)
		}
		if b.ofSeries != (c.lost > 0) {
			t.Errorf("%s: of the series %v", c.name, b.ofSeries)
		}
	}
	if b := visibleBar(Snapshot{}, lesionstate.State{}, 0); b.Known || b.Figure != missing || b.Tapped != "" {
		t.Errorf("without a result: %+v", b)
	}
}

// What fades makes the verdict on present parameters over, with its reason; the bar of the error stays as it is.
func TestVisibilityJoinsTheVerdict(t *testing.T) {
	state := func(kept float64) lesionstate.State {
		return lesionstate.State{Panel: &lesions.Panel{Rows: []lesions.Row{rowOf(kept, 1)}}}
	}
	old, unknown := measured(), measured()
	old.Current, unknown.Verdict = false, tune.Unknown
	s := Snapshot{Slice: measured(), Volume: old, Name: "Slice 3"}
	s.judge(state(0.5))
	if s.Slice.Verdict != tune.Over || !strings.Contains(s.Slice.Why.String(), "keeps 50 %") || s.Volume.Verdict != tune.Matched || !s.Bars[0].Known || s.Bars[0].Doubtful {
		t.Errorf("slice %v %v, volume %v, error %+v", s.Slice.Verdict, s.Slice.Why, s.Volume.Verdict, s.Bars[0])
	}
	if !s.Seen.Known || s.Seen.Kept.Value != 0.5 {
		t.Errorf("seen %+v", s.Seen)
	}
	s = Snapshot{Slice: measured(), Volume: unknown}
	if s.judge(state(0.97)); s.Slice.Verdict != tune.Matched || s.Volume.Verdict != tune.Unknown {
		t.Errorf("slice %v, volume %v", s.Slice.Verdict, s.Volume.Verdict)
	}
	if s.judge(state(0.5)); s.Volume.Verdict != tune.Unknown {
		t.Errorf("volume %v", s.Volume.Verdict)
	}
}

// A click on the error shows its place, and one on visibility what that rests on; a bar that leads nowhere does nothing.
func TestBarsLeadToTheirPlace(t *testing.T) {
	test.NewTempApp(t)
	var did []string
	p := NewWidget(Hooks{
		Jump: func(volume bool) { did = append(did, map[bool]string{false: "slice", true: "volume"}[volume]) },
		Seen: func() { did = append(did, "seen") }, Hover: func(_ fyne.CanvasObject, text string) { did = append(did, text) },
	})
	c := measured()
	c.Place = "edges in slice 3"
	s := Snapshot{Slice: c, Name: "Slice 3"}
	s.Bars = bars(s, lesionstate.State{})
	p.Display(s)
	for _, b := range p.bars {
		b.Tapped(nil)
	}
	p.bars[0].MouseIn(nil)
	p.bars[0].MouseOut()
	if strings.Join(did, "|") != "slice|seen|"+s.Bars[0].Tapped+"|" {
		t.Errorf("the bars did %q", did)
	}
	p.bars[0].MouseIn(nil)
	did = nil
	p.bars[0].Tapped(nil)
	if strings.Join(did, "|") != "|slice" {
		t.Errorf("the tooltip stays at a click: %q", did)
	}
	did = nil
	c.Lost, c.Place = 0.4, ""
	s = Snapshot{Volume: c}
	s.Volume.Place = "smooth tissue in slice 2"
	s.Bars = bars(s, lesionstate.State{})
	p.Display(s)
	p.bars[1].Tapped(nil)
	p.Display(Snapshot{})
	for _, b := range p.bars {
		b.Tapped(nil)
		b.MouseIn(nil)
	}
	if strings.Join(did, "|") != "volume" {
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
