package measure

import (
	"cmp"
	"math"
	"slices"
)

const (
	// mostRegions bounds how many even regions are found.
	mostRegions = 16
	// enoughRegions is how many of a side are enough not to look for smaller ones.
	enoughRegions = 4
	// regionFactor is how much the SD of a region may exceed the SD of the quietest quarter.
	regionFactor = 1.25
)

// regionSides are the sides of the squares that are looked for, in pixels, the largest first: the larger the region,
// the lower the frequencies.
var regionSides = []int{96, 64, 48, 32, 24, leastSide}

// EvenRegions finds squares of noise on an even ground by themselves, even on every slice: the largest of which there are
// four, else those that cover the most. counts says which pixels they may hold, nil for all. Squares do not overlap. There is
// none if nothing in the slices is even.
func EvenRegions(slices []Slice, counts func(i int) bool) []Outline {
	var best []Outline
	covered := 0
	for _, side := range regionSides {
		found := evenSquares(slices, side, counts)
		if len(found)*side*side > covered {
			best, covered = found, len(found)*side*side
		}
		if len(found) >= enoughRegions {
			return found
		}
	}
	return best
}

// evenSquares returns even squares of a side.
func evenSquares(all []Slice, side int, counts func(i int) bool) (out []Outline) {
	type square struct {
		at [2]int
		sd float64
	}
	var found []square
	first := all[0]
	for y := 0; y+side <= first.Height; y += side / 2 {
		for x := 0; x+side <= first.Width; x += side / 2 {
			if counts != nil && !holdsOnly(first.Width, x, y, side, counts) {
				continue
			}
			o := squareAt(x, y, side)
			variance, ok := 0.0, true
			for _, s := range all {
				p, err := PatchOf(s, o)
				if ok = err == nil && p.Even() == nil; !ok {
					break
				}
				variance += p.Variance() / float64(len(all))
			}
			if ok {
				found = append(found, square{[2]int{x, y}, math.Sqrt(variance)})
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b square) int { return cmp.Compare(a.sd, b.sd) })
	most := regionFactor * found[len(found)/4].sd
	// In the order of places, not of SDs: the quietest of all would say too little of the noise.
	slices.SortFunc(found, func(a, b square) int { return cmp.Or(a.at[1]-b.at[1], a.at[0]-b.at[0]) })
	var taken [][2]int
	for _, f := range found {
		apart := func(o [2]int) bool {
			return max(o[0]-f.at[0], f.at[0]-o[0]) < side && max(o[1]-f.at[1], f.at[1]-o[1]) < side
		}
		if f.sd <= most && !slices.ContainsFunc(taken, apart) {
			taken = append(taken, f.at)
		}
	}
	for k := range min(len(taken), mostRegions) {
		at := taken[k*len(taken)/min(len(taken), mostRegions)] // all over the slice
		out = append(out, squareAt(at[0], at[1], side))
	}
	return out
}

func squareAt(x, y, side int) Outline {
	return Outline{Shape: Box, Points: [][2]float64{{float64(x), float64(y)}, {float64(x + side - 1), float64(y + side - 1)}}}
}

// holdsOnly reports whether all pixels of a square count.
func holdsOnly(width, x, y, side int, counts func(i int) bool) bool {
	for row := y; row < y+side; row++ {
		for col := x; col < x+side; col++ {
			if !counts(row*width + col) {
				return false
			}
		}
	}
	return true
}
