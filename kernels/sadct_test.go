package kernels

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// The kernels of sadct: few supports at once for long scales, and shared memory that every
// device has. Every stage computes supports, and gathers them.
func TestSadctKernels(t *testing.T) {
	for _, c := range []struct {
		dims           [3]int
		scales, wiener []int
		kernels        [2]string
		grids, threads [2]int // of the supports
		gather         int    // blocks
	}{
		{[3]int{256, 256, 1}, nil, nil, [2]string{"sadct_threshold", "sadct_wiener"}, [2]int{2048, 2048}, [2]int{256, 256}, 256},
		{[3]int{33, 9, 1}, []int{1, 9}, []int{1, 6}, [2]string{"sadct_threshold", "sadct_wiener"}, [2]int{10, 10}, [2]int{256, 256}, 4},
		{[3]int{32, 8, 1}, []int{1, 10}, []int{1, 7}, [2]string{"sadct_threshold_long", "sadct_wiener_long"}, [2]int{16, 32}, [2]int{128, 64}, 1},
		{[3]int{32, 32, 13}, []int{12}, []int{12}, [2]string{"sadct_threshold_long", "sadct_wiener_long"}, [2]int{832, 1664}, [2]int{128, 64}, 52},
	} {
		set := map[string]denoise.Value{"sigma": denoise.Number(10)}
		if c.scales != nil {
			set["scales"], set["wiener-scales"] = denoise.List(c.scales...), denoise.List(c.wiener...)
		}
		ls := launches(t, recipe(t, "sadct", 2, set), c.dims)
		if len(ls) != 5 || ls[0].Kernel != "sadct_scales" {
			t.Fatalf("%+v", ls)
		}
		for i := range 2 {
			l, gather := ls[1+2*i], ls[2+2*i]
			if l.Kernel != c.kernels[i] || l.Grid[0] != c.grids[i] || l.Block[0] != c.threads[i] {
				t.Errorf("%v, scales %v: %s of %d blocks of %d; want %s of %d of %d", c.dims, c.scales, l.Kernel, l.Grid[0], l.Block[0], c.kernels[i], c.grids[i], c.threads[i])
			}
			if l.Shared > 64<<10 || l.Shared < 8<<10 {
				t.Errorf("%s takes %d bytes of shared memory", l.Kernel, l.Shared)
			}
			if gather.Kernel != "sadct_gather" || gather.Grid[0] != c.gather || gather.Block != [3]int{32, 8, 1} || gather.Shared != 0 || string(gather.Args) != string(l.Args) {
				t.Errorf("%v: %s of %d blocks; want the gather of %d", c.dims, gather.Kernel, gather.Grid[0], c.gather)
			}
		}
	}
	checkCorrelatedSadct(t)
	p := decoded[sadctStageParams](t, launches(t, recipe(t, "sadct", 2, map[string]denoise.Value{
		"sigma": denoise.Number(7), "threshold": denoise.Number(0.9), "overlap": denoise.Number(33), "wiener-scales": denoise.List(2, 4),
	}), [3]int{20, 10, 2})[3])
	if p.Count != 3 || p.Lengths != [8]int32{1, 2, 4} || p.Reach != 3 || p.Overlap != 33 || math.Abs(p.Sigma-7.7) > 1e-12 || p.Threshold != 0.9 || p.Dims != [3]int32{20, 10, 2} {
		t.Errorf("%+v", p)
	}
	if _, err := sadctLengths([]int{1, 13}); err == nil {
		t.Error("a scale of 13 is taken")
	}
	if _, err := sadctLengths([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}); err == nil {
		t.Error("nine scales are taken")
	}
}

// The bands of a region cover it once, and their supports fit into the memory that is asked
// for, for every part of a region of those dims.
func TestSadctBands(t *testing.T) {
	defer func(n int64) { sadctMemory = n }(sadctMemory)
	dims := [3]int{40, 30, 5}
	whole := volume.Region{Max: dims}
	part := volume.Region{Min: [3]int{3, 20, 1}, Max: [3]int{28, 29, 4}}
	for _, c := range []struct {
		memory     int64 // in supports
		region     volume.Region
		reach      int
		bands      int
		rows, deep int // of the first
		scratch    int64
	}{
		{1 << 30, whole, 8, 1, 30, 5, 6000}, {6000, whole, 8, 1, 30, 5, 6000}, {5999, whole, 8, 2, 30, 4, 5999},
		{1200, whole, 8, 5, 30, 1, 1200}, {1199, whole, 8, 15, 13, 1, 1199}, {40*17 + 39, whole, 8, 150, 1, 1, 719}, {1, whole, 8, 150, 1, 1, 680}, {1, whole, 15, 150, 1, 1, 1200},
		{1 << 30, part, 8, 1, 9, 3, 36 * 18 * 3}, {40 * 25, part, 8, 3, 9, 1, 40 * 25}, {40*25 - 1, part, 8, 6, 8, 1, 40*25 - 1}, {40*18 - 1, part, 8, 27, 1, 1, 40*18 - 1}, {1, part, 5, 27, 1, 1, 35 * 11},
	} {
		sadctMemory = c.memory * sadctBytes(c.reach)
		bands := sadctBanding(c.reach, dims).of(c.region)
		if d := bands[0].Dims(); len(bands) != c.bands || d[1] != c.rows || d[2] != c.deep {
			t.Errorf("%d supports, reach %d: %d bands, the first %v; want %d of %d rows and %d slices", c.memory, c.reach, len(bands), d, c.bands, c.rows, c.deep)
		}
		pass := denoise.Pass{Reach: [3]int{2 * c.reach, 2 * c.reach, 0}}
		scratch := sadctScratch(denoise.Program{}, pass, dims, c.region.Dims())
		if got := scratch / sadctBytes(c.reach); c.region == whole && got != c.scratch || got < min(c.scratch, c.memory) {
			t.Errorf("%d supports, reach %d: memory for %d; want %d", c.memory, c.reach, got, c.scratch)
		}
		seen := map[[3]int]int{}
		for _, b := range bands {
			if need := int64(around(b, c.reach, dims).Voxels()) * sadctBytes(c.reach); need > scratch {
				t.Errorf("%d supports, reach %d: the band %v takes %d bytes of %d", c.memory, c.reach, b, need, scratch)
			}
			for z := b.Min[2]; z < b.Max[2]; z++ {
				for y := b.Min[1]; y < b.Max[1]; y++ {
					for x := b.Min[0]; x < b.Max[0]; x++ {
						seen[[3]int{x, y, z}]++
					}
				}
			}
		}
		for _, n := range seen {
			if n != 1 {
				t.Fatalf("%d supports: a pixel is in %d bands", c.memory, n)
			}
		}
		if len(seen) != c.region.Voxels() {
			t.Errorf("%d supports: the bands hold %d of %d pixels", c.memory, len(seen), c.region.Voxels())
		}
	}
}

// The scratch memory of a program is the memory of its largest pass, with its halo; most
// programs have none.
func TestScratch(t *testing.T) {
	bind := func(filter string) denoise.Program {
		p, err := recipe(t, filter, 2, nil).Bind(volume.NewGeometry([3]int{100, 90, 4}, [3]float64{1, 1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	dims := [3]int{100, 90, 4}
	// The supports of the first stage around the pilot of the second, which needs 8 pixels
	// more than the region.
	if got, want := Scratch(bind("sadct"), dims, [3]int{20, 10, 2}), sadctBytes(8)*(20+16+16)*(10+16+16)*2; got != want {
		t.Errorf("%d bytes; want %d", got, want)
	}
	if got := Scratch(bind("median"), dims, dims); got != 0 {
		t.Errorf("median takes %d bytes", got)
	}
}

// In correlated noise the deviations of the coefficients are computed before the supports, at
// the beginning of the scratch memory, and the half widths differ along diagonals.
func checkCorrelatedSadct(t *testing.T) {
	t.Helper()
	set := map[string]denoise.Value{"sigma": denoise.Number(10), "correlation": denoise.List(60, 20)}
	dims := [3]int{64, 40, 1}
	ls := launches(t, recipe(t, "sadct", 2, set), dims)
	var names []string
	for _, l := range ls {
		names = append(names, l.Kernel)
	}
	want := []string{"sadct_scales", "sadct_deviations", "sadct_threshold_correlated", "sadct_gather", "sadct_deviations", "sadct_wiener_correlated", "sadct_gather"}
	if !slices.Equal(names, want) {
		t.Fatalf("%v; want %v", names, want)
	}
	if p := decoded[sadctScalesParams](t, ls[0]); p.Half[0][2] == p.Half[1][2] || p.Half[0][0] != p.Half[1][0] {
		t.Errorf("half widths %v", p.Half)
	}
	for i, side := range map[int]int{1: 17, 4: 9} {
		d, p := decoded[sadctDeviationsParams](t, ls[i]), decoded[sadctStageParams](t, ls[i+1])
		rows := side * (side + 1) / 2
		if d.Side != int32(side) || ls[i].Grid[0] != (rows*rows+127)/128 || d.To != p.Deviations || p.Supports.Address != d.To+uint64(8*rows*rows) || d.Rho[0] != [5]float64{1, 0.6, 0.2} {
			t.Errorf("%+v, %+v", d, p)
		}
	}
	white := launches(t, recipe(t, "sadct", 2, map[string]denoise.Value{"sigma": denoise.Number(10), "correlation": denoise.List(0)}), dims)
	if p := decoded[sadctStageParams](t, white[1]); p.Deviations != 0 || len(white) != 5 {
		t.Errorf("white noise: %+v", p)
	}
}
