package output

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"quell/app/run"
	"quell/denoise"
	"quell/measure"
)

const (
	// evenSide is the side in pixels of the squares that are compared by their SD.
	evenSide = 16
	// evenSlices is how many slices are searched for them, and evenLeast how many are needed.
	evenSlices, evenLeast = 9, 5
)

// evenNoise is the noise in even squares: sums of the variances before and after, and how many squares they are of.
type evenNoise struct {
	before, after float64
	n             int
	why           string // there are none; "" if they were looked for
}

// sds returns the standard deviations before and after.
func (e evenNoise) sds() (before, after float64) {
	return math.Sqrt(e.before / float64(e.n)), math.Sqrt(e.after / float64(e.n))
}

// unknown says why they are not given; "" if they are.
func (e evenNoise) unknown() string {
	switch {
	case e.why != "":
		return e.why
	case e.n < evenLeast:
		return fmt.Sprintf("%d squares of %d × %d pixels are even, of %d that are needed", e.n, evenSide, evenSide, evenLeast)
	}
	return ""
}

// plus returns the noise in both.
func (e evenNoise) plus(o evenNoise) evenNoise {
	return evenNoise{e.before + o.before, e.after + o.after, e.n + o.n, cmp.Or(e.why, o.why)}
}

// evenSquares says how much noise is left.
func (p Page) evenSquares(ctx context.Context, facts denoise.Facts) (string, error) {
	e, err := evenNoiseOf(ctx, p.Run, facts)
	if err != nil {
		return "", err
	}
	if why := e.unknown(); why != "" {
		return "not given: " + why, nil
	}
	before, after := e.sds()
	unit := p.Run.Source.Volume.Unit
	return fmt.Sprintf("%s → %s in %d squares of %d × %d pixels", quantity(before, unit), quantity(after, unit), e.n, evenSide, evenSide), nil
}

// evenNoiseOf says how much noise a run leaves: the SD of the same squares of tissue before and
// after, about the surface of second order that fits each, if the input has nothing but
// noise on it. An estimate of the noise of the result would say less: the noise that a filter leaves
// is not the noise that estimators know.
func evenNoiseOf(ctx context.Context, r *run.Run, facts denoise.Facts) (e evenNoise, err error) {
	before, after := r.InputVolume(), r.Result
	foreground, err := facts.ForegroundOf(ctx, r.Source.Volume)
	if err != nil {
		return e, err
	}
	for k := range min(evenSlices, before.Dims[2]) {
		z := (2*k + 1) * before.Dims[2] / (2 * min(evenSlices, before.Dims[2]))
		a, err := measure.SliceOf(before, z)
		if err != nil {
			return evenNoise{why: err.Error()}, nil //nolint:nilerr // it is said
		}
		b, err := measure.SliceOf(after, z)
		if err != nil {
			return evenNoise{why: err.Error()}, nil //nolint:nilerr // it is said
		}
		for y := 0; y+evenSide <= a.Height; y += evenSide {
			if ctx.Err() != nil {
				return e, ctx.Err()
			}
			for x := 0; x+evenSide <= a.Width; x += evenSide {
				if !isTissue(r, foreground, x, y, z) {
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
				e = e.plus(evenNoise{before: first.Variance(), after: second.Variance(), n: 1})
			}
		}
	}
	return e, nil
}

// isTissue reports whether the corners and the middle of a square are foreground.
func isTissue(r *run.Run, foreground func(i int) bool, x, y, z int) bool {
	v, first := r.Source.Volume, r.Region.Min
	for _, at := range [][2]int{{0, 0}, {evenSide - 1, 0}, {0, evenSide - 1}, {evenSide - 1, evenSide - 1}, {evenSide / 2, evenSide / 2}} {
		if !foreground(v.Index(first[0]+x+at[0], first[1]+y+at[1], first[2]+z)) {
			return false
		}
	}
	return true
}
