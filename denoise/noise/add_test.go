package noise_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// The same seed gives the same bits on every machine: these hashes of the
// little-endian voxels must never change.
func TestAddNoiseGolden(t *testing.T) {
	v := flat([3]int{50, 40, 30}, 0)
	for i := range v.Data {
		v.Data[i] = float32(i % 256)
	}
	for model, want := range map[noise.Model]string{
		noise.Gaussian: "6d82738fd29b92dca1d420873a72b6bb17f3c67450ca571f18eb783ca3b523ee",
		noise.Rician:   "6400314d9a07df033b56abbd0b0635257221b521189c98345dc3ab0831670ae2",
	} {
		noisy, err := noise.AddNoise(t.Context(), v, model, 12.5, 2026)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		if err := binary.Write(h, binary.LittleEndian, noisy.Data); err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("%s: hash %s; want %s", model, got, want)
		}
	}
}

// A million samples have the moments of the model. Bounds are five standard
// errors.
func TestAddNoiseMoments(t *testing.T) {
	const n = 1e6
	for _, c := range []struct {
		model          noise.Model
		value          float32
		mean, variance float64 // for sigma 10; Rician ones by scipy.stats.rice
	}{
		{noise.Gaussian, 40, 40, 100},
		{noise.Rician, 0, 12.533141373155004, 42.92036732051032},
		{noise.Rician, 15, 18.74935749405616, 73.4615935600801},
		{noise.Rician, 60, 60.839386001080115, 98.56911101157735},
	} {
		v := flat([3]int{100, 100, 100}, c.value)
		noisy, err := noise.AddNoise(t.Context(), v, c.model, 10, 3)
		if err != nil {
			t.Fatal(err)
		}
		var mean, variance, skew, kurtosis float64
		for _, x := range noisy.Data {
			mean += float64(x) / n
		}
		for _, x := range noisy.Data {
			d := float64(x) - mean
			variance += d * d / n
			skew += d * d * d / n
			kurtosis += d * d * d * d / n
		}
		if se := math.Sqrt(c.variance / n); !(math.Abs(mean-c.mean) < 5*se) {
			t.Errorf("%s of %g: mean %.4f; want %.4f", c.model, c.value, mean, c.mean)
		}
		if se := c.variance * math.Sqrt(2/n); !(math.Abs(variance-c.variance) < 5*se) {
			t.Errorf("%s of %g: variance %.3f; want %.3f", c.model, c.value, variance, c.variance)
		}
		if c.model != noise.Gaussian {
			continue
		}
		if skew /= math.Pow(variance, 1.5); !(math.Abs(skew) < 5*math.Sqrt(6/n)) {
			t.Errorf("skewness %.5f", skew)
		}
		if kurtosis /= variance * variance; !(math.Abs(kurtosis-3) < 5*math.Sqrt(24/n)) {
			t.Errorf("kurtosis %.5f; want 3", kurtosis)
		}
	}
}

// The noise of neighbouring voxels, of neighbouring seeds and of the two channels
// is uncorrelated.
func TestAddNoiseIsUncorrelated(t *testing.T) {
	v := flat([3]int{100, 100, 20}, 0)
	add := func(seed uint64) []float32 {
		noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 1, seed)
		if err != nil {
			t.Fatal(err)
		}
		return noisy.Data
	}
	a, b := add(0), add(1)
	n := float64(len(a))
	for name, other := range map[string][]float32{
		"next voxel": append(a[1:len(a):len(a)], 0), "next row": append(a[100:len(a):len(a)], make([]float32, 100)...), "next seed": b,
	} {
		sum := 0.0
		for i, x := range a {
			sum += float64(x) * float64(other[i])
		}
		if r := sum / n; !(math.Abs(r) < 5/math.Sqrt(n)) {
			t.Errorf("%s: correlation %.4f", name, r)
		}
	}
	if !slices.Equal(a, add(0)) {
		t.Error("the same seed gave other noise")
	}
}

func TestAddNoiseKeepsPaddingAndInput(t *testing.T) {
	v := flat([3]int{9, 8, 3}, 50)
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i%2 == 0
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Rician, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range noisy.Data {
		if v.Data[i] != 50 {
			t.Fatal("the input was changed")
		}
		if (x == 50) == v.Mask[i] {
			t.Errorf("voxel %d, valid %v, became %v", i, v.Mask[i], x)
		}
	}
	if same, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 0, 1); err != nil || !slices.Equal(same.Data, v.Data) {
		t.Errorf("noise of sigma 0 changed the volume, or gave %v", err)
	}
}

func TestAddNoiseRefusals(t *testing.T) {
	v := flat([3]int{4, 4, 4}, 1)
	for _, sigma := range []float64{-1, math.NaN(), math.Inf(1), 1e300} {
		if _, err := noise.AddNoise(t.Context(), v, noise.Gaussian, sigma, 0); err == nil {
			t.Errorf("sigma %g gave no error", sigma)
		}
	}
	if _, err := noise.AddNoise(t.Context(), v, "poisson", 1, 0); err == nil {
		t.Error("an unknown model gave no error")
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

// A figure of few voxels is fair, but no texture: automatic strengths count it in full.
func TestFewVoxelsAreNoTexture(t *testing.T) {
	small := estimate(t, noisy(t, flat([3]int{30, 28, 14}, 100), noise.Gaussian, 5, 1))
	if small.Confidence != noise.Fair || small.MayBeTexture() {
		t.Errorf("%+v: may be texture %v", small.Figure, small.MayBeTexture())
	}
	for c, want := range map[noise.Confidence]bool{noise.High: false, noise.Fair: true, noise.Low: true, noise.None: true} {
		if got := (noise.Figure{Confidence: c}).MayBeTexture(); got != want {
			t.Errorf("%s: may be texture %v", c, got)
		}
	}
}
