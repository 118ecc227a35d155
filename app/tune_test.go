package app

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/phantom"
	"quell/series"
	"quell/volume"
)

// grainy is the MR phantom with Gaussian noise.
func grainy(t *testing.T, sigma float64) *series.Series {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{80, 96, 6}, Spacing: [3]float64{2.2, 2.2, 2.2}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sigma > 0 {
		if v, err = noise.AddNoise(t.Context(), v, noise.Gaussian, sigma, 5); err != nil {
			t.Fatal(err)
		}
	}
	s := wavy(80, 96, 6)
	s.Volume = v
	return s
}

// "sure" in a recipe stands for the strength that Tune finds. The report and the
// record hold the number that was run, what was asked for, and the curve.
func TestSureIsTuned(t *testing.T) {
	s := grainy(t, 10)
	asked := mustRecipe("bilateral", 2).With("sigma-range", denoise.SURE)
	want, err := Tune(t.Context(), cpu.New(), TuneRequest{Series: s, Recipe: mustRecipe("bilateral", 2)})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.nii")
	report, err := DoOn(t.Context(), On{Series: s, Engine: cpu.New()}, Job{Recipe: &asked, Output: Output{Path: out}}, Events{})
	if err != nil {
		t.Fatal(err)
	}
	x := report.Recipe.Get("sigma-range").Float()
	if !report.Recipe.Equal(want.Recipe) || x < 20 || x > 150 || !want.Helps() {
		t.Errorf("it ran %s; Tune finds %s", report.Recipe, want.Recipe)
	}
	if !report.Asked.Equal(asked) || report.Tuned == nil || report.Tuned.Curve.Points[report.Tuned.Curve.Best].Value.Float() != x {
		t.Errorf("asked for %s, tuned %+v", report.Asked, report.Tuned)
	}
	if report.Run.Facts == nil || report.Run.Facts.Noise.Sigma != want.Noise.Sigma {
		t.Errorf("the run keeps other facts than it was tuned by: %+v", report.Run.Facts)
	}
	record, err := os.ReadFile(out + recordSuffix)
	if err != nil || !strings.Contains(string(record), `"curve"`) || !strings.Contains(string(record), `"objective": "sure"`) {
		t.Errorf("the record is %s, %v", record, err)
	}
	if back, err := LoadRecipe(out + recordSuffix); err != nil || !back.Equal(want.Recipe) {
		t.Errorf("the record's recipe is %s, %v", back, err)
	}

	given := asked.With("sigma-range", denoise.Number(12))
	report, err = DoOn(t.Context(), On{Series: s, Engine: cpu.New()}, Job{Recipe: &given}, Events{})
	if err != nil || report.Tuned != nil || report.Recipe.Get("sigma-range").Float() != 12 {
		t.Errorf("a given strength: %+v, %v", report, err)
	}
}

// A search under a mask rests on what the mask leaves.
func TestSureUnderAMask(t *testing.T) {
	s := grainy(t, 10)
	mask := make([]bool, len(s.Volume.Data))
	for i := range mask {
		if mask[i] = i%80 > 30; !mask[i] {
			s.Volume.Data[i] = 0
		}
	}
	wrong := denoise.Facts{Hi: 1000, Noise: noise.Known(1)} // of the series, of which little is left
	got, err := Tune(t.Context(), cpu.New(), TuneRequest{Series: s, Recipe: mustRecipe("gaussian", 2), Maps: Maps{Mask: mask}, Facts: &wrong})
	if want := foundFacts(t, denoise.Input{Volume: s.Volume, Mask: mask}.Masked()); err != nil || got.Noise.Sigma != want.Noise.Sigma {
		t.Errorf("%+v, %v; want %+v", got.Noise, err, want.Noise.Figure)
	}
	run, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: mustRecipe("gaussian", 2).With("sigma-spatial", denoise.SURE), Maps: Maps{Mask: mask}}, nil)
	if err != nil || run.Facts != nil {
		t.Errorf("facts of a part are kept as those of the series: %+v, %v", run, err)
	}
}

// Under a noise map the strength counts in sigmas of the map, and is as good as the
// best of a grid. The record of such a run is a recipe in sigmas.
func TestSureUnderANoiseMap(t *testing.T) {
	s := grainy(t, 0)
	truth := s.Volume
	ramp, sigma := truth.Clone(), truth.Clone()
	for i := range ramp.Data {
		sigma.Data[i] = 4 + float32(i%80)/5 // 4 to 20
		ramp.Data[i] += sigma.Data[i] * float32(noise.Normal(9, uint64(i), 0))
	}
	s.Volume = ramp
	maps := Maps{Noise: sigma}
	run, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: mustRecipe("gaussian", 2).With("sigma-spatial", denoise.SURE), Maps: maps}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if run.Facts != nil || run.Tuned == nil || run.Tuned.Noise.Sigma != 1 || !run.Resolved.InSigmas {
		t.Errorf("%+v", run.Tuned)
	}
	mse := func(v *volume.Volume) float64 {
		sum, n := 0.0, 0.0
		for i := range v.Data {
			if truth.Data[i] > 60 {
				d := float64(v.Data[i]-truth.Data[i]) / float64(sigma.Data[i])
				sum, n = sum+d*d, n+1
			}
		}
		return sum / n
	}
	best := math.Inf(1)
	for x := 0.25; x < 4; x *= 1.2 {
		other, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: mustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(x*2.2)), Maps: maps}, nil)
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, mse(other.Result))
	}
	if got := mse(run.Result); got > 1.035*best {
		t.Errorf("the error is %.3f; %.3f is the least", got, best)
	}
	// A strength in the volume's unit, and another number in it.
	nlm, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: mustRecipe("nlm", 2).With("h", denoise.SURE).With("sigma", denoise.Number(6)), Maps: maps}, nil)
	if err != nil {
		t.Fatal(err)
	}
	usual, err := denoise.FactsFor(t.Context(), denoise.Input{Volume: s.Volume, Noise: sigma})
	if err != nil {
		t.Fatal(err)
	}
	if h := nlm.Resolved.Get("h").Float(); h < 0.2 || h > 6 || math.Abs(nlm.Resolved.Get("sigma").Float()-6/usual.Usual) > 1e-6 || mse(nlm.Result) > 0.7*mse(ramp) {
		t.Errorf("%s: error %.3f of %.3f", nlm.Resolved, mse(nlm.Result), mse(ramp))
	}
}

// What cannot be tuned is refused with a sentence that says why.
func TestSureIsRefused(t *testing.T) {
	worse := engineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		out := v.Crop(r)
		for i := range out.Data {
			out.Data[i] += 50
		}
		return out, nil
	})
	noisy := grainy(t, 10)
	sure := mustRecipe("gaussian", 2).With("sigma-spatial", denoise.SURE)
	for name, c := range map[string]struct {
		q     RunRequest
		usage bool
		says  string
	}{
		"a clean series":    {RunRequest{Series: grainy(t, 0), Recipe: sure}, false, "texture"},
		"no estimate":       {RunRequest{Series: noisy, Recipe: sure, Facts: &denoise.Facts{Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("it is tiny")}}}}, false, "it is tiny"},
		"no noise":          {RunRequest{Series: noisy, Recipe: sure, Facts: &denoise.Facts{Noise: noise.Known(0)}}, false, "texture"},
		"negligible":        {RunRequest{Series: noisy, Recipe: sure, Facts: &denoise.Facts{Noise: noise.Estimate{Figure: noise.Figure{Sigma: 1}, Negligible: true}}}, false, "texture"},
		"harm":              {RunRequest{Series: noisy, Recipe: sure}, false, "leave it as it is"},
		"no strength":       {RunRequest{Series: noisy, Recipe: mustRecipe("gaussian", 2).With("radius", denoise.SURE)}, true, "radius"},
		"unused strength":   {RunRequest{Series: noisy, Recipe: mustRecipe("nlm", 2).With("weighting", denoise.Word("lk")).With("h", denoise.SURE)}, true, "no effect"},
		"another parameter": {RunRequest{Series: noisy, Recipe: mustRecipe("nlm", 2).With("sigma", denoise.SURE)}, true, "not its strength"},
	} {
		run, err := Denoise(t.Context(), worse, c.q, nil)
		var usage *UsageError
		var input *InputError
		if run != nil || !errors.As(err, &usage) && c.usage || !errors.As(err, &input) && !c.usage {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q does not say %q", name, err, c.says)
		}
	}
}

// Tune passes the objective and the progress on.
func TestTuneByTheResidual(t *testing.T) {
	curves := 0
	got, err := Tune(t.Context(), cpu.New(), TuneRequest{
		Series: grainy(t, 10), Recipe: mustRecipe("gaussian", 2), Objective: tune.Discrepancy, Progress: func(tune.Curve) { curves++ },
	})
	if err != nil || got.Curve.Objective != tune.Discrepancy || curves < 2 || got.Seconds <= 0 {
		t.Errorf("%+v after %d curves, %v", got, curves, err)
	}
}

// A strength that should not be relied on is given with the reason, in the report of a run too.
func TestDoubts(t *testing.T) {
	curve := func(best int, mse ...float64) tune.Curve {
		c := tune.Curve{Param: "h", Best: best}
		for i, x := range mse {
			c.Points = append(c.Points, tune.Point{Value: denoise.Number(float64(i + 1)), Risk: tune.Risk{MSE: x}})
		}
		return c
	}
	low := noise.Figure{Sigma: 3, Confidence: noise.Low, Why: message.Verbatim("it is texture")}
	const gains, trusts = "No strength lowers the estimated error", "The estimate of the noise has low confidence (it is texture), and the strength goes with it"
	for name, c := range map[string]struct {
		tuned Tuned
		want  []string
	}{
		"none":           {Tuned{Curve: curve(1, 0.9, 0.5, 0.7)}, nil},
		"fair":           {Tuned{Curve: curve(1, 0.9, 0.5, 0.7), Noise: noise.Figure{Confidence: noise.Fair}}, nil},
		"no gain":        {Tuned{Curve: curve(0, 0.95, 1, 2)}, []string{gains}},
		"low confidence": {Tuned{Curve: curve(1, 0.9, 0.5, 0.7), Noise: low}, []string{trusts}},
		"last":           {Tuned{Curve: curve(2, 0.9, 0.5, 0.4)}, []string{"The best strength, h 3, is the strongest that was tried"}},
		"first":          {Tuned{Curve: curve(0, 0.2, 0.5, 0.7)}, []string{"The best strength, h 1, is the weakest that was tried"}},
		"both":           {Tuned{Curve: curve(2, 0.9, 0.5, 0.4), Noise: low}, []string{trusts, "The best strength, h 3, is the strongest"}},
		"none of worth":  {Tuned{Curve: curve(0, 0.96, 1, 2), Noise: low}, []string{gains, trusts}},
	} {
		got := c.tuned.doubts()
		if len(got) != len(c.want) {
			t.Errorf("%s: %q; want %q", name, got, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i].String(), want) {
				t.Errorf("%s: %q; want %q", name, got[i], want)
			}
		}
	}
	s := grainy(t, 10)
	facts := foundFacts(t, s.Volume)
	facts.Noise.Confidence, facts.Noise.Why = noise.Low, message.Verbatim("it is texture")
	asked := mustRecipe("bilateral", 2).With("sigma-range", denoise.SURE)
	report, err := DoOn(t.Context(), On{Series: s, Engine: cpu.New(), Facts: &facts}, Job{Recipe: &asked}, Events{})
	if err != nil || len(report.Tuned.Doubts) != 1 || len(report.Warnings) != 1 || !report.Warnings[0].Same(report.Tuned.Doubts[0]) {
		t.Errorf("a run by texture: %q, %q, %v", report.Tuned.Doubts, report.Warnings, err)
	}
}

func TestTunedHelps(t *testing.T) {
	for mse, want := range map[float64]bool{0.94: true, 0.95: false} {
		tuned := Tuned{Curve: tune.Curve{Points: []tune.Point{{Risk: tune.Risk{MSE: 3}}, {Risk: tune.Risk{MSE: mse}}}, Best: 1}}
		if tuned.Helps() != want {
			t.Errorf("an error of %g: %v", mse, !want)
		}
	}
}
