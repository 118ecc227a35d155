package volume

import (
	"context"
	"slices"
	"sync"
)

// Arrival is which voxels of a volume are final while an engine computes the others, so
// that they can be written meanwhile. The nil Arrival belongs to a complete volume. It is
// safe for concurrent use.
type Arrival struct {
	reading sync.RWMutex // held to read voxels: after a failure they may change

	mu      sync.Mutex // guards the fields below
	final   []span     // sorted; neither do they touch
	ended   bool
	err     error
	changed chan struct{} // closed at the next change
}

// span is the voxels from..to-1.
type span struct{ from, to int }

// NewArrival returns the Arrival of a volume without a final voxel.
func NewArrival() *Arrival { return &Arrival{changed: make(chan struct{})} }

// Add makes the voxels from..to-1 final: they do not change any more, unless End is called
// with an error.
func (a *Arrival) Add(from, to int) {
	if a == nil || from >= to {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	i, _ := slices.BinarySearchFunc(a.final, from, func(s span, from int) int { return s.to - from })
	j := i
	for ; j < len(a.final) && a.final[j].from <= to; j++ {
		from, to = min(from, a.final[j].from), max(to, a.final[j].to)
	}
	a.final = slices.Replace(a.final, i, j, span{from, to})
	a.wake()
}

// End makes all voxels final or, with an error, none: it returns when no Read is at work any
// more, which then all return the error. Calls after the first do nothing.
func (a *Arrival) End(err error) {
	if a == nil {
		return
	}
	a.mu.Lock()
	if !a.ended {
		a.ended, a.err = true, err
		a.wake()
	}
	a.mu.Unlock()
	if err != nil {
		a.reading.Lock()
		a.reading.Unlock() //nolint:staticcheck // waits for the readers
	}
}

// wake wakes all that wait.
func (a *Arrival) wake() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// Read waits until the voxels from..to-1 are final and calls read, during which they do not
// change. The error is from read, of End or of ctx.
func (a *Arrival) Read(ctx context.Context, from, to int, read func() error) error {
	if a == nil {
		return read()
	}
	for {
		there, changed, err := a.has(from, to)
		if err != nil {
			return err
		}
		if there {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	a.reading.RLock()
	defer a.reading.RUnlock()
	if _, _, err := a.has(from, to); err != nil {
		return err
	}
	return read()
}

// has reports whether the voxels are final, and returns a channel that is closed when that may have
// changed.
func (a *Arrival) has(from, to int) (there bool, changed <-chan struct{}, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return a.err == nil, nil, a.err
	}
	i, _ := slices.BinarySearchFunc(a.final, to, func(s span, to int) int { return s.to - to })
	there = from >= to || i < len(a.final) && a.final[i].from <= from
	return there, a.changed, nil
}
