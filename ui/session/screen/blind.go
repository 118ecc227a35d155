package screen

import (
	"fmt"
	"strings"

	"quell/app/job"
	"quell/denoise"
	"quell/ui/blind"
	"quell/ui/viewer"
	"quell/volume"
)

const (
	// leastTissue is the share of foreground that a slice must have to be shown to a reader.
	leastTissue = 0.05
	// tissueStep is how far apart pixels are looked at for that.
	tissueStep = 8
)

// CanCompareBlind says whether there is a result of the whole volume to compare, or a pair of pictures of the gallery.
func (sc *Screen) CanCompareBlind() bool {
	return (sc.results.Exportable() != nil || sc.desk.Pair != nil) && !sc.desk.Tasks.Busy()
}

// CompareBlind returns the pictures of a blind comparison: a job for any slice of this plane, with
// images A and B in the panes Original and Denoised in the same window, zoom and place; the
// slices that hold tissue, or all if none does; and what the images are, of which asked has the recipes as they were asked
// for, nil for one that was not filtered. A pair of the gallery is shown once.
func (sc *Screen) CompareBlind() (j viewer.Job, slices []int, info blind.Details, asked [2]*denoise.Recipe) {
	if p := sc.desk.Pair; p != nil {
		sc.desk.Pair = nil
		return p.Job, []int{0}, blind.Details{
			A: madeBy(p.Made[0]), B: madeBy(p.Made[1]), Plane: p.Job.View.Plane.String(), Version: job.Version(), Window: windowText(p.Job.Window, p.Job.Source.Unit), First: p.Index,
		}, p.Asked
	}
	run, v, state, cut := sc.results.Exportable(), sc.desk.Doc.Series().Volume, sc.desk.State, sc.desk.State.Cut()
	view := cut.View()
	j = viewer.Job{
		Source: v, Base: sc.desk.BaseVolume(), Other: sc.desk.Other(), Result: run.Result, View: view, Index: cut.Index(),
		Zoom: cut.Zoom(), Pan: cut.Pan(), Window: state.Windows.Current(), Invert: state.Windows.Inverted(), Pixelated: state.Pixelated(),
	}
	var foreground func(i int) bool
	if facts, known := sc.desk.Doc.Facts(); known {
		foreground = facts.Foreground
	}
	slices = tissueSlices(v.Geometry, view, foreground)
	asked[1] = &run.Recipe
	info = blind.Details{
		A: madeBy(nil), B: madeBy(&run.Resolved), Plane: view.Plane.String(), Version: job.Version(),
		Window: windowText(j.Window, v.Unit),
	}
	switch {
	case sc.desk.Base != nil:
		asked[0], info.A = &sc.desk.Base.Run.Recipe, madeBy(&sc.desk.Base.Run.Resolved)
	case sc.desk.Other():
		info.A = "another series"
	}
	return j, slices, info, asked
}

// madeBy names what made an image.
func madeBy(r *denoise.Recipe) string {
	if r == nil {
		return "original"
	}
	return r.String()
}

func windowText(w volume.Window, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%.4g/%.4g %s", w.Width, w.Center, unit))
}

// tissueSlices returns the slices of a view that hold foreground, all if none does or
// foreground is nil.
func tissueSlices(g volume.Geometry, view volume.View, foreground func(i int) bool) (slices []int) {
	for k := range view.Size[2] {
		seen, n := 0, 0
		for row := 0; foreground != nil && row < view.Size[1]; row += tissueStep {
			for col := 0; col < view.Size[0]; col += tissueStep {
				at := view.Voxel(col, row, k)
				n++
				if foreground(g.Index(at[0], at[1], at[2])) {
					seen++
				}
			}
		}
		if seen > 0 && float64(seen) >= leastTissue*float64(n) {
			slices = append(slices, k)
		}
	}
	if slices == nil {
		for k := range view.Size[2] {
			slices = append(slices, k)
		}
	}
	return slices
}
