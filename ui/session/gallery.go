package session

import (
	"errors"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/volume"
)

// Gallery shows every filter at its best automatic setting on one slice.
type Gallery struct {
	View     volume.View
	Input    *volume.Volume // the slice
	Window   volume.Window  // of the panes when the gallery was asked for
	Invert   bool
	Exhibits []app.Exhibit // that are ready, in the order of the table of filters
	Best     int           // the place of the least estimated error among them, -1 for none
	Ended    bool          // no more are to come
}

// CanCompare says whether CompareFilters can start.
func (s *Session) CanCompare() bool { return s.doc != nil && !s.Busy() }

// Comparing says whether the filters are being compared.
func (s *Session) Comparing() bool { return s.task != nil && s.task.kind == Comparing }

// CompareFilters tunes and runs every filter on the slice that is shown, one after
// another; Gallery grows meanwhile. It does nothing during another task.
func (s *Session) CompareFilters() {
	if !s.CanCompare() {
		return
	}
	view, index := s.state.View(), s.state.Index()
	q := app.GalleryRequest{Series: s.doc.Series(), Maps: s.steering.maps, Reference: s.doc.Reference(), Region: view.Region(index)}
	if facts, ok := s.doc.Facts(); ok {
		q.Facts = &facts
	}
	g := &Gallery{View: view, Input: q.Series.Volume.Crop(q.Region), Window: s.state.Window(), Invert: s.state.Inverted(), Best: -1}
	t := s.start(Comparing, lang.L("Comparing the filters"), lang.L("filters"))
	s.gallery = g
	q.Ready = func(e app.Exhibit) {
		s.deps.Do(func() {
			if s.task != t {
				return
			}
			g.Exhibits = append(g.Exhibits, e)
			g.Best = app.BestExhibit(g.Exhibits)
			t.done, t.total = int64(len(g.Exhibits)), int64(len(denoise.Filters()))
			s.listener.Changed()
		})
	}
	engine := s.deps.Engine
	s.background(func() error {
		_, err := app.ShowGallery(t.ctx, engine, q)
		return err
	}, func(err error) {
		g.Ended = true
		if errors.Is(err, app.ErrEngineFailed) && s.task == t {
			s.retry = s.CompareFilters
		}
		if s.finish(t, err) {
			s.retry = nil
			s.message = lang.L("Every filter was compared.")
			s.listener.Changed()
		}
	})
}

// Gallery returns what the last comparison has found so far, nil before the first.
func (s *Session) Gallery() *Gallery { return s.gallery }

// TakeExhibit makes the filter and the setting of exhibit i the current recipe.
func (s *Session) TakeExhibit(i int) {
	if s.gallery != nil && i >= 0 && i < len(s.gallery.Exhibits) {
		s.TakeRecipe(s.gallery.Exhibits[i].Asked)
	}
}
