package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/ui/control"
)

// A preset of the user is listed below the presets of the program, also at the next start,
// and is taken as it is.
func TestAPresetIsKept(t *testing.T) {
	b := newBench(t, large)
	own := b.session().Tuning.Recipe().With("h", denoise.Number(12))
	b.session().Tuning.Set(own, true)
	keep := b.command("keep-preset")
	if keep.Checked() {
		t.Error("it is kept before it was chosen")
	}
	keep.Run()
	b.drain()
	other, err := denoise.NewRecipe("median", 2)
	if err != nil {
		t.Fatal(err)
	}
	if b.session().Tuning.Take(other); keep.Checked() {
		t.Error("another recipe counts as kept")
	}
	b.drain()
	items, texts := b.presetButtons()
	if len(items) != len(job.Presets())+1 || !strings.Contains(texts, own.String()) {
		t.Fatalf("%d presets in %q", len(items), texts)
	}
	test.Tap(items[len(items)-1])
	if !b.session().Tuning.Recipe().Equal(own) || !keep.Checked() || len(workbench.LoadSettings(b.settingsPath).Presets) != 1 {
		t.Errorf("it takes %s", b.session().Tuning.Recipe())
	}
	keep.Run()
	b.drain()
	if items, _ := b.presetButtons(); len(items) != len(job.Presets()) || len(workbench.LoadSettings(b.settingsPath).Presets) != 0 {
		t.Errorf("%d presets after it was taken away", len(items))
	}
}

// A recipe is read from a file and is one step of undo; one with a strength to be searched
// for starts the search.
func TestARecipeIsLoaded(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	before := b.session().Tuning.Recipe()
	load := func(text string) {
		path := filepath.Join(t.TempDir(), "ROE_JANE.recipe.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.command("load-recipe").Run()
		b.canvas().Focused().(interface{ SetText(string) }).SetText(path)
		b.until("the dialog has found the file", func() bool {
			for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
				if c, ok := o.(*control.Button); ok && c.Text == "Open" {
					if c.Disabled() {
						return false
					}
					test.Tap(c)
					return true
				}
			}
			return false
		})
	}
	load(`{"version": 1, "filter": "median", "dims": 2, "parameters": {}}`)
	b.until("the recipe is taken", func() bool { return b.session().Tuning.Recipe().Filter == "median" })
	if got := b.workbench.Status(); got != "The parameters are those of the file." {
		t.Errorf("the status bar says %q", got)
	}
	if b.session().History.Undo(); !b.session().Tuning.Recipe().Equal(before) {
		t.Error("undo does not take it back")
	}
	load(`{"filter": "median"`)
	b.until("it is refused", func() bool { return b.workbench.OpenDialogs() == 1 })
	if !b.session().Tuning.Recipe().Equal(before) {
		t.Error("a broken file changes the recipe")
	}
	b.press(fyne.KeyEscape)
	load(`{"version": 1, "filter": "nlm", "dims": 2, "parameters": {"h": "sure"}}`)
	// The search may end while the press is waited for.
	b.until("the strength is searched for", func() bool { return b.session().Strength.Searching() || b.session().Strength.Curve() != nil })
	if h := b.session().Tuning.Recipe().Get("h"); h.IsSURE() || b.session().Tuning.Recipe().Dims != 2 {
		t.Errorf("h is %v", h)
	}
	b.until("it is found", func() bool { return !b.session().Strength.Searching() })
}
