package sadct

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// waves is a volume of a wave, a step, a hole of excluded voxels and noise.
func waves(dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	v.Mask = make([]bool, len(v.Data))
	h := uint64(1)
	for i := range v.Data {
		x, y := i%dims[0], i/dims[0]%dims[1]
		value := 100 + 30*math.Sin(float64(x)/7)
		if x+y > dims[0] {
			value += 80
		}
		for range 12 {
			h = h*6364136223846793005 + 1442695040888963407
			value += 10 * (float64(h>>11)*0x1p-53 - 0.5)
		}
		v.Data[i], v.Mask[i] = float32(value), x/5 != 3 || y/4 != 5
	}
	return v
}

func testParams() Params {
	return Params{Sigma: 10, Gamma: 2, Threshold: 0.77, Scales: []int{1, 2, 3, 5, 7, 9}, Wiener: []int{1, 2, 3, 5, 6}}
}

// compute runs the CPU forms of all passes on a region in tiles of that size.
func compute(t *testing.T, v *volume.Volume, p Params, region volume.Region, size [3]int) []float32 {
	t.Helper()
	in := denoise.FieldOf(v)
	fields := []denoise.Field{{}, in, {}}
	never := func() bool { return false }
	each := func(inputs []denoise.Field, box volume.Region, start func(in []denoise.Field, out denoise.Field) func() denoise.Worker) denoise.Field {
		part := v.Crop(box)
		out := denoise.Field{Dims: v.Dims, Box: box, Data: part.Data, Mask: part.Mask}
		work := start(inputs, out)()
		for z := box.Min[2]; z < box.Max[2]; z++ {
			for y := box.Min[1]; y < box.Max[1]; y += size[1] {
				for x := box.Min[0]; x < box.Max[0]; x += size[0] {
					work(volume.Region{Min: [3]int{x, y, z}, Max: [3]int{min(x+size[0], box.Max[0]), min(y+size[1], box.Max[1]), z + 1}}, never)
				}
			}
		}
		return out
	}
	around := func(r volume.Region, n int) volume.Region { return in.Around(r, [3]int{n, n, 0}) }
	first, second := newStage(p, p.Scales, false), newStage(p, p.Wiener, true)
	pilotBox := around(region, 2*second.reach)
	fields[0] = each(fields[1:2], around(pilotBox, 2*first.reach), func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
		return newLines(p).start(in[0], out)
	})
	fields[2] = each(fields[:2], pilotBox, first.start)
	return each(fields, region, second.start).Data
}

// Every voxel has the same bits in every tiling and in every region.
func TestTilesAndRegions(t *testing.T) {
	v := waves([3]int{45, 40, 2})
	for _, p := range []Params{
		testParams(),
		{Sigma: 10, Gamma: 3, Threshold: 1, Scales: []int{1, 4, 12}, Wiener: []int{1, 9, 10}, Overlap: 30},
		{Sigma: 1e-6, Gamma: 1e9, Threshold: 0.77, Scales: []int{1, 2, 3}, Wiener: []int{1, 2}}, // all in float64
	} {
		whole := v.Clone()
		whole.Data = compute(t, v, p, v.Bounds(), tileSize)
		if slices.Equal(whole.Data, v.Data) && p.Sigma == 10 {
			t.Error("the filter changed nothing")
		}
		for _, size := range [][3]int{{7, 5, 1}, {64, 1, 1}, {1, 64, 1}} {
			if !slices.Equal(compute(t, v, p, v.Bounds(), size), whole.Data) {
				t.Errorf("%+v: tiles of %v give other bits", p, size)
			}
		}
		box := volume.Region{Min: [3]int{11, 20, 1}, Max: [3]int{30, 38, 2}}
		if !slices.Equal(compute(t, v, p, box, [3]int{8, 8, 1}), whole.Crop(box).Data) {
			t.Errorf("%+v: a region has other bits", p)
		}
	}
}

// Tiles of more columns than a word of the mask has bits give the bits of narrow ones.
func TestWideTiles(t *testing.T) {
	p := Params{Sigma: 10, Gamma: 2, Threshold: 0.77, Scales: []int{1, 2, 3}, Wiener: []int{1, 2}}
	v := waves([3]int{150, 20, 1})
	for i := range v.Mask {
		v.Mask[i] = i%7 != 0
	}
	for _, width := range []int{40, 64, 140} {
		if !slices.Equal(compute(t, v, p, v.Bounds(), [3]int{width, 64, 1}), compute(t, v, p, v.Bounds(), [3]int{8, 64, 1})) {
			t.Errorf("tiles of %d columns give other bits than those of 8", width)
		}
	}
}

// The estimates of a pixel are as many as the overlap, and at most the estimates of all
// supports.
func TestEstimatesOfAPixel(t *testing.T) {
	for overlap, want := range map[int]float64{0: 25, 1: 1, 24: 24, 25: 25, 26: 25} {
		s := newStage(Params{Overlap: overlap}, []int{1, 3}, false)
		if got := s.estimates(); got != want {
			t.Errorf("overlap %d: %g estimates, want %g", overlap, got, want)
		}
	}
}

// The kernels have the sum 1, and the norms and weights of LASIP's formulas for the mixture
// of order 0 and 1.
func TestWeights(t *testing.T) {
	for h, norm := range map[int]float64{1: 1, 2: 0.8246, 3: 0.5870, 5: 0.4472, 7: 0.3780, 9: 1. / 3, 12: 0.2887} {
		sum, squares := 0.0, 0.0
		for _, w := range weights(h) {
			sum += w
			squares += w * w
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(math.Sqrt(squares)-norm) > 5e-5 {
			t.Errorf("scale %d: sum %g, norm %g; want 1 and %g", h, sum, math.Sqrt(squares), norm)
		}
	}
	for h, want := range map[int][]float64{
		2: {0.8, 0.2}, 3: {0.4083, 0.3333, 0.2583}, 5: {0.2, 0.2, 0.2, 0.2, 0.2},
		4: {0.28375, 0.26125, 0.23875, 0.21625}, // 0.075 of order 1, halfway between the mixtures of 3 and 5
	} {
		for j, w := range weights(h) {
			if math.Abs(w-want[j]) > 5e-5 {
				t.Errorf("scale %d: %v; want %v", h, weights(h), want)
				break
			}
		}
	}
}

// The Wiener stage takes a tenth more noise than the image has, the threshold stage as much.
func TestStageSigma(t *testing.T) {
	p := testParams()
	if first, second := newStage(p, p.Scales, false).sigma, newStage(p, p.Wiener, true).sigma; first != 10 || math.Abs(second-11) > 1e-12 {
		t.Errorf("at sigma 10 the stages take %g and %g; want 10 and 11", first, second)
	}
}

// gamma at sigma/255 of Foi's rule, if noise adds 6 sigma to the range, and if there is no
// noise or no range.
func TestAutoGamma(t *testing.T) {
	recipe := func(sigma denoise.Value) denoise.Recipe {
		return denoise.Recipe{Params: map[string]denoise.Value{"sigma": sigma}}
	}
	facts := func(sigma, width float64) denoise.Facts {
		return denoise.Facts{Lo: -50, Hi: float32(width - 50), Noise: noise.Known(sigma)}
	}
	for _, c := range []struct {
		sigma denoise.Value
		facts denoise.Facts
		want  float64
	}{
		{denoise.Auto, facts(5, 255+30), 3.09}, {denoise.Auto, facts(25, 255+150), 1.24}, {denoise.Auto, facts(40, 255+240), 1.02},
		{denoise.Auto, facts(100, 255), 0.80}, {denoise.Number(10), facts(20, 255+120), 1.98},
		{denoise.Sigmas(2), facts(5, 255+30), 1.98}, {denoise.Number(0), facts(5, 255), 1}, {denoise.Auto, facts(5, 0), 1},
		{denoise.Number(5), facts(30, 340), 2.36},  // at least half of the range
		{denoise.Number(1e-9), facts(5, 255), 100}, // the largest that gamma takes
	} {
		if got := autoGamma(recipe(c.sigma), c.facts).Float(); math.Abs(got-c.want) > 0.005 {
			t.Errorf("sigma %s of %g: gamma %.4f; want %g", c.sigma, c.facts.Hi-c.facts.Lo, got, c.want)
		}
	}
	divided := facts(1, 25.5+6) // by a noise map of usual sigma 10
	divided.Usual = 10
	for inSigmas, sigma := range map[bool]float64{false: 10, true: 1} {
		r := recipe(denoise.Number(sigma))
		r.InSigmas = inSigmas
		if got := autoGamma(r, divided).Float(); math.Abs(got-1.98) > 0.005 {
			t.Errorf("with a noise map, in sigmas %t: gamma %.4f; want 1.98", inSigmas, got)
		}
	}
}

func TestScalesBeginWithOne(t *testing.T) {
	for _, c := range [][2][]int{{{1}, {1}}, {{2}, {1, 2}}, {{1, 5}, {1, 5}}, {{3, 4, 12}, {1, 3, 4, 12}}} {
		if got := fromOne(slices.Clone(c[0])); !slices.Equal(got, c[1]) {
			t.Errorf("%v became %v; want %v", c[0], got, c[1])
		}
	}
}

// A line ends at an edge of the image, at an excluded pixel and at a step.
func TestScalesEnd(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{40, 30, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		if i%40 >= 30 {
			v.Data[i] = 1e4
		}
	}
	v.Mask = slices.Repeat([]bool{true}, len(v.Data))
	for y := range 30 {
		v.Mask[v.Index(9, y, 0)] = false
	}
	p := testParams()
	l := newLines(p)
	in := denoise.FieldOf(v)
	index := func(room int) int { // of the largest scale that has room
		n := 0
		for i, h := range p.Scales {
			if h <= room {
				n = i
			}
		}
		return n
	}
	for x := 10; x < 40; x++ {
		right, left := 40-x, x-9
		if x < 30 {
			right = 30 - x
		} else {
			left = x - 29
		}
		got := l.reference(&in, x, 15, 0)
		for d, room := range [8]int{right, min(right, 15), 15, min(left, 15), left, min(left, 16), 16, min(right, 16)} {
			if got>>(3*d)&7 != index(room) {
				t.Errorf("x %d, direction %d: index %d; want %d", x, d, got>>(3*d)&7, index(room))
			}
		}
	}
}

// The scales of the CPU form are the scales of the reference.
func TestScalesOfTheCPUForm(t *testing.T) {
	v := waves([3]int{40, 35, 1})
	in := denoise.FieldOf(v)
	l := newLines(testParams())
	out := denoise.FieldOf(v.Clone())
	l.start(in, out)()(v.Bounds(), func() bool { return false })
	indices := map[int]bool{}
	for i, valid := range v.Mask {
		x, y := i%40, i/40
		if !valid {
			if out.Data[i] != v.Data[i] {
				t.Fatalf("(%d, %d) is excluded and became %g", x, y, out.Data[i])
			}
			continue
		}
		want := l.reference(&in, x, y, 0)
		if out.Data[i] != float32(want) {
			t.Fatalf("(%d, %d): scales %o; want %o", x, y, int(out.Data[i]), want)
		}
		for d := range 8 {
			indices[want>>(3*d)&7] = true
		}
	}
	if len(indices) != 6 {
		t.Errorf("the scales have the indices %v only", indices)
	}
}

// Supports of equal lengths are squares, and supports that are put together from
// sectors are the polygons of their lengths.
func TestSupports(t *testing.T) {
	for h := 1; h <= maxLength; h++ {
		s := polygon([8]int{h, h, h, h, h, h, h, h})
		if s.pixels() != (2*h-1)*(2*h-1) || !s.has(h-1, 1-h) || s.has(h, 0) || s.has(0, -h) {
			t.Errorf("length %d: %d pixels", h, s.pixels())
		}
	}
	// A long axis between short diagonals, and a short one.
	s := polygon([8]int{5, 2, 1, 2, 1, 2, 3, 2})
	var got []string
	for dy := -3; dy <= 3; dy++ {
		row := ""
		for dx := -3; dx <= 5; dx++ {
			row += map[bool]string{true: "#", false: "."}[s.has(dx, dy)]
		}
		got = append(got, row)
	}
	want := []string{".........", "...#.....", "..###....", "...#####.", "..#.#....", ".........", "........."}
	if !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
	scales := []int{1, 2, 3, 5, 7, 9, 10, 12}
	all := newShapes(scales)
	packed := uint64(1)
	for range 3000 {
		packed = packed*6364136223846793005 + 1442695040888963407
		key := int(packed >> 40)
		var s support
		all.of(&s, key, maxReach)
		if s != polygon(lengths(scales, key)) {
			t.Fatalf("%o: %b; want %b", key, s, polygon(lengths(scales, key)))
		}
	}
	if got := lengths([]int{1, 4, 6}, 0o76543210); got != [8]int{1, 4, 6, 6, 6, 6, 6, 6} {
		t.Errorf("lengths %v", got)
	}
}

// Of the centres of a square of 8 x 8 those used are spread evenly, and rise with the
// overlap.
func TestOverlap(t *testing.T) {
	count := func(overlap, n, side int) (used int) {
		s := &stage{overlap: overlap}
		for y := range side {
			for x := range side {
				if s.used(x+8, y+16, n) {
					used++
				}
			}
		}
		return used
	}
	for _, c := range [][4]int{
		// overlap, pixels, side of the square, supports used
		{0, 289, 8, 64}, {64, 64, 8, 64}, {63, 64, 8, 63}, {1, 64, 8, 1}, {16, 64, 8, 16}, {1, 289, 8, 1}, {70, 289, 8, 16},
		{40, 30, 8, 64}, {16, 64, 2, 1}, {32, 64, 4, 8}, {4, 64, 4, 1},
	} {
		if got := count(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("overlap %d, %d pixels, %d x %d: %d used; want %d", c[0], c[1], c[2], c[2], got, c[3])
		}
	}
	seen := map[int]bool{}
	for _, row := range bayer {
		for _, b := range row {
			seen[b] = true
		}
	}
	if len(seen) != 64 || bayer[0] != [8]int{0, 32, 8, 40, 2, 34, 10, 42} || bayer[1][:2][0] != 48 || bayer[1][1] != 16 {
		t.Errorf("the order %v", bayer)
	}
}

// The inverse of the transform gives the pixels back, in supports of any shape, and the
// coefficients keep the sum of squares.
func TestTransform(t *testing.T) {
	v := waves([3]int{40, 40, 1})
	in := denoise.FieldOf(v)
	var e exact
	for _, l := range [][8]int{{1, 1, 1, 1, 1, 1, 1, 1}, {9, 9, 9, 9, 9, 9, 9, 9}, {1, 5, 2, 7, 12, 1, 9, 3}} {
		s := polygon(l)
		n := e.load(&e.u, &s, &in, 20, 20, 0)
		before, lengths, squares := e.u, e.lengths, 0.0
		mean := e.transform(&e.u, &e.c, n)
		for i, l := range lengths {
			for j := range l {
				squares += (before[i][j] - mean) * (before[i][j] - mean)
			}
		}
		power := 0.0
		for k, n := range e.count {
			for l := range n {
				power += e.c[k][l] * e.c[k][l]
			}
		}
		if math.Abs(power-squares) > 1e-9*(1+squares) || n != s.pixels() {
			t.Errorf("%v: power %g of %d pixels; want %g of %d", l, power, n, squares, s.pixels())
		}
		e.invert(mean)
		for i, l := range lengths {
			for j := range l {
				if math.Abs(e.u[i][j]-before[i][j]) > 1e-10 {
					t.Fatalf("%v: pixel %d of column %d is %g; want %g", l, j, i, e.u[i][j], before[i][j])
				}
			}
		}
	}
}

// A run ends at the row of centres at which it is stopped.
func TestStop(t *testing.T) {
	v := waves([3]int{40, 35, 1})
	p := testParams()
	s := newStage(p, p.Scales, false)
	in := denoise.FieldOf(v)
	out := denoise.FieldOf(v.Clone())
	polls := 0
	s.start([]denoise.Field{in, in}, out)()(v.Bounds(), func() bool { polls++; return polls > 3 })
	if polls != 4 || !slices.Equal(out.Data, v.Data) {
		t.Errorf("%d polls, or an incomplete tile was written", polls)
	}
}

// Fewer estimates of a pixel cost less; more than there are supports cost no more.
func TestCostFollowsTheOverlap(t *testing.T) {
	for overlap, want := range map[int]float64{0: 289, 1: 1, 12: 12, 288: 288, 289: 289, 1000: 289} {
		s := newStage(Params{Overlap: overlap, Sigma: 1, Threshold: 1}, []int{1, 9}, false)
		if got := s.estimates(); got != want {
			t.Errorf("overlap %d: %g estimates; want %g", overlap, got, want)
		}
	}
}
