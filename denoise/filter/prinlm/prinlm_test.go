package prinlm

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

func fieldOf(d [3]int, values ...float32) denoise.Field {
	v := volume.New(volume.NewGeometry(d, [3]float64{1, 1, 1}))
	copy(v.Data, values)
	return denoise.FieldOf(v)
}

// run computes a pass over the whole volume by its CPU form.
func run(pass denoise.Pass, in []denoise.Field) []float32 {
	out := denoise.Field{Dims: in[0].Dims, Box: in[0].Box, Data: make([]float32, len(in[0].Data)), Mask: in[0].Mask}
	pass.CPU.Start(in, out)()(out.Box, func() bool { return false })
	return out.Data
}

// Three voxels on a line, by hand: h = 1/2, so that w = exp(-(dg^2 + 3 dm^2)).
func TestWeightsByHand(t *testing.T) {
	d := [3]int{3, 1, 1}
	v, g, m := fieldOf(d, 10, 20, 40), fieldOf(d, 0, 1, 1), fieldOf(d, 0, 0, 1)
	w01, w02, w12 := math.Exp(-1), math.Exp(-4), math.Exp(-3)
	for _, c := range []struct {
		one  bool
		own  [3]float64 // the centre's weights
		mask []bool
		want [3]float64
	}{
		{one: true, own: [3]float64{1, 1, 1}},
		{own: [3]float64{w01, w01, w12}},
		{own: [3]float64{w02, 0, w02}, mask: []bool{true, false, true}},
	} {
		p := Params{H: 0.5, Radius: [3]int{2, 0, 0}, One: c.one}
		w := [3][3]float64{{c.own[0], w01, w02}, {w01, c.own[1], w12}, {w02, w12, c.own[2]}}
		in := []denoise.Field{v, g, m}
		for i := range in {
			in[i].Mask = c.mask
		}
		pass := p.averagePass(volume.Geometry{Dims: d}, denoise.Result)
		got := run(pass, in)
		for i := range 3 {
			num, den := 0.0, 0.0
			for j := range 3 {
				if c.mask == nil || c.mask[j] {
					num, den = num+w[i][j]*float64(v.Data[j]), den+w[i][j]
				}
			}
			want := num / den
			if c.mask != nil && !c.mask[i] {
				want = 0 // not written
			} else if exact := pass.Reference(in, i, 0, 0); math.Abs(exact-want) > 1e-12 {
				t.Errorf("one %v: voxel %d is %g in float64; want %g", c.one, i, exact, want)
			}
			if math.Abs(float64(got[i])-want) > 1e-5 {
				t.Errorf("one %v: voxel %d is %g; want %g", c.one, i, got[i], want)
			}
		}
	}
}

// The local mean is the mean of the voxels of a 3^3 box that are in the volume and
// valid.
func TestMean(t *testing.T) {
	d := [3]int{5, 4, 3}
	random := rand.New(rand.NewPCG(1, 1))
	in := fieldOf(d)
	for i := range in.Data {
		in.Data[i] = random.Float32()
	}
	for _, masked := range []bool{false, true} {
		if masked {
			in.Mask = make([]bool, len(in.Data))
			for i := range in.Mask {
				in.Mask[i] = random.IntN(3) > 0
			}
		}
		for _, radius := range [][3]int{{1, 1, 0}, {1, 1, 1}} {
			pass := Params{Mean: radius}.meanPass()
			got := run(pass, []denoise.Field{in})
			for i := range in.Data {
				x, y, z := i%5, i/5%4, i/20
				sum, n := 0.0, 0.0
				for j, v := range in.Data {
					near := in.Valid(j)
					for c, d := range [3]int{j%5 - x, j/5%4 - y, j/20 - z} {
						near = near && d >= -radius[c] && d <= radius[c]
					}
					if near {
						sum, n = sum+float64(v), n+1
					}
				}
				want := sum / n
				if !in.Valid(i) {
					want = 0
				} else if exact := pass.Reference([]denoise.Field{in}, x, y, z); math.Abs(exact-want) > 1e-7 {
					t.Errorf("voxel %d is %g in float64; want %g", i, exact, want)
				}
				if math.Abs(float64(got[i])-want) > 1e-6 {
					t.Errorf("masked %v, radius %v: voxel %d is %g; want %g", masked, radius, i, got[i], want)
				}
			}
			polls := 0
			clear(got)
			out := denoise.Field{Dims: d, Box: in.Box, Data: got}
			pass.CPU.Start([]denoise.Field{in}, out)()(in.Box, func() bool { polls++; return polls > 2 })
			if polls != 3 || got[5] == 0 || got[10] != 0 {
				t.Errorf("stopped at row 2: %d polls, %v", polls, got[:15])
			}
		}
	}
}

// The automatic strength is a multiple of the noise.
func TestAutoStrength(t *testing.T) {
	g := volume.NewGeometry([3]int{20, 20, 20}, [3]float64{1, 1, 1})
	f := denoise.Facts{Lo: 0, Hi: 255, Noise: noise.Known(10)}
	for dims, want := range map[int][2]float64{3: {5, 8}, 2: {8.5, 10}} {
		r := denoise.Recipe{Filter: Filter.Name, Dims: dims}
		for i, n := range []float64{0, 2} {
			if got := autoStrength(r.With("wiener", denoise.Number(n)), g, f); math.Abs(got-want[i]) > 1e-9 {
				t.Errorf("%d-D, wiener %g: h is %g; want %g", dims, n, got, want[i])
			}
		}
	}
}

// In 3-D without a second stage h of MR follows how far patches of the same tissue differ, within bounds.
func TestAutoStrengthFollowsPatches(t *testing.T) {
	g := volume.NewGeometry([3]int{20, 20, 20}, [3]float64{1, 1, 1})
	for _, c := range []struct{ alike, patches, want float64 }{
		{4, 2, 5.75}, {4, 1.5, 3.75}, {4, 2.5, 7.75}, {4, 1.3, 3}, {4, 2.8, 8}, {4, 0, 5}, {denoise.MostAlike, 2.5, 5}, {denoise.MostAlike - 0.01, 2.5, 7.75},
	} {
		f := denoise.Facts{Lo: 0, Hi: 255, Noise: noise.Known(10), Alike: c.alike, AlikePatches: c.patches}
		r := denoise.Recipe{Filter: Filter.Name, Dims: 3}
		if got := autoStrength(r, g, f); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("alike %g, patches %g: h is %g; want %g", c.alike, c.patches, got, c.want)
		}
		if got := autoStrength(r.With("wiener", denoise.Number(4)), g, f); got != 8 {
			t.Errorf("with a second stage h is %g", got)
		}
	}
}

// In the correlated noise of a CT h follows the voxels that a sample of the noise covers.
func TestAutoStrengthOnCT(t *testing.T) {
	f := denoise.Facts{Lo: -1000, Hi: 2000, Noise: noise.Known(10)}
	f.Noise.Method = "surface fits"
	thin, thick := volume.NewGeometry([3]int{20, 20, 20}, [3]float64{1, 1, 1}), volume.NewGeometry([3]int{20, 20, 20}, [3]float64{1, 1, 5})
	// 100 % one voxel apart: a sample covers 1 + 4 + 4 (2 - sqrt 2)^2 voxels, which count as
	// 3.5; 10 % across slices covers one.
	for _, c := range []struct {
		g    volume.Geometry
		dims int
		list denoise.Value
		want [2]float64 // without and with the second stage
	}{
		{thin, 2, denoise.List(0, 0, 0, 0, 10), [2]float64{8.5, 10}}, {thin, 2, denoise.List(100), [2]float64{13.5, 15}},
		{thick, 2, denoise.List(100), [2]float64{13.5, 15}},
		{thin, 3, denoise.List(0, 0, 0, 0, 10), [2]float64{6.5, 8}}, {thin, 3, denoise.List(100), [2]float64{11.5, 13}},
		{thick, 3, denoise.List(0, 0, 0, 0, 10), [2]float64{4, 5}}, {thick, 3, denoise.List(100), [2]float64{5, 6}},
		{thick, 3, denoise.List(0), [2]float64{5, 8}}, {thin, 2, denoise.List(0), [2]float64{8.5, 10}},
	} {
		r := denoise.Recipe{Filter: Filter.Name, Dims: c.dims}.With("correlation", c.list)
		for i, n := range []float64{0, 2} {
			for alike, part := range map[float64]float64{0: 1, 9: 1, 3.5: 1, 2.8: 0.512, 1: 0.3} {
				f, want := f, c.want[i]
				if f.Alike = alike; !c.list.Equal(denoise.List(0)) {
					want *= part
				}
				if got := autoStrength(r.With("wiener", denoise.Number(n)), c.g, f); math.Abs(got-want) > 1e-9 {
					t.Errorf("neighbours %g, %v, %d-D, %s, wiener %g: h is %g; want %g", alike, c.g.Spacing, c.dims, c.list, n, got, want)
				}
			}
		}
	}
}
