package cpu

import (
	"errors"
	"testing"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/volume"
)

// The tiles of a region cover it once, and none is larger than asked.
func TestSplit(t *testing.T) {
	region := volume.Region{Min: [3]int{3, 0, 5}, Max: [3]int{104, 33, 6}}
	size := [3]int{32, 16, 16}
	seen := map[[3]int]int{}
	for _, tile := range split(region, size) {
		for c, d := range tile.Dims() {
			if d < 1 || d > size[c] {
				t.Errorf("tile %v is %d along %d", tile, d, c)
			}
		}
		for z := tile.Min[2]; z < tile.Max[2]; z++ {
			for y := tile.Min[1]; y < tile.Max[1]; y++ {
				for x := tile.Min[0]; x < tile.Max[0]; x++ {
					seen[[3]int{x, y, z}]++
				}
			}
		}
	}
	if len(seen) != region.Voxels() {
		t.Errorf("%d voxels are covered of %d", len(seen), region.Voxels())
	}
	for at, n := range seen {
		if n != 1 {
			t.Errorf("%v is covered %d times", at, n)
		}
	}
}

// A panic of a worker is the run's error, and so is a voxel that is not finite.
func TestBrokenPass(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 4, 4}, [3]float64{1, 1, 1}))
	for name, work := range map[string]denoise.Worker{
		"panic":      func(volume.Region, func() bool) { panic("broken tile") },
		"not finite": func(volume.Region, func() bool) { v.Data[5] = v.Data[5] / v.Data[4] },
	} {
		pass := denoise.Pass{Name: "broken", CPU: denoise.CPUPass{
			Tile: [3]int{2, 2, 2},
			Start: func([]denoise.Field, denoise.Field) func() denoise.Worker {
				return func() denoise.Worker { return work }
			},
		}}
		r := run{counter: parallel.NewCounter(0, nil)}
		err := r.tiles(t.Context(), 2, pass, nil, denoise.FieldOf(v))
		var p *parallel.Panic
		if err == nil || errors.As(err, &p) != (name == "panic") {
			t.Errorf("%s gave the error %v", name, err)
		}
	}
}
