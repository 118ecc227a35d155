package lesions_test

import (
	"context"
	"math"
	"testing"

	"quell/denoise/cpu"
	"quell/denoise/lesions"
)

// The squares of a place share their noise, and what the lesion leaves of itself in them is what Measure says.
func TestTwinsAreThoseOfMeasure(t *testing.T) {
	q := request(flat(t, [3]int{120, 110, 3}), recipe(t, "nlm", 2, nil), lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 20, Slices: 1})
	p, err := lesions.Measure(context.Background(), cpu.New(), q)
	if err != nil {
		t.Fatal(err)
	}
	twins, l, err := lesions.Twins(context.Background(), cpu.New(), q)
	if err != nil {
		t.Fatal(err)
	}
	if l != p.Rows[0].Lesion {
		t.Fatalf("%d places of %d, %+v", len(twins), p.Places, l)
	}
	if d := twins[0].Before[0].Dims; d[0] != d[1] || d[0] < 13 || d[0] > 41 || d[0]%2 == 0 || len(twins) < lesions.LeastPlaces {
		t.Errorf("squares of %v", d)
	}
	var sum, energy float64
	for _, w := range twins {
		for i := range w.Before[0].Data {
			s := float64(w.Before[1].Data[i]) - float64(w.Before[0].Data[i])
			energy += s * s
			sum += s * (float64(w.After[1].Data[i]) - float64(w.After[0].Data[i]))
		}
	}
	if kept := sum / energy; math.Abs(kept-p.Rows[0].Kept.Value) > 0.03 {
		t.Errorf("the squares keep %.4f, Measure says %.4f", kept, p.Rows[0].Kept.Value)
	}
	for _, q.Places = range []int{11, 12} {
		if twins, _, err := lesions.Twins(context.Background(), cpu.New(), q); (err == nil) != (q.Places == 12) || len(twins) != q.Places*(q.Places/12) {
			t.Errorf("%d squares of %d: %v", len(twins), q.Places, err)
		}
	}
	q.Lesions = nil
	if _, _, err := lesions.Twins(context.Background(), cpu.New(), q); err == nil {
		t.Error("no lesion has twins")
	}
}

// Squares hold neither bone nor edges, by which a reader would know a place again: here bars of bone leave room for a lesion
// beside them, and a faint step crosses the rest.
func TestTwinsHoldTissueAlone(t *testing.T) {
	v := flat(t, [3]int{200, 200, 12})
	for i := range v.Data {
		if x := i % 200; x > 120 && x%36 < 4 {
			v.Data[i] += 1000
		} else if x < 50 {
			v.Data[i] += 10
		}
	}
	q := request(v, recipe(t, "nlm", 2, nil), lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 20, Slices: 1})
	for _, q.Places = range []int{30, 200} {
		twins, _, err := lesions.Twins(context.Background(), cpu.New(), q)
		if err != nil {
			t.Fatal(err)
		}
		side := twins[0].Before[0].Dims[0]
		t.Logf("%d places, %d pixels", len(twins), side)
		for _, w := range twins {
			lo, hi := w.At[0]-side/2, w.At[0]+side/2
			if lo < 49 && hi > 50 {
				t.Errorf("a step in %d to %d", lo, hi)
			}
			for x := lo; x <= hi; x++ {
				if x > 120 && x%36 < 4 {
					t.Fatalf("bone in %d to %d", lo, hi)
				}
			}
		}
	}
}
