package tuning

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/ui/session/desk"
	"quell/ui/viewer"
	"quell/volume"
)

// Gallery shows every filter at its best strength on one slice.
type Gallery struct {
	View     volume.View
	Input    *volume.Volume // the slice
	Window   volume.Window  // of the panes when the gallery was asked for
	Invert   bool
	Index    int             // of the slice that the numbers are of
	Shown    int             // of the slice in the pictures, see Scroll
	Exhibits []judge.Exhibit // that are ready, in the order of the table of filters
	Best     int             // the place of the one that removes most noise within the bounds, -1 for none
	Ended    bool            // no more are to come
}

// Galleries compares every filter on the slice on the screen.
type Galleries struct {
	desk   *desk.Desk
	tuning *Tuning
	last   *Gallery // nil before the first
	end    func()   // of the work on another slice; nil for none
}

// NewGalleries returns the comparisons for a tuning.
func NewGalleries(d *desk.Desk, t *Tuning) *Galleries {
	ga := &Galleries{desk: d, tuning: t}
	d.OnClear(func() {
		ga.Leave()
		ga.last = nil
	})
	return ga
}

// CanCompare says whether Compare can start.
func (ga *Galleries) CanCompare() bool { return ga.desk.Doc != nil && !ga.desk.Tasks.Busy() }

// Comparing says whether the filters are being compared.
func (ga *Galleries) Comparing() bool {
	return ga.desk.Tasks.Kind() == desk.Comparing
}

// Compare finds the strength of every filter and runs it on the slice that is shown, one after
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
	g := &Gallery{View: view, Index: index, Shown: index, Input: q.Series.Volume.Crop(q.Region), Window: ga.desk.State.Windows.Current(), Invert: ga.desk.State.Windows.Inverted(), Best: -1}
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

// Scroll shows another slice in all pictures, so many further, once every filter was compared: with the strengths that were
// found, so that the numbers stay those of the first. Pictures of the slice before go at once.
func (ga *Galleries) Scroll(steps int) {
	g := ga.last
	if g == nil || !g.Ended || ga.desk.Doc == nil || ga.desk.Tasks.Busy() {
		return
	}
	index := min(max(g.Shown+steps, 0), g.View.Size[2]-1)
	if index == g.Shown {
		return
	}
	ga.Leave()
	of, engine, maps, region := ga.desk.Doc.Series(), ga.desk.Engine, ga.desk.Maps, g.View.Region(index)
	q := run.Request{Series: of, Maps: maps, Region: region}
	if facts, ok := ga.desk.Doc.Facts(); ok && maps.Noise == nil {
		q.Facts = &facts
	}
	g.Shown, g.Input = index, of.Volume.Crop(region)
	exhibits := slices.Clone(g.Exhibits)
	for i := range g.Exhibits {
		g.Exhibits[i].Part = nil
	}
	ga.end = ga.desk.Aside(ga.desk.Voxels, 1, func(ctx context.Context) error {
		for i, e := range exhibits {
			if !e.Problem.IsZero() {
				continue
			}
			own := q
			own.Recipe = e.Recipe
			made, err := run.Denoise(ctx, engine, own, nil)
			if err != nil {
				return err
			}
			ga.desk.Do(func() {
				if ga.last == g && g.Shown == index {
					g.Exhibits[i].Part = made.Result
					ga.desk.Changed()
				}
			})
		}
		return nil
	}, func(err error) {
		ga.end = nil
		if err != nil {
			ga.desk.Failed(err)
		}
	})
	ga.desk.Changed()
}

// Leave ends the work on another slice.
func (ga *Galleries) Leave() {
	if ga.end != nil {
		ga.end()
		ga.end = nil
	}
}

// Order is what exhibits are sorted by.
type Order int

// The orders: that of the table of filters, the most noise removed first.
const (
	AsListed Order = iota
	ByNoise
)

// Sorted returns the places of the exhibits in an order. What is not known yet comes last.
func (g *Gallery) Sorted(by Order) []int {
	places := make([]int, len(g.Exhibits))
	for i := range places {
		places[i] = i
	}
	key := func(i int) float64 {
		e := g.Exhibits[i]
		switch {
		case by == AsListed:
			return float64(i)
		case !e.Problem.IsZero():
			return math.Inf(1)
		case e.Noise().Known():
			return 1 - e.Noise().Value
		}
		return math.MaxFloat64
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return places
}

// Frontiers returns what the filters keep over their strength, the best first.
func (g *Gallery) Frontiers() (all []judge.Frontier) {
	for _, i := range g.Sorted(ByNoise) {
		if f := g.Exhibits[i].Frontier; f.Settings != nil {
			all = append(all, f)
		}
	}
	return all
}

// part returns a picture of the gallery and its recipe, resolved and as asked for: of exhibit i, of the original for -1.
func (g *Gallery) part(i int) (v *volume.Volume, made, asked *denoise.Recipe) {
	if i < 0 {
		return g.Input, nil, nil
	}
	return g.Exhibits[i].Part, &g.Exhibits[i].Recipe, &g.Exhibits[i].Asked
}

// Pair has the next blind comparison show the pictures of two exhibits, -1 for the original, at the zoom of the panes.
func (ga *Galleries) Pair(i, k int) {
	g, cut := ga.last, ga.desk.State.Cut()
	a, madeA, askedA := g.part(i)
	b, madeB, askedB := g.part(k)
	view := g.View.Of(a.Geometry)
	ga.desk.Pair = &desk.Pair{
		Job: viewer.Job{
			Source: a, Result: b, View: view, Zoom: cut.Zoom(), Pan: cut.Pan(), Window: g.Window, Invert: g.Invert,
			Pixelated: ga.desk.State.Pixelated(),
		},
		Made: [2]*denoise.Recipe{madeA, madeB}, Asked: [2]*denoise.Recipe{askedA, askedB}, Index: g.Shown,
	}
}

// Last returns what the last comparison has found so far, nil before the first.
func (ga *Galleries) Last() *Gallery { return ga.last }

// Take makes the filter and the setting of exhibit i the current recipe.
func (ga *Galleries) Take(i int) {
	if ga.last != nil && i >= 0 && i < len(ga.last.Exhibits) {
		ga.tuning.Take(ga.last.Exhibits[i].Asked)
	}
}
