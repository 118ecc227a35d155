package command

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
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
		own := slices.DeleteFunc(slices.Clone(table), func(c Command) bool { return c.Menu != name })
		if len(own) == 0 {
			continue
		}
		menu := fyne.NewMenu(lang.L(name))
		for i, item := range b.Items(own) {
			if own[i].Gap {
				menu.Items = append(menu.Items, fyne.NewMenuItemSeparator())
			}
			b.items[own[i].ID] = item
			menu.Items = append(menu.Items, item)
		}
		menus = append(menus, menu)
	}
	b.Main = fyne.NewMainMenu(menus...)
	return b
}

// native says whether the menus are drawn by the system.
const native = runtime.GOOS == "darwin"

// triggered is a shortcut that triggers its item and is not drawn: Fyne draws the keys of a menu in a fifth of the
// contrast of its texts.
type triggered struct{ fyne.Shortcut }

// Items returns the items of a menu. Their keys are part of the labels, in a column behind the widest title.
func (b *Bar) Items(commands []Command) (items []*fyne.MenuItem) {
	width := func(label string) float32 {
		return fyne.MeasureText(label, theme.TextSize(), fyne.TextStyle{}).Width
	}
	column := float32(0)
	for _, c := range commands {
		column = max(column, width(c.Title+"\t"))
	}
	for _, c := range commands {
		item := b.item(c)
		if item.Shortcut != nil && !native {
			for item.Label += "\t"; width(item.Label) < column; {
				item.Label += "\t"
			}
			item.Label, item.Shortcut = item.Label+c.Chords[0].String(), triggered{item.Shortcut}
		}
		items = append(items, item)
	}
	return items
}

// item returns a menu item that runs a command.
func (b *Bar) item(c Command) *fyne.MenuItem {
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
		items := b.Items(c.List())
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
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", b.Items(commands)...), on, at)
}

// order is the order of commands in menus, help sheet and the list of keys. One that is not
// in it comes last in its menu.
var order = strings.Fields(`
open-folder open-file open-path open-pacs open-bundled open-recent open-project save-project save-project-as project-runs beside no-beside reference-file reference-folder no-reference
export send report picture save-cine presentation next-series previous-series series close-series quit
undo redo forget-paths keep-paths pacs-places invert-level
axial coronal sagittal layout-1 layout-1×2 layout-1×3 layout-2×2
fit zoom-in zoom-out actual reset mirror-across mirror-down turn crosshair magnifier pixels cine cine-back
overlay identity residual inset strip noise-map structure fullscreen corners language scale
compare-off compare-swipe compare-blink compare-fade compare-checkerboard before share-less share-more compare-blind compare-unfiltered compare-with
window-auto window-own invert window-link windows
tool-ellipse tool-rectangle tool-freehand tool-line mark-window mark-ground mark-noise mark-noise-estimated spectrum
mark-delete marks-delete marks-copy measures-save judge-slices
apply best-strength compare-filters follow-noise presets keep-preset load-recipe results cancel add-noise remove-noise
shortcuts change-key findings engines about
next previous next-10 previous-10 first last next-volume previous-volume`)

// Sorted sorts commands by their order.
func Sorted(table []Command) []Command {
	last := map[string]int{} // by menu, or by section of the help sheet
	place := func(c Command) string { return cmp.Or(c.Menu, c.Section) }
	for _, c := range table {
		last[place(c)] = max(last[place(c)], slices.Index(order, c.ID))
	}
	rank := func(c Command) int {
		if i := slices.Index(order, c.ID); i >= 0 {
			return i
		}
		return last[place(c)]
	}
	slices.SortStableFunc(table, func(a, b Command) int { return rank(a) - rank(b) })
	return table
}

// Translated translates the texts of a table. A list translates its own entries.
func Translated(table []Command) []Command {
	for i, c := range table {
		table[i].Title = lang.L(c.Title)
		if c.Help != "" {
			table[i].Help = lang.L(c.Help)
		}
	}
	return table
}
