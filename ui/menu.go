package ui

import (
	"fmt"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/language"
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
		menu := fyne.NewMenu(lang.L(name))
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
		}
		if len(menu.Items) > 0 {
			menus = append(menus, menu)
		}
	}
	return fyne.NewMainMenu(menus...)
}

func (w *Workbench) menuItem(c Command) *fyne.MenuItem {
	item := fyne.NewMenuItem(c.Title, func() { w.run(c) })
	item.IsQuit = c.ID == "quit"
	if len(c.Chords) > 0 {
		item.Shortcut = c.Chords[0].shortcut()
	}
	if c.List != nil {
		item.Action, item.ChildMenu = nil, fyne.NewMenu("")
	}
	w.setItem(item, c)
	return item
}

// setItem updates an item, and the list below it, and says whether anything changed.
func (w *Workbench) setItem(item *fyne.MenuItem, c Command) (changed bool) {
	disabled, checked := c.Enabled != nil && !c.Enabled(), c.Checked != nil && c.Checked()
	if c.List != nil {
		var items []*fyne.MenuItem
		for _, child := range c.List() {
			items = append(items, w.menuItem(child))
		}
		same := func(a, b *fyne.MenuItem) bool {
			return a.Label == b.Label && a.Checked == b.Checked && a.Disabled == b.Disabled
		}
		changed = !slices.EqualFunc(item.ChildMenu.Items, items, same)
		item.ChildMenu.Items, disabled = items, disabled || len(items) == 0
	}
	changed = changed || item.Disabled != disabled || item.Checked != checked
	item.Disabled, item.Checked = disabled, checked
	return changed
}

// refreshMenu updates check marks, lists and disabled items.
func (w *Workbench) refreshMenu() {
	changed := false
	for _, c := range w.table {
		if item, ok := w.items[c.ID]; ok && w.setItem(item, c) {
			changed = true
		}
	}
	if changed {
		w.menu.Refresh()
	}
}

// recentCommands open the series that were open last.
func (w *Workbench) recentCommands() (out []Command) {
	for i, path := range w.settings.RecentPaths {
		title := filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
		if w.settings.HideIdentity { // names of files may be names of patients
			title = fmt.Sprintf(lang.L("Recent series %d"), i+1)
		}
		out = append(out, Command{Title: title, Run: func() { w.Open(path) }})
	}
	return out
}

// scales are the sizes of the interface that the menu offers; 0 is that of the desktop.
var scales = []float64{0, 1, 1.25, 1.5, 2, 3}

// scaleCommands set the size of the interface.
func (w *Workbench) scaleCommands() (out []Command) {
	for _, scale := range scales {
		title := lang.L("As the desktop")
		if scale > 0 {
			title = fmt.Sprintf("%.0f %%", 100*scale)
		}
		out = append(out, Command{
			Title: title, Checked: func() bool { return w.settings.Scale == scale },
			Run: func() {
				w.settings.Scale = scale
				w.saveSettings()
				w.refreshMenu()
				w.status.note(lang.L("The size of the interface changes at the next start."))
			},
		})
	}
	return out
}

// languageCommands set the language of the workbench. Each is named in itself.
func (w *Workbench) languageCommands() (out []Command) {
	for _, l := range []struct{ code, title string }{
		{language.System, lang.L("As the desktop")}, {language.English, "English"}, {language.German, "Deutsch"},
	} {
		out = append(out, Command{
			Title: l.title, Checked: func() bool { return w.settings.Language == l.code },
			Run: func() {
				w.settings.Language = l.code
				w.saveSettings()
				w.refreshMenu()
				w.status.note(lang.L("The language changes at the next start."))
			},
		})
	}
	return out
}

// resultCommands show the finished runs of the series again.
func (w *Workbench) resultCommands() (out []Command) {
	for i, r := range w.session.Results.List() {
		out = append(out, Command{Title: runTitle(w.session, r), Run: func() { w.session.Results.Show(i) }, Checked: func() bool { return r.Shown }})
	}
	return out
}

// popUp opens a menu of commands at a position on the canvas.
func (w *Workbench) popUp(commands []Command, at fyne.Position) {
	menu := fyne.NewMenu("")
	for _, c := range commands {
		menu.Items = append(menu.Items, w.menuItem(c))
	}
	widget.ShowPopUpMenuAtPosition(menu, w.main.Canvas(), at)
}

// contextCommands are the commands in the context menu of a picture.
var contextCommands = []string{"fit", "actual", "reset", "mirror-across", "turn", "invert", "window-auto", "window-own", "overlay", "residual", "export"}

func (w *Workbench) contextMenu(role viewer.Role, at fyne.Position) {
	title := lang.L("This pane alone")
	if w.maximized >= 0 {
		title = lang.L("All panes")
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
