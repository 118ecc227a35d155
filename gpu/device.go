package gpu

import (
	"context"
	"errors"
	"sync"
	"time"

	"quell/gpu/wire"
	"quell/internal/message"
)

// device keeps one worker alive for one GPU. It starts the worker when a run
// needs it, restarts it after a loss with a growing pause, and stops it when it
// is idle, so that the GPU's memory is free for other programs.
type device struct {
	options Options
	env     []string // selects the GPU for the worker
	first   *device  // of the engine, with the model that sizes the blocks of all; nil for itself

	startToken chan struct{} // holds a token while no start is in progress

	mu      sync.Mutex
	session *session
	hello   wire.Hello  // of the last worker that started
	losses  []time.Time // of workers, within lossPeriod
	starts  int
	took    time.Duration // of the last start
	failed  time.Time     // when the last start failed; zero after one that did not
	reason  error         // why there is no worker; nil before the first start and after an idle stop
	off     error         // why no worker is started: too many losses, until enable or lossPeriod after the last
	closed  bool          // for good
	users   int
	volumes int // runs of several blocks that are active, or wait until another one ends
	idle    *time.Timer
	busy    time.Duration      // total time on the GPU
	speed   map[string]float64 // by filter: measured rate divided by modelled rate, of the last blocks
}

// A device that loses lossLimit workers within lossPeriod has a fault that a
// restart does not clear. It is tried again when the last loss is as long ago.
const (
	lossLimit  = 3
	lossPeriod = 5 * time.Minute
)

// startRest is how long a device with a worker that did not start gets no part of a
// run that another device can do.
const startRest = 30 * time.Second

// hungRest is how long a worker is not started again after a start that ended without an answer:
// each attempt takes as long as Options.Start. Runs fail at once until then, whatever enable
// forgets.
const hungRest = 10 * time.Minute

var errClosed = message.Errorf(message.EngineLost, "it was closed")

// backOff is the pause before a start, by the number of recent losses.
var backOff = [lossLimit]time.Duration{0, 200 * time.Millisecond, 2 * time.Second}

func newDevice(o Options, env ...string) *device {
	d := &device{options: o, env: env, startToken: make(chan struct{}, 1), speed: map[string]float64{}}
	d.startToken <- struct{}{}
	return d
}

// acquire returns a working session; release must follow. When ctx ends during
// a start, the start continues for the next run: previews are cancelled faster
// than workers start.
func (d *device) acquire(ctx context.Context) (*session, error) {
	for {
		if _, err := take(ctx, d.startToken); err != nil {
			return nil, err
		}
		if s, err := d.current(); s != nil || err != nil {
			d.startToken <- struct{}{}
			return s, err
		}
		started := make(chan error, 1)
		go func() {
			err := d.start()
			d.startToken <- struct{}{}
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

// start starts a worker, after a pause if others were lost.
func (d *device) start() error {
	d.mu.Lock()
	pause := backOff[min(len(d.losses), lossLimit-1)]
	d.mu.Unlock()
	time.Sleep(pause)
	limit, cancel := context.WithTimeout(context.Background(), d.options.Start)
	defer cancel()
	began := time.Now()
	s, err := startSession(limit, d.options, d.env, d.stagingDivisor())
	if lost := (*lostError)(nil); errors.As(err, &lost) { // it died before it said hello; a second one may not
		s, err = startSession(limit, d.options, d.env, d.stagingDivisor())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.reason, d.failed = err, time.Now()
		return err
	}
	if d.closed { // in the meantime
		s.shutdown()
		return errClosed
	}
	d.session, d.hello, d.reason, d.failed = s, s.hello, nil, time.Time{}
	d.took = time.Since(began)
	d.starts++
	return nil
}

// stagingDivisor returns the divisor of the staging buffers.
func (d *device) stagingDivisor() int {
	if d.first == nil {
		return 1
	}
	return furtherStaging
}

// warm starts the worker in the background, for later runs.
func (d *device) warm() {
	if len(d.startToken) == 0 {
		return // it is being started
	}
	go func() {
		if s, err := d.acquire(context.Background()); err == nil {
			d.release(s)
		}
	}()
}

// availability is what the division of a run depends on.
type availability struct {
	usable  bool
	ready   bool          // the worker runs
	took    time.Duration // its last start; 0 if none is known
	pause   time.Duration // before the next one
	volumes int           // runs of several blocks
}

func (d *device) availability() availability {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reap()
	s := availability{ready: d.session != nil, took: d.took, pause: backOff[min(len(d.losses), lossLimit-1)], volumes: d.volumes}
	s.usable = !d.closed && d.off == nil && !d.hung() && (s.ready || d.failed.IsZero() || time.Since(d.failed) >= startRest)
	return s
}

// current returns the running session, retained for one more user, or nil if
// there is none.
func (d *device) current() (*session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reap()
	if d.closed {
		return nil, unusable(errClosed)
	}
	if d.off != nil {
		return nil, unusable(d.off)
	}
	if d.hung() {
		return nil, unusable(d.reason)
	}
	if d.session == nil || !d.session.retain() {
		return nil, nil
	}
	if d.idle != nil {
		d.idle.Stop()
		d.idle = nil
	}
	d.users++
	return d.session, nil
}

// hung reports whether the last start ended without an answer, less than hungRest ago. The
// caller holds d.mu.
func (d *device) hung() bool {
	return errors.Is(d.reason, errHung) && time.Since(d.failed) < hungRest
}

// reap removes a session with a lost worker, counts the loss and switches the
// device off after too many, until lossPeriod has passed. The caller holds d.mu.
func (d *device) reap() {
	if n := len(d.losses); d.off != nil && n > 0 && time.Since(d.losses[n-1]) >= lossPeriod {
		d.off, d.losses = nil, nil
	}
	if d.session == nil || d.session.alive() {
		return
	}
	reason := d.session.lost
	d.session = nil
	if errors.Is(reason, errShutdown) {
		return
	}
	d.reason = reason
	now := time.Now()
	for len(d.losses) > 0 && now.Sub(d.losses[0]) > lossPeriod {
		d.losses = d.losses[1:]
	}
	d.losses = append(d.losses, now)
	if len(d.losses) >= lossLimit {
		d.off = message.Errorf(message.EngineLost, "it was switched off after %d failures within %.0f minutes, the last: %w", lossLimit, lossPeriod.Minutes(), reason)
	}
}

// release ends one use of s. The last user starts the idle timer.
func (d *device) release(s *session) {
	s.release()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reap()
	if d.users--; d.users > 0 || d.options.Idle <= 0 || d.idle != nil {
		return
	}
	d.idle = time.AfterFunc(d.options.Idle, d.stopIdle)
}

// stopIdle shuts the worker down if no run uses it.
func (d *device) stopIdle() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users > 0 || d.session == nil {
		return
	}
	d.session.shutdown()
	d.session, d.idle = nil, nil
}

// enable clears past losses, so that workers are started again.
func (d *device) enable() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reap()
	d.off, d.losses = nil, nil
	if !d.hung() {
		d.reason, d.failed = nil, time.Time{}
	}
}

// close shuts the worker down for good; active runs fail.
func (d *device) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.session != nil {
		d.session.shutdown()
		d.session = nil
	}
	d.closed = true
}

// unusable turns a reason into a sentence that wraps ErrDevice.
func unusable(reason error) error {
	return &deviceError{message.Text("the GPU cannot be used: %v", reason), reason}
}
