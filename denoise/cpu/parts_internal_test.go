package cpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"quell/volume"
)

func TestMirror(t *testing.T) {
	// numpy.pad(range(3), 7, mode="symmetric")
	want := []int{0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2}
	for i, w := range want {
		if got := mirror(i-7, 3); got != w {
			t.Errorf("mirror(%d, 3) = %d; want %d", i-7, got, w)
		}
	}
	if got := mirror(-9, 1); got != 0 {
		t.Errorf("mirror(-9, 1) = %d", got)
	}
}

func TestBlockMirrorsAndMasks(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 2, 2}, [3]float64{1, 1, 1}))
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Data {
		v.Data[i], v.Mask[i] = float32(i), i%3 != 0
	}
	var b block
	for range 2 { // the second time its memory is used again
		box := volume.Region{Min: [3]int{-4, -1, -2}, Max: [3]int{5, 4, 3}}
		b.load(v, box)
		for z := box.Min[2]; z < box.Max[2]; z++ {
			for y := box.Min[1]; y < box.Max[1]; y++ {
				for x := box.Min[0]; x < box.Max[0]; x++ {
					from := v.Index(mirror(x, 3), mirror(y, 2), mirror(z, 2))
					if i := b.at(x, y, z); b.v[i] != v.Data[from] || (b.mask[i] == 1) != v.Mask[from] {
						t.Fatalf("(%d, %d, %d) is %v, %v; want %v, %v", x, y, z, b.v[i], b.mask[i], v.Data[from], v.Mask[from])
					}
				}
			}
		}
	}
}

// The tiles of a region cover it once, and none is larger than asked.
func TestCut(t *testing.T) {
	region := volume.Region{Min: [3]int{3, 0, 5}, Max: [3]int{104, 33, 6}}
	size := [3]int{32, 16, 16}
	seen := map[[3]int]int{}
	for _, tile := range cut(region, size) {
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

func TestPanicBecomesError(t *testing.T) {
	tiles := cut(volume.Region{Max: [3]int{4, 4, 4}}, [3]int{2, 2, 2})
	var ran atomic.Int32
	err := runTiles(context.Background(), 2, tiles, nil, func() worker {
		return func(volume.Region, *atomic.Bool) {
			if ran.Add(1) == 3 {
				panic("broken tile")
			}
		}
	})
	if err == nil || !strings.Contains(err.Error(), "broken tile") {
		t.Errorf("a worker's panic gave %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = runTiles(ctx, 2, tiles, nil, func() worker { return func(volume.Region, *atomic.Bool) {} })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gave %v", err)
	}
}

func TestQuickselect(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 60; n++ {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(rng.IntN(1 + n/2)) // with many equal ones
		}
		sorted := slices.Clone(s)
		slices.Sort(sorted)
		if got, want := median(slices.Clone(s)), (sorted[(n-1)/2]+sorted[n/2])/2; got != want {
			t.Errorf("median of %v is %v; want %v", s, got, want)
		}
		for k := range n {
			if got := quickselect(slices.Clone(s), k); got != sorted[k] {
				t.Errorf("value %d of %v is %v; want %v", k, s, got, sorted[k])
			}
		}
	}
}
