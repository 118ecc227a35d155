package lowrank

import (
	"context"
	"math"

	"quell/internal/parallel"
)

// limited restores what the patches removed and noise does not explain.
type limited struct {
	Params
	series
	bytes int    // of the marks of a place
	marks []byte // a bit for each volume of each place: more was removed around it than noise explains
}

// at returns the voxels of place i of the sums before and after, and the most that may be removed of one.
func (l *limited) at(i int) (before, after []float32, limit float64) {
	before, sigma := l.in.At(l.from*l.Dims[0]*l.Dims[1] + i)
	after, _ = l.sum.At(i)
	return before, after, l.Limit * float64(*sigma)
}

// restore puts back the voxels of the slices from <= z < to of the sums, and counts them by volume.
func (l *limited) restore(ctx context.Context, from, to int) ([]int, error) {
	restored := make([]int, l.Volumes)
	if math.IsInf(l.Limit, 1) {
		return restored, nil
	}
	l.bytes = (l.Volumes + 7) / 8
	l.marks = make([]byte, l.bytes*len(l.weight))
	depth := l.to - l.from
	err := parallel.For(ctx, depth, func(z int) error { l.mark(z, depth); return ctx.Err() })
	if err != nil {
		return nil, err
	}
	counts := make([][]int, to-from)
	err = parallel.For(ctx, to-from, func(k int) error {
		counts[k] = l.restoreSlice(from+k, depth)
		return ctx.Err()
	})
	for _, one := range counts {
		for c, n := range one {
			restored[c] += n
		}
	}
	return restored, err
}

// mark marks the places of a slice with a mean over their box that is beyond the limit.
func (l *limited) mark(z, depth int) {
	sums, squares := make([]float64, l.Volumes), make([]float64, l.Volumes)
	l.places(z, func(x, y, at int) {
		clear(sums)
		clear(squares)
		l.around(x, y, max(z-1, 0), min(z+2, depth), func(i int) {
			before, after, limit := l.at(i)
			for c, v := range before {
				if r := float64(v) - float64(after[c]); math.Abs(r) <= limit {
					sums[c] += r
					squares[c] += limit * limit
				}
			}
		})
		for c, sum := range sums {
			if sum*sum > squares[c] {
				l.marks[at*l.bytes+c/8] |= 1 << (c % 8)
			}
		}
	})
}

// restoreSlice restores the voxels of a slice that are beyond the limit, or in a box that is, and of the others the mean over the
// volumes if that is more than noise around a place. Sums of later slices are not changed by it, as all marks are made.
func (l *limited) restoreSlice(z, depth int) []int {
	restored, marked := make([]int, l.Volumes), make([]byte, l.bytes)
	first := z * l.Dims[0] * l.Dims[1]
	means := make([]float64, l.Dims[0]*l.Dims[1])
	l.places(z, func(_, _, at int) {
		before, after, limit := l.at(at)
		means[at-first] = common(before, after, limit/l.Limit)
	})
	l.places(z, func(x, y, at int) {
		n, squares, mean := 0, 0.0, 0.0
		l.around(x, y, z, z+1, func(i int) {
			n, squares = n+1, squares+means[i-first]*means[i-first]
		})
		clear(marked)
		l.around(x, y, max(z-1, 0), min(z+2, depth), func(i int) {
			for k, m := range l.marks[i*l.bytes:][:l.bytes] {
				marked[k] |= m
			}
		})
		before, after, limit := l.at(at)
		if isCommon(squares, n) {
			mean = means[at-first] * limit / l.Limit / math.Sqrt(float64(l.Volumes))
		}
		for c, v := range before {
			if marked[c/8]&(1<<(c%8)) != 0 || math.Abs(float64(v)-float64(after[c])) > limit {
				after[c] = v
				restored[c]++
			} else {
				after[c] += float32(mean)
			}
		}
	})
	return restored
}

// places calls f with the places of a slice that are not excluded.
func (l *limited) places(z int, f func(x, y, at int)) {
	for y := range l.Dims[1] {
		for x := range l.Dims[0] {
			if at := (z*l.Dims[1]+y)*l.Dims[0] + x; l.weight[at] > 0 {
				f(x, y, at)
			}
		}
	}
}

// around calls f with the places of the slices from <= k < to, and of the 3 x 3 square around a place, that are not excluded.
func (l *limited) around(x, y, from, to int, f func(i int)) {
	for k := from; k < to; k++ {
		for j := max(y-1, 0); j <= min(y+1, l.Dims[1]-1); j++ {
			for i := max(x-1, 0); i <= min(x+1, l.Dims[0]-1); i++ {
				if at := (k*l.Dims[1]+j)*l.Dims[0] + i; l.weight[at] > 0 {
					f(at)
				}
			}
		}
	}
}
