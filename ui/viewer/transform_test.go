package viewer

import (
	"math"
	"testing"
)

// TestPixels returns the pixels that a pane shows wholly or in part, all if it shows none.
func TestPixels(t *testing.T) {
	for name, c := range map[string]struct {
		origin      [2]float64
		size        float64 // of a pixel
		first, last [2]int
	}{
		"the whole picture":        {[2]float64{10, 20}, 2, [2]int{0, 0}, [2]int{9, 7}},
		"cut off by whole pixels":  {[2]float64{-20, -40}, 10, [2]int{2, 4}, [2]int{9, 7}},
		"by a part of one":         {[2]float64{-20.1, -39.9}, 10, [2]int{2, 3}, [2]int{9, 7}},
		"at the far end":           {[2]float64{0, 0}, 12.5, [2]int{0, 0}, [2]int{7, 3}},
		"by a part at the far end": {[2]float64{0.1, -0.1}, 12.5, [2]int{0, 0}, [2]int{7, 4}},
		"moved out to the right":   {[2]float64{100, 0}, 2, [2]int{0, 0}, [2]int{9, 7}},
		"moved out to the left":    {[2]float64{-20, 0}, 2, [2]int{0, 0}, [2]int{9, 7}},
		"the last column":          {[2]float64{-18, 0}, 2, [2]int{9, 0}, [2]int{9, 7}},
		"no scale":                 {[2]float64{math.NaN(), 0}, 0, [2]int{0, 0}, [2]int{9, 7}},
	} {
		tr := Transform{Scale: 1, Origin: c.origin, PixelSize: [2]float64{c.size, c.size}, Size: [2]int{10, 8}}
		if first, last := tr.Pixels(100, 50); first != c.first || last != c.last {
			t.Errorf("%s: %v to %v, want %v to %v", name, first, last, c.first, c.last)
		}
	}
}
