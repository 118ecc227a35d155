package noise

import (
	"math"
	"testing"

	"quell/volume"
)

// Reference values from scipy.special.ndtri, and for 1e-12 and 1e-14 from Python's
// statistics.NormalDist.
func TestNormalQuantile(t *testing.T) {
	for _, f := range []struct{ p, want float64 }{
		{1e-300, -37.0470962993612}, {1e-20, -9.262340089798409}, {0x1p-54, -8.292361075813597},
		{1e-12, -7.034483825301132}, {1e-14, -7.650628092935268}, {1e-9, -5.9978070150076865}, {0.001, -3.090232306167813}, {0.02, -2.053748910631823},
		{0.074, -1.4466320671589785}, {0.0751, -1.4388253927525403}, {0.3, -0.5244005127080409},
		{0.5, 0}, {0.7, 0.5244005127080407}, {0.925, 1.4395314709384563}, {0.9251, 1.4402382675279635},
		{0.999, 3.090232306167813}, {1 - 0x1p-53, 8.209536151601387},
	} {
		if got := normalQuantile(f.p); !(math.Abs(got-f.want) <= 3e-15*max(1, math.Abs(f.want))) {
			t.Errorf("quantile of %g is %.17g; want %.17g", f.p, got, f.want)
		}
	}
}

func TestLn(t *testing.T) {
	for x := 1 - 0x1p-53; x > 1e-300; x *= 0.93 {
		// Near 1 the logarithm vanishes, and its error with it.
		if got, want := ln(x), math.Log(x); !(math.Abs(got-want) <= 4e-16*math.Abs(want)+1e-17) {
			t.Errorf("ln %g is %.17g; want %.17g", x, got, want)
		}
	}
}

// An overflow of a single voxel is found, wherever it is.
func TestAddNoiseFindsOneOverflow(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 2, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		overflows := 0
		v.Data[i] = math.MaxFloat32
		for seed := range uint64(16) {
			out, err := AddNoise(t.Context(), v, Gaussian, 1e37, seed)
			if (out == nil) != (err != nil) {
				t.Errorf("both %v and %v", out, err)
			}
			if grows := Normal(seed, uint64(i), 0) > 0; (err != nil) != grows {
				t.Errorf("voxel %d, seed %d: error %v, but the voxel grows: %v", i, seed, err, grows)
			}
			if err != nil {
				overflows++
			}
		}
		if overflows == 0 || overflows == 16 {
			t.Errorf("voxel %d: %d of 16 seeds overflow", i, overflows)
		}
		v.Data[i] = 0
	}
}
