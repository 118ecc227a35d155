package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/ui/viewer"
)

// setMenu rebuilds the main menu.
func (w *Workbench) setMenu() {
	w.menu = w.mainMenu()
	w.main.SetMainMenu(w.menu)
}

// mainMenu builds the menus from the table of commands.
func (w *Workbench) mainMenu() *fyne.MainMenu {
	w.items = map[string]*fyne.MenuItem{}
	var menus []*fyne.Menu
	for _, name := range menuOrder {
		menu := fyne.NewMenu(name)
		for _, c := range w.table {
			if c.Menu != name {
				continue
			}
			if c.Gap {
				menu.Items = append(menu.Items, fyne.NewMenuItemSeparator())
			}
			item := w.menuItem(c)
			w.items[c.ID] = item
			menu.Items = append(menu.Items, item)
			if c.ID == "open-bundled" {
				menu.Items = append(menu.Items, w.recentItem())
			}
			if c.ID == "fullscreen" {
				menu.Items = append(menu.Items, w.scaleItem())
			}
			if c.ID == "follow-noise" {
				w.presets = w.presetsItem()
				w.results = fyne.NewMenuItem("Results", nil)
				w.results.ChildMenu = fyne.NewMenu("")
				w.showResults()
				menu.Items = append(menu.Items, w.presets, w.results)
			}
		}
		menus = append(menus, menu)
	}
	return fyne.NewMainMenu(menus...)
}

func (w *Workbench) menuItem(c Command) *fyne.MenuItem {
	item := fyne.NewMenuItem(c.Title, func() { w.run(c) })
	item.IsQuit = c.ID == "quit"
	if len(c.Chords) > 0 {
		item.Shortcut = c.Chords[0].shortcut()
	}
	w.setItem(item, c)
	return item
}

func (w *Workbench) setItem(item *fyne.MenuItem, c Command) (changed bool) {
	disabled, checked := c.Enabled != nil && !c.Enabled(), c.Checked != nil && c.Checked()
	changed = item.Disabled != disabled || item.Checked != checked
	item.Disabled, item.Checked = disabled, checked
	return changed
}

// refreshMenu updates check marks and disabled items.
func (w *Workbench) refreshMenu() {
	closed := w.session.Series() == nil
	changed := w.presets.Disabled != closed
	w.presets.Disabled = closed
	changed = w.showResults() || changed
	for _, c := range w.table {
		if item, ok := w.items[c.ID]; ok && w.setItem(item, c) {
			changed = true
		}
	}
	if changed {
		w.menu.Refresh()
	}
}

// recentItem lists the recently opened series.
func (w *Workbench) recentItem() *fyne.MenuItem {
	item := fyne.NewMenuItem("Open recent", nil)
	item.ChildMenu = fyne.NewMenu("")
	for _, path := range w.settings.RecentPaths {
		label := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
		item.ChildMenu.Items = append(item.ChildMenu.Items, fyne.NewMenuItem(label, func() { w.Open(path) }))
	}
	item.Disabled = len(item.ChildMenu.Items) == 0
	return item
}

// scales are the sizes of the interface that the menu offers; 0 is that of the desktop.
var scales = []float64{0, 1, 1.25, 1.5, 2, 3}

// scaleItem lists the sizes of the interface.
func (w *Workbench) scaleItem() *fyne.MenuItem {
	item := fyne.NewMenuItem("Size of the interface", nil)
	item.ChildMenu = fyne.NewMenu("")
	for _, scale := range scales {
		label := "As the desktop"
		if scale > 0 {
			label = fmt.Sprintf("%.0f %%", 100*scale)
		}
		child := fyne.NewMenuItem(label, func() {
			w.settings.Scale = scale
			w.saveSettings()
			w.setMenu()
			w.status.note("The size of the interface changes at the next start.")
		})
		child.Checked = w.settings.Scale == scale
		item.ChildMenu.Items = append(item.ChildMenu.Items, child)
	}
	return item
}

// presetsItem lists the recipes that come with the program.
func (w *Workbench) presetsItem() *fyne.MenuItem {
	item := fyne.NewMenuItem("Presets", nil)
	item.ChildMenu = fyne.NewMenu("")
	for _, p := range app.Presets() {
		item.ChildMenu.Items = append(item.ChildMenu.Items, fyne.NewMenuItem(p.Title, func() {
			w.session.TakeRecipe(p.Recipe)
			data, _, _ := strings.Cut(p.TunedOn, ":")
			w.status.note(p.Title + ": tuned on " + data + ".")
		}))
	}
	item.Disabled = w.session.Series() == nil
	return item
}

// showResults lists the finished runs of the series, to show one again, and says
// whether the list has changed.
func (w *Workbench) showResults() (changed bool) {
	var items []*fyne.MenuItem
	for i, r := range w.session.Results() {
		label := recipeText(w.session, r.Run.Recipe)
		if !r.Exported {
			label += "  (not exported)"
		}
		item := fyne.NewMenuItem(label, func() { w.session.ShowResult(i) })
		item.Checked = r.Shown
		items = append(items, item)
	}
	old := w.results.ChildMenu.Items
	same := slices.EqualFunc(old, items, func(a, b *fyne.MenuItem) bool { return a.Label == b.Label && a.Checked == b.Checked })
	if same && w.results.Disabled == (len(items) == 0) {
		return false
	}
	w.results.ChildMenu.Items, w.results.Disabled = items, len(items) == 0
	return true
}

// contextCommands are the commands in the context menu of a picture.
var contextCommands = []string{"fit", "actual", "reset", "invert", "window-auto", "window-own", "overlay", "residual", "export"}

func (w *Workbench) contextMenu(role viewer.Role, at fyne.Position) {
	title := "This pane alone"
	if w.maximized >= 0 {
		title = "All panes"
	}
	menu := fyne.NewMenu("", fyne.NewMenuItem(title, func() { w.maximize(role) }), fyne.NewMenuItemSeparator())
	for _, id := range contextCommands {
		for _, c := range w.table {
			if c.ID == id {
				menu.Items = append(menu.Items, w.menuItem(c))
			}
		}
	}
	widget.ShowPopUpMenuAtPosition(menu, w.main.Canvas(), at)
}
