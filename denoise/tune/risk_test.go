package tune_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"context"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/volume"
)

// device is the processor as an engine with a fixed cost per run, as a GPU's.
type device struct{ denoise.Engine }

func (d device) Info() denoise.Info {
	info := d.Engine.Info()
	info.Overhead = time.Millisecond
	return info
}

// set returns a resolved recipe.
func set(t *testing.T, filter string, dims int, text string) denoise.Recipe {
	t.Helper()
	f, err := denoise.FilterByName(filter)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Recipe(denoise.Case{Dims: dims, Set: text})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.Resolve(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1}), denoise.Facts{Hi: 100, Noise: noise.Known(8)}); err != nil {
		t.Fatal(err)
	}
	return r
}

func probe(t *testing.T, engine denoise.Engine, v *volume.Volume, r denoise.Recipe, seed uint64) *tune.Probe {
	t.Helper()
	program, err := r.Bind(v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	use, err := noise.Foreground(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tune.NewProbe(t.Context(), engine, denoise.Input{Volume: v}, program.Reach(), 8, nil, use, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The closed form and the Monte-Carlo estimate agree within the error of the
// latter, over the range of the strength, for every option that has a closed form.
func TestClosedFormAgreesWithMonteCarlo(t *testing.T) {
	_, noisy := head(t, 8)
	for _, c := range []struct {
		dims int
		set  string
	}{
		{3, "search-radius=2"},
		{3, "search-radius=2 patch-weights=uniform centre=one"},
		{2, "search-radius=4"},
		{2, "search-radius=3 patch-radius=2 patch-weights=uniform"},
		{2, "search-radius=3 centre=one sigma=4"},
	} {
		var recipes []denoise.Recipe
		for _, h := range []float64{2, 5, 9, 16, 48} {
			recipes = append(recipes, set(t, "nlm", c.dims, fmt.Sprintf("%s h=%g", c.set, h)))
		}
		closed, err := probe(t, cpu.New(), noisy, recipes[0], 3).Risks(t.Context(), recipes)
		if err != nil {
			t.Fatal(err)
		}
		measured, err := probe(t, device{cpu.New()}, noisy, recipes[0], 3).Risks(t.Context(), recipes)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range closed {
			want := measured[k]
			if got.Voxels != want.Voxels || !(math.Abs(got.Residual-want.Residual) <= 1e-4*want.Residual+1e-9) {
				t.Errorf("%s: closed form %+v; Monte-Carlo %+v", recipes[k], got, want)
			}
			// <b, Jb> / N has the variance 2 |J|^2 / N^2, and |J|^2 <= N kept if
			// the filter does not amplify; a step of 0.1 sigma adds curvature, most
			// if h is small.
			tolerance := 4*math.Sqrt(2*want.Kept/float64(want.Voxels)) + 0.01*math.Min(1, math.Pow(5/recipes[k].Get("h").Float(), 2))
			if !(math.Abs(got.Kept-want.Kept) <= tolerance) {
				t.Errorf("%s: the closed form keeps %.4f, Monte-Carlo %.4f +- %.4f", recipes[k], got.Kept, want.Kept, tolerance)
			}
			if mse := got.Residual - 1 + 2*got.Kept; math.Abs(got.MSE-mse) > 1e-12 {
				t.Errorf("the error is %g; want %g", got.MSE, mse)
			}
		}
	}
}

// Boxes that are stacked into one run have the residuals of single runs.
func TestStackedBoxesAreTheSame(t *testing.T) {
	_, noisy := head(t, 8)
	for _, masked := range []bool{false, true} {
		if masked {
			noisy.Mask = make([]bool, len(noisy.Data))
			for i := range noisy.Mask {
				noisy.Mask[i] = i%13 != 0
			}
		}
		for _, r := range []denoise.Recipe{set(t, "bilateral", 3, "sigma-range=20 radius=1"), set(t, "median", 2, "radius=1"), set(t, "nlm", 3, "h=8 search-radius=1")} {
			single, err := probe(t, cpu.New(), noisy, r, 3).Risk(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			stacked, err := probe(t, device{cpu.New()}, noisy, r, 3).Risk(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if single.Voxels != stacked.Voxels || math.Abs(single.Residual-stacked.Residual) > 1e-4*single.Residual || math.Abs(single.Kept-stacked.Kept) > 0.02 {
				t.Errorf("%s, masked %v: one by one %+v, stacked %+v", r, masked, single, stacked)
			}
		}
	}
}

// counted counts runs.
type counted struct {
	denoise.Engine
	runs *int
}

func (c counted) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, p denoise.Progress) (*volume.Volume, error) {
	*c.runs++
	return c.Engine.Run(ctx, r, in, region, p)
}

// On an engine with a fixed cost per run a strength takes two runs for all boxes inside the
// volume, not two for each.
func TestStackedBoxesTakeFewRuns(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{130, 130, 12}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 100
	}
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	engine := denoise.Engine(cpu.New(cpu.Threads(1)))
	r := set(t, "gaussian", 2, "sigma-spatial=1")
	p, err := tune.NewProbe(t.Context(), device{counted{engine, &runs}}, denoise.Input{Volume: v}, [3]int{}, 8, nil, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Risk(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if runs != 2 {
		t.Errorf("%d runs; two are enough", runs)
	}
}

// A search polls its context while it works and does nothing more after the poll at
// which it is cancelled: between strengths, inside a run and inside the closed form.
func TestSearchIsCancelled(t *testing.T) {
	_, noisy := head(t, 10)
	e := noise.Estimate{Figure: noise.Figure{Sigma: 10, Confidence: noise.High}}
	for _, name := range []string{"nlm", "bilateral"} {
		r, err := denoise.NewRecipe(name, 2)
		if err != nil {
			t.Fatal(err)
		}
		search := func(n int) (polls, curves int, err error) {
			ctx := enginetest.CancelAtPoll(t.Context(), n)
			_, err = tune.Search(ctx, cpu.New(), denoise.Input{Volume: noisy}, r, e, tune.Options{Progress: func(tune.Curve) { curves++ }})
			return int(ctx.Count()), curves, err
		}
		all, steps, err := search(math.MaxInt)
		if err != nil || all < 500 || steps < 2 {
			t.Fatalf("%s: %d polls, %d curves, %v", name, all, steps, err)
		}
		for _, at := range []int{0, 1, all / 10, all / 3, all / 2, 9 * all / 10} {
			polls, curves, err := search(at)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at poll %d of %d: %v", name, at, all, err)
			}
			if polls > at+all/20+50 {
				t.Errorf("%s, cancelled at poll %d of %d: it polled %d times more", name, at, all, polls-at)
			}
			if curves == steps {
				t.Errorf("%s, cancelled at poll %d of %d: all curves were reported", name, at, all)
			}
		}
	}
}

// The curve grows from step to step, and the last one reported is the result.
func TestSearchReportsItsCurve(t *testing.T) {
	_, noisy := head(t, 10)
	e := noise.Estimate{Figure: noise.Figure{Sigma: 10, Confidence: noise.High}}
	r := set(t, "gaussian", 2, "")
	var sizes []int
	var last tune.Curve
	c, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: noisy}, r, e, tune.Options{Also: 1.2345, Progress: func(c tune.Curve) {
		sizes, last = append(sizes, len(c.Points)), c
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(sizes) < 2 || sizes[0] != 3 || len(last.Points) != len(c.Points) || last.Best != c.Best {
		t.Errorf("curves of %d points, the last %+v; the result is %+v", sizes, last, c)
	}
	if !strings.Contains(fmt.Sprint(c.Points), "1.2345") {
		t.Error("the strength that was asked for is not on the curve")
	}
	if c.Objective != tune.LeastRisk || c.Param != "sigma-spatial" {
		t.Errorf("%+v", c)
	}
}

// The discrepancy principle ends at the strength that leaves a residual as strong
// as the noise that was removed.
func TestDiscrepancy(t *testing.T) {
	_, noisy := head(t, 10)
	e := noise.Estimate{Figure: noise.Figure{Sigma: 10, Confidence: noise.High}}
	for _, name := range []string{"nlm", "bilateral", "gaussian"} {
		r, err := denoise.NewRecipe(name, 2)
		if err != nil {
			t.Fatal(err)
		}
		c, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: noisy}, r, e, tune.Options{Objective: tune.Discrepancy})
		if err != nil {
			t.Fatal(err)
		}
		best := c.Points[c.Best]
		if c.Objective != tune.Discrepancy || math.Abs(best.Residual-(1-best.Kept)) > 0.05 {
			t.Errorf("%s: at %s the residual is %.3f, the removed noise %.3f", name, best.Value, best.Residual, 1-best.Kept)
		}
	}
}

// If the halves of the boxes disagree, more of the volume is looked at.
func TestMoreBoxesWhereTheyDisagree(t *testing.T) {
	voxels := func(boxes []volume.Region) (n int) {
		for _, b := range boxes {
			d := b.Dims()
			n += d[0] * d[1] * d[2]
		}
		return n
	}
	for _, stripes := range []bool{false, true} {
		v := volume.New(volume.NewGeometry([3]int{320, 200, 9}, [3]float64{1, 1, 1}))
		first, spare, err := tune.Boxes(t.Context(), v, v.Bounds(), [3]int{}, func(int) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		want := voxels(first)
		if stripes {
			want += voxels(spare)
		}
		for i := range v.Data {
			v.Data[i] = 200
		}
		for k, b := range first {
			for i := range v.Data {
				x, y, z := i%320, i/320%200, i/64000
				if stripes && k%2 == 0 && x/3%2 == 0 && x >= b.Min[0] && x < b.Max[0] && y >= b.Min[1] && y < b.Max[1] && z >= b.Min[2] && z < b.Max[2] {
					v.Data[i] = 260
				}
			}
		}
		v, err = noise.AddNoise(t.Context(), v, noise.Gaussian, 10, 1)
		if err != nil {
			t.Fatal(err)
		}
		var last tune.Curve
		got, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: v}, enginetest.RecipeOf(t, "gaussian", 2, ""), noise.Known(10), tune.Options{
			Progress: func(c tune.Curve) { last = c },
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(last.Points) != len(got.Points) {
			t.Errorf("stripes %v: the last curve that is reported has %d points; the result %d", stripes, len(last.Points), len(got.Points))
		}
		for _, p := range slices.Concat(got.Points, last.Points) {
			if p.Voxels != want {
				t.Fatalf("stripes %v: a point rests on %d voxels; want %d", stripes, p.Voxels, want)
			}
		}
	}
}

// The closed form, which runs no filter, serves white noise on the processor alone.
func TestWhereTheClosedFormServes(t *testing.T) {
	_, noisy := head(t, 8)
	white := set(t, "nlm", 2, "h=8 search-radius=1")
	var rho noise.Correlation
	rho.InPlane[noise.MaxLag][noise.MaxLag], rho.Across[0] = 1, 1
	flat := noisy.Clone()
	for i := range flat.Data {
		flat.Data[i] = 8
	}
	for name, c := range map[string]struct {
		r      denoise.Recipe
		in     denoise.Input
		rho    *noise.Correlation
		device bool
		runs   bool
	}{
		"white noise":       {r: white},
		"correlated noise":  {r: white, rho: &rho, runs: true},
		"rician":            {r: set(t, "nlm", 2, "h=8 search-radius=1 rician=true sigma=8"), runs: true},
		"another weighting": {r: set(t, "nlm", 2, "search-radius=1 weighting=lk"), runs: true},
		"another filter":    {r: set(t, "bilateral", 2, "sigma-range=8"), runs: true},
		"a noise map":       {r: white, in: denoise.Input{Noise: flat}, runs: true},
		"a GPU":             {r: white, device: true, runs: true},
	} {
		runs := 0
		engine := denoise.Engine(counted{cpu.New(cpu.Threads(1)), &runs})
		if c.device {
			engine = device{engine}
		}
		c.in.Volume = noisy
		p, err := tune.NewProbe(t.Context(), engine, c.in, [3]int{2, 2, 0}, 8, c.rho, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Risk(t.Context(), c.r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if (runs > 0) != c.runs {
			t.Errorf("%s: %d runs", name, runs)
		}
	}
}
