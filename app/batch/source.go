package batch

import (
	"context"
	"io"
	"slices"

	"quell/app/journal"
)

// Source hands out units.
type Source interface {
	// Next waits for a unit. The error is io.EOF if there are no more, or the context's. It is
	// called from one goroutine.
	Next(ctx context.Context) (Delivery, error)
}

// Outcome is how the work on a unit ended.
type Outcome int

// The outcomes.
const (
	Finished  Outcome = iota // every series of the unit has a result
	GivenBack                // the work was cancelled
	Taken                    // another process has the unit by now
)

// Delivery is a unit that was handed out.
type Delivery struct {
	Unit
	Done func(Outcome) // called once, from any goroutine
}

// local is the source of one process: a list.
type local struct{ units []Unit }

// newLocal returns a source of units; units that were begun and not finished come last.
func newLocal(s store, units []Unit) *local {
	l := &local{slices.Clone(units)}
	before := map[string]int{}
	for _, u := range units {
		before[u.Name] = min(journal.Ended(s.attempts(u)), 1)
	}
	slices.SortStableFunc(l.units, func(a, b Unit) int { return before[a.Name] - before[b.Name] })
	return l
}

func (l *local) Next(ctx context.Context) (Delivery, error) {
	if err := ctx.Err(); err != nil {
		return Delivery{}, err
	}
	if len(l.units) == 0 {
		return Delivery{}, io.EOF
	}
	u := l.units[0]
	l.units = l.units[1:]
	return Delivery{u, func(Outcome) {}}, nil
}
