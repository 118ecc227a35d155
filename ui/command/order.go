package command

import (
	"cmp"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"
)

// order is the order of commands in menus, help sheet and the list of keys. One that is not
// in it comes last in its menu.
var order = strings.Fields(`
open-folder open-file open-path open-pacs open-bundled open-recent open-project save-project save-project-as project-runs beside no-beside reference-file reference-folder no-reference
export send report picture save-cine presentation next-series previous-series series close-series quit
undo redo forget-paths keep-paths pacs-places invert-level
axial coronal sagittal layout-1 layout-1×2 layout-1×3 layout-2×2
fit zoom-in zoom-out actual reset mirror-across mirror-down turn crosshair magnifier pixels cine cine-back
overlay identity residual inset strip noise-map structure fullscreen corners language scale
compare-off compare-curtain compare-blink compare-fade compare-checkerboard before share-less share-more compare-blind compare-unfiltered compare-with
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
