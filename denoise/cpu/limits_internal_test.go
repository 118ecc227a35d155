package cpu

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/volume"
)

// numbered returns a volume in which every voxel is its own index; every fifth is
// excluded.
func numbered(dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Data {
		v.Data[i], v.Mask[i] = float32(i), i%5 != 0
	}
	return v
}

func recipe(t *testing.T, filter string, dims int) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An engine uses GOMAXPROCS cores, or fewer if it is limited, and at least one.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, c := range []struct {
		e    *Engine
		want int
	}{{New(), 4}, {New(Threads(3)), 3}, {New(Threads(1)), 1}, {New(Threads(0)), 1}, {New(Threads(-2)), 1}, {New(Threads(9)), 4}} {
		if got := c.e.Info(); got.Cores != c.want || got.Name != "cpu" || got.Device == "" {
			t.Errorf("%+v; want %d cores", got, c.want)
		}
	}
}

// The processor is named by Linux's list of processors; some have no name.
func TestModelName(t *testing.T) {
	for info, want := range map[string]string{
		"processor\t: 0\nvendor_id\t: X\nmodel\t\t: 17\nmodel name\t: Some CPU: 3 GHz \nmodel name\t: Another\n": "Some CPU: 3 GHz",
		"processor : 0\nBogoMIPS : 50.00\n": "", "model name\n": "", "": "",
	} {
		if got := modelName(info); got != want {
			t.Errorf("%q: %q, want %q", info, got, want)
		}
	}
	if deviceName() == "" {
		t.Error("the device has no name")
	}
}

// A plan has the scratch memory of every core, the intermediates, and the time of all
// passes, which falls with the number of cores.
func TestPlan(t *testing.T) {
	g := volume.NewGeometry([3]int{40, 30, 20}, [3]float64{1, 1, 1})
	for _, filter := range []string{"median", "twopass", "nlm"} {
		r := recipe(t, filter, 3)
		resolved, err := r.Resolve(g, denoise.Facts{Hi: 1, Noise: noise.Known(1)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := resolved.Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		var scratch int64
		nanoseconds := 0.0
		for _, pass := range p.Passes {
			scratch = max(scratch, pass.CPU.Scratch)
			nanoseconds += pass.CPU.Nanoseconds * 24000
		}
		e := New(Threads(1))
		plan, err := e.Plan(r, g)
		if want := scratch + int64(len(p.Passes)-1)*24000*4; err != nil || plan.Memory != want || plan.Slabs != 1 {
			t.Errorf("%s: %+v, %v; want %d bytes in one slab", filter, plan, err, want)
		}
		if got := float64(plan.Estimate); math.Abs(got-nanoseconds) > 2 {
			t.Errorf("%s: %v; want %g ns", filter, plan.Estimate, nanoseconds)
		}
	}
	median := recipe(t, "median", 3)
	plain, err := New(Threads(1)).Plan(median, g)
	if err != nil {
		t.Fatal(err)
	}
	median.InSigmas = true
	mapped, err := New(Threads(1)).Plan(median, g)
	if err != nil || mapped.Memory != plain.Memory+2*24000*4 || mapped.Estimate <= plain.Estimate {
		t.Errorf("with a noise map %+v, %v; without %+v", mapped, err, plain)
	}
	huge := volume.NewGeometry([3]int{1 << 12, 1 << 12, 1 << 12}, [3]float64{1, 1, 1})
	if plan, err := New().Plan(recipe(t, "nlm", 3).With("search-radius", denoise.Number(32)), huge); err != nil || plan.Estimate <= time.Hour {
		t.Errorf("the largest volume takes %v, %v", plan.Estimate, err)
	}
	for name, c := range map[string]struct {
		r denoise.Recipe
		g volume.Geometry
	}{
		"geometry": {recipe(t, "median", 3), volume.Geometry{}}, "recipe": {denoise.Recipe{}, g},
		"value": {recipe(t, "median", 3).With("radius", denoise.List(99)), g},
	} {
		if plan, err := New().Plan(c.r, c.g); err == nil || plan != (denoise.Plan{}) {
			t.Errorf("%s: %+v, %v", name, plan, err)
		}
	}
}

// Whatever is wrong with a run is found before a voxel is computed.
func TestRunRefuses(t *testing.T) {
	v := numbered([3]int{6, 5, 4})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	median := recipe(t, "median", 3)
	for want, c := range map[string]struct {
		ctx    context.Context
		r      denoise.Recipe
		in     denoise.Input
		region volume.Region
	}{
		"canceled":   {cancelled, median, denoise.Input{Volume: v}, v.Bounds()},
		"no volume":  {t.Context(), median, denoise.Input{}, v.Bounds()},
		"outside":    {t.Context(), median, denoise.Input{Volume: v}, volume.Region{Max: [3]int{7, 5, 4}}},
		"empty":      {t.Context(), median, denoise.Input{Volume: v}, volume.Region{}},
		"version":    {t.Context(), denoise.Recipe{}, denoise.Input{Volume: v}, v.Bounds()},
		"leave it":   {t.Context(), median, denoise.Input{Volume: v, Guide: v}, v.Bounds()},
		"needs a":    {t.Context(), recipe(t, "twopass", 3), denoise.Input{Volume: v, Guide: v}, v.Bounds()},
		"along x, m": {t.Context(), recipe(t, "gaussian", 3).With("sigma-spatial", denoise.Number(100)), denoise.Input{Volume: v}, v.Bounds()},
	} {
		progress := func(int64, int64) { t.Errorf("%s: progress was reported", want) }
		out, err := New().Run(c.ctx, c.r, c.in, c.region, progress)
		if out != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one that says %q", err, want)
		}
		if out, err := Reference(c.ctx, c.r, c.in, c.region); out != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("reference: error %v; want one that says %q", err, want)
		}
	}
}

// canceledLater is a context that ends when it has been asked n times.
type canceledLater struct {
	context.Context
	n *int
}

func (c canceledLater) Err() error {
	if *c.n--; *c.n < 0 {
		return context.Canceled
	}
	return nil
}

// The reference ends at the voxel at which its context does.
func TestReferenceIsCanceled(t *testing.T) {
	v := numbered([3]int{5, 4, 3})
	n := math.MaxInt
	ctx := canceledLater{t.Context(), &n}
	if _, err := Reference(ctx, recipe(t, "median", 3), denoise.Input{Volume: v}, v.Bounds()); err != nil {
		t.Fatal(err)
	}
	asked := math.MaxInt - n
	if asked < len(v.Data) {
		t.Errorf("a run over %d voxels asks %d times whether it is cancelled", len(v.Data), asked)
	}
	n = asked - 2
	if out, err := Reference(ctx, recipe(t, "median", 3), denoise.Input{Volume: v}, v.Bounds()); out != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is cancelled before its last voxel: %v", err)
	}
}

// Progress rises to the voxels of all passes: of the region, and of the intermediate
// with its halo.
func TestProgress(t *testing.T) {
	v := numbered([3]int{60, 40, 9})
	region := volume.Region{Min: [3]int{10, 5, 2}, Max: [3]int{50, 30, 7}}
	for filter, want := range map[string]int64{"median": 40 * 25 * 5, "twopass": 40*25*5 + 42*27*7} {
		in := denoise.Input{Volume: v}
		if filter == "twopass" {
			in.Noise, in.Guide = v, v
		}
		last, calls := int64(0), 0
		out, err := New().Run(t.Context(), recipe(t, filter, 3), in, region, func(done, total int64) {
			if calls++; done <= last || total != want {
				t.Errorf("%s: %d of %d after %d; want a total of %d", filter, done, total, last, want)
			}
			last = done
		})
		if err != nil || last != want || calls == 0 || out.Dims != region.Dims() {
			t.Errorf("%s: %d voxels in %d reports, %v; want %d", filter, last, calls, err, want)
		}
	}
}

// Excluded voxels keep the value of the input in every path, and the result has the mask
// of the volume alone.
func TestExcludedVoxelsStay(t *testing.T) {
	v := numbered([3]int{12, 9, 5})
	mask := make([]bool, len(v.Data))
	for i := range mask {
		mask[i] = i%7 != 0
	}
	region := volume.Region{Min: [3]int{1, 2, 1}, Max: [3]int{11, 8, 4}}
	for _, masks := range [][]bool{nil, mask} {
		in := denoise.Input{Volume: v, Mask: masks}
		fast, err := New().Run(t.Context(), recipe(t, "median", 3), in, region, nil)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := Reference(t.Context(), recipe(t, "median", 3), in, region)
		if err != nil {
			t.Fatal(err)
		}
		want := v.Crop(region)
		excluded := in.Masked().Crop(region)
		for _, out := range []*volume.Volume{fast, plain} {
			if !slices.Equal(out.Mask, want.Mask) {
				t.Error("the result has another mask than the volume")
			}
			changed := 0
			for i, x := range out.Data {
				if x != want.Data[i] {
					changed++
					if !excluded.Mask[i] {
						t.Errorf("excluded voxel %d became %v", i, x)
					}
				}
			}
			if changed == 0 {
				t.Error("no voxel changed")
			}
		}
	}
}

// A voxel that is not finite is reported with its place, unless it is excluded.
func TestCheckFinite(t *testing.T) {
	v := numbered([3]int{6, 5, 4})
	box := volume.Region{Min: [3]int{1, 1, 1}, Max: [3]int{6, 5, 4}}
	part := v.Crop(box)
	out := denoise.Field{Dims: v.Dims, Box: box, Data: part.Data, Mask: part.Mask}
	tile := volume.Region{Min: [3]int{2, 2, 1}, Max: [3]int{5, 4, 3}}
	pass := denoise.Pass{Name: "mean"}
	inf := float32(math.Inf(1))
	for _, bad := range []float32{inf, -inf, inf - inf} {
		for z := 1; z < 4; z++ {
			for y := 1; y < 5; y++ {
				for x := 1; x < 6; x++ {
					i := out.Index(x, y, z)
					before := out.Data[i]
					out.Data[i] = bad
					err := checkFinite(pass, &out, tile)
					out.Data[i] = before
					inside := x >= 2 && x < 5 && y >= 2 && y < 4 && z < 3
					if (err != nil) != (inside && out.Valid(i)) {
						t.Errorf("%v at (%d, %d, %d): %v", bad, x, y, z, err)
					}
					place := "pass mean computed " + []string{"+Inf", "-Inf", "NaN"}[slices.Index([]bool{bad > 0, bad < 0, bad != bad}, true)]
					if err != nil && !strings.Contains(err.Error(), place) {
						t.Errorf("error %v; want %q", err, place)
					}
				}
			}
		}
	}
	out.Data[out.Index(4, 2, 2)] = inf
	if err := checkFinite(pass, &out, tile); err == nil || !strings.HasSuffix(err.Error(), "voxel (4, 2, 2)") {
		t.Errorf("error %v; want voxel (4, 2, 2)", err)
	}
}

// A tile during which the context ends does not count and is not checked.
func TestCancelDuringATile(t *testing.T) {
	v := numbered([3]int{4, 4, 4})
	ctx, cancel := context.WithCancel(t.Context())
	tiles, reports := 0, 0
	pass := denoise.Pass{CPU: denoise.CPUPass{
		Tile: [3]int{4, 4, 1},
		Start: func([]denoise.Field, denoise.Field) func() denoise.Worker {
			return func() denoise.Worker {
				return func(_ volume.Region, stop func() bool) {
					if tiles++; tiles == 2 {
						cancel()
						v.Data[17] = float32(math.NaN())
					}
					if stop() != (tiles == 2) {
						t.Errorf("tile %d: stop is %v", tiles, stop())
					}
				}
			}
		},
	}}
	r := run{counter: parallel.NewCounter(64, func(int64, int64) { reports++ })}
	if err := r.tiles(ctx, 1, pass, nil, denoise.FieldOf(v), v.Bounds()); !errors.Is(err, context.Canceled) || tiles != 2 || reports != 1 {
		t.Errorf("%d tiles, %d reports, %v; want 2 and 1 and a cancel", tiles, reports, err)
	}
}
