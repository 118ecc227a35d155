package enginetest

import (
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// sizes are at the ends of loops, halos and groups of lanes.
var sizes = [][3]int{
	{1, 1, 1}, {2, 2, 2}, {31, 3, 2}, {32, 5, 1}, {33, 4, 3}, {1, 33, 2}, {2, 1, 32}, {9, 8, 7},
}

func (s suite) testAgreement(t *testing.T) {
	s.eachCase(t, small, func(t *testing.T, _ denoise.Case, r denoise.Recipe) {
		var worst Margin
		for _, size := range sizes {
			m := agree(t, s.engine, r, scene(size), volume.Region{Max: size})
			worst = Margin{max(worst.Max, m.Max), max(worst.RMS, m.RMS)}
		}
		t.Logf("used %.2g of the tolerance, %.2g of the RMS tolerance", worst.Max, worst.RMS)
	})
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

// testLarge runs volumes that need several tiles or slabs and compares boxes at
// the seams of the CPU engine's tiles and at the far corner.
func (s suite) testLarge(t *testing.T) {
	large := func(c denoise.Case) bool { return c.Large != [3]int{} }
	s.eachCase(t, large, func(t *testing.T, c denoise.Case, r denoise.Recipe) {
		v := scene(c.Large)
		whole := run(t, s.engine, r, v, v.Bounds())
		seam, corner := [3]int{}, [3]int{}
		for a, n := range c.Large {
			tile := program(t, r, v).Passes[0].CPU.Tile[a]
			tiles := (n + tile - 1) / tile
			seam[a] = max(n/tiles-3, 0)
			corner[a] = max(n-6, 0)
		}
		for _, at := range [][3]int{seam, corner, {seam[0], 0, corner[2]}, {corner[0], seam[1], 0}} {
			box := volume.Region{Min: at, Max: [3]int{at[0] + 6, at[1] + 6, at[2] + 5}}.Grow([3]int{}, v.Geometry)
			if _, err := Agree(whole.Crop(box), reference(t, r, v, box), rangeOf(v)); err != nil {
				t.Errorf("box at %v: %v", at, err)
			}
		}
	})
}

func (s suite) testPadding(t *testing.T) {
	s.eachCase(t, small, func(t *testing.T, _ denoise.Case, r denoise.Recipe) {
		for _, size := range [][3]int{{1, 1, 1}, {33, 4, 3}, {9, 8, 7}} {
			agree(t, s.engine, r, masked(scene(size)), volume.Region{Max: size})
		}
	})
	// The stored values of padding must not influence a filter that compares
	// single voxels.
	for _, filter := range s.filters {
		if filter.ReadsPadding {
			continue
		}
		t.Run(filter.Name+" does not read it", func(t *testing.T) {
			r := recipe(t, filter.Name, 0)
			v := masked(scene([3]int{12, 11, 6}))
			before := run(t, s.engine, r, v, v.Bounds())
			for i := range v.Data {
				if !v.Valid(i) {
					v.Data[i] = -30000
				}
			}
			after := run(t, s.engine, r, v, v.Bounds())
			for i := range v.Data {
				if v.Valid(i) && before.Data[i] != after.Data[i] {
					t.Fatalf("voxel %d is %v, and %v with other values in the padding", i, before.Data[i], after.Data[i])
				}
				if !v.Valid(i) && after.Data[i] != -30000 {
					t.Fatalf("voxel %d is padding and became %v", i, after.Data[i])
				}
			}
		})
	}
}

// testMask: voxels that Input.Mask excludes are treated like padding, in addition
// to the volume's own padding, but are not padding of the result.
func (s suite) testMask(t *testing.T) {
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		v := masked(scene([3]int{33, 9, 5}))
		want := run(t, s.engine, r, v, v.Bounds())
		for name, split := range map[string]func(i int) (padding, excluded bool){
			"alone":       func(i int) (bool, bool) { return true, v.Mask[i] },
			"and padding": func(i int) (bool, bool) { return v.Mask[i] || i%2 == 0, v.Mask[i] || i%2 == 1 },
		} {
			in := Input(t, r, v)
			part := *v
			part.Mask = make([]bool, len(v.Data))
			in.Volume, in.Mask = &part, make([]bool, len(v.Data))
			for i := range v.Data {
				part.Mask[i], in.Mask[i] = split(i)
			}
			got, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Data, want.Data) {
				t.Errorf("mask %s: the result differs from that of padding", name)
			}
			if !slices.Equal(got.Mask, part.Mask) {
				t.Errorf("mask %s: the padding of the result is not that of the input", name)
			}
		}
	})
}

// testMaps: a guide that the filter does not read is refused, and so is an input
// without a map that it reads.
func (s suite) testMaps(t *testing.T) {
	v := scene([3]int{9, 8, 3})
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		in := Input(t, r, v)
		for name, m := range map[string]**volume.Volume{denoise.NoiseMap: &in.Noise, denoise.GuideVolume: &in.Guide} {
			given := *m
			*m = nil
			if given == nil && name == denoise.NoiseMap {
				continue // every filter takes one
			}
			if given == nil {
				*m = v
			}
			if _, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %s given: %v: error %v", r.Filter, name, *m != nil, err)
			}
			*m = given
		}
	})
}

// testCT runs on values as large as a CT's, with air next to bone: squares of their
// differences leave few digits of float32, and bone resembles nothing in air.
func (s suite) testCT(t *testing.T) {
	size := [3]int{20, 12, 5}
	ct := func(c denoise.Case) bool { return c.CT }
	s.eachCase(t, ct, func(t *testing.T, _ denoise.Case, r denoise.Recipe) {
		v := scene(size)
		for i, x := range v.Data {
			v.Data[i] = 14*x - 1000
		}
		agree(t, s.engine, r, v, v.Bounds())
	})
}
