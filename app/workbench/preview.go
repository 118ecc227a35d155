package workbench

import (
	"context"
	"sync"
	"time"

	"quell/app/engines"
	"quell/app/executor"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// MeasurePreview measures one slice as judge.Measure measures a volume, by the noise
// and the voxels of the slice alone: the recipe is run at some twelve strengths on
// squares of it with up to 40 000 voxels. MAX is that of the whole volume, so
// that slices can be compared with each other.
func MeasurePreview(ctx context.Context, p Preview, reference *series.Series) (m judge.Measures, err error) {
	if p.Err != nil {
		return judge.Measures{}, p.Err
	}
	q := p.Request
	v := q.Series.Volume
	resolved, err := q.resolve()
	if err != nil {
		return judge.Measures{}, err
	}
	m.Assessment, err = judge.Assess(ctx, judge.Input{
		Before: q.Series, After: p.Part, Region: q.Region(), Maps: q.Maps, Recipe: &resolved, Made: true, Facts: &q.Facts,
	})
	if err != nil {
		return judge.Measures{}, err
	}
	view := v.View(q.Plane)
	c := judge.Compared{
		Before: judge.Picture(view, v, q.Index),
		After:  judge.Picture(p.Part.View(q.Plane), p.Part, 0),
	}
	if c.Max, err = judge.RangeOf(ctx, v, q.Facts); err != nil {
		return judge.Measures{}, err
	}
	if reference != nil {
		c.Reference = judge.Picture(view, reference.Volume, q.Index)
		if c.TruthMax, err = measure.DynamicRange(ctx, reference.Volume); err != nil {
			return judge.Measures{}, err
		}
	}
	return m, c.Fill(ctx, &m)
}

// PreviewRequest is one slice to be filtered: slice Index of a plane's View.
type PreviewRequest struct {
	Series *series.Series
	Recipe denoise.Recipe
	Maps   run.Maps      // that steer the filter
	Facts  denoise.Facts // denoise.FactsFor of Series.Volume and Maps
	Plane  volume.Plane
	Index  int  // as in volume.View
	Ahead  bool // a neighbour of the displayed slice: it gets no coarse preview

	Volume executor.SeriesVolume // that Series is

	equalised *denoise.Recipe // Recipe resolved, if that takes more than Facts: with the equaliser that was found for it, or by the noise of a 4-D series
}

// Region returns the voxels that the request shows.
func (q PreviewRequest) Region() volume.Region {
	return q.Series.Volume.View(q.Plane).Region(q.Index)
}

// Preview answers a request.
type Preview struct {
	Request    PreviewRequest
	Generation uint64         // as Request returned it
	Part       *volume.Volume // the region's result, one voxel thick; nil if Err is set
	Coarse     bool           // made by the coarse form of the recipe; the fine one follows
	Took       time.Duration
	Err        error
}

// Previewer filters one slice at a time while parameters change. The newest
// request wins: it cancels the one that runs and replaces the one that waits, so
// there is never more than one of each. It leaves one core to the user interface.
//
// If the slice is expected to take longer than coarseBeyond, and the filter has a
// coarse form, a coarse preview comes first. It is for display only and must not be
// measured.
//
// Its methods may be called from any goroutine. Only Close and Wait wait for a
// filter.
type Previewer struct {
	deliver func(Preview)
	wake    chan struct{} // holds a token while a request may be pending
	done    chan struct{} // closed when the worker has ended

	mu         sync.Mutex
	idle       sync.Cond // on mu; signalled when nothing is pending or running
	engine     *sliceEngine
	generation uint64
	pending    *PreviewRequest
	cancel     context.CancelFunc // of the running request
	busy       bool               // a request is being filtered or its preview delivered
	closed     bool
}

// NewPreviewer starts a previewer. deliver is called on the previewer's own
// goroutine, one call at a time, and only while its preview is the newest
// requested; a coarse preview is followed by the fine one or its error. A caller that passes the preview to another goroutine compares
// Generation with Latest there, as a newer request may have come in between.
func NewPreviewer(eng denoise.Engine, deliver func(Preview)) *Previewer {
	p := &Previewer{deliver: deliver, engine: &sliceEngine{engine: eng}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	p.idle.L = &p.mu
	go p.work()
	return p
}

// Request asks for a preview and returns its generation. It cancels the requests
// before it. After Close it does nothing.
func (p *Previewer) Request(q PreviewRequest) (generation uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.supersede()
	if !p.closed {
		p.pending = &q
		p.signal()
	}
	return p.generation
}

// Latest returns the generation of the newest request; Cancel and Close count
// as one.
func (p *Previewer) Latest() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.generation
}

// SetEngine changes the engine from the next request on.
func (p *Previewer) SetEngine(eng denoise.Engine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.engine = &sliceEngine{engine: eng}
}

// Cancel drops the running and the pending request; neither is delivered.
func (p *Previewer) Cancel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.supersede()
}

// Close cancels and waits until the worker has ended. It must not be called
// from deliver.
func (p *Previewer) Close() {
	p.mu.Lock()
	p.supersede()
	p.closed = true
	p.signal()
	p.mu.Unlock()
	<-p.done
}

// Wait blocks until no request is pending or running and every preview is
// delivered. It must not be called from deliver.
func (p *Previewer) Wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.busy || p.pending != nil {
		p.idle.Wait()
	}
}

// supersede invalidates all requests so far. p.mu is held.
func (p *Previewer) supersede() {
	p.generation++
	p.pending = nil
	p.idle.Broadcast()
	if p.cancel != nil {
		p.cancel()
	}
}

// signal wakes the worker. A token that is already there serves as well.
func (p *Previewer) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Previewer) work() {
	defer close(p.done)
	for range p.wake {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return
		}
		if p.pending == nil {
			p.mu.Unlock()
			continue
		}
		q, generation, eng := *p.pending, p.generation, p.engine
		p.pending, p.busy = nil, true
		ctx, cancel := context.WithCancel(parallel.Sparing(context.Background(), 1))
		p.cancel = cancel
		p.mu.Unlock()

		answer := func(preview Preview) {
			preview.Generation = generation
			if p.Latest() == generation {
				p.deliver(preview)
			}
		}
		if preview, ok := eng.coarse(ctx, q); ok {
			answer(preview)
		}
		preview := eng.fine(ctx, q)
		cancel()

		p.mu.Lock()
		p.cancel = nil
		p.mu.Unlock()
		answer(preview)
		p.mu.Lock()
		p.busy = false
		p.idle.Broadcast()
		p.mu.Unlock()
	}
}

// Propose is [run.ProposeFilter] on the CPU: the same proposal on every machine, and as the command line has it.
func Propose(ctx context.Context, q run.ProposalRequest) (run.Proposal, error) {
	return run.ProposeFilter(ctx, engines.CPU(), q)
}
