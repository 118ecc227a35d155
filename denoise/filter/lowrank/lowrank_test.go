package lowrank

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"quell/denoise"
	"quell/volume"
)

// scene is a series of low rank with noise of sigma 1, and its truth: tissues with curves of their own.
func scene(dims [3]int, volumes int, snr float64, seed uint64) (noisy, truth denoise.SeriesPart) {
	r := rand.New(rand.NewPCG(seed, 1))
	n := dims[0] * dims[1] * dims[2]
	truth, noisy = denoise.NewSeriesPart(dims, volumes), denoise.NewSeriesPart(dims, volumes)
	for i := range n {
		x, y, z := float64(i%dims[0])/8, float64(i/dims[0]%dims[1])/8, float64(i/dims[0]/dims[1])/8
		f, s0 := math.Atan2(math.Sin(x), math.Cos(y)), 1+0.5*math.Sin(x+y+z)
		clean, _ := truth.At(i)
		row, sigma := noisy.At(i)
		*sigma = 1
		for c := range volumes {
			g := float64(c) * 2.4
			v := snr * s0 * math.Exp(-1.5*math.Cos(f-g)*math.Cos(f-g)*math.Abs(math.Sin(z+g)))
			clean[c], row[c] = float32(v), float32(v+r.NormFloat64())
		}
	}
	return noisy, truth
}

func params(t testing.TB, dims [3]int, volumes int, set string) Params {
	t.Helper()
	if _, err := denoise.FilterByName(Filter.Name); err != nil {
		denoise.Register(Filter)
	}
	f, err := denoise.FilterByName(Filter.Name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Recipe(denoise.Case{Dims: 3, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	g := volume.NewGeometry(dims, [3]float64{2, 2, 2})
	if r, err = r.FitTo(g, volumes); err != nil {
		t.Fatal(err)
	}
	if r, err = r.Resolve(g, denoise.Facts{Hi: 1}); err != nil {
		t.Fatal(err)
	}
	p, err := r.BindSeries(g, volumes)
	if err != nil {
		t.Fatal(err)
	}
	return p.(Params)
}

func run(t testing.TB, p Params, in denoise.SeriesPart) denoise.SeriesResult {
	t.Helper()
	out, err := p.Run(context.Background(), in, denoise.Slab{To: p.Dims[2], End: p.Dims[2]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// errorOf returns the error of the voxels, and the mean rank.
func errorOf(got, want denoise.SeriesPart) (rms, rank float64) {
	places := len(got.Data) / (got.Volumes + 1)
	sum := 0.0
	for i := range places {
		a, last := got.At(i)
		b, _ := want.At(i)
		for c, v := range a {
			sum += float64(v-b[c]) * float64(v-b[c])
		}
		rank += float64(*last) / float64(places)
	}
	return math.Sqrt(sum / float64(places*got.Volumes)), rank
}

// TestReference compares small series with the formulas: more places than volumes and fewer, a mask, a limit.
func TestReference(t *testing.T) {
	type series struct {
		dims     [3]int
		volumes  int
		set      string
		masked   bool
		snr      float64
		restores bool
	}
	all := []series{
		{[3]int{9, 8, 7}, 12, "sigma=1", false, 5, false},
		{[3]int{9, 8, 6}, 40, "sigma=1 patch-radius=1", false, 20, false},
		{[3]int{8, 7, 6}, 12, "sigma=1 patch-radius=1 patch-step=3 limit=2", true, 3, true},
		{[3]int{7, 7, 1}, 20, "sigma=1", false, 5, false},
		{[3]int{9, 8, 7}, 12, "sigma=1 patch-radius=2 patch-step=1 limit=0", true, 1000, false},
		{[3]int{1, 1, 1}, 9, "sigma=1", false, 5, false},
		{[3]int{6, 6, 6}, 12, "sigma=1 limit=2.5", false, 0, true},
	}
	for _, c := range Filter.Cases {
		all = append(all, series{[3]int{8, 7, 6}, 10, c.Set, false, 5, false})
	}
	for _, c := range all {
		p := params(t, c.dims, c.volumes, c.set)
		in, _ := scene(c.dims, c.volumes, c.snr, 3)
		places := len(in.Data) / (c.volumes + 1)
		for i := range places {
			_, sigma := in.At(i)
			if c.masked || c.snr == 0 {
				*sigma = 0.7 + float32(i%c.dims[0])/10
			}
			if c.masked && (i%3 == 0 || i%dims2(c.dims) <= 3) {
				*sigma = 0
			}
		}
		out, want := run(t, p, in), p.Reference(in)
		limit := 1e-5 * float64(slices.Max(in.Data)-slices.Min(in.Data))
		for i, v := range want.Data {
			if got := out.Data[i]; !(math.Abs(float64(got-v)) <= limit) {
				t.Fatalf("%+v: %v at %d of place %d, want %v", c, got, i%(c.volumes+1), i/(c.volumes+1), v)
			}
		}
		if !slices.Equal(out.Restored, want.Restored) || c.restores && slices.Max(out.Restored) == 0 {
			t.Errorf("%+v: %v were restored, want %v", c, out.Restored, want.Restored)
		}
	}
}

func dims2(d [3]int) int { return d[0] * d[1] }

// TestSlabs filters a series as a whole, in slabs, and on one core: the bits are the same.
func TestSlabs(t *testing.T) {
	dims, volumes := [3]int{14, 13, 12}, 16
	for _, set := range []string{"sigma=1", "sigma=1 patch-radius=2 patch-step=3", "sigma=1 patch-radius=1 patch-step=1"} {
		p := params(t, dims, volumes, set)
		in, _ := scene(dims, volumes, 8, 5)
		whole := run(t, p, in)
		before := runtime.GOMAXPROCS(1)
		alone := run(t, p, in)
		runtime.GOMAXPROCS(5)
		many := run(t, p, in)
		runtime.GOMAXPROCS(before)
		if !slices.Equal(whole.Data, alone.Data) || !slices.Equal(many.Data, alone.Data) {
			t.Errorf("%s: other bits on another number of cores", set)
		}
		slice := dims2(dims) * (volumes + 1)
		for z := 0; z < dims[2]; z += 5 {
			s := p.Slab(z, min(z+5, dims[2]))
			part := denoise.SeriesPart{Dims: [3]int{dims[0], dims[1], s.End - s.First}, Volumes: volumes, Data: in.Data[s.First*slice : s.End*slice]}
			out, err := p.Run(t.Context(), part, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out.Data, whole.Data[s.From*slice:s.To*slice]) {
				t.Errorf("%s: other bits in the slab from %d", set, z)
			}
		}
	}
}

// TestTruth requires that noise falls at every strength of the signal.
func TestTruth(t *testing.T) {
	dims, volumes := [3]int{24, 24, 10}, 32
	p := params(t, dims, volumes, "sigma=1")
	for snr, most := range map[float64]float64{2: 0.40, 10: 0.50, 100: 0.75} {
		in, truth := scene(dims, volumes, snr, 7)
		out := run(t, p, in)
		got, rank := errorOf(out.SeriesPart, truth)
		t.Logf("snr %g: error %.3f sigma, rank %.1f", snr, got, rank)
		if got > most {
			t.Errorf("snr %g: error %.3f sigma", snr, got)
		}
	}
}

// TestShrink pins the shrinkage on both sides of its edge, and its limit.
func TestShrink(t *testing.T) {
	for _, c := range []struct {
		m, n int
	}{{125, 67}, {67, 125}, {27, 27}} {
		beta := float64(min(c.m, c.n)) / float64(max(c.m, c.n))
		edge := float64(max(c.m, c.n)) * (1 + math.Sqrt(beta)) * (1 + math.Sqrt(beta))
		if f := shrink(edge*(1-1e-12), c.m, c.n); f != 0 {
			t.Errorf("%+v: %g below the edge", c, f)
		}
		if f := shrink(edge*(1+1e-6), c.m, c.n); !(f > 0 && f < 0.01) {
			t.Errorf("%+v: %g above the edge", c, f)
		}
		if f := shrink(edge*1e9, c.m, c.n); !(f > 1-1e-8 && f < 1) {
			t.Errorf("%+v: %g far above the edge", c, f)
		}
	}
	if f := shrink(math.NaN(), 3, 3); f != 0 {
		t.Error("NaN passes")
	}
}

// TestColours requires that each patch that reaches into slices of a part has a colour, and that patches of one do not overlap.
func TestColours(t *testing.T) {
	for _, set := range []string{"patch-radius=1 patch-step=1", "patch-radius=2 patch-step=2", "patch-radius=2 patch-step=5", "patch-radius=3 patch-step=3"} {
		for depth := 1; depth < 24; depth++ {
			p := Part{params(t, [3]int{9, 9, depth}, 12, "sigma=1 "+set), 0}
			for from := range depth {
				to := min(from+4, depth)
				p.First = p.Slab(from, to).First
				var got []int
				for _, s := range p.Colours(2, from-p.First, to-p.First) {
					before := math.MinInt
					for i := range s.Count {
						start := int(min(s.First+i*s.Stride, s.Last)) + p.First
						if start < before+p.Width[2] {
							t.Errorf("%s: patches from %d and %d of one colour overlap", set, before, start)
						}
						before, got = start, append(got, start)
					}
				}
				slices.Sort(got)
				if want := p.layers(from, to); !slices.Equal(got, want) {
					t.Errorf("%s: patches from %v reach into %d to %d of %d, want %v", set, got, from, to, depth, want)
				}
			}
		}
	}
}

// TestRadius pins the patch by the number of volumes.
func TestRadius(t *testing.T) {
	for _, c := range []struct {
		dims    [3]int
		volumes int
		want    [3]int
	}{
		{[3]int{96, 96, 19}, 27, [3]int{3, 3, 3}}, {[3]int{96, 96, 19}, 28, [3]int{5, 5, 5}}, {[3]int{96, 96, 19}, 125, [3]int{5, 5, 5}},
		{[3]int{96, 96, 19}, 126, [3]int{7, 7, 7}}, {[3]int{96, 96, 19}, 1200, [3]int{7, 7, 7}},
		{[3]int{96, 96, 1}, 25, [3]int{5, 5, 1}}, {[3]int{96, 96, 1}, 1200, [3]int{11, 11, 1}}, {[3]int{4, 4, 4}, 67, [3]int{4, 4, 4}},
	} {
		if p := params(t, c.dims, c.volumes, "sigma=1"); p.Width != c.want {
			t.Errorf("%v of %d volumes: a patch of %v, want %v", c.dims, c.volumes, p.Width, c.want)
		}
	}
}

// TestRefusals requires sentences for too few volumes, and for patches that leave gaps.
func TestRefusals(t *testing.T) {
	params(t, [3]int{9, 9, 9}, fewest, "sigma=1") // is enough
	r, err := denoise.NewRecipe(Filter.Name, 3)
	if err != nil {
		t.Fatal(err)
	}
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	if _, err := r.FitTo(g, fewest-1); err == nil || err.Error() != "lowrank filters a 4-D series of at least 8 volumes together, and this has 7; take a filter of single volumes" {
		t.Error(err)
	}
	gaps := r.With("sigma", denoise.Number(1)).With("patch-radius", denoise.Number(1)).With("patch-step", denoise.Number(4)).With("stabilise", denoise.Number(0))
	if _, err := gaps.BindSeries(g, 8); err == nil {
		t.Error("patches that leave gaps are not refused")
	}
	if _, err := gaps.With("patch-step", denoise.Number(3)).BindSeries(g, 8); err != nil {
		t.Error(err)
	}
}

// TestCancel ends a run early.
func TestCancel(t *testing.T) {
	p := params(t, [3]int{32, 32, 16}, 32, "sigma=1")
	in, _ := scene(p.Dims, p.Volumes, 5, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(ctx, in, denoise.Slab{To: 16, End: 16}, nil); err == nil {
		t.Error("a run that was cancelled has a result")
	}
}

// BenchmarkSeries filters 96 x 96 x 19 voxels of 67 volumes.
func BenchmarkSeries(b *testing.B) {
	dims, volumes := [3]int{96, 96, 19}, 67
	in, truth := scene(dims, volumes, 10, 1)
	p := params(b, dims, volumes, "sigma=1")
	for b.Loop() {
		started := time.Now()
		out := run(b, p, in)
		took := time.Since(started)
		rms, rank := errorOf(out.SeriesPart, truth)
		b.Logf("%v, error %.3f, rank %.2f", took, rms, rank)
	}
}
