package rail

import (
	"fyne.io/fyne/v2"

	"quell/ui/command"
	"quell/ui/host"
	"quell/ui/wording"
)

// Commands implements panel.Panel: they switch between the open series and close them.
func (r *Panel) Commands() []command.Command {
	several := func() bool { return len(r.h.Session.Documents.List()) > 1 }
	return []command.Command{
		{ID: "next-series", Title: "Next series", Menu: command.FileMenu, Gap: true, Enabled: several,
			Chords: command.With(command.Ctrl, fyne.KeyTab, fyne.KeyPageDown), Run: func() { r.nextDocument(1) }},
		{ID: "previous-series", Title: "Previous series", Menu: command.FileMenu, Enabled: several,
			Chords: append(command.With(command.Ctrl|fyne.KeyModifierShift, fyne.KeyTab), command.With(command.Ctrl, fyne.KeyPageUp)...), Run: func() { r.nextDocument(-1) }},
		{ID: "series", Title: "Open series", Menu: command.FileMenu, List: r.seriesCommands},
		{ID: "close-series", Title: "Close the series", Menu: command.FileMenu, Chords: command.With(command.Ctrl, fyne.KeyW), Enabled: r.h.IsOpen,
			Run: func() { r.closeDocument(r.h.Current()) }},
	}
}

// seriesCommands show the open series.
func (r *Panel) seriesCommands() (out []command.Command) {
	for i, d := range r.h.Session.Documents.List() {
		out = append(out, command.Command{
			Title: wording.Joined(wording.Series(d, r.h.Settings.HideIdentity), wording.Slices(d.Dims[2])),
			Run:   func() { r.h.ShowDocument(i) }, Checked: func() bool { return d.Shown },
		})
	}
	return out
}

// nextDocument shows the series step places on in the list.
func (r *Panel) nextDocument(step int) {
	n := len(r.h.Session.Documents.List())
	r.h.ShowDocument((r.h.Current() + step + n) % n)
}

// closeDocument closes an open series, after a question where that would lose work.
func (r *Panel) closeDocument(i int) {
	if r.h.Covered() || i < 0 {
		return
	}
	open := r.h.Session.Documents.List()[i]
	r.h.Session.Exports.Check(func() {
		if now := r.h.Session.Documents.List(); i >= len(now) || now[i].Path != open.Path {
			return // it was closed meanwhile
		}
		r.h.Ask(host.Losses()[r.h.Session.Documents.LossOf(i)], func() { r.h.Session.Documents.Close(i) })
	})
}
