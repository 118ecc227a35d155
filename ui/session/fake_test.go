package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"quell/app/open"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/session/documents"
	"quell/ui/session/measures"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// fakeEngine subtracts h (nlm) or sigma-spatial (gaussian) from every voxel, so
// that a result shows which recipe made it. While gate is set, runs over the
// whole volume wait for it; hold does the same to previews.
type fakeEngine struct {
	mu       sync.Mutex
	gate     chan struct{}
	hold     chan struct{}
	previews int
	order    []int // the slice of each preview
	runs     int   // over the whole volume
	fail     error
	plan     time.Duration                          // for a slice
	free     func(r denoise.Recipe, slice int) bool // previews that are not held; nil: none
	held     chan int                               // receives the slice of every preview that begins to wait
	shrink   bool                                   // multiply the distance from 40 by 1 - h/8 instead: best at h = 8
	odd      float32                                // with shrink: by so much more in every second slice
	panics   any                                    // the value that a run over the whole volume panics with; nil does not
}

func (e *fakeEngine) Info() denoise.Info { return denoise.Info{Name: "fake", Cores: 1} }

func (e *fakeEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return denoise.Plan{Slabs: 1, Estimate: e.plan}, nil
}

func (e *fakeEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	whole := region == in.Volume.Bounds()
	e.mu.Lock()
	wait, held, fail := e.hold, e.held, e.fail
	if e.free != nil && e.free(r, region.Min[2]) {
		wait = nil
	}
	var panics any
	if whole {
		wait, panics = e.gate, e.panics
		e.runs++
	} else {
		e.previews++
		e.order = append(e.order, region.Min[2])
	}
	e.mu.Unlock()
	if panics != nil {
		panic(panics)
	}
	if fail != nil {
		return nil, fail
	}
	if progress != nil {
		progress(int64(region.Voxels())/4, int64(region.Voxels()))
	}
	if wait != nil {
		if !whole {
			select {
			case held <- region.Min[2]:
			default: // no test waits for it
			}
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	out := in.Volume.Crop(region)
	shift := r.Get("h").Float()
	if r.Filter == "gaussian" {
		shift = r.Get("sigma-spatial").Float()
	}
	if isCoarse(r, 0) {
		shift++
	}
	for i := range out.Data {
		if e.shrink && r.Filter == "nlm" {
			out.Data[i] -= (out.Data[i] - 40) * float32(shift/8) * (1 + e.odd*float32(region.Min[2]%2))
		} else {
			out.Data[i] -= float32(shift)
		}
	}
	return out, nil
}

// loop stands for the UI goroutine: Do queues functions, and the test runs them
// one by one. Background work runs at once on a goroutine.
type loop struct {
	t      *testing.T
	queue  chan func()
	direct bool   // call functions at once
	after  func() // called after every queued function
}

func newLoop(t *testing.T) *loop {
	return &loop{t: t, queue: make(chan func(), 1000), after: func() {}}
}

func (l *loop) do(f func()) {
	if l.direct {
		f()
		return
	}
	l.queue <- f
}

// until runs queued functions until ok. It fails the test when no further function is queued.
func (l *loop) until(what string, ok func() bool) {
	l.t.Helper()
	for !ok() {
		select {
		case f := <-l.queue:
			f()
			l.after()
		case <-time.After(10 * time.Minute):
			l.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// drain runs the functions that are queued now.
func (l *loop) drain() (ran bool) {
	for {
		select {
		case f := <-l.queue:
			f()
			l.after()
			ran = true
		default:
			return ran
		}
	}
}

// settle runs the session until it has neither background work nor queued functions, to show that
// something does not happen. It must not be called while the engine is held.
func (b *bench) settle() {
	for {
		b.Wait()
		if !b.loop.drain() {
			return
		}
	}
}

// bench is a session with a series open.
type bench struct {
	*session.Session
	loop        *loop
	engine      *fakeEngine
	frames      [viewer.Roles]viewer.Frame
	planePanes  [3]viewer.Pane
	planeFrames [3]viewer.Frame
	errors      []error
	opened      []string
	memory      map[string]denoise.Recipe
	filter      string // that was remembered for the next series
	choosing    func(c *open.Catalog, pick func(int), drop func())
	damaged     func(err error, rest int, open, drop func())
	scan        func(ctx context.Context, path string) (*open.Catalog, error) // nil: open.Scan
	framed      func(source *volume.Volume)                                   // nil ignores frames
	told        string                                                        // what panels showed at the last notification of a change
	mayPanic    bool                                                          // a test makes work panic
	works       int                                                           // background work started so far
	gate        chan struct{}                                                 // background work started now waits for it; nil does not
	panics      []*parallel.Panic                                             // guarded by engine.mu
}

// rampSeries is 16 x 12 x 6 voxels of a ramp with some noise.
func rampSeries(t *testing.T) *series.Series { return rampOf(t, 6) }

// rampOf returns it with a number of slices.
func rampOf(t *testing.T, slices int) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{16, 12, slices}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(100 + 10*(i%16))
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &series.Series{Meta: series.Meta{Format: "test", Modality: "MR"}, Volume: noisy}
}

// start runs f on a goroutine of its own, at once or behind the gate.
func (b *bench) start(f func()) {
	gate := b.gate
	b.works++
	go func() {
		if gate != nil {
			<-gate
		}
		f()
	}()
}

// newBench returns the bench of a test that runs along with others; a test has one of
// these.
func newBench(t *testing.T) *bench {
	t.Helper()
	t.Parallel()
	return anotherBench(t)
}

// anotherBench returns a further bench of a test.
func anotherBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, func(*desk.Deps) {})
}

// newBenchWith is anotherBench with other dependencies.
func newBenchWith(t *testing.T, change func(*desk.Deps)) *bench {
	t.Helper()
	b := &bench{loop: newLoop(t), engine: &fakeEngine{}, memory: map[string]denoise.Recipe{}}
	var panes [viewer.Roles]viewer.Pane
	for role := range panes {
		panes[role] = viewer.Pane{Width: 64, Height: 48}
	}
	deps := desk.Deps{
		Go: b.start, Do: b.loop.do, Engine: b.engine,
		Scan: func(ctx context.Context, path string) (*open.Catalog, error) {
			if b.scan != nil {
				return b.scan(ctx, path)
			}
			return open.Scan(ctx, path)
		},
		Panicked: func(p *parallel.Panic) {
			b.engine.mu.Lock()
			defer b.engine.mu.Unlock()
			b.panics = append(b.panics, p)
		},
		Remembered: func() map[string]denoise.Recipe { return b.memory },
		Remember:   func(r denoise.Recipe, filter string) { b.memory[r.Filter], b.filter = r, filter },
	}
	change(&deps)
	b.Session = session.New(deps, desk.Listener{
		Changed: func() { b.told = b.shown() },
		Framed: func(p *viewer.Picture, f [viewer.Roles]viewer.Frame) {
			b.frames = f
			if p == nil {
				return
			}
			b.told = b.shown()
			if b.framed != nil {
				b.framed(p.Source)
			}
		},
		Panes:        func() [viewer.Roles]viewer.Pane { return panes },
		PlanePanes:   func() [3]viewer.Pane { return b.planePanes },
		PlanesFramed: func(f [3]viewer.Frame) { b.planeFrames = f },
		Choose:       func(c *open.Catalog, pick func(int), drop func()) { b.choosing(c, pick, drop) },
		Damaged: func(err error, rest int, open, drop func()) {
			if b.damaged == nil {
				t.Errorf("nobody answers about %v", err)
				drop()
				return
			}
			b.damaged(err, rest, open, drop)
		},
		Opened: func(path string) { b.opened = append(b.opened, path) },
		Failed: func(err error) { b.errors = append(b.errors, err) },
	})
	t.Cleanup(func() {
		b.engine.open()
		b.Session.Close()
		b.engine.mu.Lock()
		defer b.engine.mu.Unlock()
		if len(b.panics) > 0 && !b.mayPanic {
			t.Errorf("work panicked: %v", b.panics[0])
		}
	})
	b.told = b.shown()
	b.loop.after = func() {
		if now := b.shown(); now != b.told && !t.Failed() {
			t.Errorf("the panels were notified of\n%s\nand not of\n%s", b.told, now)
		}
	}
	s := rampSeries(t)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
	b.loop.until("the series is open", func() bool { return b.Series() == s })
	return b
}

// shown is what the panels show of the session. Every change needs a notification.
func (b *bench) shown() string {
	if b.Session == nil {
		return ""
	}
	measures := func(m measures.Numbers) string { return fmt.Sprint(m.Known, m.Err, m.Current) }
	text, problem := b.Preview.Text()
	s := fmt.Sprint(b.Tuning.Recipe(), b.Results.Applied(), b.Results.Exportable() != nil, kindOf(b.Documents.Loss()), b.Tasks.Busy(), b.Tasks.Progress().Kind, b.Tasks.Progress().Fraction, "|",
		b.Tasks.Message(), "|", text, problem, b.Preview.Running(), b.Preview.Auto(), b.Screen.HoldsBefore(), b.Noise.Map() != nil, b.Strength.Curve() != nil)
	if b.Document() == nil {
		return s
	}
	shown, status, ok := b.Preview.Recipe()
	reference := 0.0
	if ref := b.Document().Reference(); ref != nil {
		reference = float64(ref.Volume.Data[0])
	}
	facts, known := b.Document().Facts()
	return s + fmt.Sprint("|", shown, status, ok, "|", measures(b.Measures.Slice()), measures(b.Measures.Volume()), reference, facts.Noise.Sigma, known,
		b.Screen.Picture() != nil, b.State().Cut().Index(), b.State().Windows.Current())
}

// open releases the runs and previews that wait.
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

func (e *fakeEngine) holdPreviews() { e.holdAllBut(nil) }

// holdAllBut holds previews except the ones that free returns true for.
func (e *fakeEngine) holdAllBut(free func(r denoise.Recipe, slice int) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hold, e.held, e.free = make(chan struct{}), make(chan int, 100), free
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

func (b *bench) status() preview.Status {
	_, status, _ := b.Preview.Recipe()
	return status
}

// tuned returns the recipe of the session with another strength.
func (b *bench) tuned(h float64) denoise.Recipe {
	return b.Tuning.Recipe().With("h", denoise.Number(h))
}

// shift is the residual of the picture on the screen.
func (b *bench) shift() float32 {
	if p := b.Screen.Picture(); p != nil && p.Residual != nil {
		return p.Residual[0]
	}
	return -1
}

// showsShift says whether the residual of the picture on the screen is x, up to
// the rounding of the subtraction.
func (b *bench) showsShift(x float32) func() bool {
	return func() bool { d := b.shift() - x; return d < 1e-3 && d > -1e-3 }
}

var errEngine = errors.New("the engine is out of order")

// filtersAhead says whether a slice that is not on the screen is being filtered.
func (b *bench) filtersAhead() bool {
	running, _ := b.Preview.Ahead()
	return running
}

// measures says whether numbers of the slice on the screen or of the volume are being computed.
func (b *bench) measures(what string) bool {
	slice, volume := b.Measures.Running()
	if what == "slice" {
		return slice
	}
	return volume
}

// kindOf returns the first kind of a loss.
func kindOf(loss []documents.Loss) desk.Loss {
	if len(loss) == 0 {
		return desk.NoLoss
	}
	return loss[0].Kind
}
