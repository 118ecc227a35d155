package run_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/volume"
)

// A search under a mask rests on what the mask leaves.
func TestSureUnderAMask(t *testing.T) {
	s := apptest.Grainy(t, 10)
	mask := make([]bool, len(s.Volume.Data))
	for i := range mask {
		if mask[i] = i%80 > 30; !mask[i] {
			s.Volume.Data[i] = 0
		}
	}
	wrong := denoise.Facts{Hi: 1000, Noise: noise.Known(1)} // of the series; little is left of it
	got, err := run.Tune(t.Context(), cpu.New(), run.TuneRequest{Series: s, Recipe: apptest.MustRecipe("gaussian", 2), Maps: run.Maps{Mask: mask}, Facts: &wrong})
	if want := apptest.FoundFacts(t, denoise.Input{Volume: s.Volume, Mask: mask}.Masked()); err != nil || got.Noise.Sigma != want.Noise.Sigma {
		t.Errorf("%+v, %v; want %+v", got.Noise, err, want.Noise.Figure)
	}
	run, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.SURE), Maps: run.Maps{Mask: mask}}, nil)
	if err != nil || run.Facts != nil {
		t.Errorf("facts of a part are kept as those of the series: %+v, %v", run, err)
	}
}

// Under a noise map the strength counts in sigmas of the map, and is as good as the
// best of a grid. The record of such a run is a recipe in sigmas.
func TestSureUnderANoiseMap(t *testing.T) {
	s := apptest.Grainy(t, 0)
	truth := s.Volume
	ramp, sigma := truth.Clone(), truth.Clone()
	for i := range ramp.Data {
		sigma.Data[i] = 4 + float32(i%80)/5 // 4 to 20
		ramp.Data[i] += sigma.Data[i] * float32(noise.Normal(9, uint64(i), 0))
	}
	s.Volume = ramp
	maps := run.Maps{Noise: sigma}
	r, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.SURE), Maps: maps}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Facts != nil || r.Tuned == nil || r.Tuned.Noise.Sigma != 1 || !r.Resolved.InSigmas {
		t.Errorf("%+v", r.Tuned)
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
		other, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(x*2.2)), Maps: maps}, nil)
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, mse(other.Result))
	}
	if got := mse(r.Result); got > 1.035*best {
		t.Errorf("the error is %.3f; %.3f is the least", got, best)
	}
	// A strength in the volume's unit, and another number in it.
	nlm, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: apptest.MustRecipe("nlm", 2).With("h", denoise.SURE).With("sigma", denoise.Number(6)), Maps: maps}, nil)
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
	worse := apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		out := v.Crop(r)
		for i := range out.Data {
			out.Data[i] += 50
		}
		return out, nil
	})
	noisy := apptest.Grainy(t, 10)
	sure := apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.SURE)
	for name, c := range map[string]struct {
		q     run.Request
		usage bool
		says  string
	}{
		"a clean series":    {run.Request{Series: apptest.Grainy(t, 0), Recipe: sure}, false, "texture"},
		"no estimate":       {run.Request{Series: noisy, Recipe: sure, Facts: &denoise.Facts{Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("it is tiny")}}}}, false, "it is tiny"},
		"no noise":          {run.Request{Series: noisy, Recipe: sure, Facts: &denoise.Facts{Noise: noise.Known(0)}}, false, "texture"},
		"negligible":        {run.Request{Series: noisy, Recipe: sure, Facts: &denoise.Facts{Noise: noise.Estimate{Figure: noise.Figure{Sigma: 1}, Negligible: true}}}, false, "texture"},
		"harm":              {run.Request{Series: noisy, Recipe: sure}, false, "leave it as it is"},
		"no strength":       {run.Request{Series: noisy, Recipe: apptest.MustRecipe("gaussian", 2).With("radius", denoise.SURE)}, true, "radius"},
		"unused strength":   {run.Request{Series: noisy, Recipe: apptest.MustRecipe("nlm", 2).With("weighting", denoise.Word("lk")).With("h", denoise.SURE)}, true, "no effect"},
		"another parameter": {run.Request{Series: noisy, Recipe: apptest.MustRecipe("nlm", 2).With("sigma", denoise.SURE)}, true, "not its strength"},
	} {
		run, err := run.Denoise(t.Context(), worse, c.q, nil)
		var usage *job.UsageError
		var input *job.InputError
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
	got, err := run.Tune(t.Context(), cpu.New(), run.TuneRequest{
		Series: apptest.Grainy(t, 10), Recipe: apptest.MustRecipe("gaussian", 2), Objective: tune.Discrepancy, Progress: func(tune.Curve) { curves++ },
	})
	if err != nil || got.Curve.Objective != tune.Discrepancy || curves < 2 || got.Seconds <= 0 {
		t.Errorf("%+v after %d curves, %v", got, curves, err)
	}
}

func TestTunedHelps(t *testing.T) {
	for mse, want := range map[float64]bool{0.94: true, 0.95: false} {
		tuned := run.Tuned{Curve: tune.Curve{Points: []tune.Point{{Risk: tune.Risk{MSE: 3}}, {Risk: tune.Risk{MSE: mse}}}, Best: 1}}
		if tuned.Helps() != want {
			t.Errorf("an error of %g: %v", mse, !want)
		}
	}
}
