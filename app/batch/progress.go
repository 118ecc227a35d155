package batch

import (
	"sync"
	"time"
)

// meter counts finished work. Rates are by the bytes of the inputs.
type meter struct {
	events Events
	now    func() time.Time

	mu      sync.Mutex
	status  Progress
	rows    map[string]row          // of the results, by id
	unsaved map[string]SeriesResult // failures that the store does not have, without pictures
	started time.Time
	total   int64
	whole   int64            // bytes of the units that are finished
	reused  int64            // bytes of series that were there before
	parts   map[string]int64 // bytes of finished series in units that are not
	remote  bool             // others do the units, and left sets the share
}

func (p *meter) begin(units []Unit) {
	p.started, p.parts, p.rows, p.unsaved = p.now(), map[string]int64{}, map[string]row{}, map[string]SeriesResult{}
	for _, u := range units {
		p.total += u.Bytes
	}
	p.status.Queued = len(units)
}

// part counts a series of so many bytes in a unit.
func (p *meter) part(u Unit, bytes int64, reused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bytes = min(bytes, u.Bytes-p.parts[u.Name])
	p.parts[u.Name] += bytes
	if reused {
		p.reused += bytes
	}
	p.report()
}

// unit counts a unit when all of its series are finished. What none of them took up, such
// as series that were not selected, is no work.
func (p *meter) unit(u Unit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reused += u.Bytes - p.parts[u.Name]
	p.whole += u.Bytes
	delete(p.parts, u.Name)
	p.report()
}

// taken counts a unit that this process begins, and ended one that it has no more; again says
// whether another process had it before.
func (p *meter) taken(again bool) { p.inWork(1, again) }
func (p *meter) ended(again bool) { p.inWork(-1, again) }

func (p *meter) inWork(n int, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status.InWork += n
	if n > 0 {
		p.status.Queued = max(p.status.Queued-n, 0) // a worker does not know how many there are
	}
	if again {
		p.status.Redelivered += n
	}
	p.report()
}

// left sets the share if others do the units: so many of all are not finished.
func (p *meter) left(left Left, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	units := left.Units
	p.status.Queued, p.status.InWork, p.status.Redelivered = units-left.InWork, left.InWork, left.Redelivered
	p.remote, p.status.Share, p.status.Left = true, 1, 0
	if all > 0 {
		p.status.Share = 1 - float64(units)/float64(all)
	}
	if finished := all - units; finished > 0 {
		p.status.Left = time.Duration(float64(p.now().Sub(p.started)) * float64(units) / float64(finished))
	}
	if p.events.Progress != nil {
		p.events.Progress(p.status)
	}
}

func (p *meter) unselected() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status.Unselected++
}

// result counts a result, in place of an earlier one of the series: what failed may be done
// after all if a unit is delivered again. saved says whether the store has it.
func (p *meter) result(r SeriesResult, saved bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if earlier, again := p.rows[r.ID]; again {
		p.count(earlier, -1)
	}
	x := rowOf(r)
	p.count(x, 1)
	if p.events.Result != nil {
		p.events.Result(r)
	}
	p.rows[r.ID] = x
	if delete(p.unsaved, r.ID); !saved {
		r.Picture = nil
		p.unsaved[r.ID] = r
	}
	p.report()
}

// count adds n to the counts of a result's state. The lock is held.
func (p *meter) count(x row, n int) {
	switch x.state {
	case Failed:
		p.status.Failed += n
	case Duplicate:
		p.status.Duplicates += n
	default:
		p.status.Done += n
	}
	if x.reused {
		p.status.Reused += n
	}
}

// report states how far the batch is. The lock is held.
func (p *meter) report() {
	if !p.remote {
		p.share()
	}
	if p.events.Progress != nil {
		p.events.Progress(p.status)
	}
}

// share sets the share that is finished and the time left. The lock is held.
func (p *meter) share() {
	finished := p.whole
	for _, n := range p.parts {
		finished += n
	}
	if p.total > 0 {
		p.status.Share = float64(finished) / float64(p.total)
	}
	p.status.Left = 0
	if worked := finished - p.reused; worked > 0 {
		p.status.Left = time.Duration(float64(p.now().Sub(p.started)) * float64(p.total-finished) / float64(worked))
	}
}
