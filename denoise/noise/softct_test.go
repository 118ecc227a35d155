package noise_test

import (
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/denoise/noise/noisetest"
	"quell/volume"
)

// softCT returns a body with noise of a kernel that is strongest at f0 / 1.4 cycles a pixel.
func softCT(sigma, f0 float64) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{256, 256, 6}, [3]float64{1.2, 1.2, 2}))
	kernel := noisetest.KSpace{Real: true, Response: func(fx, fy float64) float64 {
		f := math.Hypot(fx, fy)
		if f == 0 {
			return 1
		}
		return math.Sqrt(f) * math.Exp(-0.5*f*f/(f0*f0))
	}}
	const level = 1e4 // above all noise, as magnitudes are positive
	for i := range v.Data {
		v.Data[i] = level
	}
	v = kernel.Scan(v, sigma, 5)
	for i := range v.Data {
		x, y := float64(i%256)-127.5, float64(i/256%256)-127.5
		value := float32(-1000)
		if math.Hypot(x, y) < 100 {
			value = 40
		}
		v.Data[i] += value - level
	}
	v.Unit = "HU"
	return v
}

// Noise of a soft kernel is read, if it scatters the means of tissue too, and if it is as slow as small windows are wide: it was
// unknown.
func TestSoftNoiseOfCT(t *testing.T) {
	for _, c := range []struct{ sigma, f0, off float64 }{{25, 0.45, 0.05}, {114, 0.15, 0.08}, {25, 0.08, 0.2}, {8, 0.08, 0.2}, {114, 0.08, 0.1}} {
		e := estimate(t, softCT(c.sigma, c.f0))
		if off := e.Sigma/c.sigma - 1; math.Abs(off) > c.off || c.off <= 0.1 && (e.Low > c.sigma || e.High < c.sigma) || !e.InTissue() {
			t.Errorf("%g HU at %g: %+v, by %s", c.sigma, c.f0, e.Figure, e.Method)
		}
	}
}

// High needs windows that a fit takes little from, and slices whose differences show as much: a fit of slow noise, as filters
// leave it, reads too little.
func TestTwoKindsOfEvidenceOfCT(t *testing.T) {
	for f0, want := range map[float64]noise.Confidence{0.45: noise.High, 0.16: noise.High, 0.15: noise.Fair, 0.14: noise.Fair} {
		e := estimate(t, softCT(8, f0))
		if e.Confidence != want || e.Low > 8 || e.High < 8 {
			t.Errorf("at %g: %+v, want %s", f0, e.Figure, want)
		}
		if len(e.Evidence) != 2 || e.Evidence[1].Kind != noise.SliceDifferences || math.Abs(e.Evidence[1].Sigma/e.Sigma-1) > 0.05 {
			t.Errorf("at %g: evidence %+v", f0, e.Evidence)
		}
	}
}
