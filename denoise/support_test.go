package denoise_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/enginetest"
	_ "quell/denoise/filter"
	"quell/volume"
)

// step is a volume with an edge right of x = 15 and noise far below it.
func step() *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{32, 24, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		if v.Data[i] = 500 + float32(i*7919%13)/100; i%32 > 15 {
			v.Data[i] += 3000
		}
	}
	return v
}

// The neighbourhoods of the adaptive filters end at an edge, at excluded voxels and at
// the border of the slice, whatever is done to the voxels before.
func TestNeighbourhoods(t *testing.T) {
	v := step()
	noise := volume.New(v.Geometry)
	for i := range noise.Data {
		noise.Data[i] = 2
	}
	mask := make([]bool, len(v.Data))
	for i := range mask {
		mask[i] = i%32 != 10
	}
	stabilised := " stabilise=1"
	for _, c := range []struct {
		filter, set string
		in          denoise.Input
		left        int // at x = 12
		valid       bool
	}{
		{"lpa", "sigma=1", denoise.Input{Volume: v}, 8, true},
		{"sadct", "sigma=1 gamma=1.5", denoise.Input{Volume: v}, 9, true},
		{"sadct", "sigma=1 gamma=1.5", denoise.Input{Volume: v, Mask: mask}, 2, false},
		{"sadct", "sigma=2 gamma=1.5", denoise.Input{Volume: v, Noise: noise}, 9, true},
		{"lpa", "sigma=1" + stabilised, denoise.Input{Volume: v}, 8, true},
		{"sadct", "sigma=1 gamma=1.5" + stabilised, denoise.Input{Volume: v}, 9, true},
	} {
		r := enginetest.RecipeOf(t, c.filter, 2, c.set)
		for _, box := range []volume.Region{v.Bounds(), {Min: [3]int{10, 12, 1}, Max: [3]int{14, 13, 2}}} {
			at, err := r.Neighbourhoods(t.Context(), c.in, box)
			if err != nil {
				t.Fatalf("%s: %v", r, err)
			}
			l, ok := at(12, 12, 1)
			if !ok || l[0] > 4 || l[0] < 3 || l[1] != l[0] || l[4] != c.left || l[2] < 8 {
				t.Errorf("%s, map %t, mask %t: %v, %t; want 3 or 4 to the right, %d to the left", r, c.in.Noise != nil, c.in.Mask != nil, l, ok, c.left)
			}
			if _, ok := at(10, 12, 1); ok != c.valid {
				t.Errorf("%s: a voxel that is excluded %t has a neighbourhood %t", r, !c.valid, ok)
			}
		}
		at, err := r.Neighbourhoods(t.Context(), c.in, v.Bounds())
		if err != nil {
			t.Fatal(err)
		}
		if l, _ := at(2, 1, 0); l[4] > 3 || l[6] > 2 || l[5] > 2 || l[2] < 5 {
			t.Errorf("%s: %v near the corner", r, l)
		}
	}
}

func TestNeighbourhoodsRefuse(t *testing.T) {
	v := step()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, c := range map[string]struct {
		r      denoise.Recipe
		in     denoise.Input
		region volume.Region
	}{
		"median chooses no neighbourhood for every voxel, as sadct and lpa do": {enginetest.RecipeOf(t, "median", 2, ""), denoise.Input{Volume: v}, v.Bounds()},
		"no volume": {enginetest.RecipeOf(t, "lpa", 2, "sigma=1"), denoise.Input{}, v.Bounds()},
		"no filter": {denoise.Recipe{Filter: "blur"}, denoise.Input{Volume: v}, v.Bounds()},
		"region":    {enginetest.RecipeOf(t, "lpa", 2, "sigma=1"), denoise.Input{Volume: v}, volume.Region{}},
	} {
		if _, err := c.r.Neighbourhoods(t.Context(), c.in, c.region); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := enginetest.RecipeOf(t, "lpa", 2, "sigma=1").Neighbourhoods(ended, denoise.Input{Volume: v}, v.Bounds()); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}
