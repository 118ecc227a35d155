package kernels

import (
	"testing"

	"quell/denoise"
)

// The kernels of sadct: small tiles for images of few pixels, few supports at once for
// long scales, and memory that every device has.
func TestSadctKernels(t *testing.T) {
	for _, c := range []struct {
		dims           [3]int
		scales, wiener []int
		kernels        [2]string
		grids, threads [2]int
	}{
		{[3]int{256, 256, 1}, nil, nil, [2]string{"sadct_threshold_small", "sadct_wiener_small"}, [2]int{256, 256}, [2]int{256, 256}},
		{[3]int{512, 512, 1}, nil, nil, [2]string{"sadct_threshold", "sadct_wiener"}, [2]int{256, 256}, [2]int{256, 256}},
		{[3]int{352, 384, 1}, []int{1, 9}, []int{1, 6}, [2]string{"sadct_threshold", "sadct_wiener"}, [2]int{132, 132}, [2]int{256, 256}},
		{[3]int{352, 372, 1}, []int{1, 10}, []int{1, 7}, [2]string{"sadct_threshold_long", "sadct_wiener_long"}, [2]int{132, 132}, [2]int{128, 64}},
		{[3]int{32, 32, 131}, []int{12}, []int{12}, [2]string{"sadct_threshold_long", "sadct_wiener_long"}, [2]int{131, 131}, [2]int{128, 64}},
		{[3]int{32, 32, 131}, nil, nil, [2]string{"sadct_threshold_small", "sadct_wiener_small"}, [2]int{524, 524}, [2]int{256, 256}},
	} {
		set := map[string]denoise.Value{"sigma": denoise.Number(10)}
		if c.scales != nil {
			set["scales"], set["wiener-scales"] = denoise.List(c.scales...), denoise.List(c.wiener...)
		}
		ls := launches(t, recipe(t, "sadct", 2, set), c.dims)
		if len(ls) != 3 || ls[0].Kernel != "sadct_scales" {
			t.Fatalf("%+v", ls)
		}
		for i, l := range ls[1:] {
			if l.Kernel != c.kernels[i] || l.Grid[0] != c.grids[i] || l.Block[0] != c.threads[i] {
				t.Errorf("%v, scales %v: %s of %d blocks of %d; want %s of %d of %d", c.dims, c.scales, l.Kernel, l.Grid[0], l.Block[0], c.kernels[i], c.grids[i], c.threads[i])
			}
			if l.Shared > 64<<10 || l.Shared < 8<<10 {
				t.Errorf("%s takes %d bytes of shared memory", l.Kernel, l.Shared)
			}
		}
	}
	p := decoded[sadctStageParams](t, launches(t, recipe(t, "sadct", 2, map[string]denoise.Value{
		"sigma": denoise.Number(7), "threshold": denoise.Number(0.9), "overlap": denoise.Number(33), "wiener-scales": denoise.List(2, 4),
	}), [3]int{20, 10, 2})[2])
	if p.Count != 3 || p.Lengths != [8]int32{1, 2, 4} || p.Reach != 3 || p.Overlap != 33 || p.Sigma != 7 || p.Threshold != 0.9 || p.Dims != [3]int32{20, 10, 2} {
		t.Errorf("%+v", p)
	}
	if _, err := sadctLengths([]int{1, 13}); err == nil {
		t.Error("a scale of 13 is taken")
	}
	if _, err := sadctLengths([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}); err == nil {
		t.Error("nine scales are taken")
	}
}
