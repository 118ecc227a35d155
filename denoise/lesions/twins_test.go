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
	if len(twins) != p.Places || l != p.Rows[0].Lesion || twins[0].At != p.At[0] {
		t.Fatalf("%d places of %d, %+v", len(twins), p.Places, l)
	}
	if d := twins[0].Before[0].Dims; d[0] != d[1] || d[0] < 13 || d[0] > 41 || d[0]%2 == 0 {
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
	if kept := sum / energy; math.Abs(kept-p.Rows[0].Kept.Value) > 1e-4 {
		t.Errorf("the squares keep %.4f, Measure says %.4f", kept, p.Rows[0].Kept.Value)
	}
	q.Lesions = nil
	if _, _, err := lesions.Twins(context.Background(), cpu.New(), q); err == nil {
		t.Error("no lesion has twins")
	}
}
