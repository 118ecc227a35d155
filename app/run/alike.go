package run

import (
	"context"

	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// Alike finds the volumes of a 4-D series that repeat each other. It is used by one goroutine.
type Alike struct {
	of        *series.Group
	entries   int
	times     map[string]int // how often each contrast occurs
	sequences map[string]*noise.Sequence
	taken     map[string]int
	enough    bool
}

// NewAlike returns one for n volumes of a group, which is nil for a volume that is in none.
func NewAlike(of *series.Group, n int) *Alike {
	a := &Alike{of: of, entries: n, times: map[string]int{}, sequences: map[string]*noise.Sequence{}, taken: map[string]int{}}
	if of != nil {
		for k := range n {
			a.times[of.Contrast(k)]++
		}
	}
	return a
}

// Repeats reports whether another volume has the contrast of volume k.
func (a *Alike) Repeats(k int) bool { return a.of != nil && a.times[a.of.Contrast(k)] > 1 }

// enoughAlike is the number of volumes of one contrast that show the noise of a series.
const enoughAlike = 6

// Add takes volume k, and leaves out those that are more than enough, so that the noise is one figure however many volumes
// are read. The error is the context's.
func (a *Alike) Add(ctx context.Context, k int, v *volume.Volume) error {
	if !a.wants(k) {
		return nil
	}
	contrast := a.of.Contrast(k)
	if a.sequences[contrast] == nil {
		a.sequences[contrast] = &noise.Sequence{}
	}
	a.taken[contrast]++
	a.enough = a.taken[contrast] == enoughAlike // one contrast is enough
	return a.sequences[contrast].Add(ctx, v)
}

// wants reports whether volume k shows more of the noise. Of a contrast they are those in the middle, one after another: the
// first volumes of a series are often brighter than all others.
func (a *Alike) wants(k int) bool {
	if a.enough || !a.Repeats(k) {
		return false
	}
	n, before := a.times[a.of.Contrast(k)], 0
	for i := range k {
		if a.of.Contrast(i) == a.of.Contrast(k) {
			before++
		}
	}
	first := max(n-enoughAlike, 0) / 2
	return before >= first && before < first+enoughAlike
}

// Found returns what the volumes of the contrast with the most pairs show; nil if there are none.
func (a *Alike) Found() *noise.Repeats {
	var most *noise.Repeats
	for _, s := range a.sequences {
		if r, ok := s.Repeats(); ok && (most == nil || r.Pairs > most.Pairs || r.Pairs == most.Pairs && r.Sigma < most.Sigma) {
			most = &r
		}
	}
	return most
}

// FindAlike reads some volumes of a group that repeat each other, in their order. The error is load's, or the context's.
func FindAlike(ctx context.Context, of *series.Group, n int, load func(k int) (*series.Series, error)) (*noise.Repeats, error) {
	a := NewAlike(of, n)
	for k := range n {
		if !a.wants(k) {
			continue
		}
		s, err := load(k)
		if err != nil {
			return nil, err
		}
		if err := a.Add(ctx, k, s.Volume); err != nil {
			return nil, err
		}
	}
	return a.Found(), nil
}
