package session

import (
	"slices"
	"time"

	"quell/app"
)

// Exports writes results and sends them, and knows which of the files still stand.
type Exports struct {
	s       *Session
	gone    map[*app.Exported]bool // not as they were written
	pending int                    // checks that were not answered
	since   time.Time              // of the first of them
}

// slowCheck is how long a check of exported files may take before another one does not wait:
// the share of a server that is gone answers in minutes, or never.
const slowCheck = 2 * time.Second

// Check looks in the background whether the files stand that results were exported to,
// and calls then. What is gone, or was replaced, counts as not exported from then on. Files that
// an earlier check did not answer about for some seconds count as gone.
func (ex *Exports) Check(then func()) {
	all := ex.all()
	if len(all) == 0 {
		then()
		return
	}
	if ex.pending > 0 && ex.s.deps.Now().Sub(ex.since) > slowCheck {
		ex.found(all, make([]bool, len(all)))
		then()
		return
	}
	if ex.pending == 0 {
		ex.since = ex.s.deps.Now()
	}
	ex.pending++
	ex.s.deps.Go(func() {
		stand := make([]bool, len(all))
		for i, e := range all {
			stand[i] = e.Stands()
		}
		ex.s.deps.Do(func() {
			ex.pending--
			ex.found(all, stand)
			then()
		})
	})
}

// found notes which exports stand.
func (ex *Exports) found(all []*app.Exported, stand []bool) {
	changed := false
	for i, e := range all {
		if ex.gone[e] == stand[i] {
			changed = true
			ex.setGone(e, !stand[i])
		}
	}
	if changed {
		ex.s.listener.Changed()
	}
}

func (ex *Exports) setGone(e *app.Exported, gone bool) {
	if ex.gone == nil {
		ex.gone = map[*app.Exported]bool{}
	}
	if ex.gone[e] = gone; !gone {
		delete(ex.gone, e)
	}
}

// Any says whether a result of an open series was exported.
func (ex *Exports) Any() bool { return len(ex.all()) > 0 }

// Of returns the exports of a run, the last one last.
func (ex *Exports) Of(run *app.Run) []*app.Exported {
	if r := ex.s.Results.of(run); r != nil {
		return slices.Clone(r.exports)
	}
	return nil
}

// all returns those of every open series.
func (ex *Exports) all() (all []*app.Exported) {
	for _, d := range ex.s.Documents.open {
		all = append(all, slices.Concat(d.exports()...)...)
	}
	return all
}

// exports returns the exports of every result of a document.
func (d *document) exports() (all [][]*app.Exported) {
	for _, r := range d.results {
		all = append(all, r.exports)
	}
	if d.away != nil {
		for _, r := range d.away.Runs {
			all = append(all, r.Exports)
		}
	}
	return all
}

// stand says whether one of the exports of a result stands.
func (ex *Exports) stand(exports []*app.Exported) bool {
	return slices.ContainsFunc(exports, func(e *app.Exported) bool { return !ex.gone[e] })
}

func (ex *Exports) resultExported(r *result) bool { return ex.stand(r.exports) }

// writtenBy returns the files that a job has written, nil after an error.
func writtenBy(report app.Report, err error) *app.Exported {
	if err != nil {
		return nil
	}
	if files, err := app.ExportedBy(report.Written); err == nil {
		return files
	}
	return nil // they are gone already
}

// note notes to what files a run was exported. What stood there before is gone.
func (ex *Exports) note(run *app.Run, files *app.Exported) {
	if files == nil {
		return
	}
	for _, e := range ex.all() {
		if e.Output == files.Output {
			ex.setGone(e, true)
		}
	}
	if r := ex.s.Results.of(run); r != nil {
		again := func(e *app.Exported) bool { return e.Output == files.Output }
		r.exports = append(slices.DeleteFunc(slices.Clone(r.exports), again), files)
	}
}
