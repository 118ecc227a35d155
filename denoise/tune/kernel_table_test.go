package tune_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/volume"
)

// What is said of CT of several kernels and doses: sigma against the truth, the error of results at half, once and twice
// of auto over the least of these, and what discs keep.
//
//	QUELL_KERNEL_TABLE=1 go test ./denoise/tune -run TestKernelTable -v
//
// Without, one kernel and dose run.
func TestKernelTable(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	kernels, doses := []kernel{soft}, []float64{3e5}
	if os.Getenv("QUELL_KERNEL_TABLE") != "" {
		kernels, doses = []kernel{sharp, medium, soft, verySoft}, []float64{5e4, 3e5, 2e6}
	}
	for _, k := range kernels {
		for i, photons := range doses {
			s := projected(t, "ct", 200, 1.05, k, photons)(uint64(700 + i))
			s.kernelRow(t)
		}
	}
}

// kernelRow prints a row of the table.
func (s scene) kernelRow(t *testing.T) {
	facts, err := denoise.FactsFor(t.Context(), s.input())
	if err != nil {
		t.Fatal(err)
	}
	use, err := noise.Foreground(t.Context(), s.noisy)
	if err != nil {
		t.Fatal(err)
	}
	e, truth := facts.Noise, s.error(s.noisy, use)
	text := fmt.Sprintf("%s: %.2f HU, rho %.2f, reads %.2f, %s", s.name, truth, e.Correlation.Rho(1, 0, 0), e.Sigma, e.Confidence)
	if unknown := e.Sentence(); !unknown.IsZero() {
		t.Logf("%s: %s", text, unknown)
		return
	}
	if e.Negligible {
		t.Logf("%s, negligible: %s", text, e.Why)
		if truth > 1 {
			t.Errorf("%s: noise of %.2f HU is called negligible", s.name, truth)
		}
		return
	}
	if off := e.Sigma/truth - 1; math.Abs(off) > 0.2 {
		t.Errorf("%s: sigma is %.0f %% off", s.name, 100*off)
	}
	for _, name := range []string{"bilateral", "nlm"} {
		r, err := denoise.NewRecipe(name, 2)
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(s.noisy.Geometry, facts); err != nil {
			t.Fatal(err)
		}
		x, ok := tune.StrengthOf(r, s.noisy.Geometry, e.Sigma)
		if !ok {
			t.Fatalf("%s has no strength", r)
		}
		least, errors := math.Inf(1), []float64{}
		for _, times := range []float64{0.5, 0.7, 1, 1.4, 2} {
			if r, err = tune.WithStrength(r, times*x, s.noisy.Geometry).Resolve(s.noisy.Geometry, facts); err != nil {
				t.Fatal(err)
			}
			after := filtered(t, r, s.noisy)
			mse := math.Pow(s.error(after, use), 2)
			least, errors = min(least, mse), append(errors, mse)
		}
		line := ""
		for _, mse := range errors {
			line += fmt.Sprintf(" %.2f,", mse/least)
		}
		if r, err = tune.WithStrength(r, x, s.noisy.Geometry).Resolve(s.noisy.Geometry, facts); err != nil {
			t.Fatal(err)
		}
		p, err := measureUsual(t.Context(), cpu.New(), lesions.Request{Input: s.input(), Recipe: r, Noise: e, Foreground: use, Seed: lesions.UsualSeed}, e.Sigma)
		seen := message.Of(err).String()
		if err == nil {
			v := p.Visibility()
			seen = string(v.Verdict) + ": " + v.Why.String()
		}
		t.Logf("%s; %s at 0.5 to 2 of auto:%s visibility %s", text, name, line, seen)
	}
}

// TestSlowNoiseOfCTIsReadWithItsInterval blurs the views of a phantom more and more: the figure stays near the truth, and
// its interval, which is fair as two slices are one kind of evidence, holds it.
func TestSlowNoiseOfCTIsReadWithItsInterval(t *testing.T) {
	for _, c := range []struct {
		blur, within float64
	}{{1.2, 0.1}, {1.6, 0.2}, {2, 0.2}, {3, 0.2}} {
		s := projected(t, "ct", 200, 1.05, kernel{"blurred", 0, c.blur}, 5e4)(700)
		e, err := noise.Of(t.Context(), s.noisy)
		if err != nil {
			t.Fatal(err)
		}
		use, err := noise.Foreground(t.Context(), s.noisy)
		if err != nil {
			t.Fatal(err)
		}
		truth := s.error(s.noisy, use)
		if e.Confidence != noise.Fair || math.Abs(e.Sigma/truth-1) > c.within || truth < e.Low || truth > e.High {
			t.Errorf("blur of %g pixels: reads %.2f (%.2f to %.2f) for %.2f, %s: %s", c.blur, e.Sigma, e.Low, e.High, truth, e.Confidence, e.Why)
		}
	}
}

// error returns the root mean square of what a volume differs by from the truth in the foreground.
func (s scene) error(v *volume.Volume, use func(int) bool) float64 {
	squares, n := 0.0, 0.0
	for i, a := range v.Data {
		if d := float64(a - s.truth.Data[i]); use(i) {
			squares, n = squares+d*d, n+1
		}
	}
	return math.Sqrt(squares / n)
}

// measureUsual is [lesions.Measure] of discs of the usual sizes that fit and of the usual contrasts, see [lesions.Fitting] and [lesions.Visibly].
// sigma is of the noise.
func measureUsual(ctx context.Context, e denoise.Engine, q lesions.Request, sigma float64) (lesions.Panel, error) {
	return lesions.Fitting(q.Input.Volume.Geometry, 0, func(sizes []float64, length int) (lesions.Panel, error) {
		return lesions.Visibly(sizes, func(sizes, contrasts []float64) (lesions.Panel, error) {
			q.Lesions = nil
			for _, times := range contrasts {
				for _, size := range sizes {
					q.Lesions = append(q.Lesions, lesions.Lesion{Shape: lesions.Disc, Size: size, Contrast: times * sigma, Sigmas: times, Slices: length})
				}
			}
			return lesions.Measure(ctx, e, q)
		})
	})
}
