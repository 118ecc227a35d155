package noise_test

import (
	"fmt"
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// written returns a copy with strokes of text in every slice, as a scanner or an archive burns them into the
// corners: letters of 5 x 7 pixels with strokes a pixel wide, and if soft with half the value beside the strokes.
func written(v *volume.Volume, value float32, lines int, soft bool) *volume.Volume {
	out := v.Clone()
	nx := v.Dims[0]
	for z := range v.Dims[2] {
		plane := out.Plane(z)
		for line := range lines {
			for letter := range min(12, (nx-8)/8) {
				x0, y0 := 4+letter*8, 4+line*10
				for k := range 7 {
					for _, x := range []int{x0, x0 + 4} {
						plane[(y0+k)*nx+x] = value
						if soft {
							plane[(y0+k)*nx+x+1] = value / 2
						}
					}
				}
				for k := range 5 {
					plane[(y0+3)*nx+x0+k] = value
				}
			}
		}
	}
	return out
}

// Text of 4095 on values of 255, hot pixels and padding that no file marks do not count, neither in the noise nor in
// the range that it is a share of.
func TestExtremesDoNotCount(t *testing.T) {
	for _, dims := range [][3]int{{128, 150, 12}, {91, 109, 18}} {
		p, err := phantom.New("mr", phantom.Size{Dims: dims, Spacing: [3]float64{1.7, 1.7, 2}})
		if err != nil {
			t.Fatal(err)
		}
		clean, err := p.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, sigma := range []float64{4, 10} {
			for model, v := range map[string]*volume.Volume{"Gaussian": noisy(t, clean, noise.Gaussian, sigma, 3), "Rician": noisy(t, clean, noise.Rician, sigma, 4)} {
				want, err := noise.Of(t.Context(), v)
				if err != nil {
					t.Fatal(err)
				}
				lo, hi, err := v.Range(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got := want.Range(lo, hi); got != float64(hi)-float64(lo) {
					t.Errorf("%v, %s %g: the range of plain values is %g, want %g", dims, model, sigma, got, hi-lo)
				}
				hot := v.Clone()
				for i := 777; i < len(hot.Data); i += 20011 {
					hot.Data[i] = 65535
				}
				padded := v.Clone()
				for i := range padded.Data {
					if i%dims[0] < 9 {
						padded.Data[i] = -2000
					}
				}
				for name, of := range map[string]*volume.Volume{
					"three lines": written(v, 4095, 3, false), "five soft lines": written(v, 4095, 5, true), "hot pixels": hot, "padding": padded,
				} {
					what := fmt.Sprintf("%v, %s %g, %s", dims, model, sigma, name)
					e, err := noise.Of(t.Context(), of)
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(e.Sigma/want.Sigma-1) > 0.03 || e.Negligible || e.MayBeTexture() || string(e.Model) != string(want.Model) {
						t.Errorf("%s: sigma %.3g (%s, negligible %v, %s), without %.3g (%s)", what, e.Sigma, e.Confidence, e.Negligible, e.Model, want.Sigma, want.Confidence)
					}
					lowest, highest, err := of.Range(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if got := e.Range(lowest, highest) / (float64(hi) - float64(lo)); math.Abs(got-1) > 0.02 {
						t.Errorf("%s: its range is %.3f of the image's", what, got)
					}
					inside, err := noise.Foreground(t.Context(), of)
					if err != nil {
						t.Fatal(err)
					}
					for i, x := range of.Data {
						if inside(i) && (x > 600 || x < -600) {
							t.Fatalf("%s: the foreground holds %g", what, x)
						}
					}
				}
			}
		}
	}
}

// Values that are part of the image count: an object twice as bright as all else, a background of 0, a tail.
func TestWhatIsNoExtreme(t *testing.T) {
	ramp := volume.New(volume.NewGeometry([3]int{100, 100, 10}, [3]float64{1, 1, 1}))
	for i := range ramp.Data {
		ramp.Data[i] = float32(100 + i%101)
	}
	_, hi, _ := ramp.Range(t.Context())
	for name, c := range map[string]struct {
		set  func(i int) (float32, bool)
		want bool // the voxels count
	}{
		"a tenth at 2.5 times":             {func(i int) (float32, bool) { return 520, i%10 == 0 }, false},
		"more than a tenth":                {func(i int) (float32, bool) { return 520, i%9 == 0 }, true},
		"at less than twice the range":     {func(i int) (float32, bool) { return 290, i%100 == 0 }, true},
		"at more than twice the range":     {func(i int) (float32, bool) { return 315, i%100 == 0 }, false},
		"with a tail of as many":           {func(i int) (float32, bool) { return 500 - float32(i/20%5)*60, i%20 == 0 }, true},
		"a background of 0":                {func(i int) (float32, bool) { return 0, i%2 == 0 }, true},
		"a background of -1000":            {func(i int) (float32, bool) { return -1000, i%2 == 0 }, false},
		"a voxel in two thousand at -1000": {func(i int) (float32, bool) { return -1000, i%2000 == 0 }, true},
		"a voxel in a thousand at -1000":   {func(i int) (float32, bool) { return -1000, i%1000 == 0 }, false},
		"values down to -1000":             {func(i int) (float32, bool) { return -1000 + float32(i%50)*20, i%2 == 0 }, true},
	} {
		v := ramp.Clone()
		for i := range v.Data {
			if x, ok := c.set(i); ok {
				v.Data[i] = x
			}
		}
		v.Modality = "MR"
		e, err := noise.Of(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		lo, most, err := v.Range(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if counts := e.Range(lo, most) == float64(most)-float64(lo); counts != c.want || !counts && e.Range(lo, most) != float64(hi)-100 {
			t.Errorf("%s: a range of %g of %g to %g", name, e.Range(lo, most), lo, most)
		}
	}
}

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
