package run

import (
	"context"

	"quell/denoise/noise"
	"quell/series"
)

// How many volumes in the middle of a 4-D series are compared, and how many from its first on if those do not repeat each other.
const (
	middleAlike = 6
	firstAlike  = 18
)

// FindAlike returns the noise that volumes of one contrast of a group show by their differences; nil if none repeat each other.
// It reads some of the volumes of the most frequent contrast, one after another: those in the middle, as the first of a series
// are often brighter than all others, and if all of them differ by more than noise, as a head that moves makes them, the first.
// The group is nil for a volume that is in none. The error is load's, or the context's.
func FindAlike(ctx context.Context, of *series.Group, load func(ctx context.Context, k int) (*series.Series, error)) (*noise.Repeats, error) {
	most := of.MostAlike()
	middle := max(len(most)-middleAlike, 0) / 2
	for _, some := range [][]int{most[middle:min(middle+middleAlike, len(most))], most[:min(firstAlike, len(most))]} {
		var s noise.Sequence
		for _, k := range some {
			v, err := load(ctx, k)
			if err != nil {
				return nil, err
			}
			if err := s.Add(ctx, v.Volume); err != nil {
				return nil, err
			}
		}
		if r, ok := s.Repeats(); ok {
			return &r, nil
		}
		if len(some) == len(most) {
			break
		}
	}
	return nil, nil
}
