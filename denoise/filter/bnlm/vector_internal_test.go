package bnlm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// The Go loops and the vector code give the same bits, and no worker keeps anything of
// the tile before.
func TestWorkersGiveTheSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	v := volume.New(volume.NewGeometry([3]int{61, 17, 7}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 100*rng.Float32() + float32(50*(i%61/9%2))
	}
	masked := denoise.FieldOf(v)
	masked.Mask = make([]bool, len(v.Data))
	for i := range masked.Mask {
		masked.Mask[i] = i%61 > 20 || i%7 > 0
	}
	tiles := []volume.Region{v.Bounds(), {Min: [3]int{20, 3, 2}, Max: [3]int{44, 9, 5}}, {Min: [3]int{1, 0, 0}, Max: [3]int{9, 17, 3}}}
	for _, p := range []Params{
		{Search: [3]int{2, 2, 2}, Radius: [3]int{1, 1, 1}, Step: [3]int{2, 2, 2}, H: 40},
		{Search: [3]int{3, 3, 0}, Radius: [3]int{1, 1, 0}, Step: [3]int{2, 2, 1}, H: 4}, // faint blocks
		{Search: [3]int{3, 3, 3}, Radius: [3]int{1, 1, 1}, Step: [3]int{2, 2, 2}, H: 40, Spread: Quarter},
		{Search: [3]int{9, 9, 0}, Radius: [3]int{1, 1, 0}, Step: [3]int{2, 2, 1}, H: 40, Spread: Half}, // more offsets in a row than columns takes at once
		{Search: [3]int{1, 1, 1}, Radius: [3]int{2, 2, 2}, Step: [3]int{3, 3, 3}, H: 40},
		{Search: [3]int{2, 2, 2}, Radius: [3]int{}, Step: [3]int{1, 1, 1}, H: 40},
	} {
		for _, in := range []denoise.Field{denoise.FieldOf(v), masked} {
			results := func() (all [][]float32) {
				out := denoise.Field{Dims: v.Dims, Box: v.Bounds(), Data: slices.Clone(v.Data), Mask: in.Mask}
				w := newWorker(p, []denoise.Field{in}, out)
				for _, tile := range tiles {
					w.run(tile, func() bool { return false })
					all = append(all, slices.Clone(out.Data))
				}
				return all
			}
			want := results()
			for i := range want[1:] {
				if !slices.Equal(want[i+1], want[0]) {
					t.Errorf("%+v: tile %v has other bits than the whole", p, tiles[i+1])
				}
			}
			withoutVector(func() {
				if got := results(); !slices.Equal(got[0], want[0]) {
					t.Errorf("%+v: the Go loops give other bits than the vector code", p)
				}
			})
		}
	}
}

// Faint blocks, with weights that float32 does not hold side by side, are averaged as the
// reference averages them, next to others, up to the point at which float64 holds none of
// their weights.
func TestFaintBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	v := volume.New(volume.NewGeometry([3]int{130, 5, 4}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(1+i%130) * rng.Float32()
	}
	p := Params{Search: [3]int{2, 2, 1}, Radius: [3]int{1, 1, 1}, Step: [3]int{2, 2, 2}, H: 1, Spread: Quarter}
	in := []denoise.Field{denoise.FieldOf(v)}
	out := denoise.Field{Dims: v.Dims, Box: v.Bounds(), Data: make([]float32, len(v.Data))}
	newWorker(p, in, out).run(v.Bounds(), func() bool { return false })
	filtered, kept := 0, 0
	for i, got := range out.Data {
		want := reference(p, in, [3]int{i % 130, i / 130 % 5, i / 650})
		if math.Abs(float64(got)-want) > 2e-3 {
			t.Fatalf("voxel %d of %g becomes %g; want %g", i, v.Data[i], got, want)
		}
		switch {
		case i%130 < 60:
		case float64(v.Data[i]) == want:
			kept++
		default:
			filtered++
		}
	}
	if filtered < 300 || kept < 300 {
		t.Errorf("%d voxels are filtered, %d are not: too few to compare", filtered, kept)
	}
}
