package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/volume"
)

func TestRicianVarianceAtItsEnds(t *testing.T) {
	if got, want := ricianVariance(0), 2-math.Pi/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("without signal %v, want %v", got, want)
	}
	below, above := ricianVariance(29.999), ricianVariance(30.001)
	if math.Abs(below-above) > 1e-6 || math.Abs(above-1) > 1e-3 {
		t.Errorf("%v below and %v above 30; want nearly 1", below, above)
	}
}

func TestRicianSigmaOfSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, signal := range []float64{0, 1, 2, 3, 5, 10, 40} {
		const n = 400000
		var sum, squares float64
		for range n {
			v := math.Hypot(signal+r.NormFloat64(), r.NormFloat64())
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / n
		sd := math.Sqrt(squares/n - mean*mean)
		if got := 7 * ricianSigma(mean, sd); math.Abs(got-7) > 0.07 {
			t.Errorf("signal %g sigma: %.3f, want 7", signal, got)
		}
	}
	if ricianSigma(5, 0) != 0 {
		t.Error("no deviation, but a sigma")
	}
}

// The quantiles that the estimators divide by are the quantiles of simulated noise.
func TestPureNoiseQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		of difference
		n  int
		q  float64
	}{{sixth, 13, 0.5}, {sixth, 7, 0.5}, {sixth, 13, 0.2}, {fourth, 7, mapQuantile}, {second, 7, 0.8}} {
		reach := c.of.reach()
		side := c.n + 2*reach
		v := volume.New(volume.NewGeometry([3]int{side, side, 1}, [3]float64{1, 1, 1}))
		var rms []float64
		for range 4000 {
			for i := range v.Data {
				v.Data[i] = float32(r.NormFloat64())
			}
			ws, err := differences(t.Context(), v, sampling{of: c.of, block: [3]int{c.n, c.n, 1}, parts: [3]int{1, 1, 1}, flat: true}, 0, 1, 1)
			if err != nil || len(ws) != 1 {
				t.Fatal(len(ws), err)
			}
			rms = append(rms, float64(ws[0].sd))
		}
		got, want := pureNoise(c.of, [3]int{c.n, c.n, 1}, c.q), quantile(rms, c.q)
		if math.Abs(got/want-1) > 0.015 {
			t.Errorf("%v, %d x %d, %g: %.4f, simulated %.4f", c.of, c.n, c.n, c.q, got, want)
		}
	}
}

func TestLogModeIgnoresOutliers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var x []float64
	for range 3000 {
		x = append(x, 4*math.Exp(0.1*r.NormFloat64()), 4*math.Exp(3*r.Float64()))
	}
	if got := logMode(x); math.Abs(got-4) > 0.15 {
		t.Errorf("mode %.3f, want 4", got)
	}
	if got := logMode(make([]float64, 10)); got != 0 {
		t.Errorf("mode of zeros %v", got)
	}
}
