package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/app/study"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// A study is made, paused and continued by keys; its result is exported for iMRMC.
func TestAForcedChoiceByKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.show(evenTissue(t))
	b.session().Tuning.Take(denoise.Recipe{Version: 1, Filter: "gaussian", Dims: 2}.With("sigma-spatial", denoise.Number(1)))
	b.drain()
	field := func(text string) {
		b.canvas().Focused().(interface{ SetText(string) }).SetText(text)
		b.press(fyne.KeyReturn)
		b.drain()
	}
	page := filepath.Join(t.TempDir(), "study.html")
	b.command("forced-choice").Run()
	field("R 1")
	field(page)
	choice := b.workbench.Choice()
	b.until("the study is made", func() bool { return choice.Now != nil || b.workbench.OpenDialogs() > 0 })
	if choice.Now == nil || !choice.Layer.Visible() || b.workbench.MainMenu() != nil {
		t.Fatalf("the choice does not begin: %q", b.workbench.Status())
	}
	n := len(choice.Now.Page.Pairs)
	b.press(fyne.Key1)
	b.press(fyne.KeyDown) // no answer
	b.press(fyne.KeyRight)
	b.command("cancel").Run()
	if choice.Now != nil || !b.workbench.FrameShown() || !strings.Contains(b.workbench.Status(), "Paused: 2 of") {
		t.Fatalf("Escape does not pause: %q", b.workbench.Status())
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(page), "study.answers-R_1.csv"))
	if err != nil || !strings.HasSuffix(string(data), ",R 1,1,left\n"+choiceStudy(t, page)+",R 1,2,right\n") {
		t.Fatalf("%v: %s", err, data)
	}

	r, err := study.Open(page, "R 1")
	if err != nil || r.Answered() != 2 {
		t.Fatalf("%v", err)
	}
	for k := 2; k < n-1; k++ {
		if err := r.Answer(true); err != nil {
			t.Fatal(err)
		}
	}
	b.command("forced-choice").Run()
	b.canvas().Focused().(interface{ SetText(string) }).SetText("R 1")
	b.tap("Continue a study …")
	b.drain()
	field(page)
	if choice.Now == nil || choice.Now.Answered() != n-1 {
		t.Fatal("the study does not go on where it ended")
	}
	b.press(fyne.Key2)
	b.drain()
	if choice.Now != nil || b.workbench.OpenDialogs() != 1 {
		t.Fatal("the result is not shown")
	}
	b.tap("Export for iMRMC …")
	b.drain()
	out := filepath.Join(t.TempDir(), "s.imrmc")
	field(out)
	data, err = os.ReadFile(out)
	if err != nil || !strings.Contains(string(data), "NR: 1\nNM: 2\n") || strings.Contains(string(data), "R 1") {
		t.Errorf("%v: %s", err, data)
	}
}

// evenTissue has room for the squares of a study.
func evenTissue(t *testing.T) *series.Series {
	v := volume.New(volume.NewGeometry([3]int{150, 140, 2}, [3]float64{0.8, 0.8, 3}))
	for i := range v.Data {
		v.Data[i] = 40
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &series.Series{Meta: series.Meta{Format: "test", Modality: "CT"}, Volume: noisy}
}

func choiceStudy(t *testing.T, page string) string {
	p, err := study.ReadPage(page)
	if err != nil {
		t.Fatal(err)
	}
	return p.Study
}
