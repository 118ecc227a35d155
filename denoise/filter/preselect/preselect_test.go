package preselect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// rule returns the rule with the ratios mu1 and s1 in that many dimensions.
func rule(mu1, s1, zero float64, dims int) Rule {
	r := Rule{Zero: zero, Apart: float32(1 - mu1), Deviation: float32(math.Sqrt(s1)), Radius: [3]int{1, 1, 0}}
	if dims == 3 {
		r.Radius[2] = 1
	}
	return r
}

// The thresholds hold on both sides and exclude themselves; 0 and 0 are alike, numbers of
// different signs are not.
func TestAlike(t *testing.T) {
	r := rule(0.5, 0.25, 0, 2) // both numbers exact in float32: means and deviations at least half
	for _, c := range []struct {
		meanI, devI, meanJ, devJ float32
		want                     bool
	}{
		{100, 1, 100, 1, true},
		{100, 1, 50.001, 1, true}, {100, 1, 50, 1, false}, {100, 1, 49, 1, false},
		{-100, 1, -50.001, 1, true}, {-100, 1, -50, 1, false}, {-1, 1, 1, 1, false}, {-100, 1, 1, 1, false},
		{Tiny, Tiny, Tiny, Tiny, true}, {Tiny, 1, 1, 1, false}, {1, Tiny, 1, 1, false},
		{1, 1, 1, 0.5001, true}, {1, 1, 1, 0.5, false}, {1, 1, 1, 0.1, false},
	} {
		if r.Alike(c.meanI, c.devI, c.meanJ, c.devJ) != c.want || r.Alike(c.meanJ, c.devJ, c.meanI, c.devI) != c.want {
			t.Errorf("%+v is wrong one way or the other", c)
		}
	}
}

// The numbers of a voxel are taken from the 3^2 or 3^3 samples around it, mirrored
// beyond the edge, from zero.
func TestPassesByHand(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 2, 2}, [3]float64{1, 1, 1}))
	copy(v.Data, []float32{1, 2, 3, 4, 5, 9, 0, 0, 0, 0, 0, 27})
	in := []denoise.Field{denoise.FieldOf(v)}
	// Around (0, 0, 0) in 2-D: 1 1 2 / 1 1 2 / 4 4 5, sum 21, squares 69.
	// Around (2, 1, 1) in 3-D: slice 0 has 2 3 3 / 5 9 9 / 5 9 9 once, slice 1 has 27 four times, twice over.
	for _, c := range []struct {
		dims       int
		zero       float64
		at         [3]int
		mean, devs float64
	}{
		{2, 0, [3]int{0, 0, 0}, 21. / 9, math.Sqrt(9*69-21*21) / 9},
		{2, 1, [3]int{0, 0, 0}, 12. / 9, math.Sqrt(9*69-21*21) / 9},
		{2, 5, [3]int{0, 0, 0}, -24. / 9, math.Sqrt(9*69-21*21) / 9},
		{2, 0, [3]int{0, 0, 1}, Tiny, Tiny},
		{2, -7, [3]int{0, 0, 1}, 7, Tiny},
		{3, 0, [3]int{2, 1, 1}, (54. + 2*108) / 27, math.Sqrt(27*(396+8*729)-270*270) / 27},
	} {
		r := rule(0.95, 0.5, c.zero, c.dims)
		passes := r.Passes(v.Geometry)
		for i, want := range []float64{c.mean, c.devs} {
			if got := passes[i].Reference(in, c.at[0], c.at[1], c.at[2]); got != float64(float32(want)) {
				t.Errorf("%+v: pass %s gives %v; want %v", c, passes[i].Name, got, float32(want))
			}
		}
	}
}

// Numbers stay within float32, and too small ones become Tiny.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		s          sums
		mean, devs float32
	}{
		{sums{9e39, 0, 9}, math.MaxFloat32, Tiny}, {sums{-9e39, 0, 9}, -math.MaxFloat32, Tiny},
		{sums{9e-40, 0, 9}, Tiny, Tiny}, {sums{-9e-40, 0, 9}, Tiny, Tiny}, {sums{0, 9e80, 9}, Tiny, math.MaxFloat32},
		{sums{3, 1, 9}, 1. / 3, Tiny}, // 9 - 9
	} {
		if c.s.mean() != c.mean || c.s.deviation() != c.devs {
			t.Errorf("%+v: %v, %v; want %v, %v", c.s, c.s.mean(), c.s.deviation(), c.mean, c.devs)
		}
	}
}

// The processor's form has the bits of the reference in every part of a volume, in
// excluded voxels too.
func TestTilesHaveTheBitsOfTheReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dims := range [][3]int{{1, 1, 1}, {5, 1, 2}, {2, 7, 4}, {13, 6, 5}} {
		v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
		v.Mask = make([]bool, len(v.Data))
		for i := range v.Data {
			v.Data[i], v.Mask[i] = 1000*rng.Float32()-300, i%3 != 0
		}
		in := []denoise.Field{denoise.FieldOf(v)}
		for _, d := range []int{2, 3} {
			near, none, patch := rule(0.95, 0.5, -100.3, d), rule(0.95, 0.5, -100.3, d), rule(0.95, 0.5, -100.3, d)
			none.Radius, patch.Radius = [3]int{}, [3]int{3, 3, 3 * (d - 2)}
			for _, pass := range slices.Concat(near.Passes(v.Geometry), none.Passes(v.Geometry), patch.Passes(v.Geometry)) {
				for _, box := range []volume.Region{v.Bounds(), {Min: [3]int{dims[0] / 2, dims[1] / 2, dims[2] / 2}, Max: dims}} {
					out := denoise.Field{Dims: dims, Box: box, Data: make([]float32, box.Voxels()), Mask: make([]bool, box.Voxels())}
					pass.CPU.Start(in, out)()(box, func() bool { return false })
					var want []float32
					for z := box.Min[2]; z < box.Max[2]; z++ {
						for y := box.Min[1]; y < box.Max[1]; y++ {
							for x := box.Min[0]; x < box.Max[0]; x++ {
								want = append(want, float32(pass.Reference(in, x, y, z)))
							}
						}
					}
					if !slices.Equal(out.Data, want) {
						t.Errorf("%v, %d-D, %s, %v: %v; want %v", dims, d, pass.Name, box, out.Data, want)
					}
				}
			}
		}
	}
}

// A worker ends at the plane at which it is stopped.
func TestWorkerStops(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 3, 5}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 7
	}
	for planes := range 8 {
		out := denoise.Field{Dims: v.Dims, Box: v.Bounds(), Data: make([]float32, len(v.Data))}
		polls := 0
		rule(0.95, 0.5, 0, 3).Passes(v.Geometry)[0].CPU.Start([]denoise.Field{denoise.FieldOf(v)}, out)()(v.Bounds(),
			func() bool { polls++; return polls > planes })
		written := 0
		for _, x := range out.Data {
			if x == 7 {
				written++
			}
		}
		if want := max(planes-2, 0) * 12; written != want || polls != min(planes+1, 7) {
			t.Errorf("stopped at plane %d: %d voxels, %d polls; want %d voxels", planes, written, polls, want)
		}
	}
}
