package dct

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// filtered runs f over the whole volume in one tile, or in tiles that end at the given
// voxel of each axis.
func filtered(f Filter, cut [3]int) []float32 {
	d := f.In.Dims
	out := make([]float32, d[0]*d[1]*d[2])
	f.Out = denoise.Field{Dims: d, Box: volume.Region{Max: d}, Data: out, Mask: f.In.Mask}
	work := f.NewWorker()
	for k := range 8 {
		t := volume.Region{Max: d}
		for c := range 3 {
			if k>>c&1 == 0 {
				t.Max[c] = cut[c]
			} else {
				t.Min[c] = cut[c]
			}
		}
		if t.Voxels() > 0 {
			work(t, func() bool { return false })
		}
	}
	return out
}

func field(d [3]int, f func(x, y, z int) float64) denoise.Field {
	v := volume.New(volume.NewGeometry(d, [3]float64{1, 1, 1}))
	i := 0
	for z := range d[2] {
		for y := range d[1] {
			for x := range d[0] {
				v.Data[i] = float32(f(x, y, z))
				i++
			}
		}
	}
	return denoise.FieldOf(v)
}

// The rows of the DCT are orthogonal, of length sqrt(n), and what the textbook says.
func TestBasis(t *testing.T) {
	for n := 1; n <= Largest; n++ {
		b := newBasis(n)
		for k := range n {
			for l := range n {
				sum := 0.0
				for i := range n {
					sum += b.m[k][i] * b.m[l][i]
				}
				want := 0.0
				if k == l {
					want = float64(n)
				}
				if math.Abs(sum-want) > 1e-12 {
					t.Errorf("%d samples: rows %d and %d have the product %g", n, k, l, sum)
				}
			}
			for i := range n {
				want := 1.0
				if k > 0 {
					want = math.Sqrt2 * math.Cos(math.Pi*float64(2*i+1)*float64(k)/float64(2*n))
				}
				if math.Abs(b.m[k][i]-want) > 1e-14 {
					t.Errorf("%d samples: sample %d of row %d is %g; want %g", n, i, k, b.m[k][i], want)
				}
			}
		}
	}
}

// The fast transforms equal the products with the matrices, for all sizes, and the
// inverse takes back the forward one.
func TestTransforms(t *testing.T) {
	const lanesUsed = 2 * lanes
	random := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= Largest; n++ {
		b := newBasis(n)
		rows := func() [][]float32 { return resizeRows(nil, Largest, lanesUsed) }
		src, dst, back, scratch := rows(), rows(), rows(), rows()
		for i := range n {
			for x := range src[i] {
				src[i][x] = float32(random.NormFloat64())
			}
		}
		b.forward(dst, src, scratch, lanesUsed)
		b.inverse(back, dst, scratch, lanesUsed)
		for x := range lanesUsed {
			for k := range n {
				want := 0.0
				for i := range n {
					want += b.m[k][i] * float64(src[i][x])
				}
				if math.Abs(float64(dst[k][x])-want) > 1e-5 {
					t.Errorf("%d samples: coefficient %d is %g; want %g", n, k, dst[k][x], want)
				}
				if d := float64(back[k][x]) - float64(n)*float64(src[k][x]); math.Abs(d) > 2e-5 {
					t.Errorf("%d samples: sample %d comes back as %g; want %g", n, k, back[k][x], float32(n)*src[k][x])
				}
			}
		}
	}
}

// A block alone: a coefficient above the threshold stays, one of the threshold or less
// goes, and the mean stays in any case.
func TestThresholdOfOneBlock(t *testing.T) {
	size := [3]int{4, 4, 4}
	// One orthonormal coefficient of magnitude 10 at (1, 2, 3), and a mean of 7.
	b := newBasis(4)
	wave := func(x, y, z int) float64 { return b.m[1][x] * b.m[2][y] * b.m[3][z] / 8 }
	in := field(size, func(x, y, z int) float64 { return 7 - 10*wave(x, y, z) })
	for limit, share := range map[float64]float64{9.99: 1, 10.01: 0} {
		f := Filter{In: in, Size: size, Rule: Rule{Threshold: limit}}
		got := filtered(f, size)
		reference := Reference(size, f.Rule)
		for i := range got {
			x, y, z := i%4, i/4%4, i/16
			want := 7 - share*10*wave(x, y, z)
			if math.Abs(float64(got[i])-want) > 1e-5 || math.Abs(reference(&in, nil, x, y, z)-want) > 1e-5 {
				t.Errorf("threshold %g: voxel (%d, %d, %d) is %g, in float64 %g; want %g", limit, x, y, z, got[i], reference(&in, nil, x, y, z), want)
			}
		}
	}
}

// Two blocks of two voxels on a line of three: the middle is the mean of both estimates,
// weighted by 1 / coefficients that stay.
func TestWeightsOfBlocks(t *testing.T) {
	size := [3]int{2, 1, 1}
	in := field([3]int{3, 1, 1}, func(x, _, _ int) float64 { return []float64{0, 1, 9}[x] })
	// Orthonormal differences: 1/sqrt(2), removed; 8/sqrt(2), kept. The first block
	// becomes 1/2, 1/2 with weight 1, the second stays 1, 9 with weight 1/2.
	f := Filter{In: in, Size: size, Rule: Rule{Threshold: 3}}
	want := []float64{0.5, (0.5 + 1*0.5) / 1.5, 9}
	for i, got := range filtered(f, [3]int{3, 1, 1}) {
		if math.Abs(float64(got)-want[i]) > 1e-6 || math.Abs(Reference(size, f.Rule)(&in, nil, i, 0, 0)-want[i]) > 1e-12 {
			t.Errorf("voxel %d is %g; want %g", i, got, want[i])
		}
	}
	// Wiener's gains with pilot differences of 3 and 4 at sigma 3, orthonormal: 1/2 and 16/25.
	r := math.Sqrt2
	pilot := field([3]int{3, 1, 1}, func(x, _, _ int) float64 { return []float64{0, 3 * r, 7 * r}[x] })
	f = Filter{In: in, Pilot: &pilot, Size: size, Rule: Rule{Sigma: 3}}
	w1, w2 := 1/(1+0.25), 1/(1+0.64*0.64)
	want = []float64{0.25, (w1*0.75 + w2*(5-4*0.64)) / (w1 + w2), 5 + 4*0.64}
	for i, got := range filtered(f, [3]int{3, 1, 1}) {
		if math.Abs(float64(got)-want[i]) > 1e-6 || math.Abs(Reference(size, f.Rule)(&in, &pilot, i, 0, 0)-want[i]) > 1e-6 {
			t.Errorf("Wiener: voxel %d is %g; want %g", i, got, want[i])
		}
	}
	f.Rule.Sigma = 0 // nothing is noise
	if got := filtered(f, [3]int{3, 1, 1}); !slices.Equal(got, in.Data) {
		t.Errorf("sigma 0: %v", got)
	}
}

// The result does not depend on the tiles, to the bit, and agrees with the reference, for
// blocks of all sizes in volumes that are larger, as large and smaller than a block.
func TestTilesAndSizes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	noise := func(x, _, _ int) float64 { return 100 + 60*float64(x/5%2) + 10*random.NormFloat64() }
	for n := 2; n <= Largest; n++ {
		for _, d := range [][3]int{{17, 11, 1}, {9, 10, 3}, {3, 12, 9}, {n, n, n}} {
			in := field(d, noise)
			pilot := field(d, noise)
			dims := 3
			if d[2] == 1 {
				dims = 2
			}
			size := Size(n, dims, volume.Geometry{Dims: d})
			for _, f := range []Filter{
				{In: in, Size: size, Rule: Rule{Threshold: 25}},
				{In: in, Pilot: &pilot, Size: size, Rule: Rule{Sigma: 10}},
			} {
				whole := filtered(f, d)
				if parts := filtered(f, [3]int{d[0] / 2, d[1] / 3, d[2] / 2}); !slices.Equal(parts, whole) {
					t.Errorf("blocks %v of %v: tiles change the bits", size, d)
				}
				reference := Reference(size, f.Rule)
				for i := 0; i < len(whole); i += 7 {
					x, y, z := i%d[0], i/d[0]%d[1], i/d[0]/d[1]
					if want := reference(&f.In, f.Pilot, x, y, z); math.Abs(float64(whole[i])-want) > 1e-3 {
						t.Errorf("blocks %v of %v: voxel %d is %g; want %g", size, d, i, whole[i], want)
					}
				}
			}
		}
	}
}

// An excluded sample of the pilot is the sample of the input; an excluded voxel is not
// written.
func TestExcludedPilot(t *testing.T) {
	d := [3]int{3, 3, 3}
	random := rand.New(rand.NewPCG(7, 8))
	in, pilot := field(d, func(int, int, int) float64 { return random.NormFloat64() }), field(d, func(int, int, int) float64 { return random.NormFloat64() })
	patched := pilot
	patched.Data = slices.Clone(pilot.Data)
	patched.Data[13], pilot.Data[13] = in.Data[13], 1e6
	f := Filter{In: in, Pilot: &patched, Size: [3]int{2, 2, 2}, Rule: Rule{Sigma: 1}}
	want := filtered(f, d)
	want[13] = 0
	in.Mask = make([]bool, 27)
	for i := range in.Mask {
		in.Mask[i] = i != 13
	}
	pilot.Mask = in.Mask
	f.In, f.Pilot = in, &pilot
	if got := filtered(f, d); !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
	reference := Reference(f.Size, f.Rule)
	for i := range want {
		if got := reference(&in, &pilot, i%3, i/3%3, i/9); i != 13 && math.Abs(got-float64(want[i])) > 1e-5 {
			t.Errorf("voxel %d is %g in float64; want %g", i, got, want[i])
		}
	}
}

// A worker that is stopped computes no further plane.
func TestStop(t *testing.T) {
	d := [3]int{8, 8, 12}
	in := field(d, func(x, y, z int) float64 { return float64(x * y * z % 7) })
	out := make([]float32, len(in.Data))
	f := Filter{In: in, Size: [3]int{4, 4, 4}, Rule: Rule{Threshold: 5}, Out: denoise.Field{Dims: d, Box: in.Box, Data: out}}
	polls := 0
	f.NewWorker()(in.Box, func() bool { polls++; return polls > 9 })
	for z := range d[2] {
		// Plane z is complete with the sixth plane after it: three of halo, three of blocks.
		if written := out[z*64+9] != 0 || out[z*64+18] != 0; written != (z < 3) {
			t.Errorf("slice %d is written: %v", z, written)
		}
	}
	if polls != 10 {
		t.Errorf("%d polls", polls)
	}
}

// The units are powers of two that keep sums in float32.
func TestUnits(t *testing.T) {
	for n := 1; n <= Largest; n++ {
		size := [3]int{n, n, n}
		samples, coefficients := Units(size)
		if frac, _ := math.Frexp(samples); frac != 0.5 || samples*math.Pow(float64(n), 6) > 0.5 || samples*math.Pow(float64(n), 6) < 0.25 {
			t.Errorf("unit %g of blocks of %d", samples, n)
		}
		if got := (Rule{Threshold: 8}).Limits(size)[0]; math.Abs(float64(got)-8*coefficients) > 1e-6 || coefficients != samples*math.Sqrt(float64(n*n*n)) {
			t.Errorf("limit %g, factor %g", got, coefficients)
		}
	}
	if got := (Rule{Threshold: math.Inf(1)}).Limits([3]int{1, 1, 1})[0]; got != math.MaxFloat32 {
		t.Errorf("an infinite threshold is %g", got)
	}
}
