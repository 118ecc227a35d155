package ui_test

import (
	"encoding/csv"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/app/workbench"
	"quell/denoise"
	"quell/ui/host"
)

// blindBench is a workbench with a result, in a blind comparison of n trials.
func blindBench(t *testing.T, n string) *bench {
	b := newBench(t, large)
	blind := b.command("compare-blind")
	if blind.Enabled() {
		t.Fatal("a blind comparison without a result")
	}
	b.session().Tuning.Take(denoise.Recipe{Version: 1, Filter: "gaussian", Dims: 2}.With("sigma-spatial", denoise.Number(3)))
	b.drain()
	b.command("apply").Run()
	b.until("the volume is filtered", func() bool { return b.session().Results.Applied() && blind.Enabled() })
	blind.Run()
	if text := b.dialogTexts(); !strings.Contains(text, "Gaussian 2-D · ") || strings.Contains(text, "sigma-spatial") {
		t.Errorf("the images are not named in the words of the panel: %q", text)
	}
	b.canvas().Focused().(interface{ SetText(string) }).SetText(n)
	b.press(fyne.KeyReturn)
	b.drain()
	if !b.workbench.ReaderShown() {
		t.Fatal("the comparison does not begin")
	}
	return b
}

func TestABlindComparisonHidesWhatIsWhat(t *testing.T) {
	b := blindBench(t, "4")
	if b.workbench.MainMenu() != nil || b.workbench.Title() != host.Title || b.workbench.FrameShown() {
		t.Errorf("menu, title %q or panels are shown", b.workbench.Title())
	}
	// Both sides have the size, the window and the place of each other; which is which is drawn.
	trials := b.workbench.Trials()
	for k, trial := range trials {
		left, right := b.workbench.DrawReader(0, 120, 90), b.workbench.DrawReader(1, 120, 90)
		a, result := b.workbench.DrawSide(false, trial.Slice, 120, 90), b.workbench.DrawSide(true, trial.Slice, 120, 90)
		if equalPictures(a, result) {
			t.Fatal("the result looks like the original")
		}
		if trial.Swapped {
			a, result = result, a
		}
		if !equalPictures(left, a) || !equalPictures(right, result) {
			t.Errorf("trial %d, swapped %v: the sides are wrong", k+1, trial.Swapped)
		}
		b.press([]fyne.KeyName{fyne.Key1, fyne.KeyRight, fyne.Key3, fyne.KeyLeft}[k])
		b.drain()
	}
	if b.workbench.ReaderShown() || !b.workbench.FrameShown() || b.workbench.MainMenu() == nil || b.workbench.OpenDialogs() != 1 || b.workbench.Title() == host.Title {
		t.Fatal("after the last trial everything and the result are shown again")
	}
	// Escape decides nothing: the command shows the result again.
	b.command("cancel").Run()
	b.command("compare-blind").Run()
	b.tap("Save the table (CSV) …")
	path := filepath.Join(t.TempDir(), "table.csv")
	b.canvas().Focused().(interface{ SetText(string) }).SetText(path)
	b.press(fyne.KeyReturn)
	b.drain()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if saved := workbench.LoadSettings(b.settingsPath); saved.ExportFolder != filepath.Dir(path) {
		t.Errorf("the next dialog suggests %q", saved.ExportFolder)
	}
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	answer, run := slices.Index(rows[0], "answer"), slices.Index(rows[0], "B")
	for k, want := range []string{"left", "right", "equal", "left"} {
		if rows[k+1][answer] != want || rows[k+1][run] != b.session().Results.Exportable().Resolved.String() {
			t.Errorf("row %q, want the answer %s", rows[k+1], want)
		}
	}
}

func equalPictures(a, b image.Image) bool {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return a.Bounds() == b.Bounds()
}

// Keys of the workbench do nothing meanwhile; Escape and quitting ask first.
func TestABlindComparisonEndsAfterAQuestion(t *testing.T) {
	b := blindBench(t, "20")
	index, plane := b.state().Cut().Index(), b.state().Cut().View().Plane
	for _, k := range []fyne.KeyName{fyne.KeyC, fyne.KeyPageDown, fyne.KeyP, fyne.KeyH} {
		b.press(k)
	}
	b.command("quit").Run()
	b.command("quit").Run() // asks once
	if b.workbench.OpenDialogs() != 1 || !b.workbench.ReaderShown() {
		t.Fatal("quitting ends the comparison without a question")
	}
	b.tap("Go on")
	b.drain()
	if b.state().Cut().Index() != index || b.state().Cut().View().Plane != plane || len(b.workbench.Answered()) != 0 {
		t.Error("a key of the workbench did something")
	}
	b.press(fyne.Key2)
	b.press(fyne.KeyDown)
	b.command("cancel").Run()
	b.press(fyne.Key1) // goes to the dialog
	if !b.workbench.ReaderShown() || len(b.workbench.Answered()) != 2 {
		t.Fatalf("%d answers", len(b.workbench.Answered()))
	}
	b.tap("End")
	b.drain()
	if b.workbench.ReaderShown() || b.workbench.OpenDialogs() != 1 {
		t.Error("the comparison goes on, or its result is not shown")
	}
	b.tap("Discard")
	b.command("compare-blind").Run()
	b.press(fyne.KeyReturn)
	b.drain()
	b.command("cancel").Run()
	b.tap("End")
	b.drain()
	if b.workbench.ReaderShown() || b.workbench.OpenDialogs() != 0 || !strings.Contains(b.workbench.Status(), "without an answer") {
		t.Errorf("a comparison without an answer: %d dialogs, %q", b.workbench.OpenDialogs(), b.workbench.Status())
	}
}
