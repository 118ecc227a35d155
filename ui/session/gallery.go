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

// Galleries compares every filter on the slice on the screen.
type Galleries struct {
	s    *Session
	last *Gallery // nil before the first
}

// CanCompare says whether CompareFilters can start.
func (ga *Galleries) CanCompare() bool { return ga.s.doc != nil && !ga.s.Tasks.Busy() }

// Comparing says whether the filters are being compared.
func (ga *Galleries) Comparing() bool {
	return ga.s.Tasks.now != nil && ga.s.Tasks.now.kind == Comparing
}

// Compare tunes and runs every filter on the slice that is shown, one after
// another; Gallery grows meanwhile. It does nothing during another task.
func (ga *Galleries) Compare() {
	if !ga.CanCompare() {
		return
	}
	view, index := ga.s.state.View(), ga.s.state.Index()
	q := app.GalleryRequest{Series: ga.s.doc.Series(), Maps: ga.s.steering.maps, Reference: ga.s.doc.Reference(), Region: view.Region(index)}
	if facts, ok := ga.s.doc.Facts(); ok {
		q.Facts = &facts
	}
	g := &Gallery{View: view, Input: q.Series.Volume.Crop(q.Region), Window: ga.s.state.Window(), Invert: ga.s.state.Inverted(), Best: -1}
	t := ga.s.Tasks.start(Comparing, lang.L("Comparing the filters"), lang.L("filters"))
	ga.last = g
	q.Ready = func(e app.Exhibit) {
		ga.s.deps.Do(func() {
			if ga.s.Tasks.now != t {
				return
			}
			g.Exhibits = append(g.Exhibits, e)
			g.Best = app.BestExhibit(g.Exhibits)
			t.done, t.total = int64(len(g.Exhibits)), int64(len(denoise.Filters()))
			ga.s.listener.Changed()
		})
	}
	engine := ga.s.deps.Engine
	ga.s.background(func() error {
		_, err := app.ShowGallery(t.ctx, engine, q)
		return err
	}, func(err error) {
		g.Ended = true
		if errors.Is(err, app.ErrEngineFailed) && ga.s.Tasks.now == t {
			ga.s.retry = ga.Compare
		}
		if ga.s.Tasks.finish(t, err) {
			ga.s.retry = nil
			ga.s.Tasks.message = lang.L("Every filter was compared.")
			ga.s.listener.Changed()
		}
	})
}

// Last returns what the last comparison has found so far, nil before the first.
func (ga *Galleries) Last() *Gallery { return ga.last }

// Take makes the filter and the setting of exhibit i the current recipe.
func (ga *Galleries) Take(i int) {
	if ga.last != nil && i >= 0 && i < len(ga.last.Exhibits) {
		ga.s.Tuning.Take(ga.last.Exhibits[i].Asked)
	}
}
