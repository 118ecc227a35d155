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
		Dims     [3]int
		Values   []float32
		Mask     []bool
		Sigma    float64
		PerSlice []float64 `json:"per_slice"`
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
		got, err := denoise.Estimate(context.Background(), v)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.Sigma, f.Sigma, 1e-6) {
			t.Errorf("%v: sigma %v; want %v", f.Dims, got.Sigma, f.Sigma)
		}
		if facts := factsOf(t, v); !near(facts.Sigma, f.Sigma, 1e-6) {
			t.Errorf("%v: FactsOf says sigma %v; want %v", f.Dims, facts.Sigma, f.Sigma)
		}
		if len(got.PerSlice) != len(f.PerSlice) {
			t.Fatalf("%d slices; want %d", len(got.PerSlice), len(f.PerSlice))
		}
		for z, want := range f.PerSlice {
			if !near(got.PerSlice[z], want, 1e-6) {
				t.Errorf("%v: slice %d: sigma %v; want %v", f.Dims, z, got.PerSlice[z], want)
			}
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
		est, err := denoise.Estimate(context.Background(), noisy)
		if err != nil {
			t.Fatal(err)
		}
		if !near(est.Sigma, sigma, 0.02) {
			t.Errorf("sigma %g is estimated as %g", sigma, est.Sigma)
		}
		for z, s := range est.PerSlice {
			if !near(s, sigma, 0.12) {
				t.Errorf("sigma %g is estimated as %g in slice %d", sigma, s, z)
			}
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
		est, err := denoise.Estimate(context.Background(), v)
		if err != nil || est.Sigma != 0 || len(est.PerSlice) != v.Dims[2] {
			t.Errorf("%s: %+v, %v", name, est, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := denoise.Estimate(ctx, small); !errors.Is(err, context.Canceled) {
		t.Errorf("under a cancelled context: %v", err)
	}
}

// TestEstimateNeedsForeground pins how many residuals an estimate needs: 64 in a slice,
// one in a volume.
func TestEstimateNeedsForeground(t *testing.T) {
	estimate := func(v *volume.Volume) denoise.NoiseEstimate {
		est, err := denoise.Estimate(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return est
	}
	// The inner 8 x 8 voxels of slice 0 have four neighbours each.
	v := flat([3]int{10, 10, 2}, 0)
	for i := range v.SliceVoxels() {
		v.Data[i] = 1000 + float32(i%7)
	}
	if est := estimate(v); est.PerSlice[0] == 0 || est.PerSlice[1] != 0 {
		t.Errorf("64 residuals in slice 0 and none in slice 1 give %v", est.PerSlice)
	}
	v.Data[v.Index(5, 5, 0)] = 0 // background
	if est := estimate(v); est.PerSlice[0] != 0 || est.Sigma == 0 {
		t.Errorf("63 residuals give %v for the slice and %v for the volume", est.PerSlice[0], est.Sigma)
	}
	one := flat([3]int{3, 3, 3}, 0)
	one.Data[one.Index(1, 1, 1)] = 10
	if est, want := estimate(one), 1.4826*10*math.Sqrt(6.0/7); !near(est.Sigma, want, 1e-6) {
		t.Errorf("one residual gives %v, want %v", est.Sigma, want)
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
