package spatial

import (
	"math"
	"strings"
	"testing"

	"quell/denoise"
	"quell/volume"
)

func TestTaps(t *testing.T) {
	w := Weights{Radius: [3]int{1, 2, 0}, Scale: [3]float64{1, 0.5, 1}}
	got := w.Taps(1)
	if len(got) != 5 || got[2] != 1 || math.Abs(got[0]-math.Exp(-0.5)) > 1e-15 {
		t.Errorf("taps %v", got)
	}
	if d := w.Distance(1, 2, 0); d != 2 {
		t.Errorf("distance %v; want 2", d)
	}
}

// The automatic radius is twice sigma, rounded up, in voxels along each axis that the
// recipe filters along; 64 is the largest.
func TestAutoRadius(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{0.5, 2, 3})
	for _, c := range []struct {
		sigma  float64
		voxels bool
		dims   int
		want   [3]int
		axis   string // in the error
	}{
		{1, false, 3, [3]int{4, 1, 1}, ""}, {1.6, false, 3, [3]int{7, 2, 2}, ""}, {1.6, false, 2, [3]int{7, 2, 0}, ""},
		{1.6, true, 3, [3]int{4, 4, 4}, ""}, {1.5, true, 2, [3]int{3, 3, 0}, ""},
		{16, false, 3, [3]int{64, 16, 11}, ""}, {16.01, false, 3, [3]int{}, "65 voxels along x"},
		{32, true, 3, [3]int{64, 64, 64}, ""}, {32.5, true, 3, [3]int{}, "65 voxels along x"},
	} {
		r := denoise.Recipe{Dims: c.dims, Params: map[string]denoise.Value{
			"sigma-spatial": denoise.Number(c.sigma), "voxel-units": denoise.Bool(c.voxels),
		}}
		v, err := autoRadius(r, g)
		if (err != nil) != (c.axis != "") || (err != nil && !strings.Contains(err.Error(), c.axis)) {
			t.Errorf("sigma %g: error %v; want %q", c.sigma, err, c.axis)
		}
		if err == nil && !v.Equal(denoise.List(c.want[:]...)) {
			t.Errorf("sigma %g, in voxels %v, %d-D: radius %s; want %v", c.sigma, c.voxels, c.dims, v, c.want)
		}
		if err != nil {
			continue
		}
		w := NewWeights(r.With("radius", v), g)
		for axis, spacing := range g.Spacing {
			want := spacing / c.sigma
			if c.voxels {
				want = 1 / c.sigma
			}
			if w.Radius != c.want || math.Abs(w.Scale[axis]-want) > 1e-15 {
				t.Errorf("sigma %g: weights %+v; want a scale of %g along %d", c.sigma, w, want, axis)
			}
		}
	}
	coarse := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{4, 4, 0.5})
	r := denoise.Recipe{Dims: 3, Params: map[string]denoise.Value{"sigma-spatial": denoise.Number(17), "voxel-units": denoise.Bool(false)}}
	if _, err := autoRadius(r, coarse); err == nil || !strings.Contains(err.Error(), "along z") {
		t.Errorf("error %v; want one that names z", err)
	}
}

// Each axis may have its own sigma; the last one given is that of the axes that follow.
func TestSigmaForEachAxis(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{0.5, 2, 3})
	for _, c := range []struct {
		sigma  denoise.Value
		scale  [3]float64
		radius [3]int
	}{
		{denoise.Numbers(1.5, 2), [3]float64{0.5 / 1.5, 1, 1.5}, [3]int{6, 2, 2}},
		{denoise.Numbers(1.5, 2, 6), [3]float64{0.5 / 1.5, 1, 0.5}, [3]int{6, 2, 4}},
		{denoise.Numbers(1.5), [3]float64{0.5 / 1.5, 2 / 1.5, 2}, [3]int{6, 2, 1}},
		{denoise.Number(1.5), [3]float64{0.5 / 1.5, 2 / 1.5, 2}, [3]int{6, 2, 1}},
	} {
		r := denoise.Recipe{Dims: 3, Params: map[string]denoise.Value{"sigma-spatial": c.sigma, "voxel-units": denoise.Bool(false)}}
		radius, err := autoRadius(r, g)
		if err != nil {
			t.Fatal(err)
		}
		w := NewWeights(r.With("radius", radius), g)
		if w.Radius != c.radius {
			t.Errorf("sigma %s: radius %v; want %v", c.sigma, w.Radius, c.radius)
		}
		for axis := range 3 {
			if math.Abs(w.Scale[axis]-c.scale[axis]) > 1e-15 {
				t.Errorf("sigma %s: %g sigmas a voxel along axis %d; want %g", c.sigma, w.Scale[axis], axis, c.scale[axis])
			}
		}
	}
}

func TestTapsOfEveryOffset(t *testing.T) {
	w := Weights{Radius: [3]int{3, 0, 0}, Scale: [3]float64{0.4, 1, 2}}
	taps := w.Taps(0)
	if len(taps) != 7 || len(w.Taps(1)) != 1 {
		t.Fatalf("%d and %d taps; want 7 and 1", len(taps), len(w.Taps(1)))
	}
	for k, tap := range taps {
		if d := float64(k-3) * 0.4; math.Abs(tap-math.Exp(-d*d/2)) > 1e-15 {
			t.Errorf("tap %d is %g", k, tap)
		}
	}
	if d, want := w.Distance(1, -2, 3), 0.16+4+36; math.Abs(d-want) > 1e-13 {
		t.Errorf("distance %g; want %g", d, want)
	}
}

// The weights of all neighbours but the centre's, with the radius that is resolved.
func TestOthers(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 2, 4})
	half, one, two := math.Exp(-0.125), math.Exp(-0.5), math.Exp(-2)
	for _, c := range []struct {
		dims   int
		sigma  float64
		radius denoise.Value
		want   float64
	}{
		{2, 2, denoise.List(1), (1+2*half)*(1+2*one) - 1},
		{2, 2, denoise.List(1, 0, 5), 2 * half},
		{3, 2, denoise.List(0, 1, 1), (1+2*one)*(1+2*two) - 1},
		{3, 2, denoise.List(0), 0},
		{2, 1, denoise.Auto, (1+2*one+2*two)*(1+2*two) - 1},
		{2, 40, denoise.Auto, 0}, // refused: 80 voxels
	} {
		r := denoise.Recipe{Dims: c.dims, Params: map[string]denoise.Value{"sigma-spatial": denoise.Number(c.sigma), "radius": c.radius}}
		if got := Others(r, g); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d-D, sigma %g, radius %s: %.15g; want %.15g", c.dims, c.sigma, c.radius, got, c.want)
		}
	}
}
