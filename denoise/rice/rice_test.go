package rice_test

import (
	"math"
	"testing"

	"quell/denoise/rice"
)

// moments returns mean and standard deviation of g(z) if z follows the Rice
// distribution of nu, by the trapezoidal rule.
func moments(nu float64, g func(z float64) float64) (mean, sd float64) {
	const h = 0.005
	weights, sum, squares := 0.0, 0.0, 0.0
	for z := max(0, nu-10); z < nu+10; z += h {
		p := z * math.Exp(-(z-nu)*(z-nu)/2) * besselScaled(z*nu)
		y := g(z)
		weights, sum, squares = weights+p, sum+p*y, squares+p*y*y
	}
	mean = sum / weights
	return mean, math.Sqrt(squares/weights - mean*mean)
}

// besselScaled returns e^-x I0(x), by the mean of e^(x (cos t - 1)) over 0..pi or, for
// large x, by its asymptotic series.
func besselScaled(x float64) float64 {
	sum := 0.0
	if x > 40 {
		term := 1.0
		for k := 1; k < 9; k++ {
			sum += term
			term *= float64((2*k-1)*(2*k-1)) / (8 * x * float64(k))
		}
		return sum / math.Sqrt(2*math.Pi*x)
	}
	const n = 64
	for k := range n {
		sum += math.Exp(x * (math.Cos(math.Pi*(float64(k)+0.5)/n) - 1))
	}
	return sum / n
}

// signals are 25 ratios of signal to noise up to 50.
var signals = []float64{0, 0.2, 0.5, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.3, 2.5, 2.7, 3, 3.5, 4, 4.6, 5.3, 6, 7, 9, 10.3, 14, 25, 50}

// The Rice distribution of the tests has the moments that are known of it.
func TestMomentsOfTheDistribution(t *testing.T) {
	identity := func(z float64) float64 { return z }
	for nu, want := range map[float64][2]float64{
		0: {math.Sqrt(math.Pi / 2), math.Sqrt(2 - math.Pi/2)}, 1: {1.5485724605511, 0.77585923}, 50: {50.01000100, 0.99989997},
	} {
		if m, s := moments(nu, identity); math.Abs(m-want[0]) > 2e-5 || math.Abs(s-want[1]) > 1e-4 {
			t.Errorf("nu = %g: mean %.8f, sd %.8f; want %.8f", nu, m, s, want)
		}
		if m, _ := moments(nu, func(z float64) float64 { return z * z }); math.Abs(m-2-nu*nu) > 1e-3 {
			t.Errorf("nu = %g: mean square %g; want %g", nu, m, 2+nu*nu)
		}
	}
}

// Noise has a standard deviation of 1 after the transform from a signal of two and a half
// times its sigma on, and less below: the less, the weaker the signal.
func TestStabilisedNoise(t *testing.T) {
	before := 0.0
	for _, nu := range signals {
		_, sd := moments(nu, rice.Stabilise)
		switch {
		case nu == 0 && math.Abs(sd-0.563) > 0.001:
			t.Errorf("without signal %.4f; want 0.563", sd)
		case nu < 2.4 && (sd < before || sd > 1), nu >= 2 && sd < 0.96, nu >= 2.5 && math.Abs(sd-1) > 0.003, nu >= 9 && math.Abs(sd-1) > 1e-4:
			t.Errorf("SNR %g: standard deviation %.4f", nu, sd)
		}
		before = sd
	}
}

// Variance is the variance of the stabilised noise at every mean, and 1 under a strong
// signal.
func TestVariance(t *testing.T) {
	before := 0.0
	for _, nu := range append([]float64{0.25, 0.75, 1.25, 1.75, 2.25}, signals...) {
		mean, sd := moments(nu, rice.Stabilise)
		if got := rice.Variance(mean); math.Abs(got-sd*sd) > 0.02 || nu > 3 && got != 1 {
			t.Errorf("SNR %g: variance %.4f; want %.4f", nu, got, sd*sd)
		}
	}
	for d := 0.0; d < 4; d += 0.01 {
		v := rice.Variance(d)
		if v < before || v-before > 0.02 && d > 0 && rice.Signal(d-0.01) > 0.1 {
			t.Errorf("the variance at %g is %g, %g before it", d, v, before)
		}
		before = v
	}
	if got, want := rice.Variance(0), rice.Variance(rice.Floor); got != want || rice.Variance(math.Inf(1)) != 1 {
		t.Errorf("below the mean of pure noise %g, want %g; and %g of an endless signal", got, want, rice.Variance(math.Inf(1)))
	}
}

// The inverse is unbiased: it turns the mean of stabilised magnitudes into the signal,
// and Mean is that mean.
func TestInverseIsUnbiased(t *testing.T) {
	for _, nu := range signals {
		mean, _ := moments(nu, rice.Stabilise)
		if got := rice.Signal(mean); math.Abs(got-nu) > 2e-5 && (nu > 0 || got > 5e-3) {
			t.Errorf("SNR %g: the inverse is %.6f", nu, got)
		}
		if got := rice.Mean(nu); math.Abs(got-mean) > 2e-5 {
			t.Errorf("SNR %g: mean %.6f; want %.6f", nu, got, mean)
		}
	}
	for nu := 0.01; nu < 12; nu += 0.0371 {
		if got := rice.Signal(rice.Mean(nu)); math.Abs(got-nu) > 1e-5 {
			t.Errorf("the signal of the mean of %g is %g", nu, got)
		}
	}
}

// Mean inverts Signal exactly, in every piece and beyond the last: each value is computed by the same piece.
func TestMeanInvertsSignal(t *testing.T) {
	for d := rice.Floor + 0.5e-3; d < rice.Floor+rice.SquareStep*(rice.Pieces+1); d += 1e-3 { // not at the seams, where both are within 1e-6
		if got := rice.Mean(rice.Signal(d)); math.Abs(got-d) > 1e-9 {
			t.Fatalf("the mean of the signal of %g is %.12g", d, got)
		}
	}
}

// Both rise without a jump, pieces and asymptotic forms included.
func TestRisesSmoothly(t *testing.T) {
	for name, f := range map[string]func(float64) float64{"Stabilise": rice.Stabilise, "Mean": rice.Mean} {
		const h = 1e-3
		before := f(0)
		for x := h; x < 12; x += h {
			y := f(x)
			if !(y >= before) || y-before > 1.53*h || x > 0.1 && !(y > before) {
				t.Fatalf("%s rises from %g to %g at %g", name, before, y, x)
			}
			before = y
		}
	}
	before := 0.0
	for d := rice.Floor; d < rice.Floor+11; d += 1e-3 {
		nu := rice.Signal(d)
		if nu < before || nu > 0.2 && nu-before > 0.02 {
			t.Fatalf("the signal rises from %g to %g at %g", before, nu, d)
		}
		before = nu
	}
}

// A value that is no magnitude counts as 0, and large values stay large.
func TestLimits(t *testing.T) {
	for _, z := range []float64{0, -1, math.Inf(-1), math.NaN()} {
		if got := rice.Stabilise(z); got != 0 {
			t.Errorf("%g becomes %g; want 0", z, got)
		}
	}
	for _, d := range []float64{rice.Floor, 0, -5, math.NaN()} {
		if got := rice.Signal(d); got != 0 {
			t.Errorf("the signal of %g is %g; want 0", d, got)
		}
	}
	for _, nu := range []float64{0, math.NaN()} {
		if got := rice.Mean(nu); got != rice.Floor {
			t.Errorf("the mean of %g is %g; want that of noise alone", nu, got)
		}
	}
	for _, z := range []float64{1e6, 1e30, 1e200} {
		if got := rice.Signal(rice.Stabilise(z)); math.Abs(got/z-1) > 1e-12 {
			t.Errorf("%g comes back as %g", z, got)
		}
		if got := rice.Mean(z); math.Abs(got/z-1) > 1e-6 {
			t.Errorf("the mean of %g is %g", z, got)
		}
	}
	if got := rice.Stabilise(6); math.Abs(got-rice.Values[rice.Knots-1]) > 1e-12 {
		t.Errorf("f(6) = %g; want %g", got, rice.Values[rice.Knots-1])
	}
}
