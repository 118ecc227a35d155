package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/app/job"
	"quell/denoise"
)

// presetItems returns the item Presets of the menu Tools.
func presetItems(t *testing.T, m *fyne.MainMenu) *fyne.MenuItem {
	t.Helper()
	for _, menu := range m.Items {
		for _, item := range menu.Items {
			if menu.Label == "Tools" && item.Label == "Presets" {
				return item
			}
		}
	}
	t.Fatal("the menu Tools has no presets")
	return nil
}

// The menu lists every preset, and takes its recipe as it is, whatever the filter was
// last used with.
func TestPresetsAreInTheMenu(t *testing.T) {
	b := newBench(t, large)
	item := presetItems(t, b.workbench.Menu())
	if len(item.ChildMenu.Items) != len(job.Presets()) || item.Disabled {
		t.Fatalf("%d presets, disabled: %t", len(item.ChildMenu.Items), item.Disabled)
	}
	for i, p := range job.Presets() {
		other, err := denoise.NewRecipe(p.Recipe.Filter, p.Recipe.Dims)
		if err != nil {
			t.Fatal(err)
		}
		b.session().Tuning.Take(other)
		median, err := denoise.NewRecipe("median", 2)
		if err != nil {
			t.Fatal(err)
		}
		b.session().Tuning.Take(median)
		child := item.ChildMenu.Items[i]
		child.Action()
		if child.Label != p.Title || !b.session().Tuning.Recipe().Equal(p.Recipe) {
			t.Errorf("%s takes %s; want %s", child.Label, b.session().Tuning.Recipe(), p.Recipe)
		}
		if got := b.workbench.Status(); !strings.HasPrefix(got, p.Title+": tuned on ") || strings.Contains(got, "dB") {
			t.Errorf("the status bar says %q", got)
		}
		b.session().History.Undo()
		if !b.session().Tuning.Recipe().Equal(median) {
			t.Error("taking a preset is no step of the history")
		}
	}
}
