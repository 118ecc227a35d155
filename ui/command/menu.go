package command

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"
)

// Bar is the main menu, made of a table of commands.
type Bar struct {
	Main  *fyne.MainMenu
	table []Command
	run   func(Command)
	items map[string]*fyne.MenuItem
}

// NewBar builds the menus from a table; run carries out a command that is chosen.
func NewBar(table []Command, run func(Command)) *Bar {
	b := &Bar{table: table, run: run, items: map[string]*fyne.MenuItem{}}
	var menus []*fyne.Menu
	for _, name := range Menus {
		menu := fyne.NewMenu(lang.L(name))
		for _, c := range table {
			if c.Menu != name {
				continue
			}
			if c.Gap {
				menu.Items = append(menu.Items, fyne.NewMenuItemSeparator())
			}
			item := b.Item(c)
			b.items[c.ID] = item
			menu.Items = append(menu.Items, item)
		}
		if len(menu.Items) > 0 {
			menus = append(menus, menu)
		}
	}
	b.Main = fyne.NewMainMenu(menus...)
	return b
}

// Item returns a menu item that runs a command.
func (b *Bar) Item(c Command) *fyne.MenuItem {
	item := fyne.NewMenuItem(c.Title, func() { b.run(c) })
	item.IsQuit = c.ID == Quit
	if len(c.Chords) > 0 {
		item.Shortcut = c.Chords[0].Shortcut()
	}
	if c.List != nil {
		item.Action, item.ChildMenu = nil, fyne.NewMenu("")
	}
	b.setItem(item, c)
	return item
}

// setItem updates an item, and the list below it, and says whether anything changed.
func (b *Bar) setItem(item *fyne.MenuItem, c Command) (changed bool) {
	disabled, checked := c.Enabled != nil && !c.Enabled(), c.Checked != nil && c.Checked()
	if c.List != nil {
		var items []*fyne.MenuItem
		for _, child := range c.List() {
			items = append(items, b.Item(child))
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

// Refresh updates check marks, lists and disabled items.
func (b *Bar) Refresh() {
	changed := false
	for _, c := range b.table {
		if item, ok := b.items[c.ID]; ok && b.setItem(item, c) {
			changed = true
		}
	}
	if changed {
		b.Main.Refresh()
	}
}

// PopUp opens a menu of commands at a position on a canvas.
func (b *Bar) PopUp(commands []Command, on fyne.Canvas, at fyne.Position) {
	menu := fyne.NewMenu("")
	for _, c := range commands {
		menu.Items = append(menu.Items, b.Item(c))
	}
	widget.ShowPopUpMenuAtPosition(menu, on, at)
}
