package series_test

import (
	"math"
	"testing"

	"quell/series"
	"quell/volume"
)

// TestInfinite gives infinite voxels back, also to a part of the grid that is written some slices at a time.
func TestInfinite(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 3, 5}, [3]float64{1, 2, 3})
	f := series.NewInfinite(g)
	plain := make([]float32, 12)
	if got := f.Restore(g, 0, plain); &got[0] != &plain[0] {
		t.Error("values without any are copied")
	}
	slice := make([]float32, 12)
	up, down := g.Index(2, 1, 3), g.Index(3, 2, 4)
	slice[up-36], slice[0] = float32(math.Inf(1)), float32(math.NaN())
	f.Note(36, slice)
	slice = make([]float32, 12)
	slice[down-48] = float32(math.Inf(-1))
	f.Note(48, slice)
	all := f.Restore(g, 0, make([]float32, g.Voxels()))
	for i, v := range all {
		if want := map[int]float64{up: math.Inf(1), down: math.Inf(-1)}[i]; float64(v) != want {
			t.Errorf("voxel %d is %g", i, v)
		}
	}
	part := g.Crop(volume.Region{Min: [3]int{1, 1, 2}, Max: [3]int{4, 3, 5}})
	last := f.Restore(part, 2*part.SliceVoxels(), make([]float32, part.SliceVoxels()))
	if want := float32(math.Inf(-1)); last[part.Index(2, 1, 0)] != want {
		t.Errorf("a part: %v", last)
	}
	if other := f.Restore(volume.NewGeometry([3]int{5, 3, 5}, [3]float64{1, 2, 3}), 0, plain); &other[0] != &plain[0] {
		t.Error("another grid")
	}
	var none *series.Infinite
	if got := none.Restore(g, 0, plain); &got[0] != &plain[0] {
		t.Error("nil")
	}
}
