package gpu

import (
	"slices"
	"testing"

	"quell/volume"
)

func TestFingerprintsDependOnEveryVoxel(t *testing.T) {
	v := ramp([3]int{700, 400, 3}) // the last tiles of rows and columns are smaller
	v.Mask = make([]bool, v.Voxels())
	before := fingerprints(v, 0, 3)
	whole := v.Bounds()
	if slices.Equal(before[0], before[1]) || slices.Equal(before[1], before[2]) {
		t.Error("two slices have the same fingerprints")
	}
	if !unchanged(v, whole, before) {
		t.Error("the volume differs from itself")
	}
	differs := func(what string) {
		t.Helper()
		now := fingerprints(v, 0, 3)
		if slices.Equal(now[1], before[1]) || !slices.Equal(now[0], before[0]) || !slices.Equal(now[2], before[2]) {
			t.Errorf("%s: want only the middle slice to change", what)
		}
		if unchanged(v, whole, before) {
			t.Errorf("%s: not noticed", what)
		}
	}
	for _, i := range []int{v.Index(0, 0, 1), v.Index(699, 399, 1), v.Index(0, 300, 1), v.Index(640, 383, 1)} {
		v.Data[i]++
		differs("a voxel")
		v.Data[i]--
	}
	v.Mask[v.Index(3, 3, 1)] = true
	differs("the mask")
	v.Mask[v.Index(3, 3, 1)] = false
	swap := func(a, b int) {
		for i := range tileSide {
			v.Data[a+i], v.Data[b+i] = v.Data[b+i], v.Data[a+i]
		}
	}
	for what, to := range map[string]int{
		"tiles": v.Index(64, 0, 1), "rows of a tile": v.Index(0, 1, 1), "bands": v.Index(0, 320, 1),
	} {
		swap(v.Index(0, 0, 1), to)
		differs(what + " that were exchanged")
		swap(v.Index(0, 0, 1), to)
	}
	v.Mask = nil
	if now := fingerprints(v, 2, 3); slices.Equal(now[0], before[2]) {
		t.Error("a missing mask is not noticed")
	}
}

// Exactly the tiles that a region touches are compared.
func TestUnchangedComparesTheTilesOfTheRegion(t *testing.T) {
	v := ramp([3]int{300, 200, 4})
	before := fingerprints(v, 0, 4)
	for _, r := range []volume.Region{
		{Min: [3]int{150, 0, 0}, Max: [3]int{151, 200, 4}},
		{Min: [3]int{60, 0, 1}, Max: [3]int{70, 200, 3}},
		{Min: [3]int{0, 199, 0}, Max: [3]int{300, 200, 4}},
		{Min: [3]int{299, 64, 3}, Max: [3]int{300, 128, 4}},
	} {
		tx0, tx1 := tiles(r.Min[0], r.Max[0])
		ty0, ty1 := tiles(r.Min[1], r.Max[1])
		for z := range 4 {
			for y := 0; y < 200; y += 21 {
				for x := 0; x < 300; x += 7 {
					read := x/tileSide >= tx0 && x/tileSide < tx1 && y/tileSide >= ty0 && y/tileSide < ty1 && z >= r.Min[2] && z < r.Max[2]
					i := v.Index(x, y, z)
					v.Data[i]++
					if same := unchanged(v, r, before[r.Min[2]:]); same == read {
						t.Fatalf("%v: voxel %d,%d,%d read: %v, noticed: %v", r, x, y, z, read, !same)
					}
					v.Data[i]--
				}
			}
		}
	}
}
