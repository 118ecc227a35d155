package noise

import (
	"math"
	"strings"
	"testing"

	"quell/volume"
)

// slicesOf returns slices of 40 HU with noise of sigma 10, a part of it shared by neighbours,
// and a structure of its own standard deviation that is the same in all.
func slicesOf(n int, overlap, structure float64) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{120, 120, n}, [3]float64{0.5, 0.5, 3}))
	v.Unit = "HU"
	own := math.Sqrt(1 - overlap*overlap)
	for i := range v.Data {
		at, z := uint64(i%14400), uint64(i/14400)
		// Slices share one of two parts of their noise with either neighbour.
		noise := own*Normal(1+z, at, 0) + overlap*(Normal(100+z, at, 0)+Normal(101+z, at, 0))/math.Sqrt2
		v.Data[i] = float32(40 + 10*noise + structure*Normal(50, at, 0))
	}
	return v
}

// What slices two apart have in common is structure and no part of sigma; what only neighbours
// have in common may be noise.
func TestStructureThatSlicesShare(t *testing.T) {
	for name, c := range map[string]struct {
		slices                     int
		overlap, structure         float64
		sigma, shared, neighbour   float64
		confidence                 Confidence
		why                        string
		tolerance, toleranceShared float64
	}{
		"noise":                      {4, 0, 0, 10, 0, 0, High, "", 0.02, 1e-9},
		"streaks":                    {4, 0, 6, 10, 36.0 / 136, 0, High, "", 0.03, 0.03},
		"two slices":                 {2, 0, 6, math.Sqrt(136), 0, 36.0 / 136, Fair, "neighbouring slices share 2", 0.03, 1e-9},
		"slices that overlap":        {5, 0.6, 0, 10, 0, 0.18, Fair, "neighbouring slices share 1", 0.03, 1e-9},
		"slices that overlap little": {5, 0.35, 0, 10, 0, 0.061, High, "", 0.03, 1e-9},
		"both":                       {5, 0.35, 5, 10, 0.2, 0.061, High, "", 0.03, 0.03},
		"one slice":                  {1, 0, 6, math.Sqrt(136), 0, 0, High, "", 0.03, 1e-9},
	} {
		v := slicesOf(c.slices, c.overlap, c.structure)
		e, err := Of(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Sigma/c.sigma-1) > c.tolerance || math.Abs(e.Shared-c.shared) > c.toleranceShared {
			t.Errorf("%s: sigma %.2f, shared %.3f; want %.2f, %.3f", name, e.Sigma, e.Shared, c.sigma, c.shared)
		}
		if got := e.Correlation.Across[1]; math.Abs(got-c.neighbour) > 0.03 {
			t.Errorf("%s: neighbours share %.3f; want %.3f", name, got, c.neighbour)
		}
		if e.Confidence != c.confidence || !strings.Contains(e.Why.String(), c.why) || e.PerSlice[0].Confidence != c.confidence {
			t.Errorf("%s: %s (%s), first slice %s; want %s", name, e.Confidence, e.Why, e.PerSlice[0].Confidence, c.confidence)
		}
		within, err := e.Within(t.Context(), v, volume.Region{Max: [3]int{60, 60, 1}})
		if err != nil || math.Abs(within/c.sigma-1) > 0.06 {
			t.Errorf("%s: sigma %.2f in a part (%v); want %.2f", name, within, err, c.sigma)
		}
	}
}

// The colour of the structure has no part in the colour of the noise.
func TestColourWithoutStructure(t *testing.T) {
	v := slicesOf(4, 0, 0)
	smooth := smoothNoise(9, [3]int{120, 120, 1})
	for i := range v.Data {
		v.Data[i] += 6 * smooth.Data[i%14400]
	}
	e, err := Of(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {2, 0}} {
		if rho := e.Correlation.Rho(d[0], d[1], 0); math.Abs(rho) > 0.03 {
			t.Errorf("rho of %v is %.3f; want that of the noise, 0", d, rho)
		}
	}
	if math.Abs(e.Sigma/10-1) > 0.03 || e.Shared < 0.2 {
		t.Errorf("sigma %.2f, shared %.2f; want 10 and about 0.25", e.Sigma, e.Shared)
	}
}

// Correlations that overlapping slices explain are noise; the confidence falls with what
// neighbours share.
func TestLimitsOfSharing(t *testing.T) {
	for _, c := range []struct {
		between float64
		want    Confidence
	}{{0, High}, {0.1, High}, {0.101, Fair}, {0.4, Fair}, {0.401, Low}} {
		f := Figure{Sigma: 1, Confidence: High}
		s := sharing{rho: [3]float64{1, c.between, 0}}
		if s.limit(&f); f.Confidence != c.want || (f.Why.String() == "") != (c.want == High) {
			t.Errorf("%g between neighbours: %+v; want %s", c.between, f, c.want)
		}
	}
	for structure, want := range map[float64]Confidence{0.5: High, 0.501: Fair} {
		f := Figure{Sigma: 1, Confidence: High}
		hidden := sharing{rho: [3]float64{1, structure, structure}, structure: structure}
		if hidden.limit(&f); f.Confidence != want || (f.Why.String() == "") != (want == High) {
			t.Errorf("structure of %g: %+v; want %s", structure, f, want)
		}
	}
	s := sharing{rho: [3]float64{1, 0.6, 0.5}, structure: 0.2}
	if got := s.noise(); got[0] != 1 || math.Abs(got[1]-0.5) > 1e-12 || math.Abs(got[2]-0.375) > 1e-12 {
		t.Errorf("noise shares %v; want 1, 0.5, 0.375", got)
	}
	s.structure = 0.55
	if got := s.noise(); got[2] != 0 {
		t.Errorf("noise shares %v two slices on; want 0", got[2])
	}
}

// If too few slices show what is structure, a figure is as sure as much of the tissue is even.
func TestLimitsOfFewSlices(t *testing.T) {
	// Of 1000 windows so many are near the mode, and noise covers so many.
	windows := func(near, covered int) []window {
		ws := make([]window, 1000)
		for i := range ws {
			ws[i] = window{sd: 20, uneven: 3}
			if i < near {
				ws[i].sd = 10
			}
			if i >= 1000-covered {
				ws[i].uneven = 2
			}
		}
		return ws
	}
	for _, c := range []struct {
		near, covered int
		shown         bool
		of, want      Confidence
	}{
		{650, 500, false, High, High}, {649, 500, false, High, Low}, {650, 499, false, High, Fair}, {649, 0, false, Fair, Low},
		{649, 0, true, High, High}, {650, 499, true, High, High}, {0, 0, false, None, High},
	} {
		limit := sharing{shown: c.shown}.alone(Figure{Sigma: 10, Confidence: c.of}, windows(c.near, c.covered), 2)
		if limit.Confidence != c.want || !strings.Contains(limit.Why.String(), "too few slices") {
			t.Errorf("%d near, %d covered, shown %v, %s: %+v; want %s", c.near, c.covered, c.shown, c.of, limit, c.want)
		}
	}
}

// Anatomy finer than the windows lowers the confidence in one and two slices. Of three, which
// show it, it is taken off.
func TestConfidenceOfFewSlices(t *testing.T) {
	for _, c := range []struct {
		slices     int
		fine, wide float64 // structure on a part of the tissue: as fine as noise, and wide
		want       Confidence
	}{
		{1, 0, 0, High}, {2, 0, 0, High}, {1, 0, 50, Fair}, {2, 0, 50, Fair}, {3, 0, 50, High}, {1, 12, 50, Low}, {2, 12, 50, Low},
	} {
		v := slicesOf(c.slices, 0, 0)
		for i := range v.Data {
			x, y := i%120, i/120%120
			if x > 50 { // of 120 columns
				v.Data[i] += float32(c.fine*Normal(60, uint64(i%14400), 0) + c.wide*math.Sin(float64(x)/10)*math.Sin(float64(y)/10))
			}
		}
		e, err := Of(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if off := math.Abs(e.Sigma/10 - 1); c.want == High && off > 0.05 || c.want == Fair && off > 0.2 {
			t.Errorf("%+v: sigma %.2f with confidence %s", c, e.Sigma, e.Confidence)
		}
		if e.Confidence != c.want || e.PerSlice[0].Confidence != c.want || strings.Contains(e.Why.String(), "too few slices") != (c.want != High) {
			t.Errorf("%+v: sigma %.2f %s (%s), first slice %s; want %s", c, e.Sigma, e.Confidence, e.Why, e.PerSlice[0].Confidence, c.want)
		}
	}
}
