package session

import (
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/viewer"
)

// Presentable says whether a presentation state can be saved, and of what: of the series that the
// shown result was exported to, or where folder is "" of the series that is open.
func (ex *Exports) Presentable() (folder string, ok bool) {
	if ex.s.doc == nil || ex.s.Tasks.Busy() {
		return "", false
	}
	if r := ex.s.Results.of(ex.s.doc.Run()); ex.s.Results.Applied() && r != nil {
		for _, e := range slices.Backward(r.exports) {
			if app.FormatOf(e.Output).Identity && !ex.gone[e] {
				return e.Output, true
			}
		}
	}
	_, noisy := ex.s.doc.Noise()
	return "", app.Presentable(ex.s.doc.Series()) && !noisy
}

// SavePresentation writes how the acquired slices are shown as a DICOM presentation state: window,
// turn, area and the marks on them, with the texts that text gives for the pane of a role. It does
// nothing where Presentable says no.
func (ex *Exports) SavePresentation(path string, text func(MarkFigures, viewer.Role) string, overwrite bool) {
	folder, ok := ex.Presentable()
	if !ok {
		return
	}
	source := ex.s.doc.Series()
	state := ex.s.state.In(source.Volume.Acquired())
	p := app.Presentation{Of: source, Now: ex.s.deps.Now(), View: state.View(), Inverted: state.Inverted()}
	role := viewer.Original
	if folder != "" {
		role, p.Run, p.Exported = viewer.Denoised, ex.s.doc.Run(), folder
	}
	p.Window = state.WindowOf(role)
	p.Area = ex.shownArea(state, role)
	for _, m := range ex.s.edit().Marks {
		if m.Plane == p.View.Plane {
			p.Marks = append(p.Marks, app.CaptionedMark{Mark: m, Text: text(ex.s.Marks.Figures(m), role)})
		}
	}
	t := ex.s.Tasks.start(Exporting, lang.L("Writing the presentation state"), "")
	ex.s.background(func() error { return p.Write(t.ctx, path, overwrite) }, func(err error) {
		if ex.s.Tasks.finish(t, err) {
			ex.s.Tasks.message = lang.L("The presentation state is saved.")
			ex.s.listener.Changed()
		}
	})
}

// shownArea returns the pixels at the top left and the bottom right of the pane of a role, or of
// another pane where that is hidden.
func (ex *Exports) shownArea(state *viewer.State, role viewer.Role) [2][2]int {
	panes := ex.s.listener.Panes()
	pane := panes[role]
	for _, other := range panes {
		if pane.Hidden {
			pane = other
		}
	}
	w, h := float64(pane.Width), float64(pane.Height)
	if pane.Hidden {
		w, h = 0, 0
	}
	first, last := state.Transform(w, h).Pixels(w, h)
	return [2][2]int{first, last}
}
