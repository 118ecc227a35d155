package noise_test

import (
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// alone returns a volume of noise around a signal of so many sigmas; sigma rises from 10 to 20 along x.
func alone(seed uint64, signal float64, signed bool) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{40, 30, 8}, [3]float64{2, 2, 2}))
	for i := range v.Data {
		sigma := 10 + 10*float64(i%40)/39
		re, im := signal+noise.Normal(seed, uint64(i), 0), noise.Normal(seed, uint64(i), 1)
		if v.Data[i] = float32(sigma * math.Hypot(re, im)); signed {
			v.Data[i] = float32(sigma * re)
		}
	}
	return v
}

// Volumes of noise alone show sigma by place, of magnitudes and of signed values; those with signal are refused.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		signal  float64
		signed  bool
		volumes int
		refused bool
	}{{0, false, 1, false}, {0, false, 3, false}, {0, true, 2, false}, {1.5, false, 3, false}, {2.5, false, 3, true}, {0.2, true, 2, false}, {0.6, true, 2, true}} {
		var a noise.Alone
		for k := range c.volumes {
			a.Add(alone(uint64(k+1), c.signal, c.signed))
		}
		sigma, e, err := a.Map()
		if (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil || c.signal > 0 {
			continue
		}
		square := 0.0
		for i, s := range sigma.Data {
			square += math.Pow(float64(s)/(10+10*float64(i%40)/39)-1, 2) / float64(len(sigma.Data))
		}
		if rms := math.Sqrt(square); rms > 0.05 || math.Abs(e.Sigma/15.28-1) > 0.02 {
			t.Errorf("%+v: an error of %.3f, sigma %.3f", c, rms, e.Sigma)
		}
	}
}
