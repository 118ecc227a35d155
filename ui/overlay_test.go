package ui_test

import (
	"context"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/ui/control"
	"quell/ui/panels/plotpanel"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// tissue is a disc of even tissue with noise of sigma 4 HU in air.
func tissue(t *testing.T) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{96, 96, 3}, [3]float64{0.5, 0.5, 5}))
	for i := range v.Data {
		x, y := i%96-48, i/96%96-48
		if v.Data[i] = -1000; x*x+y*y < 44*44 {
			v.Data[i] = 40
		}
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	noisy.Unit = "HU"
	return &series.Series{Meta: series.Meta{Format: "test", Modality: "CT"}, Volume: noisy}
}

func (b *bench) show(s *series.Series) {
	b.session().Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
	b.until("the series is open", func() bool { return b.session().Series() == s })
}

func TestTheNoiseMapHasCaptionAndProbe(t *testing.T) {
	b := newBench(t, large)
	b.show(tissue(t))
	original := b.workbench.Panes()[viewer.Original]
	b.key(fyne.KeyM)
	b.until("the map is shown", func() bool { return original.Caption().Badge == "NOISE MAP" })
	if got := original.Caption().Detail; !strings.HasPrefix(got, "noise σ mostly ") || !strings.Contains(got, " HU, confidence ") {
		t.Errorf("detail %q; want the range of the noise, its unit and confidence", got)
	}
	value := func() string { c := original.Caption().Corner; return c[len(c)-1] }
	b.state().Cut().PointAt(50, 50, 100, 100)
	b.drain()
	if got := value(); strings.Count(got, " HU") != 2 || !strings.Contains(got, "   σ ") {
		t.Errorf("in the middle the probe says %q; want value and noise, both in HU", got)
	}
	b.state().Cut().PointAt(1, 1, 100, 100)
	b.drain()
	if got := value(); !strings.HasSuffix(got, "σ not measured here") {
		t.Errorf("in the air the probe says %q", got)
	}
	b.key(fyne.KeyM)
	if got := original.Caption(); got.Badge != "" || strings.Contains(got.Detail, "noise σ") || strings.Contains(value(), "σ") {
		t.Errorf("after the second M the caption is %+v", got)
	}
}

// Every button of the tool bar that runs a command says which, and by what key.
func TestToolbarButtonsHaveTooltips(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	tips := map[string]bool{}
	for _, o := range test.LaidOutObjects(b.canvas().Content()) {
		button, ok := o.(*control.Button)
		if !ok || button.OnHover == nil || button.Text == "Best" || button.Text == "Take" { // with help in the panel
			continue
		}
		button.MouseIn(&desktop.MouseEvent{})
		text, at, size := b.workbench.Tooltip()
		if text == "" || at.Y < button.Size().Height || at.X < 0 || at.X+size.Width > large.Width {
			t.Errorf("%s: the tooltip %q lies at %v", button.Text, text, at)
		}
		tips[text] = true
		button.MouseOut()
		if text, _, _ := b.workbench.Tooltip(); text != "" {
			t.Errorf("the tooltip %q stays", text)
		}
	}
	for _, want := range []string{"Undo (Ctrl+Z)", "Fit to pane (F)",
		"Noise map (M): colours over the original show how strong the noise is at every place"} {
		if !tips[want] {
			t.Errorf("no tooltip says %q; there are %v", want, tips)
		}
	}
}

func TestTheBestStrengthIsPlotted(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.show(tissue(t))
	b.key(fyne.KeyP) // the plot is hidden
	b.canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyB})
	if !b.session().Strength.Searching() || b.workbench.PlotKind() != plotpanel.Strength || !b.workbench.ColumnShown() {
		t.Fatal("B does not search, or does not show the plot of it")
	}
	// A part of the curve is shown before, whose best point is not the best of the search.
	b.until("the search ends", func() bool { return !b.session().Strength.Searching() })
	c := b.workbench.Curve()
	if c == nil || c.Best < 0 {
		t.Fatalf("the curve is %+v", c)
	}
	if c.XLabel != "Strength h, σ" || c.YLabel != "estimated error, HU" || len(c.Labels) != len(c.X) {
		t.Errorf("labels %q, %q, %d of %d points", c.XLabel, c.YLabel, len(c.Labels), len(c.X))
	}
	if !strings.HasSuffix(c.Labels[c.Best], " HU, the least") || !strings.Contains(c.Labels[0], " σ: error ") {
		t.Errorf("points %q", c.Labels)
	}
	if c.Without < 3 || c.Without > 5 || c.Y[c.Best] > 0.7*c.Without || c.Old {
		t.Errorf("error %g of %g, old %v; want far less than the noise of 4", c.Y[c.Best], c.Without, c.Old)
	}
}

func TestStructureHasCaptionAndPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.show(tissue(t))
	residual := b.workbench.Panes()[viewer.Residual]
	b.session().Tuning.Set(denoiseBy(t, "gaussian", "sigma-spatial", 6), true)
	b.state().Cut().SetIndex(0)
	b.key(fyne.KeyT)
	if got := residual.Caption().Detail; got != "structure is not judged yet" {
		t.Errorf("at first the caption is %q", got)
	}
	b.until("structure is marked", func() bool { return residual.Caption().Badge == "STRUCTURE" })
	caption := residual.Caption().Detail
	if !strings.HasPrefix(caption, "green: structure, most at ") || !strings.Contains(caption, ", x ") || !strings.HasSuffix(caption, ".") {
		t.Errorf("caption %q; want place and reason", caption)
	}
	place := b.session().Structures.Here().Place
	b.workbench.ShowPlace(false)
	if cursor, ok := b.state().Cursor(); !ok || cursor != [3]int{place.X, place.Y, place.Slice} {
		t.Errorf("the cursor is at %v, %v; want the place %+v", cursor, ok, place)
	}
	b.key(fyne.KeyT)
	b.drain()
	if got := residual.Caption().Detail; got != "original − denoised" || residual.Caption().Badge != "" {
		t.Errorf("after the second T the caption is %q, %q", got, residual.Caption().Badge)
	}
}

func denoiseBy(t *testing.T, filter, param string, x float64) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, 2)
	if err != nil {
		t.Fatal(err)
	}
	return r.With(param, denoise.Number(x))
}

// The strip shows one tick for each slice, in the slider's order.
func TestVerdictsBesideTheSlider(t *testing.T) {
	b := newBench(t, large)
	b.show(tissue(t))
	// Of objects of 3 pixels it keeps a third; a wider one brings the air around the tissue into the regions.
	b.session().Tuning.Set(denoiseBy(t, "gaussian", "sigma-spatial", 1), true)
	if len(b.workbench.SliceMarks()) != 0 {
		t.Error("ticks before a run")
	}
	b.session().Results.Apply()
	b.until("the slices are judged", func() bool { return len(b.workbench.SliceMarks()) == 3 })
	for i, word := range b.workbench.SliceMarks() {
		if word != verdict.Fades {
			t.Errorf("slice %d has a tick of %s; want fades", i+1, word)
		}
	}
	b.key(fyne.KeyC)
	b.drain()
	if len(b.workbench.SliceMarks()) != 0 {
		t.Error("the ticks of axial slices stand beside coronal ones")
	}
}

// A series of another modality than CT has windows by its own voxels, with the same keys.
func TestWindowsOfOtherModalities(t *testing.T) {
	b := newBench(t, large)
	names := func() (out []string) {
		for _, item := range b.menuItem("Window/Level", "Presets").ChildMenu.Items {
			out = append(out, titled(item))
		}
		return out
	}
	b.drain()
	if got := names(); len(got) != len(volume.Presets("CT")) || got[0] != "Brain  80 / 40" {
		t.Errorf("CT has %v", got)
	}
	s := tissue(t)
	s.Modality = "MR"
	b.show(s)
	b.drain()
	got := names()
	if len(got) != 4 || !strings.HasPrefix(got[0], "Tissue  ") || !strings.HasPrefix(got[3], "Dark  ") {
		t.Fatalf("MR has %v", got)
	}
	want := volume.RelativeWindows(s.Volume)
	for i, k := range []fyne.KeyName{fyne.Key2, fyne.Key3, fyne.Key4, fyne.Key5} {
		b.key(k)
		if b.state().Windows.Current() != want[i] {
			t.Errorf("key %s sets %+v; want %+v", k, b.state().Windows.Current(), want[i])
		}
	}
	b.key(fyne.Key8) // of CT alone
	if b.state().Windows.Current() != want[3] {
		t.Error("a key of CT alone sets a window")
	}
	b.menuItem("Window/Level", "Presets").ChildMenu.Items[1].Action()
	if b.state().Windows.Current() != want[1] {
		t.Error("the menu sets another window")
	}
}

// The help sheet lists the keys of windows with the windows, the keys of slices by
// themselves.
func TestKeysAreInTheirSectionOfTheHelpSheet(t *testing.T) {
	b := newBench(t, large)
	found := map[string]string{}
	for _, section := range b.workbench.HelpSections() {
		for _, row := range section.Rows {
			found[row[1]] = section.Title
		}
	}
	for title, section := range map[string]string{
		"Brain  80 / 40; not CT: tissue": "Window/Level", "Automatic window": "Window/Level", "Next slice": "Slices", "Swipe": "Compare", "Pan": "Mouse",
	} {
		if found[title] != section {
			t.Errorf("%s is in section %q; want %q", title, found[title], section)
		}
	}
}

// A strength that stands in for 0 is written as 0, and the picture is called unfiltered.
func TestTheDetailOfAStrengthOfNothing(t *testing.T) {
	b := newBench(t, large)
	clean := head()
	for i, x := range clean.Volume.Data {
		clean.Volume.Data[i] = map[bool]float32{true: -1000, false: 35}[x < -500]
	}
	b.show(clean)
	b.until("the slice is filtered", func() bool {
		_, known := b.session().Document().Facts()
		return known && b.status() == preview.Slice
	})
	facts, _ := b.session().Document().Facts()
	resolved, err := b.session().Tuning.Resolved()
	if err != nil || resolved.Get("h").Float() > facts.Negligible() {
		t.Fatalf("%v, %v; want a series without noise", resolved, err)
	}
	b.drain()
	if c := b.workbench.Panes()[viewer.Denoised].Caption(); c.Title != "UNFILTERED" || !strings.Contains(c.Detail, " · strength 0") || !strings.HasSuffix(c.Detail, " · there is no noise to remove") {
		t.Errorf("the caption is %q, %q", c.Title, c.Detail)
	}
}
