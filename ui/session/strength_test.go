package session_test

import (
	"math"
	"strings"
	"testing"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/series"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/volume"
)

// newTissueBench shows even tissue of 40 HU with noise of sigma 4; the engine's nlm
// is best at h = 8.
func newTissueBench(t *testing.T) *bench {
	t.Helper()
	b := anotherBench(t)
	b.engine.shrink = true
	b.show(tissueSeries(t))
	return b
}

func TestTheBestStrengthIsFoundAndTaken(t *testing.T) {
	b := newTissueBench(t)
	before := b.Tuning.Recipe()
	if b.Strength.Curve() != nil || !b.Strength.CanFind() {
		t.Fatal("want no curve, and a search to be possible")
	}
	b.Strength.Find()
	if !b.Strength.Searching() || b.Tasks.Progress().Kind != desk.Searching || !b.Strength.CanFind() {
		t.Fatal("want a search as a task that the command can cancel")
	}
	b.settle()
	c := b.Strength.Curve()
	if c == nil || b.Strength.Searching() {
		t.Fatalf("no curve; errors %v", b.errors)
	}
	best := c.Points[c.Best]
	taken := b.Tuning.Recipe().Get("h")
	if !taken.IsSigmas() || math.Abs(taken.Float()/best.Strength-1) > 1e-3 || !b.Tuning.Recipe().Equal(before.With("h", taken)) || !c.Gain || !c.Current {
		t.Errorf("recipe %v, curve %+v; want the best strength and nothing else changed", b.Tuning.Recipe(), c)
	}
	if h := best.Value.Float(); h < 6 || h > 10 {
		t.Errorf("the best h is %g; want about 8", h)
	}
	if math.Abs(c.Present-best.Strength) > 1e-3*best.Strength || math.Abs(c.Sigma-4) > 0.8 {
		t.Errorf("present %g, best %g, sigma %g; want the best, and 4", c.Present, best.Strength, c.Sigma)
	}
	if !strings.HasPrefix(b.Tasks.Message(), "The best strength lowers the estimated error by ") {
		t.Errorf("message %q", b.Tasks.Message())
	}
	b.History.Undo()
	if !b.Tuning.Recipe().Equal(before) {
		t.Error("taking the best strength is not one step of the history")
	}
}

func TestAPointOfTheCurveIsTaken(t *testing.T) {
	b := newTissueBench(t)
	b.Strength.Take(0) // without a curve
	b.Strength.Find()
	b.settle()
	b.Tuning.Set(b.Tuning.Recipe().With("patch-radius", denoise.Number(2)), true)
	c := b.Strength.Curve()
	if c == nil || c.Current {
		t.Fatalf("curve %+v; want it marked as of other parameters", c)
	}
	recipe := b.Tuning.Recipe()
	b.Strength.Take(-1)
	b.Strength.Take(len(c.Points))
	if !b.Tuning.Recipe().Equal(recipe) {
		t.Error("a point that is not there was taken")
	}
	last := len(c.Points) - 1
	b.Strength.Take(last)
	strongest := math.Round(c.Points[last].Strength*1000) / 1000 // to four digits
	if !b.Tuning.Recipe().Equal(recipe.With("h", denoise.Sigmas(strongest))) {
		t.Errorf("recipe %v; want the last point", b.Tuning.Recipe())
	}
	b.Strength.Take(0)
	b.History.Undo()
	if got := b.Strength.Curve().Present; math.Abs(got-strongest) > 1e-6 {
		t.Errorf("present %g after undo; want %g", got, strongest)
	}
}

func TestTheCurveBelongsToItsFilterAndVoxels(t *testing.T) {
	b := newTissueBench(t)
	b.Strength.Find()
	b.settle()
	nlm := b.Tuning.Recipe()
	gaussian, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(gaussian, true)
	if b.Strength.Curve() != nil {
		t.Error("the curve of nlm is shown for another filter")
	}
	b.Tuning.Set(nlm, true)
	if b.Strength.Curve() == nil {
		t.Error("the curve is gone when the filter returns")
	}
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 3})
	b.settle()
	if b.Strength.Curve() != nil {
		t.Error("the curve of other voxels is shown")
	}
}

// The curve is shown as it grows: a few strengths of the range first.
func TestTheCurveGrowsDuringTheSearch(t *testing.T) {
	b := newTissueBench(t)
	before := b.Tuning.Recipe()
	b.Strength.Find()
	b.loop.until("a part of the curve is there", func() bool { return b.Strength.Curve() != nil || !b.Strength.Searching() })
	first := b.Strength.Curve()
	if !b.Strength.Searching() || first == nil || len(first.Points) < 3 || !first.Current || math.Abs(first.Sigma-4) > 0.8 {
		t.Fatalf("the first curve is %+v", first)
	}
	if p := b.Tasks.Progress(); p.Fraction <= 0 || p.Fraction > 1 || !strings.Contains(p.Text, "strengths") || !b.Tuning.Recipe().Equal(before) {
		t.Errorf("progress %+v, recipe %v", p, b.Tuning.Recipe())
	}
	b.settle()
	full := b.Strength.Curve()
	if len(full.Points) <= len(first.Points) {
		t.Errorf("%d points after the first %d", len(full.Points), len(first.Points))
	}

	// The findings of a cancelled search go with it.
	b.Strength.Find()
	b.loop.until("a part of the curve is there again", func() bool { return !b.Strength.Searching() || len(b.Strength.Curve().Points) < len(full.Points) })
	b.Tasks.Cancel()
	if got := b.Strength.Curve(); len(got.Points) != len(full.Points) {
		t.Errorf("after the cancel the curve has %d points; want the %d of the last search", len(got.Points), len(full.Points))
	}
	b.settle()
	if got := b.Strength.Curve(); len(got.Points) != len(full.Points) {
		t.Errorf("late parts of a cancelled search are shown: %d points", len(got.Points))
	}
}

// With another filter its default stays until the search ends.
func TestSureOfAnotherFilterStartsASearch(t *testing.T) {
	b := newTissueBench(t)
	bilateral, err := denoise.NewRecipe("bilateral", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(bilateral.With("sigma-range", denoise.SURE), true)
	if !b.Strength.Searching() || !b.Tuning.Recipe().Equal(bilateral) {
		t.Fatalf("searching %v with %v", b.Strength.Searching(), b.Tuning.Recipe())
	}
	b.settle()
}

func TestALateBestStrengthIsDropped(t *testing.T) {
	for name, leave := range map[string]func(b *bench){
		"cancelled":        func(b *bench) { b.Tasks.Cancel() },
		"the same command": func(b *bench) { b.Strength.Find() },
		"another series":   func(b *bench) { b.show(rampSeries(b.loop.t)) },
	} {
		b := newTissueBench(t)
		gate := make(chan struct{})
		b.gate = gate
		b.Strength.Find()
		b.gate = nil
		close(gate)
		b.Wait() // the answer is queued
		leave(b)
		recipe := b.Tuning.Recipe()
		b.settle()
		if b.Strength.Curve() != nil || !b.Tuning.Recipe().Equal(recipe) || len(b.errors) != 0 {
			t.Errorf("%s: curve %v, recipe %v, errors %v; want nothing of the search", name, b.Strength.Curve(), b.Tuning.Recipe(), b.errors)
		}
	}
}

// Whoever moves a slider during the search keeps what was set.
func TestARecipeChangedDuringTheSearchStays(t *testing.T) {
	b := newTissueBench(t)
	b.Strength.Find()
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	if b.Strength.Curve() == nil || !b.Tuning.Recipe().Equal(b.tuned(3)) || !strings.Contains(b.Tasks.Message(), "changed meanwhile") {
		t.Errorf("curve %v, recipe %v, message %q", b.Strength.Curve(), b.Tuning.Recipe(), b.Tasks.Message())
	}
}

// The fake engine's gaussian takes a constant away and leaves all noise.
func TestAStrengthThatGainsNothingIsNotTaken(t *testing.T) {
	b := newTissueBench(t)
	gaussian, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(gaussian, true)
	b.settle()
	b.Strength.Find()
	b.settle()
	if c := b.Strength.Curve(); c == nil || c.Gain || !b.Tuning.Recipe().Equal(gaussian) || !strings.HasPrefix(b.Tasks.Message(), "No strength lowers") {
		t.Errorf("curve %+v, recipe %v, message %q, errors %v", c, b.Tuning.Recipe(), b.Tasks.Message(), b.errors)
	}
}

// The best strength of the fake engine, 8, lies beyond 6 sigma here.
func TestADoubtfulStrengthIsTakenWithTheReason(t *testing.T) {
	b := newTissueBench(t)
	s := tissueSeries(t)
	for i, x := range s.Volume.Data {
		s.Volume.Data[i] = 40 + (x-40)/4
	}
	b.show(s)
	b.Strength.Find()
	b.settle()
	if c := b.Strength.Curve(); c == nil || c.Inner() || b.Tuning.Recipe().Get("h").Float() != 6 || !strings.Contains(b.Tasks.Message(), "is the strongest that was tried") {
		t.Errorf("curve %+v, recipe %v, message %q, errors %v", c, b.Tuning.Recipe(), b.Tasks.Message(), b.errors)
	}
}

func TestASearchWaitsForNoTask(t *testing.T) {
	b := newTissueBench(t)
	b.engine.holdRuns()
	b.Results.Apply()
	b.Strength.Find()
	if b.Strength.CanFind() || b.Tasks.Progress().Kind != desk.Applying {
		t.Error("a search replaced a run")
	}
}

func TestASearchWithoutNoiseSaysWhy(t *testing.T) {
	b := newBench(t)
	v := volume.New(volume.NewGeometry([3]int{8, 8, 2}, [3]float64{1, 1, 1}))
	v.Unit = "HU"
	b.show(&series.Series{Volume: v})
	b.Strength.Find()
	b.settle()
	if len(b.errors) != 1 || !strings.Contains(b.errors[0].Error(), "noise") || b.Strength.Curve() != nil {
		t.Errorf("errors %v, curve %v", b.errors, b.Strength.Curve())
	}
}

// A search that the engine failed at continues on another engine.
func TestASearchContinuesOnAnotherEngine(t *testing.T) {
	b := newTissueBench(t)
	gaussian, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(gaussian, true)
	b.settle()
	b.engine.failWith(errWorker)
	b.Strength.Find()
	b.settle()
	if len(b.errors) != 1 || b.Strength.Curve() != nil {
		t.Fatalf("errors %v", b.errors)
	}
	b.ContinueWith(&fakeEngine{})
	b.settle()
	if b.Strength.Curve() == nil {
		t.Error("the search did not continue")
	}
}

func TestNothingIsSearchedWithoutASeries(t *testing.T) {
	s := session.New(desk.Deps{
		Go: func(func()) { t.Error("work was started") }, Do: func(func()) {}, Engine: &fakeEngine{},
	}, desk.Listener{Changed: func() {}})
	defer s.Close()
	s.Strength.Find()
	s.Noise.ToggleMap()
	s.Strength.Take(0)
	if s.Strength.CanFind() || s.Noise.CanMap() || s.Tasks.Busy() || s.Strength.Curve() != nil || s.Noise.Map() != nil {
		t.Error("a search or a map is possible without a series")
	}
}

// "sure" as a value is the command to search.
func TestSureStartsASearch(t *testing.T) {
	b := newTissueBench(t)
	before := b.Tuning.Recipe()
	b.Tuning.Set(before.With("h", denoise.SURE), true)
	if !b.Strength.Searching() || !b.Tuning.Recipe().Equal(before) {
		t.Fatalf("searching %v, recipe %v; want a search, and the present value until it ends", b.Strength.Searching(), b.Tuning.Recipe())
	}
	b.settle()
	if got := b.Tuning.Recipe().Get("h"); !got.IsSigmas() || got.Float() < 1.5 || got.Float() > 2.6 {
		t.Errorf("h is %v; want about 2 sigma", got)
	}
	b.History.Undo()
	if !b.Tuning.Recipe().Equal(before) {
		t.Error("the search is not one step of the history")
	}
}

func TestSureDuringATaskChangesNothing(t *testing.T) {
	b := newTissueBench(t)
	before := b.Tuning.Recipe()
	b.engine.holdRuns()
	b.Results.Apply()
	b.Tuning.Set(before.With("h", denoise.SURE), true)
	if b.Tasks.Progress().Kind != desk.Applying || !b.Tuning.Recipe().Equal(before) || !strings.Contains(b.Tasks.Message(), "has to wait") {
		t.Errorf("progress %v, recipe %v, message %q", b.Tasks.Progress().Kind, b.Tuning.Recipe(), b.Tasks.Message())
	}
}

// A strength is for the noise of its series; what else was set before is carried to
// the next series, and said to be.
func TestWhatAnEarlierSeriesLeaves(t *testing.T) {
	b := newTissueBench(t)
	if len(b.Tuning.Carried()) != 0 {
		t.Errorf("carried %v; want nothing before anything was set", b.Tuning.Carried())
	}
	b.Tuning.Set(b.tuned(47).With("patch-radius", denoise.Number(2)), true)
	if len(b.Tuning.Carried()) != 0 {
		t.Errorf("carried %v; want nothing that was set for this series", b.Tuning.Carried())
	}
	b.show(rampSeries(t))
	if r := b.Tuning.Recipe(); !r.Get("h").IsAuto() || !r.Get("patch-radius").Equal(denoise.Number(2)) {
		t.Errorf("the next series starts with %v; want h on auto", r)
	}
	if got := b.Tuning.Carried(); len(got) != 1 || got[0] != "Patch radius" {
		t.Errorf("carried %v; want the patch radius", got)
	}
	b.Tuning.Set(b.Tuning.Recipe().With("patch-radius", denoise.Number(1)), true)
	if len(b.Tuning.Carried()) != 0 {
		t.Errorf("carried %v; want nothing after it was set", b.Tuning.Carried())
	}
}

// The same holds for a filter that is chosen on the next series; on the series
// itself a filter returns with its strength.
func TestAFilterReturnsAsItWasOnTheSeries(t *testing.T) {
	b := newTissueBench(t)
	nlm := b.tuned(47)
	gaussian, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(nlm, true)
	b.Tuning.Set(gaussian, true)
	plain, err := denoise.NewRecipe("nlm", 0)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(plain, true)
	if !b.Tuning.Recipe().Equal(nlm) {
		t.Errorf("nlm returns as %v; want %v", b.Tuning.Recipe(), nlm)
	}
	b.Tuning.Set(gaussian, true)
	b.show(rampSeries(t))
	b.Tuning.Set(plain, true)
	if !b.Tuning.Recipe().Get("h").IsAuto() {
		t.Errorf("on the next series nlm starts with %v; want h on auto", b.Tuning.Recipe())
	}
}
