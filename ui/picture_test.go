package ui_test

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/app/job"
	"quell/ui/control"
	"quell/ui/viewer"
	"quell/volume"
)

// A picture of the panes has what they show, at their size, and a label below them that names
// filter, window and slice, and that it is not for clinical use.
func TestAPictureOfThePanes(t *testing.T) {
	b := newBench(t, large)
	m, label := b.workbench.Picture()
	panes := b.workbench.Panes()
	height := int(panes[0].Size().Height)
	if got := m.Bounds(); got.Dx() < 3*int(panes[0].Size().Width) || got.Dy() < height+40 || got.Dy() > height+120 {
		t.Errorf("the picture has %v; a pane has %v", got, panes[0].Size())
	}
	for _, want := range []string{"DERIVED / NOT FOR CLINICAL USE", "DENOISED: Non-local means 2-D · strength ", "Window: W 90  L 40", "axial slice 4 / 7", job.Version()} {
		if !strings.Contains(label, want) {
			t.Errorf("the label has no %q: %s", want, label)
		}
	}
	for role, pane := range panes {
		f := pane.Frame()
		x, y := int(pane.Position().X)+(f.X0+f.X1)/2, (f.Y0+f.Y1)/2
		r, g, bl, _ := m.At(x, y).RGBA()
		want := f.Image.RGBAAt((f.X1-f.X0)/2, (f.Y1-f.Y0)/2)
		if uint8(r>>8) != want.R || uint8(g>>8) != want.G || uint8(bl>>8) != want.B {
			t.Errorf("%v has %d %d %d in the middle; the pane has %v", viewer.Role(role), r>>8, g>>8, bl>>8, want)
		}
	}
	if !bright(m, image.Rect(0, height, m.Bounds().Dx(), m.Bounds().Dy())) {
		t.Error("nothing is burned in below the panes")
	}
	b.key(fyne.KeyJ)
	b.state().Windows.Attend(viewer.Denoised)
	b.state().Windows.Set(volume.Window{Center: 1, Width: 20})
	b.state().Windows.ToggleInvert()
	if _, label := b.workbench.Picture(); !strings.Contains(label, "original W 90  L 40, denoised W 20  L 1, inverted") {
		t.Errorf("own windows: %s", label)
	}
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.session().Results.CompareWith(0)
	if _, label := b.workbench.Picture(); !strings.Contains(label, "RUN 1: Non-local means") {
		t.Errorf("an earlier run: %s", label)
	}
}

// bright says whether a part of a picture has light pixels.
func bright(m image.Image, part image.Rectangle) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if r, _, _, _ := m.At(x, y).RGBA(); r > 0xc000 {
				return true
			}
		}
	}
	return false
}

// Ctrl+S asks where to write the picture, with a name that names no patient, and writes it.
func TestSaveAPicture(t *testing.T) {
	b := newBench(t, large)
	dir := t.TempDir()
	b.command("picture").Run()
	entries := inDialog[*control.Entry](b)
	if len(entries) != 1 || !strings.HasSuffix(entries[0].Text, "ct-nlm-2d-slice-4.png") {
		t.Fatalf("the dialog suggests %v", entries)
	}
	if text := b.question(); !strings.Contains(text, "It names the patient") {
		t.Errorf("the dialog says %q", text)
	}
	path := filepath.Join(dir, "a.png")
	entries[0].SetText(path)
	b.tap("Save")
	b.until("the picture is written", func() bool { _, err := os.Stat(path); return err == nil })
	b.session().Wait()
	b.drain()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
	if b.workbench.Settings().ExportFolder != dir {
		t.Errorf("the next folder is %s", b.workbench.Settings().ExportFolder)
	}
	b.key(fyne.KeyH)
	b.command("picture").Run()
	if text := b.question(); !strings.Contains(text, "identity is left out") {
		t.Errorf("the dialog says %q", text)
	}
	if !slices.ContainsFunc(b.workbench.Panes()[viewer.Original].Caption().Who, func(line string) bool { return line == "Identity hidden" }) {
		t.Error("the picture is of panes that name the patient")
	}
}

// Marks are in the picture at their place on the panes.
func TestAPictureHasItsMarks(t *testing.T) {
	b := newBench(t, large)
	before, _ := b.workbench.Picture()
	b.key(fyne.KeyE)
	b.dragOn(viewer.Original, [2]float32{0.4, 0.4}, [2]float32{0.6, 0.6})
	after, _ := b.workbench.Picture()
	pane := b.workbench.Panes()[viewer.Original]
	x, y := int(pane.Position().X+0.4*pane.Size().Width), int(pane.Position().Y+0.5*pane.Size().Height)
	different := 0
	for dy := -4; dy <= 4; dy++ {
		for dx := -4; dx <= 4; dx++ {
			if before.At(x+dx, y+dy) != after.At(x+dx, y+dy) {
				different++
			}
		}
	}
	if different < 9 {
		t.Errorf("%d pixels about the left end of the ellipse are of the mark", different)
	}
}
