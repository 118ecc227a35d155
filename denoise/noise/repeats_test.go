package noise_test

import (
	"math"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// headTwice is the MR phantom, and a function that adds noise made by of voxel i of a seed.
func headTwice(t *testing.T) *volume.Volume {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 150, 10}, Spacing: [3]float64{1.7, 1.7, 3}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// each returns a copy with f of every voxel.
func each(v *volume.Volume, f func(x float64, i int) float64) *volume.Volume {
	out := v.Clone()
	for i, x := range out.Data {
		out.Data[i] = float32(f(float64(x), i))
	}
	return out
}

// blurred returns white noise of sigma 1 that went over (0.25, 0.5, 0.25) twice along x and y, and its sigma.
func blurred(g volume.Geometry, seed uint64) (v *volume.Volume, sigma float64) {
	v = volume.New(g)
	for i := range v.Data {
		v.Data[i] = float32(noise.Normal(seed, uint64(i), 0))
	}
	for range 2 {
		for _, stride := range []int{1, g.Dims[0]} {
			from := v.Clone()
			for i := range v.Data {
				a, b := max(i-stride, 0), min(i+stride, len(v.Data)-1)
				v.Data[i] = (from.Data[a] + 2*from.Data[i] + from.Data[b]) / 4
			}
		}
	}
	squares := 0.0
	for _, x := range v.Data {
		squares += float64(x) * float64(x)
	}
	return v, math.Sqrt(squares / float64(len(v.Data)))
}

// Two repeats give the noise whatever its colour and model, in spite of another gain, mean and drift.
func TestRepeatsGiveTheNoise(t *testing.T) {
	clean := headTwice(t)
	drifting := func(v *volume.Volume) *volume.Volume {
		return each(v, func(x float64, i int) float64 {
			at := float64(i%128)/128 + float64(i/128%150)/150
			return 1.05*x + 2 + 6*at*at
		})
	}
	colour := func(seed uint64) (*volume.Volume, float64) {
		n, sd := blurred(clean.Geometry, seed)
		return each(clean, func(x float64, i int) float64 { return x + 8/sd*float64(n.Data[i]) }), 8
	}
	first, _ := colour(1)
	second, _ := colour(2)
	for name, c := range map[string]struct {
		a, b   *volume.Volume
		want   float64
		across float64 // correlation along x
	}{
		"white":      {noisy(t, clean, noise.Gaussian, 8, 1), noisy(t, clean, noise.Gaussian, 8, 2), 8, 0},
		"Rician":     {noisy(t, clean, noise.Rician, 8, 1), noisy(t, clean, noise.Rician, 8, 2), 8, 0},
		"correlated": {first, second, 8, 0.8},
		"drift":      {noisy(t, clean, noise.Gaussian, 8, 1), drifting(noisy(t, clean, noise.Gaussian, 8, 2)), 8, 0},
	} {
		r, err := noise.Repeated(t.Context(), c.a, c.b)
		if err != nil || math.Abs(r.Sigma/c.want-1) > 0.04 || r.Confidence != noise.High || r.Moved {
			t.Errorf("%s: sigma %.3g (%s, %s), want %g; %v", name, r.Sigma, r.Confidence, r.Why, c.want, err)
			continue
		}
		if math.Abs(r.Next[0]-c.across) > 0.05 || math.Abs(r.Next[2]) > 0.05 {
			t.Errorf("%s: correlation %.2f", name, r.Next)
		}
		if len(r.PerSlice) != 10 || math.Abs(r.PerSlice[5].Sigma/c.want-1) > 0.1 {
			t.Errorf("%s: slices %+v", name, r.PerSlice)
		}
	}
}

// Stronger noise at one side has not moved; an object that moved has, and its even parts still give the noise.
func TestMovedRepeats(t *testing.T) {
	clean := headTwice(t)
	ramp := func(seed uint64) *volume.Volume {
		return each(clean, func(x float64, i int) float64 {
			return x + (4+8*float64(i%128)/128)*noise.Normal(seed, uint64(i), 0)
		})
	}
	r, err := noise.Repeated(t.Context(), ramp(1), ramp(2))
	if err != nil || r.Moved {
		t.Errorf("a ramp of noise: %+v, %v", r.Figure, err)
	}
	shifted := each(clean, func(_ float64, i int) float64 {
		return 0.7*float64(clean.Data[i]) + 0.3*float64(clean.Data[max(i-1, 0)])
	})
	r, err = noise.Repeated(t.Context(), noisy(t, clean, noise.Gaussian, 4, 1), noisy(t, shifted, noise.Gaussian, 4, 2))
	if err != nil || !r.Moved || r.Confidence == noise.High || !strings.Contains(r.Why.String(), "moved") || math.Abs(r.Sigma/4-1) > 0.15 {
		t.Errorf("0.3 voxels: %+v, %v", r.Figure, err)
	}
}

// The noise is unknown if an object moved so far that both differ by more than the noise of each; at any place it is that of
// acquisitions that did not move.
func TestAcquisitionsOfAMovedObject(t *testing.T) {
	clean := headTwice(t)
	for voxels, unknown := range map[int]bool{0: false, 4: true, 8: true, 16: true} {
		moved := each(clean, func(_ float64, i int) float64 { return float64(clean.Data[max(i-voxels, 0)]) })
		r, err := noise.Repeated(t.Context(), noisy(t, clean, noise.Gaussian, 4, 1), noisy(t, moved, noise.Gaussian, 4, 2))
		if err != nil || (r.Confidence == noise.None) != unknown || !unknown && math.Abs(r.Sigma/4-1) > 0.04 || unknown && !strings.Contains(r.Why.String(), "something moved") {
			t.Errorf("%d voxels: %+v, %v", voxels, r.Figure, err)
		}
	}
}

// What cannot be repeats is refused, and little ground gives no figure.
func TestWhatIsNoRepeat(t *testing.T) {
	clean := headTwice(t)
	a := noisy(t, clean, noise.Gaussian, 5, 1)
	for name, c := range map[string]struct {
		b    *volume.Volume
		want string // in the error; "" for none
	}{
		"1.09 times": {each(a, func(x float64, i int) float64 { return 1.09*x + 5*noise.Normal(3, uint64(i), 0) }), ""},
		"1.12 times": {each(a, func(x float64, i int) float64 { return 1.12 * x }), "spread 1.12 times"},
		"half":       {each(a, func(x float64, i int) float64 { return x / 2 }), "spread 0.5 times"},
		"offset":     {each(a, func(x float64, i int) float64 { return x + 1000 }), "the mean of the second"},
		"fewer":      {slab(a, 0, 4), "voxels"},
	} {
		_, err := noise.Repeated(t.Context(), a, c.b)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	small := flat([3]int{12, 12, 2}, 100)
	r, err := noise.Repeated(t.Context(), noisy(t, small, noise.Gaussian, 5, 1), noisy(t, small, noise.Gaussian, 5, 2))
	if _, _, unknown := r.Unknown(); err != nil || !unknown {
		t.Errorf("few voxels: %+v, %v", r.Figure, err)
	}
	constant := flat([3]int{80, 80, 2}, 100)
	if r, err := noise.Repeated(t.Context(), constant, constant); err != nil || r.Sigma != 0 {
		t.Errorf("the same volume: %+v, %v", r.Figure, err)
	}
}

// Volumes of a series that follow each other are repeats; if they alternate, those two apart are; a change
// of contrast between two is left out.
func TestSequenceOfRepeats(t *testing.T) {
	clean := headTwice(t)
	for name, c := range map[string]struct {
		change func(x float64, k int) float64
		pairs  int
		apart  int
	}{
		"alike":     {func(x float64, _ int) float64 { return x }, 5, 1},
		"alternate": {func(x float64, k int) float64 { return x * (1 + 0.08*float64(k%2)*math.Sin(x/20)) }, 4, 2},
		"settling":  {func(x float64, k int) float64 { return x * (1 + 0.06*math.Exp(-float64(k))*math.Sin(x/20)) }, 5, 1},
		"halved":    {func(x float64, k int) float64 { return x / math.Max(1, 2*float64(k/5)) }, 4, 1},
	} {
		var s noise.Sequence
		if _, ok := s.Repeats(); ok {
			t.Error("repeats without volumes")
		}
		for k := range 6 {
			v := each(clean, func(x float64, i int) float64 { return c.change(x, k) + 3*noise.Normal(uint64(k+1), uint64(i), 0) })
			if err := s.Add(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		}
		r, ok := s.Repeats()
		if !ok || math.Abs(r.Sigma/3-1) > 0.05 || r.Confidence == noise.None || r.Pairs != c.pairs || r.Apart != c.apart {
			t.Errorf("%s: sigma %.3g of %d pairs, %d apart, %v", name, r.Sigma, r.Pairs, r.Apart, ok)
		}
	}
}
