package lesions

import (
	"context"
	"slices"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// halves is noise of two strengths, weak on the left and strong on the right.
func halves(t *testing.T, weak, strong float32) *volume.Volume {
	t.Helper()
	v := noisyScene(t, [3]int{120, 60, 3})
	plain := volume.New(v.Geometry)
	out, err := noise.AddNoise(context.Background(), plain, noise.Gaussian, 1, 9)
	if err != nil {
		t.Fatal(err)
	}
	for i := range out.Data {
		if i%120 < 60 {
			out.Data[i] *= weak
		} else {
			out.Data[i] *= strong
		}
		out.Data[i] += 1000
	}
	return out
}

func all(int) bool { return true }

func TestPlacesAreEvenAndApart(t *testing.T) {
	ctx := context.Background()
	v := halves(t, 1, 2)
	s := search{counts: all, side: 13, slices: 1, most: 200, seed: 4}
	at, err := places(ctx, v, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(at) < LeastPlaces {
		t.Fatalf("only %d places", len(at))
	}
	for i, p := range at {
		if p[0] > 60+3 || p[0] < 6 || p[1] < 6 || p[1] > 53 {
			t.Errorf("place %v is not of even tissue", p)
		}
		for _, q := range at[:i] {
			if s.overlap(p, q) {
				t.Errorf("%v and %v overlap", p, q)
			}
		}
	}
	again, _ := places(ctx, v, s)
	if !slices.Equal(at, again) {
		t.Error("the same seed gives other places")
	}
	s.seed++
	if other, _ := places(ctx, v, s); slices.Equal(at, other) {
		t.Error("another seed gives the same places")
	}
}

// TestTheNoiseSaysWhatIsEven: tissue with a local SD of 1.5, for what is known of the noise.
func TestTheNoiseSaysWhatIsEven(t *testing.T) {
	v := halves(t, 1.5, 1.5)
	known := func(sigma float64, c noise.Confidence) noise.Estimate {
		return noise.Estimate{Figure: noise.Figure{Sigma: sigma, Confidence: c}}
	}
	atMost := func(most float64) noise.Estimate {
		return noise.Estimate{Figure: noise.Figure{Sigma: 0.1, Low: 0.1, High: most, Confidence: noise.Low}}
	}
	for _, c := range []struct {
		noise noise.Estimate
		even  bool
	}{
		{known(1.5/1.1, noise.High), true}, {known(1, noise.High), false},
		{known(1.5/1.35, noise.Fair), true}, {known(0.8, noise.Fair), false},
		{known(1.5/1.35, noise.Low), true}, {known(0.8, noise.Low), false},
		{known(0, noise.None), true}, // what the quietest regions show
		{atMost(2), true}, {atMost(1), false},
	} {
		at, err := places(context.Background(), v, search{counts: all, noise: c.noise, side: 13, slices: 1, most: 10, seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if (len(at) == 10) != c.even {
			t.Errorf("%+v: %d places", c.noise.Figure, len(at))
		}
	}
}

func TestANoiseMapSaysWhatIsEven(t *testing.T) {
	v := halves(t, 1, 4)
	m := volume.New(v.Geometry)
	for i := range m.Data {
		m.Data[i] = 1
		if i%120 >= 60 {
			m.Data[i] = 4
		}
	}
	right := func(at [][3]int) (n int) {
		for _, p := range at {
			if p[0] > 66 {
				n++
			}
		}
		return n
	}
	for _, scale := range []float32{1, 0.5} { // of half the noise nothing is even
		for i := range m.Data {
			m.Data[i] *= scale
		}
		at, err := places(context.Background(), v, search{counts: all, sigmas: m, side: 13, slices: 1, most: 60, seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if (right(at) > 5) != (scale == 1) || (len(at) > 10) != (scale == 1) {
			t.Errorf("map times %g: %d places, %d of them in strong noise", scale, len(at), right(at))
		}
	}
}

func TestPlacesKeepToTheForeground(t *testing.T) {
	v := halves(t, 1, 1)
	s := search{counts: func(i int) bool { return i%120 >= 40 }, side: 15, slices: 3, most: 50, seed: 4}
	at, err := places(context.Background(), v, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(at) == 0 {
		t.Fatal("no place")
	}
	for _, p := range at {
		if p[0] < 47 || p[2] != 1 {
			t.Errorf("the region about %v leaves the foreground or the volume", p)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct{ from, to, want, step int }{{0, 48, 48, 1}, {1, 50, 25, 2}, {2, 2, 0, 0}, {1, 0, 0, 0}} {
		zs := spread(c.from, c.to, 0)
		if len(zs) != c.want || len(zs) > 1 && zs[1]-zs[0] != c.step || len(zs) > 0 && zs[0] != c.from {
			t.Errorf("slices %d to %d: %v", c.from, c.to, zs)
		}
	}
}

// Of windows the ones count whose figure is at most as many distances of the percentiles above the lower fifth.
func TestUsualWindows(t *testing.T) {
	var found []candidate
	for i := range 100 {
		found = append(found, candidate{sd: float64(i)})
	}
	found[98].sd, found[99].sd = 20+3*15, 20+3*15+0.001
	kept := usual(slices.Clone(found), 3, func(c candidate) float64 { return c.sd })
	if n := len(kept); n != 67 || kept[n-1].sd != found[98].sd {
		t.Errorf("%d windows, the last of %g", n, kept[n-1].sd)
	}
}

// An edge of one sigma through a window raises its SD by a tenth, and the variance of its blocks far above that of noise.
func TestFaintEdgesAreNoTissue(t *testing.T) {
	v := halves(t, 1, 1)
	for i := range v.Data {
		if x := i % 120; x >= 60 {
			v.Data[i]++
		}
	}
	s := search{counts: all, side: 21, slices: 1, most: 200, seed: 4, noise: noise.Known(1)}
	for _, s.noiseOnly = range []bool{false, true} {
		at, err := places(context.Background(), v, s)
		if err != nil || len(at) < 8 {
			t.Fatal(at, err)
		}
		crosses := slices.ContainsFunc(at, func(c [3]int) bool { return c[0] > 54 && c[0] < 66 })
		if crosses == s.noiseOnly {
			t.Errorf("noise only %v: an edge in a region %v", s.noiseOnly, crosses)
		}
	}
}

func places(ctx context.Context, v *volume.Volume, s search) ([][3]int, error) {
	return placesIn(ctx, v, v.Bounds(), s)
}
