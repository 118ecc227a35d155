package tune_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/phantom"
	"quell/volume"
)

// head is the MR phantom without and with noise.
func head(t *testing.T, sigma float64) (truth, noisy *volume.Volume) {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{80, 96, 12}, Spacing: [3]float64{2.2, 2.2, 2.2}})
	if err != nil {
		t.Fatal(err)
	}
	if truth, err = p.Voxels(t.Context()); err != nil {
		t.Fatal(err)
	}
	noisy, err = noise.AddNoise(t.Context(), truth, noise.Gaussian, sigma, 3)
	if err != nil {
		t.Fatal(err)
	}
	return truth, noisy
}

// ctSlices are slices of the CT phantom as a scanner reconstructs them, without and
// with noise.
func ctSlices(t *testing.T) (truth, noisy *volume.Volume) {
	t.Helper()
	p, err := phantom.New("ct", phantom.Size{Dims: [3]int{160, 160, 2}, Spacing: [3]float64{1.4, 1.4, 2.5}})
	if err != nil {
		t.Fatal(err)
	}
	scan := phantom.Scan{Views: 300, Recon: phantom.Recon{Method: "fbp", Kernel: "soft"}}
	if truth, err = p.Image(t.Context(), scan); err != nil {
		t.Fatal(err)
	}
	scan.Photons = 3e5
	if noisy, err = p.Image(t.Context(), scan); err != nil {
		t.Fatal(err)
	}
	return truth, noisy
}

// sweep is one filter at rising strengths.
type sweep struct {
	filter string
	dims   int
	param  string
	values []float64 // sigmas for nlm and bilateral
	set    string
}

var sweeps = []sweep{
	{"nlm", 3, "h", []float64{0.4, 0.7, 1, 1.4, 2, 3.5}, "search-radius=2"},
	{"bilateral", 2, "sigma-range", []float64{0.6, 1.2, 2, 3, 5, 10}, ""},
	{"gaussian", 3, "sigma-spatial", []float64{0.7, 0.9, 1.1, 1.4, 2}, ""},
	{"lpa", 2, "gamma", []float64{0.2, 0.5, 1, 2, 4}, ""},
}

func (s sweep) recipe(t *testing.T, value, sigma float64, v *volume.Volume) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(s.filter, s.dims)
	if err != nil {
		t.Fatal(err)
	}
	switch s.filter {
	case "nlm", "bilateral":
		value *= sigma
	case "lpa":
		r = r.With("sigma", denoise.Number(sigma))
	}
	r = r.With(s.param, denoise.Number(value))
	if name, text, ok := strings.Cut(s.set, "="); ok {
		w, err := denoise.ParseValue(text)
		if err != nil {
			t.Fatal(err)
		}
		r = r.With(name, w)
	}
	r, err = r.ResolveFor(t.Context(), denoise.Input{Volume: v})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// trueError returns the mean squared error in sigmas squared, in the foreground.
func trueError(t *testing.T, r denoise.Recipe, truth, noisy *volume.Volume, sigma float64, use func(int) bool) float64 {
	t.Helper()
	u, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: noisy}, noisy.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	for i := range u.Data {
		if use(i) {
			d := float64(u.Data[i]) - float64(truth.Data[i])
			sum, n = sum+d*d, n+1
		}
	}
	return sum / n / (sigma * sigma)
}

// The risk must follow the true error over the whole range of strength, for white
// and for correlated noise.
func TestRiskFollowsTheError(t *testing.T) {
	for name, load := range map[string]func(*testing.T) (*volume.Volume, *volume.Volume){
		"mr": func(t *testing.T) (*volume.Volume, *volume.Volume) { return head(t, 10) }, "ct": ctSlices,
	} {
		truth, noisy := load(t)
		use, err := noise.Foreground(t.Context(), noisy)
		if err != nil {
			t.Fatal(err)
		}
		e, err := noise.Of(t.Context(), noisy)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sweeps {
			var risks, errs []float64
			for _, value := range s.values {
				r := s.recipe(t, value, e.Sigma, noisy)
				program, err := r.Bind(noisy.Geometry)
				if err != nil {
					t.Fatal(err)
				}
				p, err := tune.NewProbe(t.Context(), cpu.New(), denoise.Input{Volume: noisy}, program.Reach(), e.Sigma, e.Correlation, use, 5)
				if err != nil {
					t.Fatal(err)
				}
				k, err := p.Risk(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				risks = append(risks, k.MSE)
				errs = append(errs, trueError(t, r, truth, noisy, e.Sigma, use))
			}
			// The strength with the least risk must have nearly the least error.
			at := errs[index(risks, slices.Min(risks))]
			if least := slices.Min(errs); at > 1.1*least {
				t.Errorf("%s, %s %d-D: errors %.3f, risks %.3f: the chosen one is %.2f times the least", name, s.filter, s.dims, errs, risks, at/least)
			}
		}
	}
}

func index(xs []float64, x float64) int { return slices.Index(xs, x) }

func TestSearchFindsTheLeastRisk(t *testing.T) {
	truth, noisy := head(t, 8)
	e, err := noise.Of(t.Context(), noisy)
	if err != nil {
		t.Fatal(err)
	}
	use, _ := noise.Foreground(t.Context(), noisy)
	s := sweeps[1]
	c, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: noisy}, s.recipe(t, 1, e.Sigma, noisy), e, tune.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(c.Points, func(a, b tune.Point) int { return int(math.Copysign(1, a.Strength-b.Strength)) }) {
		t.Error("the points are not sorted")
	}
	best := trueError(t, s.recipe(t, c.Points[c.Best].Strength, e.Sigma, noisy), truth, noisy, e.Sigma, use)
	for _, x := range []float64{1, 1.5, 2, 2.5, 3, 4, 5} {
		if other := trueError(t, s.recipe(t, x, e.Sigma, noisy), truth, noisy, e.Sigma, use); other < 0.965*best {
			t.Errorf("sigma-range %g sigma has the error %.3f, the chosen %.2f has %.3f", x, other, c.Points[c.Best].Strength, best)
		}
	}
}

// A whole curve reaches from end to end of the range, also of a filter whose risk costs two runs, and names the same best.
func TestAWholeCurve(t *testing.T) {
	_, noisy := head(t, 8)
	e, err := noise.Of(t.Context(), noisy)
	if err != nil {
		t.Fatal(err)
	}
	for filter, more := range map[string]bool{"odct": true, "gaussian": true, "nlm": false, "median": false} {
		r, err := denoise.NewRecipe(filter, 2)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := denoise.FilterByName(filter)
		grown := 0
		search := func(o tune.Options) tune.Curve {
			t.Helper()
			c, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: noisy}, r, e, o)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		short := search(tune.Options{})
		whole := search(tune.Options{Whole: true, Progress: func(c tune.Curve) { grown = max(grown, len(c.Points)) }})
		a, b := short.Points[short.Best], whole.Points[whole.Best]
		if a.Strength != b.Strength || a.MSE != b.MSE || len(whole.Points) > len(short.Points) != more || grown != len(whole.Points) {
			t.Errorf("%s: best %v of %d, and %v of %d, of which %d were reported", filter, a.Strength, len(short.Points), b.Strength, len(whole.Points), grown)
		}
		first, last := whole.Points[0].Strength, whole.Points[len(whole.Points)-1].Strength
		if first > 1.01*f.Strength.Lo || last < 0.99*f.Strength.Hi {
			t.Errorf("%s: from %g to %g, not from %g to %g", filter, first, last, f.Strength.Lo, f.Strength.Hi)
		}
	}
}

func TestSearchScalesWithTheData(t *testing.T) {
	_, noisy := head(t, 10)
	search := func(c float32) (tune.Curve, float64) {
		v := noisy.Clone()
		for i := range v.Data {
			v.Data[i] *= c
		}
		e, err := noise.Of(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := denoise.NewRecipe("bilateral", 2)
		found, err := tune.Search(t.Context(), cpu.New(), denoise.Input{Volume: v}, r, e, tune.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return found, found.Points[found.Best].Value.Float() / float64(c)
	}
	want, value := search(1)
	for _, c := range []float32{0x1p-30, 0x1p30} {
		got, v := search(c)
		if got.Best != want.Best || math.Abs(v/value-1) > 1e-6 {
			t.Errorf("times %g: best %d at %g; want %d at %g", c, got.Best, v, want.Best, value)
		}
	}
}

func TestWithoutGround(t *testing.T) {
	_, noisy := head(t, 10)
	in := denoise.Input{Volume: noisy}
	lk, _ := denoise.NewRecipe("nlm", 3)
	lk = lk.With("weighting", denoise.Word("lk"))
	lk, err := lk.ResolveFor(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	known := noise.Estimate{Figure: noise.Figure{Sigma: 10, Confidence: noise.High}}
	gaussian, _ := denoise.NewRecipe("gaussian", 3)
	gaussian, _ = gaussian.ResolveFor(t.Context(), in)
	for name, e := range map[string]noise.Estimate{
		"not measured": {}, "not known": {Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("too small")}},
		"none": {Figure: noise.Figure{Confidence: noise.High}}, "negligible": {Figure: noise.Figure{Sigma: 1, Confidence: noise.Low}, Negligible: true},
	} {
		i, err := tune.Inspect(t.Context(), cpu.New(), tune.Result{Input: in, After: noisy, Recipe: &gaussian, Made: true, Noise: e})
		if err != nil || i.Found != nil || i.Map != nil || i.Structure != 0 {
			t.Errorf("%s: %+v, %v", name, i, err)
		}
	}
	if _, err := tune.Search(t.Context(), cpu.New(), in, lk, known, tune.Options{}); err == nil {
		t.Error("a filter without strength was searched")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tune.Search(ctx, cpu.New(), in, gaussian, known, tune.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestInspectNeedsVoxels(t *testing.T) {
	_, noisy := head(t, 10)
	r := sweeps[1].recipe(t, 2, 10, noisy)
	known := noise.Known(10)
	for _, most := range []int{399, 400} {
		few := func(i int) bool {
			x, y := i%80, i/80%96
			return i/(80*96) == 5 && x >= 30 && x < 50 && y >= 40 && (y-40)*20+x-30 < most
		}
		in, err := tune.Inspect(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: noisy, Recipe: &r, Made: true, Noise: known, Foreground: few})
		if err != nil || (in.Map == nil) != (most < 400) {
			t.Errorf("%d voxels: %+v, %v", most, in, err)
		}
	}
	if _, err := tune.Inspect(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: noisy, Region: volume.Slices(noisy.Geometry, 0, 2), Recipe: &r, Noise: known}); err == nil {
		t.Error("a result of another size was inspected")
	}
	region := volume.Slices(noisy.Geometry, 5, 6)
	in, err := tune.Inspect(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: noisy.Crop(region), Region: region, Noise: known})
	if err != nil || in.Slices != nil || in.Map.Dims != region.Dims() || in.Structure != 0 || in.Found != nil {
		t.Errorf("an unchanged slice: %+v, %v", in, err)
	}
}
