package enginetest

import (
	"fmt"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// sizes are where loops, halos and groups of lanes begin and end.
var sizes = [][3]int{
	{1, 1, 1}, {2, 2, 2}, {31, 3, 2}, {32, 5, 1}, {33, 4, 3}, {1, 33, 2}, {2, 1, 32}, {9, 8, 7},
}

func testAgreement(t *testing.T, e denoise.Engine) {
	for name, r := range options(t) {
		t.Run(name, func(t *testing.T) {
			var worst Margin
			for _, size := range sizes {
				m := agree(t, e, r, scene(size), volume.Region{Max: size})
				worst = Margin{max(worst.Max, m.Max), max(worst.RMS, m.RMS)}
			}
			t.Logf("used %.2g of the tolerance, %.2g of the RMS tolerance", worst.Max, worst.RMS)
		})
	}
}

// agree compares the engine with the reference on a region of v, between guard
// bands.
func agree(t *testing.T, e denoise.Engine, r denoise.Recipe, v *volume.Volume, region volume.Region) Margin {
	t.Helper()
	check := guarded(v)
	got := run(t, e, r, v, region)
	check(t)
	m, err := Agree(got, reference(t, r, v, region), rangeOf(v))
	if err != nil {
		t.Errorf("%s on %v: %v", r, v.Dims, err)
	}
	return m
}

// testLarge runs volumes that need several tiles or slabs, and compares boxes
// that lie across their seams, wherever an engine has them.
func testLarge(t *testing.T, e denoise.Engine) {
	cases := []struct {
		name string
		r    denoise.Recipe
		size [3]int
		at   [][3]int // corners of the boxes
	}{
		{"nlm 3-D", recipe(t, "nlm", 3, "h", "9"), [3]int{33, 40, 37}, [][3]int{{0, 14, 14}, {20, 30, 30}, {13, 0, 32}}},
		{"nlm 3-D wide", recipe(t, "nlm", 3, "h", "9"), [3]int{210, 9, 5}, [][3]int{{92, 2, 1}, {100, 5, 0}, {204, 0, 0}}},
		{"nlm 2-D", recipe(t, "nlm", 2, "h", "9", "search-radius", "6", "patch-radius", "3"), [3]int{150, 140, 2}, [][3]int{{62, 60, 0}, {125, 66, 1}, {72, 134, 0}}},
		{"bilateral 3-D", recipe(t, "bilateral", 3, "radius", "4"), [3]int{97, 40, 37}, [][3]int{{45, 14, 14}, {20, 30, 30}}},
		{"gaussian 3-D", recipe(t, "gaussian", 3, "sigma-spatial", "4"), [3]int{140, 40, 37}, [][3]int{{62, 16, 16}, {66, 0, 30}}},
		{"median 3-D", recipe(t, "median", 3, "radius", "2"), [3]int{140, 40, 9}, [][3]int{{66, 14, 2}, {125, 30, 0}}},
		{"lpa", recipe(t, "lpa", 2), [3]int{300, 70, 2}, [][3]int{{146, 30, 0}, {252, 62, 0}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := scene(c.size)
			whole := run(t, e, c.r, v, v.Bounds())
			for _, at := range c.at {
				box := volume.Region{Min: at, Max: [3]int{at[0] + 6, at[1] + 6, at[2] + 5}}.Grow([3]int{}, v.Geometry)
				if _, err := Agree(whole.Crop(box), reference(t, c.r, v, box), rangeOf(v)); err != nil {
					t.Errorf("box at %v: %v", at, err)
				}
			}
		})
	}
}

func testPadding(t *testing.T, e denoise.Engine) {
	for name, r := range options(t) {
		t.Run(name, func(t *testing.T) {
			for _, size := range [][3]int{{1, 1, 1}, {33, 4, 3}, {9, 8, 7}} {
				agree(t, e, r, masked(scene(size)), volume.Region{Max: size})
			}
		})
	}
	// What padding holds must not reach a filter that compares single voxels.
	for _, name := range []string{"gaussian", "median", "bilateral"} {
		t.Run(name+" does not read it", func(t *testing.T) {
			r := recipe(t, name, 3)
			if name == "bilateral" {
				r = r.With("sigma-range", denoise.Number(20))
			}
			v := masked(scene([3]int{12, 11, 6}))
			before := run(t, e, r, v, v.Bounds())
			for i := range v.Data {
				if !v.Valid(i) {
					v.Data[i] = -30000
				}
			}
			after := run(t, e, r, v, v.Bounds())
			for i := range v.Data {
				if v.Valid(i) && before.Data[i] != after.Data[i] {
					t.Fatalf("voxel %d is %v, and %v when padding holds other values", i, before.Data[i], after.Data[i])
				}
				if !v.Valid(i) && after.Data[i] != -30000 {
					t.Fatalf("voxel %d is padding and became %v", i, after.Data[i])
				}
			}
		})
	}
}

// testCT has values as large as a CT's, with air beside bone: squares of their
// differences leave float32 few digits, and bone finds nothing like it in air.
func testCT(t *testing.T, e denoise.Engine) {
	size := [3]int{20, 12, 5}
	v := scene(size)
	for i, x := range v.Data {
		v.Data[i] = 14*x - 1000
	}
	for _, dims := range []int{2, 3} {
		for _, settings := range [][]string{{"h", "auto"}, {"h", "20"}, {"h", "150", "patch-weights", "uniform"}, {"h", "200", "centre", "one"}} {
			r := recipe(t, "nlm", dims, settings...)
			t.Run(fmt.Sprint(dims, "-D ", settings), func(t *testing.T) { agree(t, e, r, v, v.Bounds()) })
		}
		r := recipe(t, "bilateral", dims, "sigma-range", "60")
		t.Run(fmt.Sprint("bilateral ", dims), func(t *testing.T) { agree(t, e, r, v, v.Bounds()) })
	}
}
