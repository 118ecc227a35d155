package ui_test

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/denoise"
	"quell/ui/screen"
	"quell/ui/session/preview"
)

// The tab of the lesions measures the recipe on the screen, and shows no number of another one.
func TestTheLesionsOfTheRecipe(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, fyne.NewSize(1280, 800))
	b.app.Settings().SetTheme(screen.Theme{})
	b.show(tissue(t))
	b.command("lesions").Run()
	measured := func() bool { return b.session().Lesions.Now().Panel != nil }
	b.until("the lesions are measured", measured)
	b.drain()
	first := b.session().Lesions.Now().Panel
	texts := b.texts()
	if !slices.Contains(texts, "0.5 σ") || !slices.Contains(texts, "Kept") || !strings.Contains(strings.Join(texts, "|"), "|A lesion of ") {
		t.Errorf("the tab shows %q for %d lesions", texts, len(first.Rows))
	}
	if first.Picture == nil || first.Picture.Before.Dims[0] < 13 {
		t.Errorf("the picture is %+v", first.Picture)
	}
	set := func(h float64) {
		b.session().Tuning.Set(b.session().Tuning.Recipe().With("h", denoise.Number(h)), true)
	}
	set(2)
	if now := b.session().Lesions.Now(); now.Panel != nil {
		t.Error("numbers of the recipe before stay")
	}
	b.until("the other recipe is measured", measured)
	if now := b.session().Lesions.Now().Panel; now == first || now.Recipe.Get("h").Float() != 2 {
		t.Errorf("the panel is of %s", now.Recipe)
	}

	// While the column is hidden, or another tab is shown, nothing is measured.
	idle := func(h float64, why string) {
		set(h)
		b.until("the slice is filtered", func() bool { return b.status() == preview.Slice && b.session().Measures.Slice().Current })
		b.drain()
		if now := b.session().Lesions.Now(); now.Measuring || now.Panel != nil {
			t.Errorf("%s: %+v", why, now)
		}
	}
	b.key(fyne.KeyP)
	idle(4, "behind a hidden column")
	b.key(fyne.KeyP)
	b.until("they are measured again", measured)
	b.workbench.SelectTab("Metrics")
	idle(3, "behind another tab")
}
