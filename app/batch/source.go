package batch

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Source hands out units.
type Source interface {
	// Next waits for a unit. The error is io.EOF where there are no more, or the context's. It
	// is called from one goroutine.
	Next(ctx context.Context) (Delivery, error)
}

// Delivery is a unit that was handed out.
type Delivery struct {
	Unit
	Attempt int // from 1; more where a process ended while it worked on the unit
	// Done is called once, from any goroutine: every series of the unit has a result, or the
	// work on it was cancelled.
	Done func(finished bool)
}

// maxAttempts is how often a unit may end its process before it is a failure.
const maxAttempts = 3

// local is the source of one process: a list. A file for each unit in work counts the attempts,
// so that a unit that ends the process, as for lack of memory, is found out by the next runs.
type local struct {
	dir   string
	units []Unit
}

// newLocal returns a source of units; those that were begun before and not finished come last.
func newLocal(s store, units []Unit) *local {
	l := &local{filepath.Join(s.dir(), "attempts"), slices.Clone(units)}
	_ = os.MkdirAll(l.dir, 0o777) // without it nothing is counted
	before := map[string]int{}
	for _, u := range units {
		before[u.Name] = min(l.attempts(u), 1)
	}
	slices.SortStableFunc(l.units, func(a, b Unit) int { return before[a.Name] - before[b.Name] })
	return l
}

func (l *local) path(u Unit) string { return filepath.Join(l.dir, identify(u.Name)) }

// attempts returns how often a unit was begun and not finished.
func (l *local) attempts(u Unit) int {
	data, err := os.ReadFile(l.path(u))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(string(data)) // a file that was cut short counts for nothing
	return n
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
	n := l.attempts(u) + 1
	_ = os.WriteFile(l.path(u), []byte(strconv.Itoa(n)), 0o666) // on a full disk nothing is counted
	return Delivery{u, n, func(bool) { _ = os.Remove(l.path(u)) }}, nil
}
