// Package frame lays out the panels of the workbench by their docks: bars around the
// pictures, the column with the card, and the parts that are hidden in full screen or for want of room.
// It knows no panel by name.
package frame

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/panel"
)

// Frame is everything but a panel in the place of all others. It is a panel itself, without a
// place: its commands hide and show the others. Create it with New.
type Frame struct {
	panel.Base
	h      *host.Host
	in     map[panel.Area][]panel.Panel
	tools  fyne.CanvasObject
	status fyne.CanvasObject
	slices fyne.CanvasObject
	rail   *fyne.Container
	column *fyne.Container // the panels of the column, and the card
	card   *card
	root   *fyne.Container
	needs  columnNeeds // that the column is laid out for
	full   bool        // full screen: the pictures alone
}

// New lays the panels of the host out on its window.
func New(h *host.Host) *Frame {
	f := &Frame{h: h, in: map[panel.Area][]panel.Panel{}}
	for _, p := range h.Panels {
		area := p.Dock().Area
		f.in[area] = append(f.in[area], p)
	}
	f.tools, f.status, f.slices = stacked(f.objects(panel.Toolbar)), stacked(f.objects(panel.Status)), stacked(f.objects(panel.Slices))
	f.rail = container.New(fixedWidthLayout{panel.RailWidth}, stacked(f.objects(panel.Rail)))
	f.rail.Hide()
	for _, o := range f.objects(panel.Quick) {
		h.Beside.Add(o)
	}
	h.Beside.Hide()
	f.card = newCard(f.in[panel.Card], h.Changed)
	f.column = container.New(fixedWidthLayout{sideWidth}, container.NewPadded(container.New(columnLayout{f.columnNeeds}, stacked(f.objects(panel.Column)), f.card.content)))
	f.root = container.New(frameLayout{f}, f.tools, f.status, f.rail, f.column, f.slices, container.NewStack(f.objects(panel.Pictures)...))
	h.Window.SetPadded(false)
	h.Window.SetContent(container.NewStack(append(append([]fyne.CanvasObject{f.root}, f.objects(panel.Cover)...), h.Tip.Layer)...))
	return f
}

func (f *Frame) objects(of panel.Area) (out []fyne.CanvasObject) {
	for _, p := range f.in[of] {
		out = append(out, p.Dock().Object)
	}
	return out
}

// stacked gives the first object the space that the others, below it, leave.
func stacked(objects []fyne.CanvasObject) fyne.CanvasObject {
	if len(objects) == 1 {
		return objects[0]
	}
	// The containers do not share the array of objects: Border appends to its own.
	below := container.NewVBox(slices.Clone(objects[min(1, len(objects)):])...)
	return container.NewBorder(nil, below, nil, nil, slices.Clone(objects[:min(1, len(objects))])...)
}

// Show implements panel.Panel. It is the last panel, so that the others have their sizes.
func (f *Frame) Show(now panel.Snapshot) {
	if needs := f.columnNeeds(); now.Column && needs != f.needs {
		f.needs = needs
		f.column.Refresh()
	}
	if f.wanted(panel.Rail) != f.rail.Visible() && !f.full {
		f.Arrange()
	}
}

// Commands implements panel.Panel.
func (f *Frame) Commands() []command.Command {
	return []command.Command{
		{ID: "strip", Title: "Filter, metrics and plots", Menu: command.ViewMenu, Chords: command.Key(fyne.KeyP), Run: func() { f.ShowColumn(!f.ShowsColumn()) },
			Help:    "hidden at first where it would leave the pictures less than 80 % of the workbench",
			Checked: f.ShowsColumn},
		{ID: "fullscreen", Title: "Full screen", Menu: command.ViewMenu, Gap: true, Chords: command.Key(fyne.KeyF11), Run: f.toggleFullScreen},
	}
}

// Cancel implements panel.Canceller.
func (f *Frame) Cancel() bool {
	if f.full {
		f.toggleFullScreen()
		return true
	}
	return false
}

// Keep implements panel.Keeper.
func (f *Frame) Keep(put func(name string, value any)) {
	if f.h.Settings.Column != "" {
		put("column", f.h.Settings.Column)
	}
}

// Restore implements panel.Keeper.
func (f *Frame) Restore(get func(name string, into any) bool) {
	f.h.Settings.Column = ""
	get("column", &f.h.Settings.Column)
	f.Arrange()
}

// Offer implements panel.Keeper.
func (f *Frame) Offer(func(name string, into any) bool) string { return "" }

// wanted says whether a panel of an area has something to show.
func (f *Frame) wanted(a panel.Area) bool {
	return slices.ContainsFunc(f.in[a], func(p panel.Panel) bool {
		o, optional := p.(panel.Optional)
		return !optional || o.Wanted()
	})
}

// Arrange shows and hides, in full screen, everything around the pictures.
func (f *Frame) Arrange() {
	for area, bar := range map[panel.Area]fyne.CanvasObject{panel.Toolbar: f.tools, panel.Status: f.status, panel.Slices: f.slices, panel.Rail: f.rail} {
		if f.full || !f.wanted(area) {
			bar.Hide()
		} else {
			bar.Show()
		}
	}
	f.root.Refresh()
	f.h.Session.Screen.Redraw()
	f.h.Changed()
}

// Refresh lays everything out again.
func (f *Frame) Refresh() { f.root.Refresh() }

// SetVisible hides everything, or shows it again.
func (f *Frame) SetVisible(on bool) {
	if on {
		f.root.Show()
	} else {
		f.root.Hide()
	}
}

// Visible says whether everything is not hidden.
func (f *Frame) Visible() bool { return f.root.Visible() }

// FullScreen says whether the pictures are shown alone.
func (f *Frame) FullScreen() bool { return f.full }

// Tab returns the title of the tab that the card shows.
func (f *Frame) Tab() string { return f.card.title }

// SelectTab shows a tab as if the user had chosen it.
func (f *Frame) SelectTab(title string) { f.card.selectTab(title) }

// toggleFullScreen shows the pictures alone on the whole screen, or everything again.
func (f *Frame) toggleFullScreen() {
	w := f.h.Window
	f.full = !f.full
	w.SetFullScreen(f.full)
	if f.full {
		w.SetMainMenu(nil)
	} else {
		f.h.SetMenu()
	}
	w.SetContent(w.Content()) // Fyne moves it to the place of the menu with its size alone
	f.Arrange()
}

// The choices whether the column of filter, measures and plots is shown.
const (
	columnShown  = "shown"
	columnHidden = "hidden"
)

// ShowsColumn says whether the column is beside the pictures.
func (f *Frame) ShowsColumn() bool {
	switch f.h.Settings.Column {
	case columnShown:
		return true
	case columnHidden:
		return false
	}
	return f.columnFits()
}

// The size of the workbench, in units, from which on the column is shown until the user hides it: a
// window that fills 1440 pixels less the borders of a desktop, and is no strip.
const (
	columnFrom = 1400
	columnTall = 600
)

// columnFits says whether there is room for the column beside the pictures.
func (f *Frame) columnFits() bool {
	whole := f.h.Window.Canvas().Size()
	return whole.Width >= columnFrom && whole.Height >= columnTall
}

// ShowColumn shows or hides the column, now and at the next start.
func (f *Frame) ShowColumn(on bool) {
	if on == f.ShowsColumn() {
		return
	}
	f.h.Settings.Column = columnHidden
	if on {
		f.h.Settings.Column = columnShown
		for _, p := range append(slices.Clone(f.in[panel.Column]), f.in[panel.Card]...) {
			p.Show(f.h.Snapshot())
		}
	}
	f.h.SaveSettings()
	f.Arrange()
}

// card shows one of several panels, below the column, by tabs. A panel can have several.
type card struct {
	tabs    *control.Radio
	panels  []panel.Panel
	titles  []string // of the tabs, in English, from left to right
	owners  []int    // the panel behind each tab
	title   string   // of the tab that is shown
	content fyne.CanvasObject
	changed func()
}

// newCard returns a card that shows the first tab; changed is called when another one is
// shown.
func newCard(panels []panel.Panel, changed func()) *card {
	c := &card{panels: panels, changed: changed}
	var names []string
	objects := container.NewStack()
	for i, p := range panels {
		for _, title := range p.Dock().Tabs {
			c.titles, c.owners, names = append(c.titles, title), append(c.owners, i), append(names, lang.L(title))
		}
		objects.Add(p.Dock().Object)
		if i > 0 {
			p.Dock().Object.Hide()
		}
	}
	c.tabs = control.NewRadioLines(names, cardWidth, nil)
	c.tabs.SetSelected(names[0])
	c.title = c.titles[0]
	c.tabs.OnChanged = func(name string) { c.show(slices.Index(names, name)) }
	c.content = container.NewBorder(container.NewVBox(widget.NewSeparator(), c.tabs), nil, nil, nil, objects)
	return c
}

// selectTab shows a tab as if the user had chosen it.
func (c *card) selectTab(title string) { c.tabs.SetSelected(lang.L(title)) }

func (c *card) show(tab int) {
	c.title = c.titles[tab]
	for i, p := range c.panels {
		object := p.Dock().Object
		if i != c.owners[tab] {
			object.Hide()
			continue
		}
		object.Show()
		if t, ok := p.(panel.Tabbed); ok {
			t.SelectTab(c.title)
		}
	}
	c.content.Refresh()
	c.changed()
}
