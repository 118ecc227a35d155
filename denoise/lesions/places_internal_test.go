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

// TestKnownNoiseSaysWhatIsEven: tissue of 1.2 times the known noise is even, of 1.5 times it is not.
func TestKnownNoiseSaysWhatIsEven(t *testing.T) {
	v := halves(t, 1.5, 1.5)
	for sigma, even := range map[float64]bool{1: false, 1.5 / 1.1: true} {
		at, err := places(context.Background(), v, search{counts: all, noise: noise.Known(sigma), side: 13, slices: 1, most: 10, seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if (len(at) == 10) != even {
			t.Errorf("noise of 1.5 where %.3g is known: %d places", sigma, len(at))
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
