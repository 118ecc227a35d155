package noise

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/denoise/noise/noisetest"
	"quell/volume"
)

// beside measures a volume in its background alone; sigma is 0 if there is no figure.
func beside(t *testing.T, v *volume.Volume) Estimate {
	t.Helper()
	e := Estimate{}
	w, err := e.evenWindowsOf(t.Context(), v, 60)
	if err != nil {
		t.Fatal(err)
	}
	ok, err := e.backgroundFigure(t.Context(), v, 255, w)
	if err != nil {
		t.Fatal(err)
	}
	if !ok && e.Sigma != 0 {
		t.Errorf("no figure, but %g", e.Sigma)
	}
	return e
}

// headOfSigma is an ellipse with an even inside in noise of sigma that went through k.
func headOfSigma(_ *testing.T, k noisetest.KSpace, sigma float64, seed uint64) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{176, 192, 10}, [3]float64{1.2, 1.2, 4}))
	for i := range v.Data {
		x, y, z := float64(i%176)/88-1, float64(i/176%192)/96-1, float64(i/v.SliceVoxels())
		switch r := math.Hypot(x/0.72, y/0.78); {
		case r < 0.85:
			v.Data[i] = float32(150 + 12*math.Sin(4*x+z/3)*math.Cos(5*y))
		case r < 1:
			v.Data[i] = 225
		}
	}
	return k.Scan(v, sigma, seed)
}

// The background gives sigma and the correlation of filtered noise.
func TestBackgroundGivesTheNoise(t *testing.T) {
	for i, k := range []noisetest.KSpace{noisetest.Scanners[0], noisetest.Scanners[3], noisetest.Scanners[7], {Name: "Gaussian of 0.7", Response: noisetest.Gauss(0.7)}} {
		e := beside(t, headOfSigma(t, k, 8, uint64(40+i)))
		if math.Abs(e.Sigma/8-1) > 0.03 || e.Confidence != Fair || e.Method != methodBackground || e.Model != Rician || len(e.PerSlice) != 10 {
			t.Errorf("%s: %+v, %s", k.Name, e.Figure, e.Method)
			continue
		}
		for _, d := range [][2]int{{1, 0}, {0, -1}, {1, 1}, {2, 0}} {
			if got, want := e.Correlation.Rho(d[0], d[1], 0), k.Rho(d[0], d[1]); math.Abs(got-want) > 0.08 {
				t.Errorf("%s: the correlation at %v is %.3f, not %.3f", k.Name, d, got, want)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(Estimate).backgroundFigure(ctx, volume.New(volume.NewGeometry([3]int{64, 64, 2}, [3]float64{1, 1, 1})), 1, evenWindows{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

// A background that is no measure of the object's noise gives no figure.
func TestBackgroundWithoutAFigure(t *testing.T) {
	k := noisetest.Scanners[7]
	v, stronger, weaker := headOfSigma(t, k, 8, 50), headOfSigma(t, k, 11, 50), headOfSigma(t, k, 5.5, 50)
	change := func(f func(a float32, i int) float32) *volume.Volume {
		out := v.Clone()
		for i, a := range out.Data {
			out.Data[i] = f(a, i)
		}
		return out
	}
	object := headOfSigma(t, k, 0, 1)
	inside := func(i int) bool { return object.Data[i] > 20 }
	for name, w := range map[string]*volume.Volume{
		"two channels": change(func(a float32, i int) float32 {
			return float32(math.Hypot(float64(a), float64(v.Data[(i+len(v.Data)/2)%len(v.Data)])))
		}),
		"brighter to the right": change(func(a float32, i int) float32 { return a * (0.7 + 0.6*float32(i%v.Dims[0])/float32(v.Dims[0])) }),
		"more noise in the last slices": change(func(a float32, i int) float32 {
			if i/v.SliceVoxels() >= 7 {
				return stronger.Data[i] * 0.9
			}
			return a
		}),
		"a mask": change(func(a float32, i int) float32 {
			if inside(i) {
				return a
			}
			return 0
		}),
		"negative values": change(func(a float32, _ int) float32 { return a - 8 }),
		"more noise in the object": change(func(a float32, i int) float32 {
			if inside(i) {
				return stronger.Data[i]
			}
			return a
		}),
		"less noise in the object": change(func(a float32, i int) float32 {
			if inside(i) {
				return weaker.Data[i]
			}
			return a
		}),
		"weak noise": headOfSigma(t, k, 0.7, 50),
		"few tiles":  v.Crop(volume.Region{Min: [3]int{0, 0, 4}, Max: [3]int{176, 40, 5}}),
	} {
		if e := beside(t, w); e.Sigma != 0 {
			t.Errorf("%s: %+v", name, e.Figure)
		}
	}
	// On the other side of the thresholds.
	if e := beside(t, change(func(a float32, i int) float32 { return a * (0.97 + 0.06*float32(i%v.Dims[0])/float32(v.Dims[0])) })); e.Sigma == 0 {
		t.Error("hardly brighter to the right: no figure")
	}
	if e := beside(t, headOfSigma(t, k, 0.9, 50)); e.Sigma == 0 {
		t.Error("noise of 0.35 %: no figure")
	}
}

// F of rho^2 is (2 E - (1 - rho^2) K) 2 / pi with the complete elliptic integrals.
func TestSquaredRho(t *testing.T) {
	for _, x := range []float64{0, 0.01, 0.2, 0.5, 0.8, 0.95} {
		const n = 2000
		first, second := 0.0, 0.0 // K and E
		for i := range n {
			s := math.Sin((float64(i) + 0.5) * math.Pi / 2 / n)
			first += 1 / math.Sqrt(1-x*s*s)
			second += math.Sqrt(1 - x*s*s)
		}
		f := (2*second - (1-x)*first) / n
		if got := squaredRho((f - 1) / (4/math.Pi - 1)); math.Abs(got-x) > 6e-3 {
			t.Errorf("%g: %g", x, got)
		}
	}
	if got := squaredRho(1); math.Abs(got-1) > 1e-9 {
		t.Errorf("equal magnitudes: %g", got)
	}
}
