package session

import (
	"errors"
	"fmt"

	"quell/app"
	"quell/volume"
)

// Apply filters the whole volume with the recipe on the sliders.
func (s *Session) Apply() {
	if s.doc == nil || s.Applied() {
		return
	}
	series, recipe, engine := s.doc.Series(), s.recipe, s.deps.Engine
	facts, known := s.doc.Facts()
	e, ctx := s.start(Applying, "Filtering", "voxels")
	report := &reporter{s: s, e: e}
	s.deps.Go(func() {
		have := &facts
		if !known {
			have = nil
		}
		run, err := app.Denoise(ctx, engine, series, recipe, volume.Region{}, have, report.report)
		s.deps.Do(func() {
			if errors.Is(err, app.ErrEngineFailed) {
				s.undone = s.Apply
			}
			if !s.end(e, err) || s.doc == nil || !s.doc.SetRun(run) {
				return
			}
			s.message = fmt.Sprintf("Filtered %d slices in %s on %s.", series.Volume.Dims[2], Duration(run.Filter), run.Engine.Name)
			s.measureVolume()
			s.viewChanged()
		})
	})
}

// Applied says whether the whole volume shows the recipe on the sliders.
func (s *Session) Applied() bool {
	return s.doc != nil && s.doc.Run() != nil && !s.doc.Stale(s.recipe)
}

// Exportable returns the run an export would write, or nil.
func (s *Session) Exportable() *app.Run {
	if s.doc == nil {
		return nil
	}
	return s.doc.Run()
}

// Export writes the run that is there, under whatever parameters it was made,
// and tells done what it did; errors go to the listener.
func (s *Session) Export(out string, o app.ExportOptions, done func(app.ExportReport)) {
	run := s.Exportable()
	if run == nil {
		return
	}
	e, ctx := s.start(Exporting, "Writing", "files")
	report := &reporter{s: s, e: e}
	s.deps.Go(func() {
		r, err := app.Export(ctx, run, out, o, func(done, total int) { report.report(int64(done), int64(total)) })
		s.deps.Do(func() {
			if !s.end(e, err) {
				return
			}
			s.message = "The export is done."
			s.tell.Changed()
			done(r)
		})
	})
}
