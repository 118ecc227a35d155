package enginetest

import (
	"context"
	"sync/atomic"
)

// Polls is a context that counts how often it is polled (Err or Done) and cancels
// itself at one of these polls: a cancel at a moment that does not depend on the
// machine. After the cancel it continues to count, which measures the work that is
// done after a cancel.
type Polls struct {
	context.Context
	cancel context.CancelFunc
	at     int64
	n      atomic.Int64
}

// CancelAtPoll returns a context that cancels itself at poll n, counted from 0.
func CancelAtPoll(parent context.Context, n int) *Polls {
	ctx, cancel := context.WithCancel(parent)
	return &Polls{Context: ctx, cancel: cancel, at: int64(n)}
}

// Count returns the number of polls so far.
func (p *Polls) Count() int64 { return p.n.Load() }

func (p *Polls) poll() {
	if p.n.Add(1) > p.at {
		p.cancel()
	}
}

// Err implements context.Context.
func (p *Polls) Err() error {
	p.poll()
	return p.Context.Err()
}

// Done implements context.Context.
func (p *Polls) Done() <-chan struct{} {
	p.poll()
	return p.Context.Done()
}
