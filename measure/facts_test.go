package measure

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"quell/volume"
)

// facts is what numpy and scikit-image measure (testdata/facts.py).
type facts struct {
	Comparisons []comparisonFact
}

type comparisonFact struct {
	Dims             [3]int
	Offset, Noise    float64
	Max, Used        float64
	MSE, PSNR, Worst float64
	MaskedMSE        float64 `json:"masked_mse"`
	MaskedVoxels     int     `json:"masked_voxels"`
	SSIM             Float
	MaskedSSIM       Float `json:"masked_ssim"`
	MaskedSSIM3D     Float `json:"masked_ssim_3d"`
	SSIM3D           Float `json:"ssim_3d"`
}

func loadFacts(t *testing.T) facts {
	t.Helper()
	b, err := os.ReadFile("testdata/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// draw is the generator of facts.py: multiples of 1/16 from 0 to 256.
func draw(seed uint32, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		seed = seed*1664525 + 1013904223
		out[i] = float64(seed>>20) / 16
	}
	return out
}

// pair makes the images of facts.py and its mask.
func (f comparisonFact) pair() (ref, test *volume.Volume, mask []bool) {
	g := volume.NewGeometry(f.Dims, [3]float64{1, 1, 1})
	ref, test = volume.New(g), volume.New(g)
	n := g.Voxels()
	texture, noise, third := draw(1, n), draw(2, n), draw(3, n)
	mask = make([]bool, n)
	for z := range f.Dims[2] {
		for y := range f.Dims[1] {
			for x := range f.Dims[0] {
				i := g.Index(x, y, z)
				v := f.Offset + 7*float64(x) + 3*float64(y) + 11*float64(z) + 200*float64((x/5+y/4+z/3)%2) + texture[i]/16
				ref.Data[i] = float32(v)
				test.Data[i] = float32(v + (noise[i]-128)*f.Noise)
				mask[i] = third[i] > 100
			}
		}
	}
	return ref, test, mask
}

// near reports whether got is within a fraction tolerance of want; NaN is near NaN.
func near(got, want, tolerance float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

func TestAgreesWithScikitImage(t *testing.T) {
	worst := 0.0
	for _, f := range loadFacts(t).Comparisons {
		ref, test, mask := f.pair()
		plain, err := Compare(t.Context(), ref, test, Options{Max: f.Max, SSIM3D: true})
		if err != nil {
			t.Fatal(err)
		}
		masked, err := Compare(t.Context(), ref, test, Options{Max: f.Max, Mask: mask, SSIM3D: true})
		if err != nil {
			t.Fatal(err)
		}
		if plain.Voxels != len(ref.Data) || masked.Voxels != f.MaskedVoxels {
			t.Errorf("%v: %d and %d voxels, want %d and %d", f.Dims, plain.Voxels, masked.Voxels, len(ref.Data), f.MaskedVoxels)
		}
		for _, c := range []struct {
			what      string
			got, want Float
		}{
			{"MAX", plain.Max, Float(f.Used)},
			{"MSE", plain.MSE, Float(f.MSE)},
			{"PSNR", plain.PSNR, Float(f.PSNR)},
			{"largest difference", plain.MaxAbsDiff, Float(f.Worst)},
			{"SSIM", plain.SSIM, f.SSIM},
			{"SSIM in 3-D", plain.SSIM3D, f.SSIM3D},
			{"MSE in a mask", masked.MSE, Float(f.MaskedMSE)},
			{"SSIM in a mask", masked.SSIM, f.MaskedSSIM},
			{"SSIM in 3-D in a mask", masked.SSIM3D, f.MaskedSSIM3D},
		} {
			if !near(float64(c.got), float64(c.want), 1e-11) {
				t.Errorf("%v: %s is %.15g, want %.15g", f.Dims, c.what, float64(c.got), float64(c.want))
			}
			if c.want.Finite() {
				worst = max(worst, math.Abs(float64(c.got/c.want)-1))
			}
		}
	}
	t.Logf("largest relative difference %.2g", worst)
}
