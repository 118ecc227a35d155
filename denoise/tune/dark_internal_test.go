package tune

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/rice"
	"quell/volume"
)

// The mean of 3 x 3 voxels is the mean of the voxels that are in the slice and hold
// data.
func TestMeanAround(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 2, 2}, [3]float64{1, 1, 1}))
	copy(v.Data, []float32{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60})
	for i, want := range []float64{3, 3.5, 4, 3, 3.5, 4, 30, 35, 40, 30, 35, 40} {
		if got := meanAround(v, i); got != want {
			t.Errorf("around voxel %d: %g, want %g", i, got, want)
		}
	}
	v.Mask = []bool{true, true, false, true, false, true, false, false, false, false, false, false}
	for i, want := range []float64{7.0 / 3, 13.0 / 4, 4} {
		if got := meanAround(v, i); got != want {
			t.Errorf("around voxel %d of those with data: %g, want %g", i, got, want)
		}
	}
	if got := meanAround(v, 9); got != 0 {
		t.Errorf("without data around: %g", got)
	}
}

// The noise of a box is the mean of the noise of its voxels that count.
func TestStabilisedPower(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{12, 6, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 20
		if i%12 < 6 {
			v.Data[i] = rice.Floor
		}
	}
	all := func(int) bool { return true }
	dark := rice.Variance(float64(float32(rice.Floor)))
	for _, c := range []struct {
		name     string
		from, to int
		counts   func(i int) bool
		want     float64
	}{
		{"dark", 0, 5, all, dark},
		{"bright", 7, 12, all, 1},
		{"two dark columns and one bright", 3, 8, func(i int) bool { return i%12 == 3 || i%12 == 4 || i%12 == 7 }, (2*dark + 1) / 3},
		{"none that counts", 0, 5, func(int) bool { return false }, 1},
	} {
		box := volume.Region{Min: [3]int{c.from}, Max: [3]int{c.to, 6, 1}}
		if got := stabilisedPower(v, box, c.counts); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

// The estimated error of a recipe that stabilises Rician noise is right under a weak signal
// too, and if the volume was stabilised before the search.
func TestRiskOfWeakSignal(t *testing.T) {
	const sigma = 10
	for _, snr := range []float64{0.8, 6} {
		truth := volume.New(volume.NewGeometry([3]int{72, 72, 2}, [3]float64{1, 1, 1}))
		for i := range truth.Data {
			truth.Data[i] = float32(snr * sigma)
		}
		noisy, err := noise.AddNoise(t.Context(), truth, noise.Rician, sigma, 3)
		if err != nil {
			t.Fatal(err)
		}
		e := noise.Known(sigma)
		e.Model, e.ModelKnown = noise.Rician, true
		r, err := denoise.NewRecipe("gaussian", 2)
		if err != nil {
			t.Fatal(err)
		}
		r = r.With(denoise.Stabilise.Name, denoise.Number(sigma))
		in, use := denoise.Input{Volume: noisy}, func(int) bool { return true }
		c, err := Search(t.Context(), cpu.New(), in, r, e, Options{Foreground: use})
		if err != nil {
			t.Fatal(err)
		}
		stabilised, err := in.Stabilised(t.Context(), sigma)
		if err != nil {
			t.Fatal(err)
		}
		before, err := Search(t.Context(), cpu.New(), stabilised, r.UnstabilisedBy(sigma), r.StabilisedNoise(e, sigma), Options{Foreground: use, unit: sigma})
		if err != nil {
			t.Fatal(err)
		}
		if len(before.Points) != len(c.Points) || before.Points[0].Risk != c.Points[0].Risk {
			t.Errorf("SNR %g: %+v; stabilised before the search %+v", snr, c.Points[0], before.Points[0])
		}
		// The truth is even: the error of the strongest is the error of its mean, and its residual the
		// noise.
		if p := c.Points[len(c.Points)-1]; math.Abs(p.Residual-1) > 0.05 || math.Abs(p.MSE) > 0.08 {
			t.Errorf("SNR %g: residual %.3f and error %.3f of the strongest, in units of the noise; want 1 and 0", snr, p.Residual, p.MSE)
		}
	}
}
