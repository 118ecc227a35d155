package ui_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"golang.org/x/image/tiff"

	"quell/ui/control"
	"quell/ui/viewer"
)

// saveAs runs a command that asks for a file and gives it a path; it returns the name that was suggested.
func (b *bench) saveAs(command, path string) (suggested string) {
	b.t.Helper()
	b.command(command).Run()
	entries := inDialog[*control.Entry](b)
	if len(entries) != 1 {
		b.t.Fatalf("%s asks with %d fields", command, len(entries))
	}
	suggested = filepath.Base(entries[0].Text)
	entries[0].SetText(path)
	b.tap("Save")
	b.until(path+" is written", func() bool { _, err := os.Stat(path); return err == nil && !b.session().Tasks.Busy() })
	b.session().Wait()
	b.drain()
	return suggested
}

// holdsIdentity says whether a file has a word of the patient of the bundled series.
func holdsIdentity(b *bench, data []byte) bool {
	s := b.session().Series()
	for _, word := range append(strings.FieldsFunc(s.Patient, func(r rune) bool { return r == '^' || r == ' ' }), s.PatientID) {
		if len(word) > 2 && bytes.Contains(data, []byte(word)) {
			return true
		}
	}
	return false
}

// A cine has all slices as the panes show them; before the filter is applied to the volume it has the original alone. It never
// names the patient.
func TestTheCineIsSaved(t *testing.T) {
	b := newBench(t, large)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	if name := b.saveAs("save-cine", path); name != "ct-cine.png" {
		t.Errorf("the name of a cine of the original is %q", name)
	}
	alone := decodeFirst(t, path)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.state().Cut().SetIndex(0)
	b.until("the first slice is on the screen", func() bool {
		p := b.session().Screen.Picture()
		return p != nil && p.Index == 0 && p.Result != nil && !p.Part && !b.session().Screen.Drawing()
	})
	path = filepath.Join(dir, "b.png")
	if name := b.saveAs("save-cine", path); name != "ct-nlm-2d-cine.png" {
		t.Errorf("the name of a cine of a result is %q", name)
	}
	if b.workbench.Status() != "The cine is saved." {
		t.Errorf("the status says %q", b.workbench.Status())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := binary.BigEndian.Uint32(data[bytes.Index(data, []byte("acTL"))+4:]); int(n) != b.state().Cut().View().Size[2] {
		t.Errorf("%d pictures of %d slices", n, b.state().Cut().View().Size[2])
	}
	if holdsIdentity(b, data) || !bytes.Contains(data, []byte("DERIVED / NOT FOR CLINICAL USE")) {
		t.Error("the cine names the patient, or lacks the notice")
	}
	m := decodeFirst(t, path)
	if m.Bounds().Dx() < 2*alone.Bounds().Dx() {
		t.Errorf("a cine of three panes is %d wide, of the original %d", m.Bounds().Dx(), alone.Bounds().Dx())
	}
	if !bright(m, image.Rect(0, m.Bounds().Dy()-60, m.Bounds().Dx(), m.Bounds().Dy())) || !bright(m, image.Rect(0, 0, m.Bounds().Dx(), 18)) {
		t.Error("the texts are not burned in")
	}
	x := 0
	for role, pane := range b.workbench.Panes() { // the first slice lies as in the panes, below the headings
		f := pane.Frame()
		found := false
		for y := range 60 {
			found = found || same(m, f.Image, image.Pt(x, y))
		}
		if !found {
			t.Errorf("%v is not in the cine", viewer.Role(role))
		}
		x += f.Image.Rect.Dx() + 4
	}
}

// same says whether a part of a picture has the pixels of another one.
func same(m image.Image, of *image.RGBA, at image.Point) bool {
	for y := 0; y < of.Rect.Dy(); y += 3 {
		for x := 0; x < of.Rect.Dx(); x += 3 {
			r, g, bl, _ := m.At(at.X+x, at.Y+y).RGBA()
			if want := of.RGBAAt(x, y); uint8(r>>8) != want.R || uint8(g>>8) != want.G || uint8(bl>>8) != want.B {
				return false
			}
		}
	}
	return true
}

func decodeFirst(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A picture of the panes is a TIFF by its name.
func TestSaveAPictureAsTIFF(t *testing.T) {
	b := newBench(t, large)
	b.key(fyne.KeyH) // the identity is hidden
	path := filepath.Join(t.TempDir(), "a.tif")
	b.saveAs("picture", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := tiff.Decode(bytes.NewReader(data))
	if want, _ := b.workbench.Picture(); err != nil || m.Bounds() != want.Bounds() {
		t.Errorf("read back %v, %v", m, err)
	}
	if holdsIdentity(b, data) || !bytes.Contains(data, []byte("DERIVED / NOT FOR CLINICAL USE")) {
		t.Error("the picture names the patient, or lacks the notice")
	}
}

// The measures as CSV say of each number what it is of: the slice or the run, its recipe and its unit.
func TestTheMeasuresAreSaved(t *testing.T) {
	b := newBench(t, large)
	measured := func() bool {
		slice, _ := b.session().Measures.Slice(), 0
		return slice.Known && slice.Current && b.command("measures-save").Enabled()
	}
	if !measured() {
		b.until("the slice is measured", measured)
	}
	b.session().Results.Apply()
	b.until("the volume is measured", func() bool { return b.session().Results.Applied() && b.session().Measures.Volume().Known && measured() })
	path := filepath.Join(t.TempDir(), "a.csv")
	if name := b.saveAs("measures-save", path); name != "ct-nlm-2d-slice-4-measures.csv" {
		t.Errorf("the name is %q", name)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || holdsIdentity(b, data) {
		t.Fatalf("read back %v; or it names the patient: %s", err, data)
	}
	found := map[string][]string{}
	for _, r := range rows[1:] {
		found[r[3]+" "+r[0]] = r
	}
	slice, whole := b.session().Measures.Slice(), b.session().Measures.Volume()
	for name, want := range map[string]struct {
		value float64
		unit  string
	}{
		"slice residual_sd": {float64(slice.ResidualSD), "HU"}, "volume residual_sd": {float64(whole.ResidualSD), "HU"},
		"slice mse": {float64(slice.Change.MSE), "HU²"}, "volume ssim": {float64(whole.Change.SSIM), ""},
	} {
		r := found[name]
		if r == nil {
			t.Errorf("no %s in %s", name, data)
			continue
		}
		if got, _ := strconv.ParseFloat(r[1], 64); got < want.value*(1-1e-6) || got > want.value*(1+1e-6) || r[2] != want.unit {
			t.Errorf("%s is %s %s, want %g %s", name, r[1], r[2], want.value, want.unit)
		}
		if !strings.Contains(r[7], "nlm") || r[8] != "current" {
			t.Errorf("%s is of recipe %q, %s", name, r[7], r[8])
		}
	}
	if r := found["slice judgement"]; r == nil || r[1] != string(slice.Judgement) || r[4] != "axial" || r[5] != "4" || r[6] != "" {
		t.Errorf("the verdict on the slice is %q", r)
	}
	if r := found["volume judgement"]; r == nil || r[1] != string(whole.Judgement) || r[5] != "" || r[6] != "1" {
		t.Errorf("the verdict on the volume is %q", r)
	}
	b.saveAs("measures-save", filepath.Join(t.TempDir(), "b.csv")) // an older one is no obstacle
}
