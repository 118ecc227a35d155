package denoise

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"quell/volume"
)

// The thresholds in estimate.json are skimage.filters.threshold_otsu's.
func TestOtsuFacts(t *testing.T) {
	data, err := os.ReadFile("testdata/estimate.json")
	if err != nil {
		t.Fatal(err)
	}
	var facts []struct {
		Dims   [3]int
		Values []float32
		Mask   []bool
		Otsu   float64
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	for _, f := range facts {
		v := volume.New(volume.NewGeometry(f.Dims, [3]float64{1, 1, 1}))
		v.Data, v.Mask = f.Values, f.Mask
		lo, hi, err := v.Range(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(otsu(context.Background(), v, lo, hi)); !(math.Abs(got-f.Otsu) <= 1e-5*f.Otsu) {
			t.Errorf("%v: threshold %v; want %v", f.Dims, got, f.Otsu)
		}
	}
}
