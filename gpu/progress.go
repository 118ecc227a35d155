package gpu

import (
	"sync"

	"quell/denoise"
	"quell/internal/parallel"
)

// progress reports the voxels that a run has finished, over all parts of its
// region. It is safe for concurrent use.
type progress struct {
	mu      sync.Mutex
	counter *parallel.Counter
	stopped bool
}

func newProgress(total int64, report denoise.Progress) *progress {
	return &progress{counter: parallel.NewCounter(total, report)}
}

// part returns the function to which one part reports its finished voxels. A part
// that is tried again starts at 0, and is counted from the end of the attempt
// before it.
func (p *progress) part() func(done int64) {
	var most int64
	return func(done int64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.stopped || done <= most {
			return
		}
		p.counter.Add(done - most)
		most = done
	}
}

// stop ends the reports: after a cancel the device may still be at work in the
// background.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
}
