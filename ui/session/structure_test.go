package session_test

import (
	"context"
	"slices"
	"testing"

	"quell/series"
	"quell/ui/viewer"
)

// newShiftBench shows even tissue; the engine subtracts h, which no noise explains.
func newShiftBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.show(tissueSeries(t))
	b.Tuning.Set(b.tuned(20), true)
	b.settle()
	return b
}

func TestStructureIsMarkedInTheResidual(t *testing.T) {
	b := newShiftBench(t)
	found := b.Structures.Here()
	if found == nil || !found.Any || found.Why.String() == "" {
		t.Fatalf("structure %+v; want the shift to be found, with the reason of the verdict", found)
	}
	if place := found.Place; place.What == "" || place.Slice != b.State().Cut().View().Voxel(0, 0, b.State().Cut().Index())[2] {
		t.Errorf("place %+v; want one in the slice shown", place)
	}
	if b.Structures.Marked() || b.tint(viewer.Residual) != nil {
		t.Fatal("structure is marked before it is asked for")
	}
	b.Structures.Toggle()
	b.settle()
	tint := b.tint(viewer.Residual)
	if !b.Structures.Marked() || tint == nil || !tint.Part || !tint.Colors.Marks || b.tint(viewer.Original) != nil || b.tint(viewer.Denoised) != nil {
		t.Fatalf("tint %+v; want marks over the residual alone", tint)
	}
	if tint.Colors.Lo != 0 || tint.Colors.Hi <= 0 || tint.Unit != "σ" {
		t.Errorf("scale %+v in %q", tint.Colors, tint.Unit)
	}
	b.Structures.Toggle()
	b.settle()
	if b.Structures.Marked() || b.tint(viewer.Residual) != nil {
		t.Error("the command does not take the marks off")
	}
}

// The marks follow the slice and the recipe; marks of another picture are never shown.
func TestStructureBelongsToItsPicture(t *testing.T) {
	b := newShiftBench(t)
	b.Structures.Toggle()
	b.settle()
	first := b.tint(viewer.Residual)
	b.engine.holdPreviews()
	b.State().Cut().Scroll(-1)
	b.loop.until("the next slice is shown", func() bool { return b.Screen.Picture().Index == b.State().Cut().Index() })
	if b.Structures.Here() != nil || b.tint(viewer.Residual) != nil {
		t.Error("the structure of the last slice is that of the next")
	}
	b.engine.open()
	b.settle()
	second := b.tint(viewer.Residual)
	if second == nil || second.Values == first.Values {
		t.Error("the next slice has no marks of its own")
	}
	b.Preview.SetAuto(false)
	b.Tuning.Set(b.tuned(30), true)
	b.settle()
	if b.Structures.Here() == nil {
		t.Error("a stale picture has lost its own structure")
	}
	next := rampSeries(t)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return next, nil })
	b.loop.until("the series is open", func() bool { return b.Series() == next })
	if b.Structures.Here() != nil || !b.Structures.Marked() {
		t.Error("want no structure of the last series, and the command still on")
	}
}

func TestTheVolumeHasVerdictsAndMarksOfEverySlice(t *testing.T) {
	b := newShiftBench(t)
	if slices.ContainsFunc(b.Strip.Figures(), judged) {
		t.Error("verdicts on slices before a run")
	}
	b.Structures.Toggle()
	b.Results.Apply()
	b.settle()
	figures := b.Strip.Figures()
	if len(figures) != 2 || !judged(figures[0]) || !judged(figures[1]) {
		t.Fatalf("%+v; want a verdict on each slice", figures)
	}
	tint := b.tint(viewer.Residual)
	if tint == nil || tint.Part || tint.Values.Dims != b.Series().Volume.Dims {
		t.Errorf("tint %+v; want that of the volume", tint)
	}
	b.Tuning.Set(b.tuned(30), true)
	b.settle()
	if slices.ContainsFunc(b.Strip.Figures(), judged) {
		t.Error("verdicts on another recipe's result are shown")
	}
}

// The fake engine halves the noise: what it removes is noise.
func TestARemainderOfNoiseHasNoStructure(t *testing.T) {
	b := newTissueBench(t)
	b.Tuning.Set(b.tuned(4), true)
	b.Structures.Toggle()
	b.settle()
	if found := b.Structures.Here(); found == nil || found.Any {
		t.Fatalf("structure %+v; want it judged, and none found", found)
	}
	if tint := b.tint(viewer.Residual); tint == nil || slices.Max(tint.Values.Data) != 0 {
		t.Error("want marks that are judged and empty")
	}
}
