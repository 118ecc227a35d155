package cpu_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// facts.json was written by testdata/facts.py, an independent brute-force program.
func TestFacts(t *testing.T) {
	data, err := os.ReadFile("testdata/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Volumes map[string]struct {
			Dims    [3]int
			Spacing [3]float64
			Values  []float32
			Mask    []bool
		}
		Facts []struct {
			Volume string
			Recipe json.RawMessage
			Want   []float64
		}
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	if len(facts.Facts) < 60 {
		t.Fatalf("%d facts; there should be 63", len(facts.Facts))
	}
	for _, f := range facts.Facts {
		r, err := denoise.ParseRecipe(f.Recipe)
		if err != nil {
			t.Fatal(err)
		}
		given := facts.Volumes[f.Volume]
		v := volume.New(volume.NewGeometry(given.Dims, given.Spacing))
		v.Data, v.Mask = given.Values, given.Mask
		plain, err := cpu.Reference(t.Context(), r, denoise.Input{Volume: v}, v.Bounds())
		if err != nil {
			t.Fatal(err)
		}
		fast, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, _ := v.Range(t.Context())
		tolerance := 1e-5*float64(hi-lo) + 0.0005 // the facts have three decimals
		for i, want := range f.Want {
			for path, got := range map[string]float32{"reference": plain.Data[i], "fast path": fast.Data[i]} {
				if d := math.Abs(float64(got) - want); !(d <= tolerance) {
					t.Errorf("%s on %q: %s: voxel %d is %v; want %v", r, f.Volume, path, i, got, want)
				}
			}
		}
	}
}
