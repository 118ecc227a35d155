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
		"one slice":                  {1, 0, 6, math.Sqrt(136), 0, 0, Fair, "too few slices", 0.03, 1e-9},
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

// Correlations that overlapping slices explain are noise; the confidence falls with what
// neighbours share.
func TestLimitsOfSharing(t *testing.T) {
	for _, c := range []struct {
		between float64
		want    Confidence
	}{{0, High}, {0.1, High}, {0.101, Fair}, {0.4, Fair}, {0.401, Low}} {
		f := Figure{Sigma: 1, Confidence: High}
		s := sharing{rho: [3]float64{1, c.between, 0}, shown: true}
		if s.limit(&f); f.Confidence != c.want || (f.Why.String() == "") != (c.want == High) {
			t.Errorf("%g between neighbours: %+v; want %s", c.between, f, c.want)
		}
	}
	alone := Figure{Sigma: 1, Confidence: High}
	if (sharing{}).limit(&alone); alone.Confidence != Fair || alone.Why.IsZero() {
		t.Errorf("without further slices: %+v", alone)
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

// One and two slices are one kind of evidence, which is fair. Of three, which
// show anatomy, it is taken off.
func TestConfidenceOfFewSlices(t *testing.T) {
	for _, c := range []struct {
		slices     int
		fine, wide float64 // structure on a part of the tissue: as fine as noise, and wide
		want       Confidence
	}{
		{1, 0, 0, Fair}, {2, 0, 0, Fair}, {3, 0, 0, High}, {1, 0, 50, Fair}, {2, 0, 50, Fair}, {3, 0, 50, High},
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
