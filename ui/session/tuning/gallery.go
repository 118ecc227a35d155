package tuning

import (
	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
	"quell/denoise"
	"quell/ui/session/desk"
	"quell/volume"
)

// Gallery shows every filter at its best automatic setting on one slice.
type Gallery struct {
	View     volume.View
	Input    *volume.Volume // the slice
	Window   volume.Window  // of the panes when the gallery was asked for
	Invert   bool
	Exhibits []judge.Exhibit // that are ready, in the order of the table of filters
	Best     int             // the place of the least estimated error among them, -1 for none
	Ended    bool            // no more are to come
}

// Galleries compares every filter on the slice on the screen.
type Galleries struct {
	desk   *desk.Desk
	tuning *Tuning
	last   *Gallery // nil before the first
}

// NewGalleries returns the comparisons for a tuning.
func NewGalleries(d *desk.Desk, t *Tuning) *Galleries {
	ga := &Galleries{desk: d, tuning: t}
	d.OnClear(func() { ga.last = nil })
	return ga
}

// CanCompare says whether Compare can start.
func (ga *Galleries) CanCompare() bool { return ga.desk.Doc != nil && !ga.desk.Tasks.Busy() }

// Comparing says whether the filters are being compared.
func (ga *Galleries) Comparing() bool {
	return ga.desk.Tasks.Kind() == desk.Comparing
}

// Compare tunes and runs every filter on the slice that is shown, one after
// another; Gallery grows meanwhile. It does nothing during another task.
func (ga *Galleries) Compare() {
	if !ga.CanCompare() {
		return
	}
	view, index := ga.desk.State.Cut().View(), ga.desk.State.Cut().Index()
	q := judge.GalleryRequest{Series: ga.desk.Doc.Series(), Maps: ga.desk.Maps, Reference: ga.desk.Doc.Reference(), Region: view.Region(index)}
	if facts, ok := ga.desk.Doc.Facts(); ok {
		q.Facts = &facts
	}
	g := &Gallery{View: view, Input: q.Series.Volume.Crop(q.Region), Window: ga.desk.State.Windows.Current(), Invert: ga.desk.State.Windows.Inverted(), Best: -1}
	t := ga.desk.Tasks.Start(desk.Comparing, lang.L("Comparing the filters"), lang.L("filters"))
	t.Again, ga.last = ga.Compare, g
	q.Ready = func(e judge.Exhibit) {
		ga.desk.Do(func() {
			if !ga.desk.Tasks.Goes(t) {
				return
			}
			g.Exhibits = append(g.Exhibits, e)
			g.Best = judge.BestExhibit(g.Exhibits)
			t.Done, t.Total = int64(len(g.Exhibits)), int64(len(denoise.Filters()))
			ga.desk.Changed()
		})
	}
	engine := ga.desk.Engine
	ga.desk.Background(func() error {
		_, err := judge.ShowGallery(t.Ctx, engine, q)
		return err
	}, func(err error) {
		g.Ended = true
		if ga.desk.Tasks.Finish(t, err) {
			ga.desk.Tasks.Show(lang.L("Every filter was compared."))
		}
	})
}

// Last returns what the last comparison has found so far, nil before the first.
func (ga *Galleries) Last() *Gallery { return ga.last }

// Take makes the filter and the setting of exhibit i the current recipe.
func (ga *Galleries) Take(i int) {
	if ga.last != nil && i >= 0 && i < len(ga.last.Exhibits) {
		ga.tuning.Take(ga.last.Exhibits[i].Asked)
	}
}
