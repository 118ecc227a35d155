package noise_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// withOffset returns a volume with values that are scale x + offset, without a unit, and at least least.
func withOffset(v *volume.Volume, scale, offset, least float64) *volume.Volume {
	out := v.Clone()
	out.Unit = ""
	for i, x := range out.Data {
		out.Data[i] = float32(math.Max(scale*float64(x)+offset, least))
	}
	return out
}

// A CT in HU + 1000, + 1024 or near, clipped at 0 or not, in a circle of padding or not, gives the figures of the same CT in HU.
func TestOffsetOfHounsfieldUnits(t *testing.T) {
	for _, photons := range []float64{4e3, 5e4, 1e6} {
		p, err := phantom.New("ct", phantom.Size{Dims: [3]int{256, 256, 2}, Spacing: [3]float64{1.1, 1.1, 3}})
		if err != nil {
			t.Fatal(err)
		}
		hu, err := p.Image(t.Context(), phantom.Scan{Views: 400, Photons: photons, Seed: 5, Recon: phantom.Recon{Method: "fbp", Kernel: "soft"}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := noise.Of(t.Context(), hu)
		if err != nil {
			t.Fatal(err)
		}
		tissue, err := noise.Foreground(t.Context(), hu)
		if err != nil {
			t.Fatal(err)
		}
		for _, offset := range []float64{0, 1000, 1024, 950, 1040, 1060, 1100} {
			for _, least := range []float64{math.Inf(-1), offset - 1000} {
				name := fmt.Sprintf("%g photons, HU + %g, at least %g", photons, offset, least)
				v := withOffset(hu, 1, offset, least)
				water, ct := noise.Hounsfield(v)
				if usual := offset == 0 || offset == 1000 || offset == 1024; !ct || usual && water != offset || math.Abs(water-offset) > 8 {
					t.Errorf("%s: water at %g, CT %v", name, water, ct)
					continue
				}
				e, err := noise.Of(t.Context(), v)
				if err != nil || !e.InTissue() || math.Abs(e.Sigma/want.Sigma-1) > 1e-3 || water == offset && e.Windows != want.Windows {
					t.Errorf("%s: sigma %g of %d windows, want %g of %d; %v", name, e.Sigma, e.Windows, want.Sigma, want.Windows, err)
				}
				inside, err := noise.Foreground(t.Context(), v)
				if err != nil {
					t.Fatal(err)
				}
				for i, x := range v.Data {
					if water == offset && float64(x) > least && inside(i) != tissue(i) {
						t.Fatalf("%s: voxel %d of %g: foreground %v", name, i, x, inside(i))
					}
				}
				for i := range v.Data { // as scanners fill the corners
					if x, y := float64(i%256)-127.5, float64(i/256%256)-127.5; math.Hypot(x, y) > 127.5 {
						v.Data[i] = float32(offset - 2000)
					}
				}
				if padded, ct := noise.Hounsfield(v); !ct || math.Abs(padded-offset) > 8 {
					t.Errorf("%s, padded: water at %g, CT %v", name, padded, ct)
				}
				v.Modality = "MR"
				if _, ct := noise.Hounsfield(v); ct {
					t.Errorf("%s: a CT although it is stated to be MR", name)
				}
			}
		}
	}
}

// A chest in any offset is a CT, although lungs are no tissue and vessels lie in them, and has the figures of the chest in HU.
func TestOffsetOfAChest(t *testing.T) {
	hu := volume.New(volume.NewGeometry([3]int{256, 256, 4}, [3]float64{1.3, 1.3, 2}))
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range hu.Data {
		x, y, z := float64(i%256)-127.5, float64(i/256%256)-127.5, float64(i/65536)
		value := -1000.0
		switch lung := math.Hypot((math.Abs(x)-52)/40, (y+4)/55); {
		case lung < 1 && math.Mod(x+300+3*z, 11) < 3 && math.Mod(y+300+5*z, 13) < 3: // a vessel
			value = 35
		case lung < 1:
			value = -860
		case math.Hypot(x/108, y/75) < 1:
			value = 45
		case math.Hypot(x/118, y/85) < 1:
			value = -90
		}
		hu.Data[i] = float32(value + 20*rng.NormFloat64())
	}
	hu.Unit = "HU"
	want := estimate(t, hu)
	for _, offset := range []float64{980, 1000, 1024, 1050, 1100} {
		for _, least := range []float64{math.Inf(-1), 0} {
			for _, modality := range []string{"", "CT"} {
				v := withOffset(hu, 1, offset, least)
				v.Modality = modality
				if e := estimate(t, v); !e.InTissue() || math.Abs(e.Sigma/want.Sigma-1) > 0.02 {
					t.Errorf("HU + %g, at least %g, modality %q: %g by %s, want %g", offset, least, modality, e.Sigma, e.Method, want.Sigma)
				}
			}
		}
	}
}

// Magnitudes and templates are no CT, whatever their scale.
func TestNoMagnitudeIsACT(t *testing.T) {
	for _, kind := range []string{"mr", "steps"} {
		p, err := phantom.New(kind, phantom.Size{Dims: [3]int{160, 160, 6}})
		if err != nil {
			t.Fatal(err)
		}
		clean, err := p.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, most, err := clean.Range(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for scale := 0.5; scale < 3; scale *= 1.05 {
			v := withOffset(clean, 1000*scale/float64(most), 0, math.Inf(-1))
			for name, of := range map[string]*volume.Volume{
				"as it is": v, "Rician 15": noisy(t, v, noise.Rician, 15, 1), "Rician 48": noisy(t, v, noise.Rician, 48, 4), "Rician 60": noisy(t, v, noise.Rician, 60, 2),
			} {
				if _, ct := noise.Hounsfield(of); ct {
					t.Errorf("%s, the brightest %.0f, %s: a CT", kind, 1000*scale, name)
				}
			}
			if kind == "mr" {
				if _, ct := noise.Hounsfield(noisy(t, v, noise.Gaussian, 20, 3)); ct {
					t.Errorf("MR, the brightest %.0f, with Gaussian noise: a CT", 1000*scale)
				}
			}
		}
	}
}

// What a person states decides: a CT that its values do not show, with the offset that they have.
func TestStatedModality(t *testing.T) {
	water := flat([3]int{64, 64, 3}, 1010)
	water.Modality = "CT"
	if at, ct := noise.Hounsfield(water); !ct || at != 1000 {
		t.Errorf("water at 1010: %g, %v", at, ct)
	}
	tissue := flat([3]int{64, 64, 3}, 40)
	tissue.Modality = "CT"
	if at, ct := noise.Hounsfield(tissue); !ct || at != 0 {
		t.Errorf("tissue at 40: %g, %v", at, ct)
	}
	header := &volume.Volume{Geometry: water.Geometry, Modality: "CT"}
	if _, ct := noise.Hounsfield(header); !ct {
		t.Error("a header that is stated to be of a CT is of none")
	}
	for _, modality := range []string{"MR", "PT"} {
		hu := flat([3]int{64, 64, 3}, -1000)
		hu.Modality = modality
		if _, ct := noise.Hounsfield(hu); ct {
			t.Errorf("%s is a CT", modality)
		}
	}
}

// A CT whose slices are too small to measure in one by one is measured by all of them; it read 0, and automatic values left it as
// it was.
func TestSmallSlicesOfCT(t *testing.T) {
	for _, n := range []int{36, 40, 44, 48} {
		v := volume.New(volume.NewGeometry([3]int{n, n, 7}, [3]float64{0.5, 0.5, 5}))
		v.Unit = "HU"
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range v.Data {
			x, y := float64(i%n-n/2), float64(i/n%n-n/2)
			value := 35.0
			if x*x+y*y > 0.175*float64(n*n) {
				value = -1000
			}
			v.Data[i] = float32(value + 15*rng.NormFloat64())
		}
		e, err := noise.Of(t.Context(), v)
		if err != nil || e.Sigma < 13.5 || e.Sigma > 16.5 || e.Confidence == noise.None {
			t.Errorf("%d pixels: %+v, %v; want 15", n, e.Figure, err)
		}
	}
}
