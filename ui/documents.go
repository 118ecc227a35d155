package ui

import (
	"slices"

	"fyne.io/fyne/v2"

	"quell/ui/session/documents"
)

// documentCommands switch between the open series and close them.
func (w *Workbench) documentCommands() []Command {
	several := func() bool { return len(w.session.Documents.List()) > 1 }
	return []Command{
		{ID: "next-series", Title: "Next series", Menu: menuFile, Gap: true, Enabled: several,
			Chords: []Chord{{fyne.KeyTab, ctrl}, {fyne.KeyPageDown, ctrl}}, Run: func() { w.nextDocument(1) }},
		{ID: "previous-series", Title: "Previous series", Menu: menuFile, Enabled: several,
			Chords: []Chord{{fyne.KeyTab, ctrl | fyne.KeyModifierShift}, {fyne.KeyPageUp, ctrl}}, Run: func() { w.nextDocument(-1) }},
		{ID: "series", Title: "Open series", Menu: menuFile, List: w.seriesCommands},
		{ID: "close-series", Title: "Close the series", Menu: menuFile, Chords: with(ctrl, fyne.KeyW), Enabled: w.open,
			Run: func() { w.closeDocument(w.current()) }},
	}
}

// showRail lists the open series where there are several.
func (w *Workbench) showRail() {
	w.rail.display(w.session, w.settings.HideIdentity)
	if several := len(w.rail.cells) > 1; several != w.rail.content.Visible() && !w.pictures {
		w.arrange()
	}
}

// seriesCommands show the open series.
func (w *Workbench) seriesCommands() (out []Command) {
	for i, d := range w.session.Documents.List() {
		out = append(out, Command{
			Title: joined(documentName(d, w.settings.HideIdentity), slicesText(d.Dims[2])),
			Run:   func() { w.showDocument(i) }, Checked: func() bool { return d.Shown },
		})
	}
	return out
}

// current returns the index of the series that is shown, -1 for none.
func (w *Workbench) current() int {
	return slices.IndexFunc(w.session.Documents.List(), func(d documents.Opened) bool { return d.Shown })
}

// nextDocument shows the series step places on in the list.
func (w *Workbench) nextDocument(step int) {
	n := len(w.session.Documents.List())
	w.showDocument((w.current() + step + n) % n)
}

// showDocument shows an open series. One that was put away is read again, after a
// question where that would end a run or an export.
func (w *Workbench) showDocument(i int) {
	open := w.session.Documents.List()
	switch {
	case i < 0 || i >= len(open) || open[i].Shown || w.covered():
	case open[i].Away:
		w.confirmTask(func() { w.session.Documents.Show(i) })
	default:
		w.session.Documents.Show(i)
	}
}

// closeDocument closes an open series, after a question where that would lose work.
func (w *Workbench) closeDocument(i int) {
	if w.covered() || i < 0 {
		return
	}
	open := w.session.Documents.List()[i]
	w.session.Exports.Check(func() {
		if now := w.session.Documents.List(); i >= len(now) || now[i].Path != open.Path {
			return // it was closed meanwhile
		}
		w.ask(losses()[w.session.Documents.LossOf(i)], func() { w.session.Documents.Close(i) })
	})
}
