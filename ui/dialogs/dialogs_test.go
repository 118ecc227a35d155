package dialogs

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/ui/control"
	"quell/volume"
)

func parent(t *testing.T) fyne.Window {
	t.Helper()
	test.NewTempApp(t)
	w := test.NewTempWindow(t, widget.NewLabel(""))
	w.Resize(fyne.NewSize(1000, 800))
	return w
}

// find returns the objects of type T in the dialog on top.
func find[T fyne.CanvasObject](t *testing.T, w fyne.Window) (found []T) {
	t.Helper()
	top := w.Canvas().Overlays().Top()
	if top == nil {
		t.Fatal("no dialog is shown")
	}
	for _, o := range test.LaidOutObjects(top) {
		if x, ok := o.(T); ok {
			found = append(found, x)
		}
	}
	return found
}

func button(t *testing.T, w fyne.Window, text string) *control.Button {
	t.Helper()
	for _, b := range find[*control.Button](t, w) {
		if b.Text == text {
			return b
		}
	}
	t.Fatalf("there is no button %q", text)
	return nil
}

func check(t *testing.T, w fyne.Window, text string) *control.Check {
	t.Helper()
	for _, c := range find[*control.Check](t, w) {
		if c.Text == text {
			return c
		}
	}
	t.Fatalf("there is no choice %q", text)
	return nil
}

func catalog() *open.Catalog {
	entry := func(description string, slices int, err error) open.Entry {
		return open.Entry{Meta: series.Meta{Modality: "CT", Description: description}, Slices: slices, Err: err,
			Geometry: volume.NewGeometry([3]int{4, 4, slices}, [3]float64{1, 1, 1})}
	}
	return &open.Catalog{Entries: []open.Entry{
		entry("localizer", 1, nil), entry("broken", 90, errors.New("it is cut off")), entry("head", 28, nil),
	}}
}

func TestChooseCallsExactlyOneWayOut(t *testing.T) {
	w := parent(t)
	var picked []int
	dropped := 0
	var contexts []context.Context
	choose := func() {
		paint := func(ctx context.Context, order []int, show func(i int, m image.Image)) {
			contexts = append(contexts, ctx)
			for _, i := range order {
				show(i, image.NewGray(image.Rect(0, 0, 8, 8)))
			}
		}
		Choose(catalog(), func(i int) { picked = append(picked, i) }, func() { dropped++ }, paint, w).Show()
	}
	choose()
	list := find[*control.List](t, w)[0]
	list.Select(2) // the broken one, last in the list
	if len(picked) != 0 || dropped != 0 {
		t.Fatal("a series that cannot be opened was chosen")
	}
	list.Select(0)
	if len(picked) != 1 || picked[0] != 2 || dropped != 0 {
		t.Fatalf("picked %v, dropped %d; want the longest series, number 2, first in the list", picked, dropped)
	}
	choose()
	test.Tap(button(t, w, "Cancel"))
	if len(picked) != 1 || dropped != 1 {
		t.Errorf("picked %v, dropped %d after a cancel", picked, dropped)
	}
	for i, ctx := range contexts {
		if ctx.Err() == nil {
			t.Errorf("dialog %d still has pictures painted after it was closed", i)
		}
	}
}

func TestDescribeSaysWhyNot(t *testing.T) {
	c := catalog()
	if title, detail, importance := describe(c.Entries[2]); title != "CT  head" || detail != "4 × 4 × 28, axial, 0.0 MB" || importance != widget.LowImportance {
		t.Errorf("%q, %q", title, detail)
	}
	if _, detail, _ := describe(c.Entries[1]); detail != "cannot be opened: it is cut off" {
		t.Errorf("%q; want the reason", detail)
	}
}

// TestDescribeWarns shows the finding that bears on the choice, and not that other
// parts of the series stand in the same list.
func TestDescribeWarns(t *testing.T) {
	e := catalog().Entries[2]
	e.StudyDate = "20260304"
	e.Findings = []series.Finding{
		{Severity: series.Note, Kind: series.Spacing, Text: message.Verbatim("A note.")},
		{Severity: series.Refused, Kind: series.Orientation, Text: message.Verbatim("6 images of another orientation.")},
		{Severity: series.Warning, Kind: series.Gap, Text: message.Verbatim("2 slices are missing.")},
	}
	if _, detail, importance := describe(e); detail != "4 × 4 × 28, axial, 0.0 MB, study of 2026-03-04. 2 slices are missing." || importance != widget.WarningImportance {
		t.Errorf("%q", detail)
	}
	e.Findings = e.Findings[:2]
	if _, detail, importance := describe(e); detail != "4 × 4 × 28, axial, 0.0 MB, study of 2026-03-04" || importance != widget.LowImportance {
		t.Errorf("%q", detail)
	}
	if got, want := warnings(e.Findings), "6 images of another orientation."; got != want {
		t.Errorf("warnings: %q, want %q", got, want)
	}
}

func TestNoise(t *testing.T) {
	w := parent(t)
	var added []job.AddedNoise
	Noise(NoiseRequest{Unit: "HU", Range: 4000, Sigma: 6, Magnitude: true, Add: func(n job.AddedNoise) { added = append(added, n) }}, w).Show()
	entries := find[*control.Entry](t, w)
	if entries[0].Text != "12" {
		t.Errorf("suggested sigma %q; want twice the estimate", entries[0].Text)
	}
	entries[0].SetText("7,5")
	entries[1].SetText("42")
	test.Tap(button(t, w, "Add"))
	for i := range entries { // Return in a field does as the button
		Noise(NoiseRequest{Magnitude: true, Add: func(n job.AddedNoise) { added = append(added, n) }}, w).Show()
		again := find[*control.Entry](t, w)
		again[0].SetText("7.5")
		again[1].SetText("42")
		again[i].TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	}
	want := job.AddedNoise{Model: noise.Rician, Sigma: 7.5, Seed: 42}
	if len(added) != 3 || added[0] != want || added[1] != want || added[2] != want {
		t.Errorf("added %v; want three times %v", added, want)
	}
}

func TestNoiseRefusesNonsense(t *testing.T) {
	w := parent(t)
	Noise(NoiseRequest{Unit: "HU", Range: 100, Add: func(n job.AddedNoise) { t.Errorf("added %v", n) }}, w).Show()
	sigma := find[*control.Entry](t, w)[0]
	problem := func() string {
		for _, l := range find[*widget.Label](t, w) {
			if l.Importance == widget.WarningImportance {
				return l.Text
			}
		}
		return "no label"
	}
	for text, want := range map[string]string{
		"-3": "above 0", "0": "above 0", "": "above 0", "abc": "above 0", "NaN": "above 0", "100.1": "at most 100 HU", "1e9": "at most 100 HU",
	} {
		sigma.SetText(text)
		if b := button(t, w, "Add"); !b.Disabled() || !strings.Contains(problem(), want) {
			t.Errorf("sigma %q can be added: %v; the problem is %q, want %q", text, !b.Disabled(), problem(), want)
		}
		sigma.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	}
	sigma.SetText("100")
	if b := button(t, w, "Add"); b.Disabled() || problem() != "" {
		t.Errorf("a sigma of the whole range cannot be added: %q", problem())
	}
}

// finished is a finished run on a series in memory.
func finished(t *testing.T) *run.Run {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{4, 4, 3}, [3]float64{1, 1, 1}))
	r, err := denoise.NewRecipe("nlm", 3)
	if err != nil {
		t.Fatal(err)
	}
	return &run.Run{Recipe: r, Source: &series.Series{Meta: series.Meta{Format: "DICOM", Modality: "MR"}, Volume: v}, Region: v.Bounds(), Result: v.Clone()}
}

// request asks where to export a run, with names for a folder.
func request(r *run.Run, folder string, of ExportRequest) ExportRequest {
	of.Of = workbench.NewExporting(r, nil)
	of.Proposed = of.Of.Propose(folder, of.Hide)
	of.Go, of.Do = func(f func()) { f() }, func(f func()) { f() }
	return of
}

func TestExportSaysWhatWillBeWritten(t *testing.T) {
	w := parent(t)
	folder := t.TempDir()
	var out string
	var options job.Options
	Export(request(finished(t), folder, ExportRequest{Recipe: "nlm 3-D h=10", Stale: true,
		Export: func(o string, opt job.Options) { out, options = o, opt }}), w).Show()

	if check(t, w, "Remove patient identity").Visible() {
		t.Error("a series without DICOM files has an identity to remove")
	}
	path := find[*control.Entry](t, w)[0]
	if want := filepath.Join(folder, "mr-nlm-3d"); path.Text != want {
		t.Errorf("suggested %q; want %q", path.Text, want)
	}
	said := func() string {
		all := ""
		for _, l := range find[*widget.Label](t, w) {
			all += l.Text + "\n"
		}
		return all
	}
	for _, part := range []string{"3 files", "nlm 3-D h=10", "mr-nlm-3d.recipe.json", "as filtered"} {
		if !strings.Contains(said(), part) {
			t.Errorf("the dialog does not say %q:\n%s", part, said())
		}
	}
	find[*control.Radio](t, w)[0].SetSelected(asNIfTI())
	if filepath.Base(path.Text) != "mr-nlm-3d.nii.gz" {
		t.Errorf("as NIfTI the path is %q", path.Text)
	}
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	path.SetText(filepath.Join(file, "x.nii.gz"))
	if !button(t, w, "Export").Disabled() || !strings.Contains(said(), "is a file") {
		t.Errorf("an export below a file can begin:\n%s", said())
	}
	path.SetText(filepath.Join(folder, "x.nii.gz"))
	test.Tap(button(t, w, "Export"))
	if out != filepath.Join(folder, "x.nii.gz") || options.Dtype != "float32" {
		t.Errorf("exported to %q with %+v", out, options)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("the dialog itself wrote %v", entries)
	}
}

// TestExportWithoutIdentity: the choice is there for DICOM from DICOM alone, and
// what will be written follows it.
func TestExportWithoutIdentity(t *testing.T) {
	w := parent(t)
	r := finished(t)
	for z := range r.Source.Volume.Dims[2] {
		r.Source.Sources = append(r.Source.Sources, series.Source{FS: fstest.MapFS{}, Name: "x", UID: fmt.Sprint("1.2.", z)})
	}
	var options job.Options
	Export(request(r, t.TempDir(), ExportRequest{Export: func(_ string, o job.Options) { options = o }}), w).Show()
	box := check(t, w, "Remove patient identity")
	said := func(part string) bool {
		return slices.ContainsFunc(find[*widget.Label](t, w), func(l *widget.Label) bool { return strings.Contains(l.Text, part) })
	}
	if !box.Visible() || box.Checked || said("pseudonyms") {
		t.Errorf("visible %v, checked %v", box.Visible(), box.Checked)
	}
	box.SetChecked(true)
	if !said("pseudonyms") || !said("Text drawn into the pixels stays") {
		t.Error("the dialog does not say what is removed")
	}
	find[*control.Radio](t, w)[0].SetSelected(asNIfTI())
	if box.Visible() || said("pseudonyms") {
		t.Error("the choice is there for NIfTI")
	}
	find[*control.Radio](t, w)[0].SetSelected(asDICOM())
	test.Tap(button(t, w, "Export"))
	if !options.Deidentify {
		t.Errorf("exported with %+v", options)
	}
}

// A file that Quell did not write is replaced after a question only.
func TestExportAsksBeforeItReplacesAForeignFile(t *testing.T) {
	w := parent(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "mine.nii.gz")
	if err := os.WriteFile(path, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	var exported []job.Options
	Export(request(finished(t), folder, ExportRequest{Show: func(d dialog.Dialog) { d.Show() },
		Export: func(_ string, o job.Options) { exported = append(exported, o) }}), w).Show()
	find[*control.Radio](t, w)[0].SetSelected(asNIfTI())
	entry := find[*control.Entry](t, w)[0]
	confirm := button(t, w, "Export")

	entry.SetText(path)
	if confirm.Disabled() {
		t.Fatal("an export onto an existing file cannot begin")
	}
	test.Tap(confirm)
	test.Tap(button(t, w, "Keep it"))
	if len(exported) != 0 {
		t.Fatalf("exported %+v after the answer to keep the file", exported)
	}
	test.Tap(confirm)
	test.Tap(button(t, w, "Replace"))
	if len(exported) != 1 || !exported[0].Overwrite || w.Canvas().Overlays().Top() != nil {
		t.Errorf("exported %+v; want once, with leave to overwrite, and no dialog open", exported)
	}

	Export(request(finished(t), folder, ExportRequest{
		Export: func(_ string, o job.Options) { exported = append(exported, o) }}), w).Show()
	test.Tap(button(t, w, "Export"))
	if len(exported) != 2 || exported[1].Overwrite {
		t.Errorf("exported %+v; want no leave to overwrite for a new folder", exported[1:])
	}
}

// An export of Quell is replaced after a question that names its owner; the same one without.
func TestExportSaysWhoseExportItReplaces(t *testing.T) {
	folder := t.TempDir()
	own, other := finished(t), finished(t)
	other.Source.Volume.Data[0]++
	for _, r := range []*run.Run{own, other} {
		r.Resolved = r.Recipe
	}
	out := filepath.Join(folder, "out.nii.gz")
	j := job.Job{Recipe: &own.Recipe, Output: job.Output{Path: out}}
	if _, err := app.DoOn(t.Context(), app.On{Series: own.Source, Run: own}, j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		run  *run.Run
		said string
		asks bool
	}{
		{own, "out.nii.gz exists: the earlier export of this series with this recipe, 1 file of ", false},
		{other, "out.nii.gz exists: an export of another series (MR, 4 x 4 x 3), 1 file of ", true},
	} {
		w := parent(t)
		exported := 0
		Export(request(c.run, folder, ExportRequest{Path: out, Show: func(d dialog.Dialog) { d.Show() },
			Export: func(string, job.Options) { exported++ }}), w).Show()
		said := func() bool {
			return slices.ContainsFunc(find[*widget.Label](t, w), func(l *widget.Label) bool { return strings.Contains(l.Text, c.said) })
		}
		if !said() {
			t.Errorf("the dialog does not say %q", c.said)
		}
		test.Tap(button(t, w, "Export"))
		if c.asks {
			if exported != 0 || !said() {
				t.Errorf("exported %d times without a question that says %q", exported, c.said)
			}
			test.Tap(button(t, w, "Replace"))
		}
		if exported != 1 {
			t.Errorf("exported %d times", exported)
		}
	}
}

// A press that is cancelled before the replaced files are known does not begin.
func TestACancelledExportDoesNotBegin(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		w := parent(t)
		exported := 0
		r := request(finished(t), t.TempDir(), ExportRequest{Export: func(string, job.Options) { exported++ }})
		var held []func()
		r.Go = func(f func()) { held = append(held, f) }
		Export(r, w).Show()
		test.Tap(button(t, w, "Export"))
		if cancel {
			test.Tap(button(t, w, "Cancel"))
		}
		for len(held) > 0 {
			f := held[0]
			held = held[1:]
			f()
		}
		if want := map[bool]int{false: 1, true: 0}[cancel]; exported != want {
			t.Errorf("cancelled %v: exported %d times", cancel, exported)
		}
	}
}

// Return exports also after the mouse chose a format or a box; Space chooses.
func TestReturnExportsAfterAClick(t *testing.T) {
	w := parent(t)
	var out []string
	Export(request(finished(t), t.TempDir(), ExportRequest{Export: func(path string, _ job.Options) { out = append(out, path) }}), w).Show()
	for _, o := range test.LaidOutObjects(find[*control.Radio](t, w)[0]) {
		if tapped, ok := o.(fyne.Tappable); ok && strings.Contains(fmt.Sprint(o), "NIfTI") {
			tapped.Tapped(nil)
		}
	}
	if find[*control.Radio](t, w)[0].Selected() != asNIfTI() {
		t.Fatal("the mouse does not choose")
	}
	w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if len(out) != 1 || !strings.HasSuffix(out[0], ".nii.gz") {
		t.Errorf("exported to %q", out)
	}
}

// TestExportCompressed: the choice is there for DICOM alone, begins as it was left,
// and neither is lost by a change of the format nor comes into the way of NIfTI.
func TestExportCompressed(t *testing.T) {
	for _, format := range []string{asDICOM(), asNIfTI()} {
		w := parent(t)
		var options job.Options
		Export(request(finished(t), t.TempDir(), ExportRequest{Compress: format == asNIfTI(),
			Export: func(_ string, o job.Options) { options = o }}), w).Show()
		box := check(t, w, "Compress without loss (JPEG Lossless)")
		if !box.Visible() || box.Checked != (format == asNIfTI()) {
			t.Errorf("visible %v, checked %v", box.Visible(), box.Checked)
		}
		box.SetChecked(true)
		formats := find[*control.Radio](t, w)[0]
		formats.SetSelected(asNIfTI())
		if box.Visible() {
			t.Error("the choice is there for NIfTI")
		}
		formats.SetSelected(format)
		test.Tap(button(t, w, "Export"))
		if (options.Compress == job.DefaultCompression) != (format == asDICOM()) {
			t.Errorf("%s is exported with %+v", format, options)
		}
	}
}

// TestExportAttaches: what can be attached is offered for DICOM alone, begins as it was left, and the dialog says what it
// is.
func TestExportAttaches(t *testing.T) {
	if names, labels := attachments(); !slices.Equal(names, job.Attachments()) || len(labels) != len(names) {
		t.Fatalf("the dialog attaches %q, and there are %q", names, job.Attachments())
	}
	w := parent(t)
	var options []job.Options
	Export(request(finished(t), t.TempDir(), ExportRequest{Attach: []string{job.AttachMeasurements}, Export: func(_ string, o job.Options) { options = append(options, o) }}), w).Show()
	maps, report := check(t, w, "Attach maps of the noise and of what was removed"), check(t, w, "Attach measurements (structured report)")
	said := func(part string) bool {
		return slices.ContainsFunc(find[*widget.Label](t, w), func(l *widget.Label) bool { return strings.Contains(l.Text, part) })
	}
	if maps.Checked || !report.Checked || !maps.Visible() || !report.Visible() || said("parametric maps") || !said("structured report in the study") {
		t.Errorf("maps %v, report %v", maps.Checked, report.Checked)
	}
	maps.SetChecked(true)
	if !said("parametric maps") {
		t.Error("the dialog does not say what is attached")
	}
	test.Tap(button(t, w, "Export"))
	if len(options) != 1 || !slices.Equal(options[0].Attach, job.Attachments()) {
		t.Errorf("exported with %+v", options)
	}

	w = parent(t)
	Export(request(finished(t), t.TempDir(), ExportRequest{Attach: job.Attachments(), Export: func(_ string, o job.Options) { options = append(options, o) }}), w).Show()
	find[*control.Radio](t, w)[0].SetSelected(asNIfTI())
	if check(t, w, "Attach measurements (structured report)").Visible() {
		t.Error("a report is offered for NIfTI")
	}
	test.Tap(button(t, w, "Export"))
	if len(options) != 2 || options[1].Attach != nil {
		t.Errorf("NIfTI is exported with %+v", options[1:])
	}
}

func TestEveryDialogFitsItsWindow(t *testing.T) {
	w := parent(t)
	findings := []series.Finding{
		{Severity: series.Warning, Kind: series.Gap, Text: message.Verbatim("Slice 7 is missing."), Files: make([]string, 40)},
		{Severity: series.Note, Kind: series.Tilt, Text: message.Verbatim(strings.Repeat("A long sentence. ", 30))},
	}
	keys := make([][2]string, 60)
	for name, show := range map[string]func(){
		"error":     func() { Error(errors.New(strings.Repeat("something is wrong; ", 20)), w).Show() },
		"findings":  func() { Findings(findings, w).Show() },
		"none":      func() { Findings(nil, w).Show() },
		"engines":   func() { Engines(engines.All(), w).Show() },
		"about":     func() { About("0.1.0", nil, w).Show() },
		"shortcuts": func() { Shortcuts([]Section{{"Keys", keys}, {"Mouse", keys[:9]}}, w).Show() },
		"exported": func() {
			Exported(job.Written{Output: "out", Files: 3, Warnings: []message.Message{message.Verbatim("5 voxels were clipped.")}}, nil, nil, w).Show()
		},
	} {
		show()
		top := w.Canvas().Overlays().Top()
		size := find[*widget.PopUp](t, w)[0].Content.Size()
		if size.Width > 1000 || size.Height > 800 {
			t.Errorf("%s is %v in a window of 1000 x 800", name, size)
		}
		w.Canvas().Overlays().Remove(top)
	}
}

// A help sheet with long texts scrolls down, never to the side.
func TestTheHelpSheetIsAsWideAsTheWindow(t *testing.T) {
	w := parent(t)
	w.Resize(fyne.NewSize(1280, 720))
	for _, words := range []int{2, 8, 12} {
		var sections []Section
		for i := range 8 {
			sections = append(sections, Section{Title: fmt.Sprint(i), Rows: slices.Repeat([][2]string{{"Ctrl+Shift+K", strings.Repeat("words ", words)}}, 14)})
		}
		d := Shortcuts(sections, w)
		d.Show()
		s := find[*container.Scroll](t, w)[0]
		if needed := s.Content.MinSize(); needed.Width > s.Size().Width {
			t.Errorf("%d words: the keys are %g wide; there are %g", words, needed.Width, s.Size().Width)
		}
		d.Hide()
	}
}

// The dialog of findings is as tall as its text, and scrolls above a limit.
func TestFindingsAreAsTallAsTheirText(t *testing.T) {
	w := parent(t)
	height := func(n int) float32 {
		d := Findings(slices.Repeat([]series.Finding{{Severity: series.Warning, Text: message.New("t", "Slices are stacked at an angle to their normal, and exported as they are.")}}, n), w)
		d.Show()
		defer d.Hide()
		return find[*widget.PopUp](t, w)[0].Content.Size().Height
	}
	one, two, many, more := height(1), height(2), height(40), height(80)
	if one >= two || two >= many || many != more || many > 450 {
		t.Errorf("1, 2, 40 and 80 findings are %g, %g, %g and %g tall", one, two, many, more)
	}
}

// A dialog has the size that it asks for if its text fits, and more if the text is long.
func TestADialogIsNoTallerThanItsText(t *testing.T) {
	w := parent(t)
	height := func(d *Dialog) float32 {
		d.Show()
		defer d.Hide()
		return find[*widget.PopUp](t, w)[0].Content.Size().Height
	}
	if got := height(Notice(w)); got != 260 {
		t.Errorf("the notice of the first start is %g tall; want 260", got)
	}
	if got := height(Error(errors.New("a file is missing"), w)); got != 160 {
		t.Errorf("a short error is %g tall; want 160", got)
	}
	if got := height(Error(errors.New(strings.Repeat("something is wrong; ", 40)), w)); got < 260 || got > 500 {
		t.Errorf("a long error is %g tall", got)
	}
}

// asNIfTI is the choice of NIfTI.
func asNIfTI() string { return asFile(files.OfferedFor("a.nii.gz", "")) }

// The format of the source is suggested, and the format of an export that failed
// before it.
func TestExportSuggestsTheFormatOfTheSource(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ source, failed, format, path string }{
		{"DICOM", "", asDICOM(), "mr-nlm-3d"},
		{"NIfTI-1", "", asNIfTI(), "mr-nlm-3d.nii.gz"},
		{"Analyze 7.5", "", asNIfTI(), "mr-nlm-3d.nii.gz"},
		{"NRRD", "", asFile(files.OfferedFor("a.nrrd", "")), "mr-nlm-3d.nrrd"},
		{"MetaImage", "", asFile(files.OfferedFor("a.mha", "")), "mr-nlm-3d.mha"},
		{"NIfTI-1", "again", asDICOM(), "again"},
		{"DICOM", "again.nii", asNIfTI(), "again.nii"},
	} {
		w := parent(t)
		r := finished(t)
		r.Source.Format = c.source
		request := request(r, folder, ExportRequest{Export: func(string, job.Options) {}})
		if c.failed != "" {
			request.Path = filepath.Join(folder, c.failed)
		}
		Export(request, w).Show()
		format, path := find[*control.Radio](t, w)[0].Selected(), find[*control.Entry](t, w)[0].Text
		if format != c.format || path != filepath.Join(folder, c.path) {
			t.Errorf("%+v: %s, %s is suggested", c, format, path)
		}
	}
}

// A path is taken without the spaces around it, and only a whole one.
func TestExportTakesWholePaths(t *testing.T) {
	w := parent(t)
	folder := t.TempDir()
	var out string
	failed := filepath.Join(folder, "again.nii.gz")
	Export(request(finished(t), folder, ExportRequest{Path: failed, Export: func(o string, _ job.Options) { out = o }}), w).Show()
	path, confirm := find[*control.Entry](t, w)[0], button(t, w, "Export")
	if path.Text != failed || find[*control.Radio](t, w)[0].Selected() != asNIfTI() {
		t.Errorf("suggested %q; want the path of the export that failed", path.Text)
	}
	submit := func() { path.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn}) }
	for _, text := range []string{"", " ", "series", "./a.nii.gz"} {
		if path.SetText(text); !confirm.Disabled() {
			t.Errorf("%q is taken for a path", text)
		}
		if submit(); out != "" {
			t.Errorf("Return writes to %q", out)
		}
	}
	want := filepath.Join(folder, "series")
	path.SetText(" " + want + " ")
	if confirm.Disabled() {
		t.Fatal("a whole path is refused")
	}
	if submit(); out != want {
		t.Errorf("written to %q; want %q", out, want)
	}
}

// The folder of an export is one button away.
func TestTheFolderOfAnExportIsShown(t *testing.T) {
	w := parent(t)
	shown := ""
	Exported(job.Written{Output: filepath.Join("a", "b", "out"), Files: 1}, func(f string) { shown = f }, nil, w).Show()
	test.Tap(button(t, w, "Open folder"))
	if shown != filepath.Join("a", "b") {
		t.Errorf("shown is %q", shown)
	}
}

// The sections of the help sheet keep their order, in columns of about the same height.
func TestTheHelpSheetIsBalanced(t *testing.T) {
	section := func(title string, rows int) Section { return Section{title, make([][2]string, rows)} }
	titles := func(columns [][]Section) (out string) {
		for _, c := range columns {
			for _, s := range c {
				out += s.Title
			}
			out += " "
		}
		return strings.TrimSpace(out)
	}
	for _, c := range []struct {
		sections []Section
		n        int
		want     string
	}{
		{[]Section{section("a", 4), section("b", 4), section("c", 4), section("d", 4)}, 2, "ab cd"},
		{[]Section{section("a", 10), section("b", 2), section("c", 2), section("d", 4)}, 2, "a bcd"},
		{[]Section{section("a", 4), section("b", 4), section("c", 4)}, 3, "a b c"},
		{[]Section{section("a", 1), section("b", 30)}, 3, "a b"},
		{nil, 2, ""},
	} {
		if got := titles(balanced(c.sections, c.n)); got != c.want {
			t.Errorf("columns %q; want %q", got, c.want)
		}
	}
}

// Whether the rest of a damaged series is opened is answered once, however the dialog is closed.
func TestDamagedCallsExactlyOneWayOut(t *testing.T) {
	w := parent(t)
	opened, dropped := 0, 0
	ask := func() *Dialog {
		d := Damaged(errors.New("IM5.dcm: the file is truncated; copy it again"), 23, func() { opened++ }, func() { dropped++ }, w)
		d.Show()
		return d
	}
	ask()
	test.Tap(button(t, w, "Open the other 23"))
	if opened != 1 || dropped != 0 || w.Canvas().Overlays().Top() != nil {
		t.Errorf("opened %d, dropped %d", opened, dropped)
	}
	ask()
	test.Tap(button(t, w, "Cancel"))
	ask().Hide() // Escape
	if opened != 1 || dropped != 2 {
		t.Errorf("opened %d, dropped %d after two refusals", opened, dropped)
	}
}
