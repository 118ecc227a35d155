package enginetest_test

import (
	"math"
	"strings"
	"testing"

	"quell/denoise/enginetest"
	"quell/volume"
)

// The comparison itself must be able to fail.
func TestAgree(t *testing.T) {
	want := volume.New(volume.NewGeometry([3]int{10, 10, 10}, [3]float64{1, 1, 1}))
	want.Mask = make([]bool, len(want.Data))
	for i := range want.Data {
		want.Data[i], want.Mask[i] = float32(i), i != 500
	}
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		change func(v *volume.Volume)
		err    string // part of it; "" for none
	}{
		"the same":       {func(*volume.Volume) {}, ""},
		"one voxel near": {func(v *volume.Volume) { v.Data[3] += 0.09 }, ""},
		"one voxel far":  {func(v *volume.Volume) { v.Data[3] += 0.11 }, "voxel 3"},
		"NaN":            {func(v *volume.Volume) { v.Data[3] = nan }, "voxel 3"},
		"infinite":       {func(v *volume.Volume) { v.Data[3] = float32(math.Inf(-1)) }, "voxel 3"},
		"padding":        {func(v *volume.Volume) { v.Data[500] = 500.01 }, "padding"},
		"NaN in padding": {func(v *volume.Volume) { v.Data[500] = nan }, "padding"},
		"another mask":   {func(v *volume.Volume) { v.Mask[7] = false }, "voxel 7"},
		"a little all over": {func(v *volume.Volume) {
			for i := range v.Data {
				if i != 500 {
					v.Data[i] += 0.02
				}
			}
		}, "root mean square"},
		"another size": {func(v *volume.Volume) { v.Dims[0], v.Dims[1] = 20, 5 }, "want [10 10 10]"},
	} {
		got := want.Clone()
		c.change(got)
		_, err := enginetest.Agree(got, want, 1000)
		if (err == nil) != (c.err == "") || (err != nil && !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v; want %q", name, err, c.err)
		}
	}
}
