package session

import (
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/viewer"
)

// Presentable says whether a presentation state can be saved, and of what: of the series that the
// shown result was exported to, or where folder is "" of the series that is open.
func (s *Session) Presentable() (folder string, ok bool) {
	if s.doc == nil || s.Busy() {
		return "", false
	}
	if r := s.resultOf(s.doc.Run()); s.Applied() && r != nil {
		for _, e := range slices.Backward(r.exports) {
			if app.FormatOf(e.Output).Identity && !s.gone[e] {
				return e.Output, true
			}
		}
	}
	_, noisy := s.doc.Noise()
	return "", app.Presentable(s.doc.Series()) && !noisy
}

// SavePresentation writes how the acquired slices are shown as a DICOM presentation state: window,
// turn, area and the marks on them, with the texts that text gives for the pane of a role. It does
// nothing where Presentable says no.
func (s *Session) SavePresentation(path string, text func(MarkFigures, viewer.Role) string, overwrite bool) {
	folder, ok := s.Presentable()
	if !ok {
		return
	}
	source := s.doc.Series()
	state := s.state.In(source.Volume.Acquired())
	p := app.Presentation{Of: source, Now: s.deps.Now(), View: state.View(), Inverted: state.Inverted()}
	role := viewer.Original
	if folder != "" {
		role, p.Run, p.Exported = viewer.Denoised, s.doc.Run(), folder
	}
	p.Window = state.WindowOf(role)
	p.Area = s.shownArea(state, role)
	for _, m := range s.edit().Marks {
		if m.Plane == p.View.Plane {
			p.Marks = append(p.Marks, app.CaptionedMark{Mark: m, Text: text(s.MarkFigures(m), role)})
		}
	}
	t := s.start(Exporting, lang.L("Writing the presentation state"), "")
	s.background(func() error { return p.Write(t.ctx, path, overwrite) }, func(err error) {
		if s.finish(t, err) {
			s.message = lang.L("The presentation state is saved.")
			s.listener.Changed()
		}
	})
}

// shownArea returns the pixels at the top left and the bottom right of the pane of a role, or of
// another pane where that is hidden.
func (s *Session) shownArea(state *viewer.State, role viewer.Role) [2][2]int {
	panes := s.listener.Panes()
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
