package session_test

import (
	"reflect"
	"slices"
	"testing"

	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/ui/session/measures"
	"quell/volume"
)

func judged(f measures.SliceFigure) bool { return f.Verdict != "" }

// verdicts returns on which slices there are verdicts.
func (b *bench) verdicts() (out []int) {
	for z, f := range b.Strip.Figures() {
		if judged(f) {
			out = append(out, z)
		}
	}
	return out
}

// With nothing else to do, all slices are judged, each once; verdicts of another recipe
// begin anew, and the first recipe's are not shown for it.
func TestAllSlicesAreJudged(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	if got := b.verdicts(); len(got) != 0 || b.Strip.Judges() {
		t.Errorf("verdicts on %v without being asked for", got)
	}
	for z, f := range b.Strip.Figures() {
		if !(f.Noise.Sigma > 0) {
			t.Errorf("slice %d has no noise", z)
		}
	}
	b.engine.mu.Lock()
	b.engine.order = nil
	b.engine.mu.Unlock()
	b.Strip.Judge(true)
	b.settle()
	if got := b.verdicts(); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Fatalf("verdicts on %v; want all", got)
	}
	for z, f := range b.Strip.Figures() {
		if f.Why.String() == "" {
			t.Errorf("the verdict on slice %d has no reason", z)
		}
	}
	shown := b.State().Cut().Index()
	if slices.Contains(b.engine.order, shown) {
		t.Error("the slice on the screen was filtered again")
	}
	before := len(b.engine.order)
	b.State().SetPlane(1)
	b.settle()
	b.State().SetPlane(0)
	b.settle()
	if got := b.verdicts(); len(got) != 6 || len(b.engine.order) > before+3 { // the coronal slice and its neighbours
		t.Errorf("%v, filtered %v after %d", got, b.engine.order, before)
	}
	b.Strip.Judge(false)
	b.Tuning.Set(b.tuned(5), true)
	b.settle()
	if got := b.verdicts(); len(got) != 0 {
		t.Errorf("verdicts on %v of another recipe", got)
	}
}

// Slices are judged only while nothing is in progress: a preview ends the one in progress.
func TestAPreviewEndsTheJudgement(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	b.engine.mu.Lock()
	b.engine.hold, b.engine.held = make(chan struct{}), make(chan int, 20)
	b.engine.mu.Unlock()
	b.Strip.Judge(true)
	<-b.engine.held // the judgement waits
	b.engine.mu.Lock()
	b.engine.hold = nil
	b.engine.mu.Unlock()
	b.Tuning.Set(b.tuned(4), true) // its preview does not wait for the judgement
	b.settle()
	if got := b.verdicts(); len(got) != 6 {
		t.Errorf("verdicts on %v; want all of the new recipe", got)
	}
}

// An error of the engine is the reason that there is no verdict, and is not repeated.
func TestAFailedJudgement(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	b.engine.mu.Lock()
	b.engine.fail = errEngine
	b.engine.mu.Unlock()
	b.Strip.Judge(true)
	b.settle()
	shown := b.State().Cut().Index()
	for z, f := range b.Strip.Figures() {
		if z != shown && (f.Verdict != verdict.Unknown || f.Why.String() == "") {
			t.Errorf("slice %d: %+v", z, f)
		}
	}
	if len(b.errors) != 0 {
		t.Errorf("the user was told of %v", b.errors)
	}
}

// A judgement that was ended, and answers after the judgements of another recipe, changes none
// of them.
func TestALateJudgementIsDropped(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	gate := make(chan struct{})
	b.gate = gate
	b.Strip.Judge(true) // the first judgement waits
	b.gate = nil
	b.Tuning.Set(b.tuned(4), true)
	b.loop.until("all slices of the new recipe are judged", func() bool { return len(b.verdicts()) == 6 })
	want := b.Strip.Figures()
	close(gate)
	b.settle()
	if got := b.Strip.Figures(); !slices.EqualFunc(got, want, func(a, b measures.SliceFigure) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("after the late verdict %+v; want %+v", got, want)
	}
}

// Slices that differ by chance alone have the word of all of them.
func TestSlicesHaveTheWordOfTheVolume(t *testing.T) {
	b := newTissueBench(t)
	v := volume.New(volume.NewGeometry([3]int{64, 64, 6}, [3]float64{1, 1, 5}))
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	v.Unit = "HU"
	b.engine.odd = 0.06
	b.show(&series.Series{Meta: series.Meta{Format: "test", Modality: "CT"}, Volume: v})
	b.Strip.Judge(true)
	b.Tuning.Set(b.tuned(4), true)
	b.settle()
	agree := func(when string) {
		t.Helper()
		all := b.Strip.Figures()
		for z, f := range all {
			if !judged(f) || !f.Why.Same(all[0].Why) {
				t.Errorf("%s, slice %d: %s; slice 0: %s", when, z, f.Why, all[0].Why)
			}
		}
		for z := range all { // the numbers of the slice on the screen have the word of the strip
			b.State().Cut().SetIndex(z)
			b.settle()
			tick := b.Strip.Figures()[z]
			if m := b.Measures.Slice(); !m.Known || !m.Current || m.Judgement != tick.Verdict || m.Why.String() != tick.Why.String() {
				t.Errorf("%s, slice %d: %s; in the strip %s", when, z, m.Why, tick.Why)
			}
		}
	}
	agree("slice by slice")
	b.Results.Apply()
	b.settle()
	agree("after the run")
}
