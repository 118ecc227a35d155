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
	for name, c := range map[string]struct {
		r    denoise.Recipe
		e    noise.Estimate
		want tune.Verdict
	}{
		"no strength":      {lk, known, tune.Unknown},
		"noise not known":  {gaussian, noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("too small")}}, tune.Unknown},
		"no noise":         {gaussian, noise.Estimate{Figure: noise.Figure{Confidence: noise.High}}, tune.Clean},
		"noise negligible": {gaussian, noise.Estimate{Figure: noise.Figure{Sigma: 1, Confidence: noise.Low}, Negligible: true}, tune.Clean},
	} {
		j, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: in, After: noisy, Recipe: &c.r, Made: true, Noise: c.e})
		if err != nil || j.Verdict != c.want || j.Why.String() == "" {
			t.Errorf("%s: %+v, %v; want %s", name, j, err, c.want)
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

// Without the recipe: what is left as it was is under, what is smeared is over.
func TestBlindVerdictsAtTheEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	truth, noisy := head(t, 10)
	e, err := noise.Of(t.Context(), noisy)
	if err != nil {
		t.Fatal(err)
	}
	smeared, err := cpu.New().Run(t.Context(), sweeps[2].recipe(t, 4, 10, noisy), denoise.Input{Volume: noisy}, noisy.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, after := range map[tune.Verdict]*volume.Volume{tune.Under: noisy, tune.Over: smeared, tune.Matched: truth} {
		j, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: after, Noise: e})
		if err != nil || j.Verdict != want || j.Confidence == noise.High {
			t.Errorf("%+v, %v; want %s", j, err, want)
		}
	}
}

// A slice on its own is judged by its own noise and voxels.
func TestJudgeOneSlice(t *testing.T) {
	_, noisy := head(t, 10)
	e, err := noise.Of(t.Context(), noisy)
	if err != nil {
		t.Fatal(err)
	}
	r := sweeps[1].recipe(t, 2, 10, noisy)
	region := volume.Slices(noisy.Geometry, 5, 6)
	after, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: noisy}, region, nil)
	if err != nil {
		t.Fatal(err)
	}
	judge := func(e noise.Estimate) tune.Judgement {
		t.Helper()
		j, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: after, Region: region, Recipe: &r, Noise: e})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	e.Sigma = 1 // the volume's, which must not count
	e.PerSlice[5] = noise.Figure{Sigma: 10, Confidence: noise.Fair}
	j := judge(e)
	if j.Curve == nil || len(j.Slices) != 0 || j.Map == nil || j.Map.Dims != region.Dims() || j.Confidence != noise.Fair {
		t.Fatalf("%+v", j)
	}
	if !slices.ContainsFunc(j.Curve.Points, func(p tune.Point) bool { return math.Abs(p.Strength-2) < 1e-6 }) {
		t.Errorf("no strength of 2 of the slice's sigma among %v", j.Curve.Points)
	}
	// A figure that is not fair does not count.
	e.Sigma, e.PerSlice[5].Confidence = 20, noise.Low
	if j := judge(e); !slices.ContainsFunc(j.Curve.Points, func(p tune.Point) bool { return math.Abs(p.Strength-1) < 1e-6 }) {
		t.Errorf("no strength of 1 of the volume's sigma among %v", j.Curve.Points)
	}
}

func TestJudgeNeedsVoxels(t *testing.T) {
	_, noisy := head(t, 10)
	r := sweeps[1].recipe(t, 2, 10, noisy)
	known := noise.Known(10)
	for want, most := range map[tune.Verdict]int{tune.Unknown: 399, tune.Under: 400} {
		few := func(i int) bool {
			x, y := i%80, i/80%96
			return i/(80*96) == 5 && x >= 30 && x < 50 && y >= 40 && (y-40)*20+x-30 < most
		}
		j, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: noisy, Recipe: &r, Made: true, Noise: known, Foreground: few})
		if err != nil || (j.Verdict == tune.Unknown) != (want == tune.Unknown) || (j.Map == nil) != (want == tune.Unknown) {
			t.Errorf("%d voxels: %s, %v", most, j.Verdict, err)
		}
	}
	if _, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: noisy, Region: volume.Slices(noisy.Geometry, 0, 2), Recipe: &r, Noise: known}); err == nil {
		t.Error("a result of another size was judged")
	}
	j, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: noisy})
	if err != nil || j.Verdict != tune.Unknown || !strings.Contains(j.Why.String(), "not been measured") {
		t.Errorf("noise that was not measured: %+v, %v", j, err)
	}
}

// Slices of stronger noise hold more of it after the same filter.
func TestSlicesAreJudgedByTheirOwnNoise(t *testing.T) {
	truth, noisy := head(t, 10)
	loud, err := noise.AddNoise(t.Context(), truth, noise.Gaussian, 30, 4)
	if err != nil {
		t.Fatal(err)
	}
	copy(noisy.Plane(6), loud.Plane(6))
	e := noise.Known(10)
	for range noisy.Dims[2] {
		e.PerSlice = append(e.PerSlice, noise.Figure{Sigma: 10, Confidence: noise.High})
	}
	e.PerSlice[6].Sigma = 30
	r := sweeps[1].recipe(t, 3, 10, noisy)
	after, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: noisy}, noisy.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: noisy}, After: after, Recipe: &r, Noise: e})
	if err != nil || len(j.Slices) != noisy.Dims[2] {
		t.Fatalf("%+v, %v", j, err)
	}
	for z, s := range j.Slices {
		if (s.Verdict == tune.Under) != (z == 6) {
			t.Errorf("slice %d: %s", z, s.Verdict)
		}
	}
}

// Text that is burnt in changes neither what automatic values come to nor the verdict.
func TestTextDoesNotMakeASeriesClean(t *testing.T) {
	_, plain := head(t, 8)
	text := plain.Clone()
	for i := range text.Data {
		if x, y := i%80, i/80%96; y < 12 && x < 60 && (x%6 == 0 || y == 6) && y%11 > 1 {
			text.Data[i] = 4095
		}
	}
	r, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	var strengths [2]float64
	for k, v := range []*volume.Volume{plain, text} {
		f, err := denoise.FactsOf(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := r.Resolve(v.Geometry, f)
		if err != nil {
			t.Fatal(err)
		}
		strengths[k] = resolved.Get("h").Float()
		weak := resolved.With("h", denoise.Number(2))
		after, err := cpu.New().Run(t.Context(), weak, denoise.Input{Volume: v}, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		j, err := tune.Judge(t.Context(), cpu.New(), tune.Result{Input: denoise.Input{Volume: v}, After: after, Recipe: &weak, Noise: f.Noise})
		if err != nil || j.Verdict != tune.Under {
			t.Errorf("text %v: %s, %s, %v", k == 1, j.Verdict, j.Why, err)
		}
	}
	if math.Abs(strengths[1]/strengths[0]-1) > 0.05 || strengths[0] < 4 {
		t.Errorf("h is %.3g without and %.3g with text", strengths[0], strengths[1])
	}
}
