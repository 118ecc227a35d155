package enginetest

import (
	"context"
	"sync/atomic"
)

// Looks is a context that counts how often it is looked at (Err or Done) and
// cancels itself at one of these looks: a cancel at a moment that does not depend
// on the machine. After it has been cancelled it goes on counting, which measures
// the work that is done after a cancel.
type Looks struct {
	context.Context
	cancel context.CancelFunc
	at     int64
	n      atomic.Int64
}

// CancelAtLook returns a context that is cancelled at look n, counted from 0, and
// not before.
func CancelAtLook(parent context.Context, n int) *Looks {
	ctx, cancel := context.WithCancel(parent)
	return &Looks{Context: ctx, cancel: cancel, at: int64(n)}
}

// Count returns the number of looks so far.
func (l *Looks) Count() int64 { return l.n.Load() }

func (l *Looks) look() {
	if l.n.Add(1) > l.at {
		l.cancel()
	}
}

// Err implements context.Context.
func (l *Looks) Err() error {
	l.look()
	return l.Context.Err()
}

// Done implements context.Context.
func (l *Looks) Done() <-chan struct{} {
	l.look()
	return l.Context.Done()
}
