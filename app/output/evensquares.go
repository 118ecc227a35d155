package output

import (
	"context"
	"fmt"
	"math"

	"quell/denoise"
	"quell/measure"
)

const (
	// evenSide is the side in pixels of the squares that are compared by their SD.
	evenSide = 16
	// evenSlices is how many slices are searched for them, and evenLeast how many are needed.
	evenSlices, evenLeast = 9, 5
)

// evenSquares says how much noise is left: the SD of the same squares of tissue before and
// after, about the surface of second order that fits each, if the input has nothing but
// noise on it. An estimate of the noise of the result would say less: what a filter leaves
// is not the noise that estimators know.
func (p Page) evenSquares(ctx context.Context, facts denoise.Facts) (string, error) {
	before, after := p.Run.InputVolume(), p.Run.Result
	foreground, err := facts.ForegroundOf(ctx, p.Run.Source.Volume)
	if err != nil {
		return "", err
	}
	var sums [2]float64
	n := 0
	for k := range min(evenSlices, before.Dims[2]) {
		z := (2*k + 1) * before.Dims[2] / (2 * min(evenSlices, before.Dims[2]))
		a, err := measure.SliceOf(before, z)
		if err != nil {
			return "not given: " + err.Error(), nil //nolint:nilerr // it is said
		}
		b, err := measure.SliceOf(after, z)
		if err != nil {
			return "not given: " + err.Error(), nil //nolint:nilerr // it is said
		}
		for y := 0; y+evenSide <= a.Height; y += evenSide {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			for x := 0; x+evenSide <= a.Width; x += evenSide {
				if !p.tissue(foreground, x, y, z) {
					continue
				}
				box := measure.Outline{Shape: measure.Box, Points: [][2]float64{{float64(x), float64(y)}, {float64(x + evenSide - 1), float64(y + evenSide - 1)}}}
				first, err := measure.PatchOf(a, box)
				if err != nil || first.Even() != nil {
					continue
				}
				second, err := measure.PatchOf(b, box)
				if err != nil {
					continue
				}
				sums[0], sums[1], n = sums[0]+first.Variance(), sums[1]+second.Variance(), n+1
			}
		}
	}
	if n < evenLeast {
		return fmt.Sprintf("not given: %d squares of %d × %d pixels are even, of %d that are needed", n, evenSide, evenSide, evenLeast), nil
	}
	unit := before.Unit
	return fmt.Sprintf("%s → %s in %d squares of %d × %d pixels", quantity(math.Sqrt(sums[0]/float64(n)), unit), quantity(math.Sqrt(sums[1]/float64(n)), unit), n, evenSide, evenSide), nil
}

// tissue reports whether the corners and the middle of a square are foreground.
func (p Page) tissue(foreground func(i int) bool, x, y, z int) bool {
	v, first := p.Run.Source.Volume, p.Run.Region.Min
	for _, at := range [][2]int{{0, 0}, {evenSide - 1, 0}, {0, evenSide - 1}, {evenSide - 1, evenSide - 1}, {evenSide / 2, evenSide / 2}} {
		if !foreground(v.Index(first[0]+x+at[0], first[1]+y+at[1], first[2]+z)) {
			return false
		}
	}
	return true
}
