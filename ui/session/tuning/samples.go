package tuning

import (
	"context"
	"errors"

	"quell/app/engines"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/ui/session/desk"
	"quell/volume"
)

// Sampled is a small region of one slice, and what recipes make of it.
type Sampled struct {
	View    volume.View
	Index   int // of the slice
	Window  volume.Window
	Invert  bool
	Input   *volume.Volume // the region
	Samples []Sample       // in the order of the recipes

	corner [2]int // of the region: column and row in the slice
}

// Sample is what one recipe makes of the region.
type Sample struct {
	Recipe   denoise.Recipe
	Searched bool            // its strength is to be searched for, so that there is no part
	Part     *volume.Volume  // the result on the region; nil while it is awaited
	Problem  message.Message // why there is none
}

// Samples shows what recipes make of a region of the slice on the screen.
type Samples struct {
	desk    *desk.Desk
	now     *Sampled // nil for none
	columns int      // of the region
	rows    int
	end     func() // of the work; nil for none
}

// NewSamples returns the samples on a desk.
func NewSamples(d *desk.Desk) *Samples {
	sa := &Samples{desk: d}
	d.OnClear(sa.Leave)
	return sa
}

// Now returns the shown samples, nil for none.
func (sa *Samples) Now() *Sampled { return sa.now }

// Show filters a region of the slice by each recipe, one after another, in the background: columns x rows pixels, or as
// many as there are, around the crosshair if it is marked, and else in the middle. Now grows meanwhile.
func (sa *Samples) Show(recipes []denoise.Recipe, columns, rows int) {
	sa.Leave()
	if sa.desk.Doc == nil || sa.desk.Doc.Series() == nil {
		return
	}
	state := sa.desk.State
	view, index := state.Cut().View(), state.Cut().Index()
	sa.now = &Sampled{View: view, Index: index, Window: state.Windows.Current(), Invert: state.Windows.Inverted()}
	for _, r := range recipes {
		sa.now.Samples = append(sa.now.Samples, Sample{Recipe: r, Searched: r.Dials() || r.Searches()})
	}
	sa.columns, sa.rows = columns, rows
	at := [2]int{view.Size[0] / 2, view.Size[1] / 2}
	if voxel, marked := state.Crosshair(); marked {
		at[0], at[1], _ = view.Locate(voxel)
	}
	sa.start(at)
}

// Move shows the region around a pixel of the present one, column and row.
func (sa *Samples) Move(column, row int) {
	if sa.now != nil {
		sa.start([2]int{sa.now.corner[0] + column, sa.now.corner[1] + row})
	}
}

// start filters the region around a pixel of the slice. Samples of another region go at once, and its work ends.
func (sa *Samples) start(at [2]int) {
	sa.stop()
	g, doc, engine, maps := sa.now, sa.desk.Doc, sa.desk.Engine, sa.desk.Maps
	var size [2]int
	for c, n := range [2]int{sa.columns, sa.rows} {
		size[c] = min(n, g.View.Size[c])
		g.corner[c] = min(max(at[c]-size[c]/2, 0), g.View.Size[c]-size[c])
	}
	region := regionOf(g.View, g.corner, size, g.Index)
	g.Input = doc.Series().Volume.Crop(region)
	q := run.Request{Series: doc.Series(), Maps: maps, Region: region}
	if facts, ok := doc.Facts(); ok && maps.Noise == nil {
		q.Facts = &facts
	}
	samples := make([]Sample, len(g.Samples))
	for i, s := range g.Samples {
		samples[i] = Sample{Recipe: s.Recipe, Searched: s.Searched}
	}
	g.Samples = samples
	sa.end = sa.desk.Aside(sa.desk.Voxels, 1, func(ctx context.Context) error {
		for i, s := range samples {
			if s.Searched {
				continue
			}
			own := q
			own.Recipe = s.Recipe
			made, err := run.Denoise(ctx, engine, own, nil)
			if ctx.Err() != nil || errors.Is(err, engines.ErrFailed) { // it would fail at the others too
				return err
			}
			done := Sample{Recipe: s.Recipe}
			if err != nil {
				done.Problem = message.Of(err)
			} else {
				done.Part = made.Result
			}
			sa.desk.Do(func() {
				if ctx.Err() == nil && sa.now == g && &g.Samples[0] == &samples[0] {
					samples[i] = done
					sa.desk.Changed()
				}
			})
		}
		return nil
	}, func(err error) {
		sa.end = nil
		if err != nil && !errors.Is(err, context.Canceled) {
			sa.desk.Failed(err)
		}
	})
	sa.desk.Changed()
}

// regionOf returns the voxels of a rectangle of a slice.
func regionOf(view volume.View, corner, size [2]int, index int) volume.Region {
	a, b := view.Voxel(corner[0], corner[1], index), view.Voxel(corner[0]+size[0]-1, corner[1]+size[1]-1, index)
	var r volume.Region
	for c := range a {
		r.Min[c], r.Max[c] = min(a[c], b[c]), max(a[c], b[c])+1
	}
	return r
}

// Leave ends the work and forgets the samples.
func (sa *Samples) Leave() {
	sa.stop()
	sa.now = nil
}

func (sa *Samples) stop() {
	if sa.end != nil {
		sa.end()
		sa.end = nil
	}
}
