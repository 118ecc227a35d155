package tune

import (
	"math"
	"testing"

	"quell/denoise/noise"
)

func bandsOf(t *testing.T, r heldResidue) []Band {
	t.Helper()
	_, s := structureOf(t, r)
	return s.bands
}

// Noise alone has its own spectrum, white or correlated; taken for white, correlated
// noise has more at coarse scales.
func TestSpectrumOfNoise(t *testing.T) {
	for name, c := range map[string]*noise.Correlation{"white": nil, "correlated": blotchy()} {
		bands := bandsOf(t, field(t, [3]int{160, 150, 6}, c))
		if len(bands) != len(meanScales) {
			t.Fatalf("%s noise: bands %v", name, bands)
		}
		for k, b := range bands {
			if b.Scale != meanScales[k] || math.Abs(b.Power-1) > 0.12 {
				t.Errorf("%s noise: %+v; want a power of 1 at %g", name, b, meanScales[k])
			}
		}
	}
	r := field(t, [3]int{160, 150, 6}, blotchy())
	r.correlation = nil
	if bands := bandsOf(t, r); bands[2].Power < 5 {
		t.Errorf("correlated noise taken for white: %v", bands)
	}
}

// A faint wave that no window shows is seen in the mean over all of them, the better
// the nearer its length is to the window.
func TestFaintStructureInTheSpectrum(t *testing.T) {
	r := field(t, [3]int{160, 150, 6}, nil)
	for i := range r.data {
		r.data[i] += 0.15 * float32(math.Sin(float64(i%160)*2*math.Pi/50))
	}
	if n := hits(found(t, r)); n > 50 {
		t.Errorf("%d voxels of structure; want a wave that is hardly found", n)
	}
	bands := bandsOf(t, r)
	for k, s := range meanScales {
		cycles := 2 * math.Pi / 50 * s
		damped := math.Exp(-cycles * cycles)
		if want := 1 + 0.15*0.15/2*damped*4*math.Pi*s*s; math.Abs(bands[k].Power/want-1) > 0.15 {
			t.Errorf("power %.2f at scale %g; want %.2f", bands[k].Power, s, want)
		}
	}
}

// Windows that reach beyond what counts are left out.
func TestSpectrumWithinTheForeground(t *testing.T) {
	r := field(t, [3]int{160, 150, 6}, nil)
	for i := range r.data {
		if x := i % 160; x < 70 {
			r.use[i], r.data[i] = false, 0
		}
	}
	for k, b := range bandsOf(t, r) {
		if math.Abs(b.Power-1) > 0.2 {
			t.Errorf("power %.2f at scale %g of noise in half of the slices", b.Power, meanScales[k])
		}
	}
	for i := range r.use {
		if r.use[i] = i%160 < 12; !r.use[i] {
			r.data[i] = 0
		}
	}
	if bands := bandsOf(t, r); bands != nil {
		t.Errorf("bands %v of a stripe narrower than a window", bands)
	}
}

// A band needs windows enough.
func TestBandsNeedVoxels(t *testing.T) {
	r := field(t, [3]int{80, 80, 1}, nil)
	for voxels, want := range map[int]int{0: 0, 201: 0, 202: 1, 804: 1, 805: 2, 3216: 2, 3217: 3} {
		bands := r.spectrum([]bandPower{{voxels: voxels - voxels/3}, {voxels: voxels / 3, squares: [3]float64{1, 2, 3}}})
		if len(bands) != want {
			t.Errorf("%d voxels: %d bands, want %d", voxels, len(bands), want)
		}
	}
	bands := r.spectrum([]bandPower{{3000, [3]float64{10, 20, 30}}, {1000, [3]float64{30, 20, 10}}})
	for k, s := range meanScales {
		if want := 0.01 / math.Pow(r.spread(s), 2); math.Abs(bands[k].Power-want) > 1e-9*want {
			t.Errorf("power %g at scale %g; want %g", bands[k].Power, s, want)
		}
	}
}
