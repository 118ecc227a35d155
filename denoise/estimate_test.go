package denoise_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// estimate.json was written by testdata/estimate.py with numpy and scikit-image.
func TestEstimateFacts(t *testing.T) {
	data, err := os.ReadFile("testdata/estimate.json")
	if err != nil {
		t.Fatal(err)
	}
	var facts []struct {
		Dims   [3]int
		Values []float32
		Mask   []bool
		Sigma  float64
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	if len(facts) != 3 {
		t.Fatalf("%d facts; there should be 3", len(facts))
	}
	for _, f := range facts {
		v := volume.New(volume.NewGeometry(f.Dims, [3]float64{1, 1, 1}))
		v.Data, v.Mask = f.Values, f.Mask
		if facts := factsOf(t, v); !near(facts.Sigma, f.Sigma, 1e-6) {
			t.Errorf("%v: FactsOf says sigma %v; want %v", f.Dims, facts.Sigma, f.Sigma)
		}
	}
}

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

// On white noise the estimate is the noise's sigma. The standard error of the
// median is about 0.4 % here, and the edge of the foreground adds 0.6 %.
func TestEstimateFindsSigma(t *testing.T) {
	v := flat([3]int{400, 40, 16}, 0)
	for i := range v.Data {
		if i%400 >= 200 {
			v.Data[i] = 1000
		}
	}
	for _, sigma := range []float64{3, 25} {
		noisy, err := denoise.AddNoise(t.Context(), v, denoise.GaussianNoise, sigma, 11)
		if err != nil {
			t.Fatal(err)
		}
		if got := factsOf(t, noisy).Sigma; !near(got, sigma, 0.02) {
			t.Errorf("sigma %g is estimated as %g", sigma, got)
		}
	}
}

func TestEstimateWithoutNoise(t *testing.T) {
	small := flat([3]int{1, 1, 1}, 5)
	padding := flat([3]int{9, 9, 3}, 5)
	padding.Mask = make([]bool, len(padding.Data))
	for name, v := range map[string]*volume.Volume{
		"constant": flat([3]int{20, 20, 5}, 7), "one voxel": small, "all padding": padding,
	} {
		if got := factsOf(t, v).Sigma; got != 0 {
			t.Errorf("%s: sigma %g", name, got)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := denoise.FactsOf(ctx, small); !errors.Is(err, context.Canceled) {
		t.Errorf("under a cancelled context: %v", err)
	}
}

// One residual is enough for an estimate.
func TestEstimateOfOneResidual(t *testing.T) {
	one := flat([3]int{3, 3, 3}, 0)
	one.Data[one.Index(1, 1, 1)] = 10
	if got, want := factsOf(t, one).Sigma, 1.4826*10*math.Sqrt(6.0/7); !near(got, want, 1e-6) {
		t.Errorf("one residual gives %v, want %v", got, want)
	}
}

// flat returns a constant volume.
func flat(dims [3]int, value float32) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = value
	}
	return v
}

func BenchmarkFactsOf(b *testing.B) {
	v, err := denoise.AddNoise(b.Context(), flat([3]int{181, 217, 51}, 100), denoise.GaussianNoise, 10, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(4 * len(v.Data)))
	for b.Loop() {
		factsOf(b, v)
	}
}

// factsOf returns the facts of v.
func factsOf(t testing.TB, v *volume.Volume) denoise.Facts {
	t.Helper()
	f, err := denoise.FactsOf(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
