package cpu_test

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/volume"
)

// magnitude is a magnitude image of even and structured tissue in a background without
// signal, with Rician noise.
func magnitude(t *testing.T) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{96, 84, 26}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		x, y, z := i%96, i/96%84, i/(96*84)
		if dx, dy := float64(x-48), float64(y-42); dx*dx+dy*dy < 26*26 {
			v.Data[i] = float32(150 + 40*math.Sin(float64(x+z)/6) + float64(60*(y/12%2)))
		}
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Rician, 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	return noisy
}

// With automatic parameters a filter of c v is c times the filter of v: bit for bit for
// powers of two, and within the tolerance between engines for other c.
func TestFiltersScaleWithTheData(t *testing.T) {
	v := magnitude(t)
	facts := scaledFacts(t, v, 1, 1e-9, 0x1p30, 1e9)
	f := facts[1]
	if f.AutoSigma() == 0 || f.Noise.Model != noise.Rician || !f.Noise.ModelKnown {
		t.Fatalf("%+v: the noise must be found, as Rician", f.Noise.Figure)
	}
	for _, filter := range denoise.Filters() {
		for _, dims := range filter.Dims {
			r, err := denoise.NewRecipe(filter.Name, dims)
			if err != nil {
				t.Fatal(err)
			}
			in := enginetest.Input(t, r, v)
			slice := func(in denoise.Input, f denoise.Facts) *volume.Volume { // a slice shows it
				out, err := cpu.New().Run(t.Context(), resolve(t, r, v, f), in, volume.Slices(v.Geometry, 12, 13), nil)
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			want := slice(in, f)
			for c, scaled := range facts {
				got := slice(enginetest.Scaled(in, c), scaled)
				exact := true
				for i := range got.Data {
					got.Data[i] = float32(float64(got.Data[i]) / c)
					exact = exact && got.Data[i] == want.Data[i]
				}
				if frac, _ := math.Frexp(c); frac == 0.5 && !exact {
					t.Errorf("%s of %g v differs in its bits", r, c)
				}
				if _, err := enginetest.Agree(got, want, float64(f.Hi-f.Lo)); err != nil {
					t.Errorf("%s of %g v: %v", r, c, err)
				}
			}
		}
	}
}
