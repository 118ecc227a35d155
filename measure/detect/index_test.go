package detect_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/measure/detect"
)

// gaussianSignal is c exp(-r^2/(2 s^2)) about the middle of a region.
func gaussianSignal(side int, c, s float64) []float64 {
	out := make([]float64, side*side)
	m := float64(side-1) / 2
	for i := range out {
		x, y := float64(i%side)-m, float64(i/side)-m
		out[i] = c * math.Exp(-(x*x+y*y)/(2*s*s))
	}
	return out
}

func white(sigma float64) detect.Spectrum {
	return func(_, _ float64) float64 { return sigma * sigma }
}

// power is the spectrum a/f^b on a grid of that side: near 0 its mean over the cell of a sample, at 0
// over a disc of the same area.
func power(a, b float64, side int) detect.Spectrum {
	radius := 1 / (float64(side) * math.Sqrt(math.Pi))
	const parts = 8
	return func(fx, fy float64) float64 {
		f := math.Hypot(fx, fy)
		if f == 0 {
			return a * 2 / (2 - b) * math.Pow(radius, -b)
		}
		if f > 6*radius {
			return a * math.Pow(f, -b)
		}
		var sum float64
		for i := range parts * parts {
			dx, dy := (float64(i%parts)+0.5)/parts-0.5, (float64(i/parts)+0.5)/parts-0.5
			sum += math.Pow(math.Hypot(fx+dx/float64(side), fy+dy/float64(side)), -b)
		}
		return a * sum / (parts * parts)
	}
}

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= share) {
		t.Errorf("%s: %.5g, want %.5g within %g %%", what, got, want, 100*share)
	}
}

// TestNonPrewhiteningInWhiteNoise: d'^2 = c^2 pi s^2/sigma^2 for a Gaussian signal.
func TestNonPrewhiteningInWhiteNoise(t *testing.T) {
	for _, s := range []float64{1.5, 3, 5} {
		got := detect.NonPrewhitening{}.Index(gaussianSignal(65, 2, s), white(4))
		near(t, "d'", got, 2*s*math.Sqrt(math.Pi)/4, 0.01)
	}
}

// TestNonPrewhiteningInPowerLawNoise: with k = 4 pi^2 s^2 and |S|^2 = S0^2 exp(-k f^2), d'^2 is
// (S0^2 pi/k)^2 / (a S0^2 pi k^(b/2-1) Gamma(1-b/2)).
func TestNonPrewhiteningInPowerLawNoise(t *testing.T) {
	for _, b := range []float64{0.5, 1, 1.5} {
		const c, s, a, side = 2, 3, 0.7, 129
		k := 4 * math.Pi * math.Pi * s * s
		s0 := c * 2 * math.Pi * s * s
		want := s0 * math.Pi / k / math.Sqrt(a*math.Pi*math.Pow(k, b/2-1)*math.Gamma(1-b/2))
		near(t, "d'", detect.NonPrewhitening{}.Index(gaussianSignal(side, c, s), power(a, b, side)), want, 0.01)
	}
}

// TestNonPrewhiteningWithEye: numeric integrals over the plane, of a Gaussian signal in white noise.
func TestNonPrewhiteningWithEye(t *testing.T) {
	const c, s, sigma = 2, 3, 4
	eye := detect.UsualEye
	var above, below float64
	const step = 1e-4
	for f := step / 2; f < 0.5; f += step {
		const s0 = c * 2 * math.Pi * s * s
		p := s0 * s0 * math.Exp(-4*math.Pi*math.Pi*s*s*f*f)
		e := eye.Gain(f)
		above += p * e * e * 2 * math.Pi * f * step
		below += p * e * e * e * e * sigma * sigma * 2 * math.Pi * f * step
	}
	got := detect.NonPrewhitening{Eye: eye}.Index(gaussianSignal(129, c, s), white(sigma))
	near(t, "d'", got, above/math.Sqrt(below), 0.01)
}

func TestEyeIsBestAtFourCyclesPerDegree(t *testing.T) {
	eye := detect.Eye{Pixel: math.Pi / 180, Distance: 1} // a pixel is one degree
	peak := eye.Gain(math.Sqrt(1.3 / 0.08))
	if !(peak > eye.Gain(3.9) && peak > eye.Gain(4.2)) {
		t.Errorf("the gain at 4.03 cycles per degree is %g, at 3.9 %g, at 4.2 %g", peak, eye.Gain(3.9), eye.Gain(4.2))
	}
	near(t, "gain at 2 cycles per degree", eye.Gain(2), math.Pow(2, 1.3)*math.Exp(-0.16), 1e-12)
}

// TestChannelisedInWhiteNoise: a Gaussian of sd s is the first channel of width s sqrt(2 pi), so that nothing is lost.
func TestChannelisedInWhiteNoise(t *testing.T) {
	const s = 3.0
	o := detect.Channelised{Channels: detect.LaguerreGauss(65, s*math.Sqrt(2*math.Pi), 5)}
	got, err := o.Index(gaussianSignal(65, 2, s), white(4))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "d'", got, 2*s*math.Sqrt(math.Pi)/4, 0.01)
	o.Internal = 3 // four times the variance
	got, err = o.Index(gaussianSignal(65, 2, s), white(4))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "d' with internal noise", got, s*math.Sqrt(math.Pi)/4, 0.01)
}

// TestChannelisedInPowerLawNoise: the transforms of Laguerre-Gauss functions are such functions
// again, (-1)^j L_j(t) exp(-t/2) with t = 2 pi width^2 f^2, so that all moments in noise of a/f^b are
// sums of gamma functions.
func TestChannelisedInPowerLawNoise(t *testing.T) {
	const c, s, a, side, count = 2, 3.0, 0.7, 129, 4
	width := 1.4 * s * math.Sqrt(2*math.Pi)
	for _, b := range []float64{0.5, 1, 1.5} {
		o := detect.Channelised{Channels: detect.LaguerreGauss(side, width, count)}
		got, err := o.Index(gaussianSignal(side, c, s), power(a, b, side))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "d'", got, channelisedClosedForm(c, s, a, b, width, count), 0.01)
	}
}

// channelisedClosedForm integrates over the frequencies in polar coordinates: with t as above, df^2 = dt/(2 width^2).
func channelisedClosedForm(c, s, a, b, width float64, count int) float64 {
	laguerre := func(j int) []float64 { // coefficients of L_j
		out := make([]float64, j+1)
		for i := range out {
			out[i] = math.Pow(-1, float64(i)) * math.Gamma(float64(j+1)) / (math.Gamma(float64(i+1)) * math.Gamma(float64(j-i+1)) * math.Gamma(float64(i+1)))
		}
		return out
	}
	unit := math.Sqrt2 * width / 1 // transform of u_0 at 0: sqrt(2)/width times width^2
	k := make([][]float64, count)
	mean := make([]float64, count)
	ratio := 2 * math.Pi * width * width // t = ratio f^2
	for i := range count {
		k[i] = make([]float64, count)
		sign := math.Pow(-1, float64(i))
		for p, l := range laguerre(i) {
			// S = c 2 pi s^2 exp(-2 pi^2 s^2 f^2)
			rate := 0.5 + 2*math.Pi*math.Pi*s*s/ratio
			mean[i] += sign * unit * c * 2 * math.Pi * s * s * l * math.Gamma(float64(p+1)) / math.Pow(rate, float64(p+1)) * math.Pi / ratio
		}
		for j := range count {
			for p, l := range laguerre(i) {
				for q, m := range laguerre(j) {
					k[i][j] += math.Pow(-1, float64(i+j)) * unit * unit * a * math.Pow(ratio, b/2) * l * m * math.Gamma(float64(p+q+1)-b/2) * math.Pi / ratio
				}
			}
		}
	}
	return math.Sqrt(quadratic(k, mean))
}

// quadratic returns v' k^-1 v by elimination.
func quadratic(k [][]float64, v []float64) float64 {
	n := len(v)
	right := append([]float64(nil), v...)
	var sum float64
	for i := range n {
		sum += right[i] * right[i] / k[i][i]
		for r := i + 1; r < n; r++ {
			f := k[r][i] / k[i][i]
			for c := i; c < n; c++ {
				k[r][c] -= f * k[i][c]
			}
			right[r] -= f * right[i]
		}
	}
	return sum
}

// TestObserversOnDrawnNoise: trained and tested on drawn regions, the figures agree with the closed forms.
func TestObserversOnDrawnNoise(t *testing.T) {
	const side, n, sigma, s, c = 21, 1500, 4.0, 2.5, 1.2
	random := rand.New(rand.NewPCG(7, 0))
	signal := gaussianSignal(side, c, s)
	draw := func(with float64) (all [][]float64) {
		for range n {
			r := make([]float64, side*side)
			for i := range r {
				r[i] = sigma*random.NormFloat64() + with*signal[i]
			}
			all = append(all, r)
		}
		return all
	}
	absent, present := draw(0), draw(1)
	want := c * s * math.Sqrt(math.Pi) / sigma
	cho := detect.Channelised{Channels: detect.LaguerreGauss(side, s*math.Sqrt(2*math.Pi), 5)}
	auc, snr, err := detect.Study(cho, absent, present, detect.Options{Splits: 2, Resamples: 30, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !(snr.Lo < want && want < snr.Hi) || snr.Hi-snr.Lo > 0.25 {
		t.Errorf("CHO: d' %v, want %.4g", snr, want)
	}
	if expected := 0.5 * math.Erfc(-want/2); !(auc.Lo < expected && expected < auc.Hi) {
		t.Errorf("CHO: AUC %v, want %.4g", auc, expected)
	}
	// The noise of a mean of regions counts as part of the template of an observer without channels.
	nothing := make([]float64, side*side)
	got, err := detect.Test(detect.NonPrewhitening{}, [][]float64{nothing}, [][]float64{signal}, absent, present)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "NPW: d'", got.SNR, want, 3*math.Sqrt((1+want*want/4)/n)/want)
}
