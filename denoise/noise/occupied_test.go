package noise_test

import (
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// Slices without content at the ends of a volume leave its figures as they are, and have
// none of their own.
func TestEmptySlicesAtTheEnds(t *testing.T) {
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 128, 8}, Spacing: [3]float64{1.5, 1.5, 3}})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	full := noisy(t, truth, noise.Rician, 10, 3)
	want := estimate(t, full)
	within(t, "without empty slices", want, 10, 0.1)
	for _, ends := range [][2]int{{4, 0}, {0, 4}, {3, 5}} {
		size := full.Dims
		size[2] += ends[0] + ends[1]
		v := volume.New(volume.NewGeometry(size, full.Spacing))
		copy(v.Data[ends[0]*size[0]*size[1]:], full.Data)
		for _, mask := range []bool{false, true} {
			if mask {
				v.Mask = make([]bool, len(v.Data))
				for i := range full.Data {
					v.Mask[ends[0]*size[0]*size[1]+i] = true
				}
			}
			e := estimate(t, v)
			if math.Abs(e.Sigma/want.Sigma-1) > 1e-6 || e.Confidence != want.Confidence || e.Model != want.Model || e.ModelKnown != want.ModelKnown {
				t.Errorf("%v empty slices, masked %v: %.3f %s, want %.3f %s", ends, mask, e.Sigma, e.Confidence, want.Sigma, want.Confidence)
			}
			if len(e.PerSlice) != size[2] {
				t.Fatalf("%d figures of %d slices", len(e.PerSlice), size[2])
			}
			for z, f := range e.PerSlice {
				if inside := z >= ends[0] && z < size[2]-ends[1]; inside != (f.Confidence != noise.None) || inside && f.Sigma != want.PerSlice[z-ends[0]].Sigma {
					t.Errorf("%v empty slices: slice %d has %+v", ends, z, f)
				}
			}
		}
	}
}
