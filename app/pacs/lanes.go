package pacs

import (
	"context"
	"sync"

	"quell/internal/message"
	"quell/io/dimse"
)

// mostLanes is how many associations store at once. A node often answers an instance late, as its system waits for an
// acknowledgement: one association stores about 15 instances a second there.
const mostLanes = 4

// laneFiles is how many files are worth an association. Tests change it.
var laneFiles = 50

// lanes store the files of a plan over several associations. A file is stored by the first that is free.
type lanes struct {
	ctx      context.Context
	p        Plan
	progress func(done, total int)

	mu   sync.Mutex // of what follows, and of calls of progress
	r    *Report
	next int // the first file that no lane has taken
	done int
	err  error // the first that ended an association
}

// storeBy stores the missing instances over a first association and further ones that dial gives; those that a node does
// not grant are done without. It ends the further ones, and the first one after an error.
func storeBy(ctx context.Context, first *dimse.Association, dial func() (*dimse.Association, error), p Plan, r *Report, progress func(done, total int)) error {
	l := &lanes{ctx: ctx, p: p, r: r, progress: progress}
	var further sync.WaitGroup
	for range min(mostLanes, (r.Planned-r.Stored+laneFiles-1)/laneFiles) - 1 {
		further.Go(func() {
			a, err := dial()
			if err == nil && l.run(a) {
				_ = a.Release(ctx) // every file has an answer
			}
		})
	}
	l.run(first)
	further.Wait()
	if l.err == nil && progress != nil {
		progress(len(p.Objects), len(p.Objects))
	}
	return l.err
}

// run stores files until there are none, or until an association has failed. It reports whether its own is of use.
func (l *lanes) run(a *dimse.Association) bool {
	for {
		i, ok := l.take()
		if !ok {
			return true
		}
		o := l.p.Objects[i]
		if refused := a.Accepts(dimse.Context{SOPClass: o.SOPClass, Syntax: o.Syntax}); refused != nil {
			l.ends(i, false, refusal(o, refused), nil)
			continue
		}
		answer, err := storeObject(l.ctx, a, l.p, o)
		if err != nil {
			a.Abort()
			l.ends(i, false, NotConfirmed, err)
			return false
		}
		l.ends(i, answer.Status.Stored(), answer.AsMessage(), nil)
	}
}

// take returns a file that is not stored.
func (l *lanes) take() (i int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.next < len(l.p.Objects) {
		i, l.next = l.next, l.next+1
		if l.progress != nil {
			l.progress(l.done, len(l.p.Objects))
		}
		if !l.r.Files[i].Stored {
			return i, true
		}
		l.done++
	}
	return 0, false
}

// ends notes what became of a file.
func (l *lanes) ends(i int, stored bool, status message.Message, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.r.Files[i].Stored, l.r.Files[i].Status = stored, status
	l.done++
	if l.err == nil {
		l.err = err
	}
}
