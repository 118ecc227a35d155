package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"quell/gpu/wire"
)

// device keeps one worker alive for one GPU: it starts it when it is needed,
// again when it was lost, less eagerly each time, and lets it go when it is
// idle, so that the GPU's memory goes back to others.
type device struct {
	options Options
	env     []string // names the GPU to the worker

	starting chan struct{} // holds a token while nobody starts a worker

	mu      sync.Mutex
	session *session
	hello   wire.Hello  // of the last worker that came up
	losses  []time.Time // of workers, within lossWindow
	starts  int
	reason  error // why there is no worker; nil before the first and after an idle exit
	off     error // why none is started either: too many losses, until enabled
	users   int
	idle    *time.Timer
	busy    time.Duration      // that kernels took in all
	speed   map[string]float64 // by filter: measured rate by modelled rate, of the last block
}

// A device that loses three workers within five minutes is broken in a way
// that another start does not heal.
const (
	lossLimit  = 3
	lossWindow = 5 * time.Minute
)

// backOff is the pause before a worker is started again.
var backOff = [lossLimit]time.Duration{0, 200 * time.Millisecond, 2 * time.Second}

func newDevice(o Options, env ...string) *device {
	d := &device{options: o, env: env, starting: make(chan struct{}, 1), speed: map[string]float64{}}
	d.starting <- struct{}{}
	return d
}

// acquire returns a working session; release must follow. A start that ctx is
// too short for goes on for the next run: previews are cancelled faster than
// workers start.
func (d *device) acquire(ctx context.Context) (*session, error) {
	for {
		if _, err := take(ctx, d.starting); err != nil {
			return nil, err
		}
		if s, err := d.current(); s != nil || err != nil {
			d.starting <- struct{}{}
			return s, err
		}
		started := make(chan error, 1)
		go func() {
			err := d.start()
			d.starting <- struct{}{}
			started <- err
		}()
		failed, err := take(ctx, started)
		if err != nil {
			return nil, err
		}
		if failed != nil {
			return nil, unusable(failed)
		}
	}
}

// start starts a worker, after a pause where others were lost.
func (d *device) start() error {
	d.mu.Lock()
	pause := backOff[min(len(d.losses), lossLimit-1)]
	d.mu.Unlock()
	time.Sleep(pause)
	limit, cancel := context.WithTimeout(context.Background(), d.options.Start)
	defer cancel()
	s, err := startSession(limit, d.options, d.env)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.reason = err
		return err
	}
	if d.off != nil { // closed in the meantime
		s.dismiss()
		return d.off
	}
	d.session, d.hello, d.reason = s, s.hello, nil
	d.starts++
	return nil
}

// current returns the session that works, if there is one, for one more user.
func (d *device) current() (*session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settle()
	if d.off != nil {
		return nil, unusable(d.off)
	}
	if d.session == nil || !d.session.hold() {
		return nil, nil
	}
	if d.idle != nil {
		d.idle.Stop()
		d.idle = nil
	}
	d.users++
	return d.session, nil
}

// settle notes the loss of a worker. d.mu is held.
func (d *device) settle() {
	if d.session == nil || d.session.alive() {
		return
	}
	reason := d.session.lost
	d.session = nil
	if errors.Is(reason, errDismissed) {
		return
	}
	d.reason = reason
	now := time.Now()
	for len(d.losses) > 0 && now.Sub(d.losses[0]) > lossWindow {
		d.losses = d.losses[1:]
	}
	d.losses = append(d.losses, now)
	if len(d.losses) >= lossLimit {
		d.off = fmt.Errorf("it was switched off after %d failures within %.0f minutes, the last: %w", lossLimit, lossWindow.Minutes(), reason)
	}
}

// release ends a use of s. The last user starts the idle clock.
func (d *device) release(s *session) {
	s.letGo()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settle()
	if d.users--; d.users > 0 || d.options.Idle <= 0 || d.idle != nil {
		return
	}
	d.idle = time.AfterFunc(d.options.Idle, d.rest)
}

// rest lets an idle worker go.
func (d *device) rest() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users > 0 || d.session == nil {
		return
	}
	d.session.dismiss()
	d.session, d.idle = nil, nil
}

// enable forgets past losses.
func (d *device) enable() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settle()
	d.off, d.losses, d.reason = nil, nil, nil
}

// close ends the worker; runs under way fail.
func (d *device) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.session != nil {
		d.session.dismiss()
		d.session = nil
	}
	d.off = errors.New("it was closed")
}

// unusable makes a reason a sentence that wraps ErrDevice.
func unusable(reason error) error {
	return &deviceError{text: fmt.Sprintf("the GPU cannot be used: %v", reason), cause: reason}
}
