package phantom_test

import (
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"quell/phantom"
	"quell/volume"
)

// Without noise, a low-contrast disc keeps its contrast through projection and
// reconstruction.
func TestContrastIsReconstructed(t *testing.T) {
	for _, kernel := range []string{"sharp", "soft"} {
		for _, c := range []struct{ contrast, diameter float64 }{{3, 15}, {10, 15}, {10, 8}, {-30, 10}} {
			p := discPhantom(192, 85)
			p.Shapes = append(p.Shapes, phantom.Shape{Centre: [3]float64{22, -15, 0}, Half: [3]float64{c.diameter / 2, c.diameter / 2, math.Inf(1)}, Value: c.contrast})
			scan := fbp
			scan.Views, scan.Recon.Kernel = 400, kernel
			v := scanned(t, p, scan)
			// The same place without the disc: sampling rings are the same there.
			p.Shapes = p.Shapes[:1]
			plain := scanned(t, p, scan)
			for i := range v.Data {
				v.Data[i] -= plain.Data[i]
			}
			inside, _ := moments(v, 22, -15, c.diameter/2-2, 0)
			outside, _ := moments(v, -25, 20, c.diameter/2, 0)
			if got := inside - outside; math.Abs(got/c.contrast-1) > 0.02 {
				t.Errorf("%s: a disc of %g HU and %g mm reads %.3f HU", kernel, c.contrast, c.diameter, got)
			}
		}
	}
}

// noiseOf returns the noise of a scan: the image less that without noise.
func noiseOf(t *testing.T, p phantom.Phantom, s phantom.Scan) *volume.Volume {
	t.Helper()
	v := scanned(t, p, s)
	s.SNR, s.Photons = 0, 0
	clean := scanned(t, p, s)
	for i := range v.Data {
		v.Data[i] -= clean.Data[i]
	}
	return v
}

// The noise of a pixel in the middle of a disc follows from the noise of the
// projections. An element of the filtered projection has the variance of a measured
// one times the sum of h^2; between two elements, with weights 1-t and t, it is on
// average 2/3 of that and 1/3 of their covariance; backprojection adds up all views
// with pi / views.
func TestNoiseHasTheStrengthOfTheory(t *testing.T) {
	p := discPhantom(128, 50)
	scan := fbp
	scan.Views, scan.Photons, scan.Seed = 400, 1e5, 3
	var sum float64
	for seed := range uint64(4) {
		scan.Seed = seed
		_, sd := moments(noiseOf(t, p, scan), 0, 0, 12, 0)
		sum += sd * sd / 4
	}
	const mu = 0.0192
	line := 100 * mu // through the middle
	element := math.Exp(line) / scan.Photons
	// The ramp in space, for a pitch of 1 mm.
	h := func(k int) float64 {
		switch {
		case k == 0:
			return 0.25
		case k%2 == 0:
			return 0
		}
		return -1 / math.Pow(math.Pi*float64(k), 2)
	}
	var own, next float64
	for k := -2001; k <= 2001; k++ {
		own += h(k) * h(k)
		next += h(k) * h(k+1)
	}
	variance := element * (2*own/3 + next/3) * math.Pi * math.Pi / float64(scan.Views)
	want := 1000 / mu * math.Sqrt(variance)
	if got := math.Sqrt(sum); math.Abs(got/want-1) > 0.06 {
		t.Errorf("noise of %.2f HU; theory gives %.2f", got, want)
	}
}

// A quarter, a hundredth of the photons: twice, ten times the noise.
func TestNoiseGoesWithTheRootOfThePhotons(t *testing.T) {
	p := discPhantom(96, 38)
	sd := func(photons float64) float64 {
		scan := fbp
		scan.Views, scan.Photons, scan.Seed = 180, photons, 5
		_, sd := moments(noiseOf(t, p, scan), 0, 0, 25, 0)
		return sd
	}
	one := sd(1e6)
	for _, c := range []float64{4, 100} {
		if r := sd(1e6/c) / one; math.Abs(r/math.Sqrt(c)-1) > 1e-3 {
			t.Errorf("1/%g of the photons multiplies the noise by %.4f; want %.4f", c, r, math.Sqrt(c))
		}
	}
}

// spectrum returns the noise power at the radial frequencies (k + 1/2) / 64 cycles
// per pixel, k = 0..31, of the middle 64 x 64 pixels over some seeds.
func spectrum(t *testing.T, kernel string) [32]float64 {
	t.Helper()
	const n = 64
	p := discPhantom(128, 56)
	scan := fbp
	scan.Recon.Kernel, scan.Photons = kernel, 1e5
	fft := fourier.NewCmplxFFT(n)
	var power, count [32]float64
	for seed := range uint64(6) {
		scan.Seed = seed
		v := noiseOf(t, p, scan)
		var f [n][n]complex128
		for y := range n {
			row := make([]complex128, n)
			for x := range n {
				row[x] = complex(float64(v.At(32+x, 32+y, 0)), 0)
			}
			copy(f[y][:], fft.Coefficients(nil, row))
		}
		for x := range n {
			column := make([]complex128, n)
			for y := range n {
				column[y] = f[y][x]
			}
			for y, a := range fft.Coefficients(nil, column) {
				fx, fy := float64((x+n/2)%n-n/2), float64((y+n/2)%n-n/2)
				if k := int(math.Hypot(fx, fy)); k < 32 {
					power[k] += cmplx.Abs(a) * cmplx.Abs(a)
					count[k]++
				}
			}
		}
	}
	for k := range power {
		power[k] /= count[k]
	}
	return power
}

// The noise power of filtered backprojection goes with |H(f)|^2 / f: for the ramp it
// rises in proportion to f, for the Hann kernel as f cos^4(pi f / 2) with f in units
// of the highest frequency, both less what interpolating between detector elements
// takes (sinc^4).
func TestNoisePowerSpectra(t *testing.T) {
	window := map[string]func(f float64) float64{
		"sharp": func(float64) float64 { return 1 },
		"soft":  func(f float64) float64 { return math.Pow(math.Cos(math.Pi*f/2), 4) },
	}
	for kernel, w := range window {
		got := spectrum(t, kernel)
		shape := func(k int) float64 {
			f := (float64(k) + 0.5) / 32
			s := math.Sin(math.Pi*f/2) / (math.Pi * f / 2)
			return f * w(f) * s * s * s * s
		}
		// The scale is common to all middle frequencies together.
		var a, b float64
		for k := 4; k < 20; k++ {
			a, b = a+got[k], b+shape(k)
		}
		for k := 3; k < 22; k++ {
			if r := got[k] / a * b / shape(k); r < 0.8 || r > 1.25 {
				t.Errorf("%s, %.2f cycles a pixel: %.2f of what the kernel gives", kernel, (float64(k)+0.5)/64, r)
			}
		}
		if got[0] > 0.2*got[8] {
			t.Errorf("%s: noise power %.3g near zero frequency, %.3g at its middle", kernel, got[0], got[8])
		}
		if end := got[30] / got[8]; kernel == "soft" && end > 0.02 {
			t.Errorf("the soft kernel lets %.3f of the noise power pass at the highest frequency", end)
		}
	}
}

// The test image of Zheng and Mueller (2011): 90 views at SNR 25, reconstructed by
// SART. The noise of the projections is 1/25 of their mean, the image shows the
// object, and its noise is neither nothing nor more than with the ramp.
func TestImageOfFewNoisyViews(t *testing.T) {
	p := discPhantom(128, 50)
	p.Shapes = append(p.Shapes, phantom.Shape{Centre: [3]float64{20, 0, 0}, Half: [3]float64{8, 8, math.Inf(1)}, Value: 200})
	sart := phantom.Scan{Views: 90, SNR: 25, Seed: 1, Recon: phantom.Recon{Method: "sart", Iterations: 5, Relaxation: 0.3}}
	v := scanned(t, p, sart)
	if mean, _ := moments(v, -20, 0, 15, 0); math.Abs(mean) > 15 {
		t.Errorf("water reads %.1f HU", mean)
	}
	inside, _ := moments(v, 20, 0, 5, 0)
	if math.Abs(inside-200) > 25 {
		t.Errorf("the insert of 200 HU reads %.1f", inside)
	}
	sd := func(s phantom.Scan) float64 {
		_, sd := moments(noiseOf(t, p, s), -15, 0, 20, 0)
		return sd
	}
	ramp := sart
	ramp.Recon = phantom.Recon{Method: "fbp", Kernel: "sharp"}
	a, b := sd(sart), sd(ramp)
	if a < 20 || a > b {
		t.Errorf("noise of SART %.1f HU, of the ramp %.1f", a, b)
	}
	half := sart
	half.SNR = 50
	if r := a / sd(half); r < 1.8 || r > 2.2 {
		t.Errorf("half the SNR multiplies the noise by %.2f; want about 2", r)
	}
}
