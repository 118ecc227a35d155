package phase

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/volume"
)

// complexImage returns the magnitude and the phase of a disc of some signal in air, with complex noise of sigma 1, and where the
// disc is. The phase has a ramp, a bend, and a step from slice to slice.
func complexImage(signal float64, seed uint64) (magnitude, phase *volume.Volume, inside []bool) {
	g := volume.NewGeometry([3]int{64, 56, 6}, [3]float64{2, 2, 2})
	magnitude, phase = volume.New(g), volume.New(g)
	inside = make([]bool, g.Voxels())
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range inside {
		x, y, z := float64(i%64), float64(i/64%56), float64(i/(64*56))
		angle := 1.9*x - 0.7*y + 0.003*(x-30)*(x-30) + 2*z
		a := 0.0
		if inside[i] = math.Hypot(x-31, y-27) < 22; inside[i] {
			a = signal
		}
		re, im := a*math.Cos(angle)+r.NormFloat64(), a*math.Sin(angle)+r.NormFloat64()
		magnitude.Data[i], phase.Data[i] = float32(math.Hypot(re, im)), float32(math.Atan2(im, re))
	}
	return magnitude, phase, inside
}

// The real part has the signal as its mean and the noise as it was, from signals below the noise on; the magnitude does not.
func TestReal(t *testing.T) {
	for _, signal := range []float64{0.5, 1, 2, 5, 20, 100} {
		m, p, inside := complexImage(signal, 3)
		re, err := Real(t.Context(), m, p, 1)
		if err != nil {
			t.Fatal(err)
		}
		var n, sum, squares, lifted float64
		for i, in := range inside {
			if x, y := i%64, i/64%56; in && math.Hypot(float64(x-31), float64(y-27)) < 18 {
				n++
				sum += float64(re.Data[i])
				squares += float64(re.Data[i]) * float64(re.Data[i])
				lifted += float64(m.Data[i])
			}
		}
		mean := sum / n
		sd := math.Sqrt(squares/n - mean*mean)
		t.Logf("signal %g: mean %.3f, SD %.3f; of the magnitude %.3f", signal, mean, sd, lifted/n)
		if math.Abs(mean-signal) > 0.1+0.005*signal || math.Abs(sd-1) > 0.06 {
			t.Errorf("signal %g: mean %g, SD %g", signal, mean, sd)
		}
	}
}

// Excluded voxels keep their value and take no part.
func TestRealLeavesOutExcluded(t *testing.T) {
	m, p, inside := complexImage(9, 4)
	want, err := Real(t.Context(), m, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Mask = make([]bool, len(m.Data))
	for i := range m.Mask {
		m.Mask[i] = i%64 < 50
		if !m.Mask[i] {
			m.Data[i] = 1e6
		}
	}
	got, err := Real(t.Context(), m, p, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range m.Mask {
		if x := i % 64; !in && got.Data[i] != 1e6 || inside[i] && x < 40 && math.Abs(float64(got.Data[i]-want.Data[i])) > 0.2 {
			t.Fatalf("voxel %d: %g, and %g with all", i, got.Data[i], want.Data[i])
		}
	}
}
