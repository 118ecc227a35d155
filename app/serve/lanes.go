package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// lane does one kind of work, a thing at a time: it keeps the journal, filters, or sends to one destination. A lane
// that waits, for a filter or for another node, keeps no other from its work.
type lane struct {
	name string // of a destination, or one of those below
	wake chan struct{}

	refusals int       // attempts one after another of which the destination took nothing
	until    time.Time // the circuit is open: nothing is tried before
}

// Lanes beside those of destinations. No destination has such a name.
const (
	keeping   = "keep"
	filtering = "filter"
)

// After some refusals one after another a destination is left alone, but for one attempt after a wait that doubles.
const (
	mostRefusals = 3
	longestOpen  = 5 * time.Minute
)

// holds is how long a task waits that could not be noted in the journal, so that others come before it.
const holds = 10 * time.Second

// lanesOf returns the lanes of a node.
func lanesOf(s Settings) (all []*lane) {
	names := []string{keeping, filtering}
	for _, r := range s.Rules {
		for _, d := range r.To {
			if name := d.String(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		all = append(all, &lane{name: name, wake: make(chan struct{}, 1)})
	}
	return all
}

// tick is how often a lane looks for what has become due.
const tick = time.Second / 4

// drive runs every lane until the context ends.
func (n *Node) drive(ctx context.Context) {
	var lanes sync.WaitGroup
	defer lanes.Wait()
	for _, l := range n.lanes {
		lanes.Go(func() {
			ticker := time.NewTicker(tick)
			defer ticker.Stop()
			for ctx.Err() == nil {
				if n.turn(ctx, l) {
					n.rouse()
					continue
				}
				select {
				case <-ctx.Done():
				case <-ticker.C:
				case <-l.wake:
				}
			}
		})
	}
}

// rouse lets lanes look for work.
func (n *Node) rouse() {
	for _, l := range n.lanes {
		select {
		case l.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// turn does the next thing of a lane and reports whether there was one. The journal is locked, but while the lane is
// apart. What fails for the journal is tried again later: the node pauses.
func (n *Node) turn(ctx context.Context, l *lane) bool {
	n.journal.Lock()
	defer n.journal.Unlock()
	if l.name == keeping {
		if err := n.keep(ctx); err != nil && ctx.Err() == nil {
			n.pause(err)
		}
		return false
	}
	t, p := n.due(l)
	if t == nil {
		return false
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t.stops[l] = stop
	defer delete(t.stops, l)
	if err := n.work(ctx, l, t, p); err != nil && ctx.Err() == nil {
		n.change(func() { t.held = n.now().Add(holds) })
		n.pause(err)
	}
	return true
}

// apart lets other lanes go on while one waits. Its task may have ended meanwhile, which ends its context.
func (n *Node) apart(wait func()) {
	n.journal.Unlock()
	defer n.journal.Lock()
	wait()
}

// keep makes tasks of complete series, and looks after all that no lane works on.
func (n *Node) keep(ctx context.Context) error {
	err := n.survey()
	if err == nil {
		err = n.complete()
	}
	return errors.Join(err, n.retry(), n.conclude(ctx), n.tidy()) // tidy makes room
}

// due returns what a lane can work on, of that the first with the fewest attempts, so that a task that fails does not come
// before a new one. The part is nil if rules are to be chosen first.
func (n *Node) due(l *lane) (task *task, part *part) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	if l.until.After(now) || l.name == filtering && n.paused != "" {
		return nil, nil
	}
	for _, t := range n.list {
		if t.State.ended() || t.held.After(now) {
			continue
		}
		if t.Parts == nil && l.name == filtering {
			return t, nil
		}
		for _, p := range t.Parts {
			if !p.State.ended() && !p.Next.After(now) && n.laneOf(p) == l.name && (part == nil || p.Attempts < part.Attempts) {
				task, part = t, p
			}
		}
	}
	return task, part
}

// laneOf names the lane of a part. One whose destination is in the settings no more fails in that of the filter.
func (n *Node) laneOf(p *part) string {
	if p.State != Waiting && slices.ContainsFunc(n.lanes, func(l *lane) bool { return l.name == p.To }) {
		return p.To
	}
	return filtering
}

// answered notes whether a destination took anything. The journal is locked.
func (l *lane) answered(took bool, now time.Time) {
	if l.refusals++; took {
		l.refusals, l.until = 0, time.Time{}
	}
	if l.refusals >= mostRefusals {
		l.until = now.Add(min(backoff(l.refusals-mostRefusals+1), longestOpen))
	}
}
