package session_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/session"
	"quell/ui/viewer"
	"quell/volume"
)

// fakeEngine subtracts h (nlm) or sigma-spatial (gaussian) from every voxel, so
// that a result tells which recipe made it. While gate is not nil, runs over
// the whole volume wait for it; hold does the same to previews.
type fakeEngine struct {
	mu       sync.Mutex
	gate     chan struct{}
	hold     chan struct{}
	previews int
	fail     error
}

func (e *fakeEngine) Info() denoise.Info { return denoise.Info{Name: "fake", Cores: 1} }

func (e *fakeEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{Slabs: 1}, nil
}

func (e *fakeEngine) Run(ctx context.Context, r denoise.Recipe, in *volume.Volume, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	whole := region == in.Bounds()
	e.mu.Lock()
	wait, fail := e.hold, e.fail
	if whole {
		wait = e.gate
	} else {
		e.previews++
	}
	e.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	if progress != nil {
		progress(int64(region.Voxels())/4, int64(region.Voxels()))
	}
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	out := in.Crop(region)
	shift := r.Get("h").Float()
	if r.Filter == "gaussian" {
		shift = r.Get("sigma-spatial").Float()
	}
	for i := range out.Data {
		out.Data[i] -= float32(shift)
	}
	return out, nil
}

// loop stands for the UI goroutine: Do queues, and the test runs what is queued
// when it says so. Work runs at once on a goroutine.
type loop struct {
	t     *testing.T
	queue chan func()
}

func newLoop(t *testing.T) *loop { return &loop{t: t, queue: make(chan func(), 1000)} }

func (l *loop) do(f func()) { l.queue <- f }

// until runs what is queued until ok, and fails the test when nothing more
// comes.
func (l *loop) until(what string, ok func() bool) {
	l.t.Helper()
	for !ok() {
		select {
		case f := <-l.queue:
			f()
		case <-time.After(time.Minute):
			l.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// settle runs what comes until nothing did for a moment: only for showing that
// something does not happen.
func (l *loop) settle() {
	for {
		select {
		case f := <-l.queue:
			f()
		case <-time.After(50 * time.Millisecond):
			return
		}
	}
}

// bench is a session with a series open.
type bench struct {
	*session.Session
	loop     *loop
	engine   *fakeEngine
	frames   [viewer.Roles]viewer.Frame
	errors   []error
	opened   []string
	memory   map[string]denoise.Recipe
	choosing func(c *app.Catalog, pick func(int), drop func())
}

// rampSeries is 16 x 12 x 6 voxels of a ramp with some noise.
func rampSeries(t *testing.T) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{16, 12, 6}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(100 + 10*(i%16))
	}
	noisy, err := denoise.AddNoise(t.Context(), v, denoise.GaussianNoise, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	noisy.Unit = "HU"
	return &series.Series{Meta: series.Meta{Format: "test", Modality: "CT"}, Volume: noisy}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{loop: newLoop(t), engine: &fakeEngine{}, memory: map[string]denoise.Recipe{}}
	var panes [viewer.Roles]viewer.Pane
	for role := range panes {
		panes[role] = viewer.Pane{Width: 64, Height: 48}
	}
	b.Session = session.New(session.Deps{
		Go: func(f func()) { go f() }, Do: b.loop.do, Engine: b.engine,
		Remembered: func() map[string]denoise.Recipe { return b.memory },
		Remember:   func(r denoise.Recipe) { b.memory[r.Filter] = r },
	}, session.Listener{
		Changed: func() {},
		Framed:  func(_ *viewer.Picture, f [viewer.Roles]viewer.Frame) { b.frames = f },
		Panes:   func() [viewer.Roles]viewer.Pane { return panes },
		Choose:  func(c *app.Catalog, pick func(int), drop func()) { b.choosing(c, pick, drop) },
		Opened:  func(path string) { b.opened = append(b.opened, path) },
		Failed:  func(err error) { b.errors = append(b.errors, err) },
	})
	t.Cleanup(func() {
		b.engine.open()
		b.Session.Close()
	})
	s := rampSeries(t)
	b.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
	b.loop.until("the series is open", func() bool { return b.Series() == s })
	return b
}

// open lets everything through that waits.
func (e *fakeEngine) open() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range []chan struct{}{e.gate, e.hold} {
		if c != nil {
			close(c)
		}
	}
	e.gate, e.hold = nil, nil
}

func (e *fakeEngine) holdPreviews() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hold = make(chan struct{})
}

func (e *fakeEngine) holdRuns() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gate = make(chan struct{})
}

func (e *fakeEngine) failWith(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail = err
}

func (e *fakeEngine) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.previews
}

func (b *bench) status() session.Status {
	_, status, _ := b.ShownRecipe()
	return status
}

// tuned returns the recipe of the session with another strength.
func (b *bench) tuned(h float64) denoise.Recipe { return b.Recipe().With("h", denoise.Number(h)) }

// shift is what the picture on the screen had taken away.
func (b *bench) shift() float32 {
	if p := b.Picture(); p != nil && p.Residual != nil {
		return p.Residual[0]
	}
	return -1
}

// showsShift says whether the frame on the screen had x taken away, but for
// the rounding of the subtraction.
func (b *bench) showsShift(x float32) func() bool {
	return func() bool { d := b.shift() - x; return d < 1e-3 && d > -1e-3 }
}

var errEngine = errors.New("the engine is out of order")
