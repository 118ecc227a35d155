package session

import (
	"slices"
	"time"

	"quell/app"
)

// exportChecks is what is known of the files that results were exported to.
type exportChecks struct {
	gone    map[*app.Exported]bool // not as they were written
	pending int                    // checks that were not answered
	since   time.Time              // of the first of them
}

// slowCheck is how long a check of exported files may take before another one does not wait:
// the share of a server that is gone answers in minutes, or never.
const slowCheck = 2 * time.Second

// CheckExports looks in the background whether the files stand that results were exported to,
// and calls then. What is gone, or was replaced, counts as not exported from then on. Files that
// an earlier check did not answer about for some seconds count as gone.
func (s *Session) CheckExports(then func()) {
	all := s.allExports()
	if len(all) == 0 {
		then()
		return
	}
	if s.pending > 0 && s.deps.Now().Sub(s.since) > slowCheck {
		s.found(all, make([]bool, len(all)))
		then()
		return
	}
	if s.pending == 0 {
		s.since = s.deps.Now()
	}
	s.pending++
	s.deps.Go(func() {
		stand := make([]bool, len(all))
		for i, e := range all {
			stand[i] = e.Stands()
		}
		s.deps.Do(func() {
			s.pending--
			s.found(all, stand)
			then()
		})
	})
}

// found notes which exports stand.
func (s *Session) found(all []*app.Exported, stand []bool) {
	changed := false
	for i, e := range all {
		if s.gone[e] == stand[i] {
			changed = true
			s.setGone(e, !stand[i])
		}
	}
	if changed {
		s.listener.Changed()
	}
}

func (s *Session) setGone(e *app.Exported, gone bool) {
	if s.gone == nil {
		s.gone = map[*app.Exported]bool{}
	}
	if s.gone[e] = gone; !gone {
		delete(s.gone, e)
	}
}

// HasExports says whether a result of an open series was exported.
func (s *Session) HasExports() bool { return len(s.allExports()) > 0 }

// ExportsOf returns the exports of a run, the last one last.
func (s *Session) ExportsOf(run *app.Run) []*app.Exported {
	if r := s.resultOf(run); r != nil {
		return slices.Clone(r.exports)
	}
	return nil
}

// allExports returns those of every open series.
func (s *Session) allExports() (all []*app.Exported) {
	for _, d := range s.documents {
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

// exported says whether one of the exports of a result stands.
func (s *Session) exported(exports []*app.Exported) bool {
	return slices.ContainsFunc(exports, func(e *app.Exported) bool { return !s.gone[e] })
}

func (s *Session) resultExported(r *result) bool { return s.exported(r.exports) }

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

// noteExport notes to what files a run was exported. What stood there before is gone.
func (s *Session) noteExport(run *app.Run, files *app.Exported) {
	if files == nil {
		return
	}
	for _, e := range s.allExports() {
		if e.Output == files.Output {
			s.setGone(e, true)
		}
	}
	if r := s.resultOf(run); r != nil {
		again := func(e *app.Exported) bool { return e.Output == files.Output }
		r.exports = append(slices.DeleteFunc(slices.Clone(r.exports), again), files)
	}
}
