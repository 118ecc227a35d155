package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app/job"
	"quell/denoise"
	"quell/ui/control"
)

// presetButtons opens the list of presets and returns the buttons that take them, in their order, and the texts.
func (b *bench) presetButtons() (take []*control.Button, texts string) {
	b.t.Helper()
	b.command("presets").Run()
	for _, button := range inDialog[*control.Button](b) {
		if button.Text == "Take" {
			take = append(take, button)
		}
	}
	return take, b.dialogTexts()
}

// The list has every preset, those for the modality of the series first, and takes its recipe as it is, whatever the filter
// was last used with.
func TestPresetsAreListed(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.show(tissue(t))
	modality := b.session().Series().Modality
	var ordered []job.Preset
	for _, suits := range []bool{true, false} {
		for _, p := range job.Presets() {
			if (p.Modality == modality) == suits {
				ordered = append(ordered, p)
			}
		}
	}
	for i, p := range ordered {
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
		take, texts := b.presetButtons()
		if len(take) != len(ordered) || !strings.Contains(texts, p.Title) {
			t.Fatalf("%d presets in %q", len(take), texts)
		}
		test.Tap(take[i])
		if !b.session().Tuning.Recipe().Equal(p.Recipe) {
			t.Errorf("%s takes %s; want %s", p.Title, b.session().Tuning.Recipe(), p.Recipe)
		}
		if b.canvas().Overlays().Top() != nil || b.session().Samples.Now() != nil {
			t.Error("the list stays open, or its samples go on")
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

// Every preset gets its picture of the slice, also while the column is hidden; closing the list ends the work.
func TestPresetsHavePictures(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.show(tissue(t))
	b.command("strip").Run()
	b.presetButtons()
	awaited := func() int { return strings.Count(b.dialogTexts(), "-D …") }
	if got := awaited(); got != len(job.Presets()) {
		t.Fatalf("%d pictures are awaited at first", got)
	}
	b.until("every preset has a picture", func() bool { return awaited() == 0 })
	for i, s := range b.session().Samples.Now().Samples {
		if s.Part == nil || s.Part.Dims != b.session().Samples.Now().Input.Dims {
			t.Errorf("preset %d has no picture: %v", i, s.Problem)
		}
	}
	if text := b.dialogTexts(); !strings.Contains(text, "original left of the line") {
		t.Errorf("%q", text)
	}
	b.tap("Close")
	if b.session().Samples.Now() != nil {
		t.Error("the samples stay")
	}
}

func (b *bench) dialogTexts() string {
	var all []string
	for _, l := range inDialog[*widget.Label](b) {
		all = append(all, l.Text)
	}
	return strings.Join(all, "|")
}
