package pairwise

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// The half neighbourhood and its opposites are the neighbourhood without its middle.
func TestHalfNeighbourhood(t *testing.T) {
	for _, search := range [][3]int{{}, {1, 0, 0}, {0, 2, 0}, {0, 0, 1}, {2, 1, 0}, {1, 2, 3}} {
		seen := map[[3]int]int{}
		for _, o := range HalfNeighbourhood(search, func(d [3]int) float64 { return float64(d[0] + 10*d[1] + 100*d[2]) }) {
			seen[o.d]++
			seen[[3]int{-o.d[0], -o.d[1], -o.d[2]}]++
			if o.bias != float64(o.d[0]+10*o.d[1]+100*o.d[2]) || o.d[2] < 0 {
				t.Errorf("offset %+v", o)
			}
		}
		if want := int(tile.Count(search)) - 1; len(seen) != want {
			t.Errorf("search %v: %d offsets; want %d", search, len(seen), want)
		}
		for d, n := range seen {
			if n != 1 || d == [3]int{} {
				t.Errorf("search %v: offset %v is there %d times", search, d, n)
			}
		}
	}
}

func TestTileSize(t *testing.T) {
	for _, c := range []struct{ search, patch, want [3]int }{
		{[3]int{3, 3, 0}, [3]int{1, 1, 0}, [3]int{192, 64, 1}}, {[3]int{20, 20, 0}, [3]int{}, [3]int{192, 80, 1}},
		{[3]int{3, 3, 3}, [3]int{1, 1, 1}, [3]int{192, 16, 16}}, {[3]int{3, 9, 10}, [3]int{0, 0, 1}, [3]int{192, 18, 20}},
		{[3]int{3, 9, 10}, [3]int{}, [3]int{192, 24, 24}}, {[3]int{3, 12, 13}, [3]int{}, [3]int{192, 24, 26}},
		{[3]int{3, 3, 0}, [3]int{1, 1, 1}, [3]int{192, 16, 16}},
	} {
		if got := TileSize(c.search, c.patch); got != c.want {
			t.Errorf("search %v, patch %v: tiles of %v; want %v", c.search, c.patch, got, c.want)
		}
	}
}

func TestNanoseconds(t *testing.T) {
	WithoutVector(func() {
		for taps, want := range map[int]float64{0: 7.2, 4: 7.2 * (1 + 1/1.6)} {
			if got := Nanoseconds(taps); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d taps take %g ns; want %g", taps, got, want)
			}
		}
	})
}

func TestRoundUp(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 8, 7: 8, 8: 8, 9: 16} {
		if got := tile.RoundUp(n); got != want {
			t.Errorf("%d is rounded to %d; want %d", n, got, want)
		}
	}
}

// Values are multiplied by a power of two if float32 would not hold their squares,
// and by none else.
func TestSetUnit(t *testing.T) {
	for _, c := range []struct {
		largest, scale float64
		shift          int
	}{
		{1000, 1, 0}, {-1000, 1, 0}, {0, 1, 0},
		{math.Ldexp(0.5, 50), 1, 0}, {math.Ldexp(0.5, 51), 1, -1}, {-math.Ldexp(0.5, 60), 1, -10},
		{math.Ldexp(0.5, -40), 1, 0}, {math.Ldexp(0.5, -41), 1, 41},
		{1, math.Ldexp(0.5, 80), 0}, {1, math.Ldexp(0.5, 82), 41}, {math.Ldexp(0.5, 20), math.Ldexp(0.5, 90), 30},
	} {
		w := &worker{Filter: &Filter{Scale: c.scale, Bias: -2}}
		w.values.Values = make([]float32, 3+lanes)
		w.values.Values[1] = float32(c.largest)
		w.setUnit()
		unit := math.Ldexp(1, c.shift)
		if w.unit != unit || w.values.Values[1] != float32(c.largest*unit) || w.scale != float32(c.scale/unit/unit) || w.bias != -2 {
			t.Errorf("values to %g, scale %g: unit %g, value %g, scale %g, bias %g; want unit %g",
				c.largest, c.scale, w.unit, w.values.Values[1], w.scale, w.bias, unit)
		}
	}
	for _, c := range []struct{ bias, wantBias, wantScale float64 }{
		{0x1p100, 0x1p100, 4}, {-0x1p100, -0x1p100, 4}, {0x1p101, 0x1p100, 2}, {-0x1p110, -0x1p100, 4 * 0x1p-10},
	} {
		w := &worker{Filter: &Filter{Scale: 4, Bias: c.bias}}
		w.values.Values = make([]float32, 1+lanes)
		w.values.Values[0] = 1
		w.setUnit()
		if w.bias != float32(c.wantBias) || w.scale != float32(c.wantScale) {
			t.Errorf("bias %g becomes %g with scale %g; want %g and %g", c.bias, w.bias, w.scale, c.wantBias, c.wantScale)
		}
		// The bias of an offset counts relative to the bias of all.
		if got, want := w.biasOf(Offset{bias: c.bias / 4}), float32(1.25*c.wantBias); got != want {
			t.Errorf("bias %g with a quarter of it at an offset becomes %g; want %g", c.bias, got, want)
		}
	}
}

// Faint voxels are many from more than one in 32 on, if the filter knows them at all.
func TestManyFaint(t *testing.T) {
	faint := func(*tile.Block, float64, int, int, int) float64 { return 0 }
	count := func(n int, peak float32, f Filter) bool {
		w := &worker{Filter: &f, tile: volume.Region{Max: [3]int{32, 2, 1}}}
		w.sums.reset(w.tile.Dims(), 3, true, false)
		tile.Fill(w.sums.peak, 1)
		for x := range n {
			w.sums.peak[w.sums.at(x, 1, 0)] = peak
		}
		w.faint.on = true
		many := w.manyFaint()
		if w.faint.on {
			t.Error("the rows of the last tile count")
		}
		return many
	}
	for _, c := range []struct {
		n    int
		peak float32
		f    Filter
		want bool
	}{
		{2, 0, Filter{Peak: true, Faint: faint}, false}, {3, 0, Filter{Peak: true, Faint: faint}, true},
		{32, FaintPeak, Filter{Peak: true, Faint: faint}, false}, {32, FaintPeak / 2, Filter{Peak: true, Faint: faint}, true},
		{32, 0, Filter{Peak: true}, false}, {32, 0, Filter{Faint: faint}, false}, {32, 0, Filter{Peak: true, Faint: faint, LK: 2}, false},
	} {
		if got := count(c.n, c.peak, c.f); got != c.want {
			t.Errorf("%d voxels of peak %g, %+v: many %v", c.n, c.peak, c.f.LK, got)
		}
	}
}

func TestRareKernels(t *testing.T) {
	a, b := []float32{5, 1, -2, 0}, []float32{1, 4, 1, 0}
	dst := make([]float32, 4)
	for k, want := range map[int][]float32{1: {2, 1.5, 1.5, 0}, 2: {4, 2.25, 2.25, 0}, 4: {16, 5.0625, 5.0625, 0}} {
		powerDiff(dst, a, b, 0.5, k, 4)
		if !slices.Equal(dst, want) {
			t.Errorf("norm %d: %v; want %v", k, dst, want)
		}
	}
	w := []float32{2, 2, 2, 2}
	multiply(w, []float32{1, 0, 1, 3}, []float32{1, 1, 0, 2}, 3)
	if want := []float32{2, 0, 0, 2}; !slices.Equal(w, want) {
		t.Errorf("products %v; want %v", w, want)
	}
}

// A worker that is stopped goes no further: at any poll, and never twice.
func TestWorkerStops(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 5, 3}, [3]float64{1, 1, 1})
	run := func(n int) (polls int, written int) {
		in, out := volume.New(g), volume.New(g)
		for i := range in.Data {
			in.Data[i], out.Data[i] = float32(i%5), -1
		}
		search := [3]int{1, 1, 1}
		f := &Filter{
			In: denoise.FieldOf(in), Out: denoise.FieldOf(out), Search: search, Scale: 1,
			Offsets: HalfNeighbourhood(search, func([3]int) float64 { return 0 }),
			Mean:    func(v, _ float64, s Sums) (float64, bool) { return v + s.Num/(s.Den+1), true },
		}
		f.NewWorker()(in.Bounds(), func() bool { polls++; return polls > n })
		for _, v := range out.Data {
			if v >= 0 {
				written++
			}
		}
		return polls, written
	}
	// 13 offsets, then 15 rows of 9 voxels.
	for n := range 30 {
		polls, written := run(n)
		want := max(0, min(n-13, 15)) * 9
		if n < 13 {
			if polls != n+2 || written != 0 { // the rows poll once more
				t.Errorf("stopped at poll %d: %d polls, %d voxels", n, polls, written)
			}
			continue
		}
		if polls != min(n+1, 28) || written != want {
			t.Errorf("stopped at poll %d: %d polls, %d voxels; want %d voxels", n, polls, written, want)
		}
	}
}

// Rescaled sums are relative to the largest weight: no voxel of the tile is left to Faint.
func TestRescaledSumsNeedNoFaint(t *testing.T) {
	g := volume.NewGeometry([3]int{16, 1, 1}, [3]float64{1, 1, 1})
	in, out := volume.New(g), volume.New(g)
	for i := range in.Data {
		in.Data[i] = float32(20 * (i % 2)) // neighbours are 2^-200 alike
	}
	search := [3]int{1, 0, 0}
	f := &Filter{
		In: denoise.FieldOf(in), Out: denoise.FieldOf(out), Search: search, Scale: 0.5, Peak: true,
		Offsets: HalfNeighbourhood(search, func([3]int) float64 { return 0 }),
		Faint: func(*tile.Block, float64, int, int, int) float64 {
			t.Error("a voxel is faint")
			return 0
		},
		Mean: func(v, _ float64, s Sums) (float64, bool) {
			if s.Peak != 1 || s.Den < 1 || s.Den > 2 {
				t.Errorf("sums %+v; want weights of 1", s)
			}
			return v + s.Num/s.Den, s.Peak >= FaintPeak
		},
	}
	f.NewWorker()(in.Bounds(), func() bool { return false })
	for i, v := range out.Data {
		if v != 20-in.Data[i] {
			t.Errorf("voxel %d became %v", i, v)
		}
	}
}

func TestRunsOfGroups(t *testing.T) {
	for _, c := range []struct {
		set  uint64
		runs []int
	}{
		{0, nil}, {1, []int{0, 1}}, {0b1011, []int{0, 2, 3, 4}}, {1<<27 | 1<<26, []int{26, 28}}, {1 << 63, []int{63, 64}}, {^uint64(0), []int{0, 64}},
	} {
		var got []int
		for a, b := nextRun(c.set, 0); a < 64; a, b = nextRun(c.set, b) {
			got = append(got, a, b)
		}
		if !slices.Equal(got, c.runs) {
			t.Errorf("%b: %v; want %v", c.set, got, c.runs)
		}
	}
	for set, want := range map[uint64]uint64{0: 0, 0b1: 0b1, 0b101: 0b111, 1 | 1<<8: 1<<9 - 1, 1 | 1<<9: 1 | 1<<9, 1<<53 | 1<<56: 0xf << 53} {
		if bridged(set) != want {
			t.Errorf("%b becomes %b; want %b", set, bridged(set), want)
		}
	}
}

func TestAlikeAndKeepByHand(t *testing.T) {
	// Means apart by less than half of the larger, deviations in a ratio above a quarter.
	ma, mb := []float32{4, 4, 4, -4, -4, 0, 4, 4}, []float32{4, 2, 2.5, -2.5, 2.5, 0, 4, 4}
	da, db := []float32{4, 4, 4, 4, 4, 4, 4, 1}, []float32{4, 4, 4, 4, 4, 4, 1, 3}
	bits, w := []byte{0, 0, 0}, []float32{1, 2, 3, 4, 5, 6, 7, 8}
	if set := alike(bits, ma, mb, da, db, 0.5, 0.25, lanes); set != 1 {
		t.Errorf("groups %b", set)
	}
	keep(w, bits, lanes)
	if want := []float32{1, 0, 3, 4, 0, 0, 0, 8}; !slices.Equal(w, want) {
		t.Errorf("weights %v; want %v", w, want)
	}
}

// The groups with a pair that is alike, as bits from the first on.
func TestGroupsOfAlike(t *testing.T) {
	m, d := make([]float32, 64*lanes), make([]float32, 64*lanes)
	tile.Fill(m, 1)
	for _, g := range []int{0, 5, 63} {
		d[g*lanes+g%lanes] = 1
	}
	bits := make([]byte, 64)
	for n, want := range map[int]uint64{1: 1, 5: 1, 6: 1 | 1<<5, 63: 1 | 1<<5, 64: 1 | 1<<5 | 1<<63} {
		if set := alike(bits, m, m, d, d, 0.5, 0.5, n*lanes); set != want || bits[0] != 1 || bits[1] != 0 {
			t.Errorf("%d groups: %b; want %b; bits %b", n, set, want, bits[:2])
		}
	}
}

// A voxel without selected neighbours does not count as faint.
func TestAloneIsNotFaint(t *testing.T) {
	w := &worker{Filter: &Filter{Peak: true, Select: &Selection{}, Faint: func(*tile.Block, float64, int, int, int) float64 { return 0 }},
		tile: volume.Region{Max: [3]int{8, 1, 1}}}
	w.sums.reset(w.tile.Dims(), 0, true, false)
	if w.manyFaint() {
		t.Error("voxels of peak 0 are faint")
	}
	tile.Fill(w.sums.peak, FaintPeak/2)
	if !w.manyFaint() {
		t.Error("voxels of a small peak are not faint")
	}
}
