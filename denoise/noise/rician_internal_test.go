package noise

import (
	"math"
	"math/rand/v2"
	"testing"
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

// The quantiles that the estimators divide by are those of simulated noise.
func TestPureNoiseQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		n         int
		q, normal float64
	}{{13, windowQuantile, windowQuantileNormal}, {7, mapQuantile, mapQuantileNormal}} {
		kernel := []float64{1, -4, 6, -4, 1}
		var rms []float64
		for range 4000 {
			v := make([]float64, (c.n+4)*(c.n+4))
			for i := range v {
				v[i] = r.NormFloat64()
			}
			sum := 0.0
			for y := range c.n {
				for x := range c.n {
					e := 0.0
					for j, a := range kernel {
						for i, b := range kernel {
							e += a * b * v[(y+j)*(c.n+4)+x+i]
						}
					}
					sum += e * e
				}
			}
			rms = append(rms, math.Sqrt(sum/float64(c.n*c.n))/fourthNorm)
		}
		got, want := pureNoise([3]int{c.n, c.n, 1}, c.normal), quantile(rms, c.q)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("%d x %d: %.4f, simulated %.4f", c.n, c.n, got, want)
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
