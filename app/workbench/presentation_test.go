package workbench

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/pacs"
	"quell/app/roomtest"
	"quell/app/run"
	"quell/measure"
	"quell/volume"
)

// shownBundled is a presentation of the bundled series with a mark on its slices 2 and 6 (from 0).
func shownBundled(t *testing.T) Presentation {
	t.Helper()
	s, err := open.Bundled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view := s.Volume.View(volume.Axial)
	mark := func(id, z int, plane volume.Plane, o measure.Outline) CaptionedMark {
		return CaptionedMark{Mark{ID: id, Plane: plane, Index: z, Outline: o}, "mark"}
	}
	return Presentation{
		Of: s, View: view, Area: [2][2]int{{100, 50}, {399, 349}}, Window: volume.Window{Center: 40, Width: 350},
		Marks: []CaptionedMark{
			mark(1, 2, volume.Axial, measure.Outline{Shape: measure.Ellipse, Points: [][2]float64{{150, 100}, {250, 180}}}),
			mark(2, 6, volume.Axial, measure.Outline{Shape: measure.Line, Points: [][2]float64{{150, 100}, {250, 180}}}),
			mark(3, 2, volume.Coronal, measure.Outline{Shape: measure.Box, Points: [][2]float64{{1, 1}, {2, 2}}}),
		},
	}
}

func TestPresentationOfTheOriginal(t *testing.T) {
	p := shownBundled(t)
	state, err := p.state(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Sources) != 9 || state.Sources[4].UID != p.Of.Sources[4].UID || len(state.Marks) != 2 {
		t.Fatalf("%d sources, marks %+v", len(state.Sources), state.Marks)
	}
	ellipse, line := state.Marks[0], state.Marks[1]
	if ellipse.Slice != 2 || !ellipse.Closed || !reflect.DeepEqual(*ellipse.Ellipse, [2][2]float64{{150, 100}, {250, 180}}) || ellipse.Text != "mark" {
		t.Errorf("ellipse %+v", ellipse)
	}
	if line.Slice != 6 || line.Closed || line.Ellipse != nil || !reflect.DeepEqual(line.Points, [][2]float64{{150, 100}, {250, 180}}) {
		t.Errorf("line %+v", line)
	}
	path := filepath.Join(t.TempDir(), "PR00003.dcm")
	if err := p.Write(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(t.Context(), path, false); !errors.Is(err, files.ErrForeignTarget) {
		t.Errorf("it is replaced: %v", err)
	}
	if err := p.Write(t.Context(), path, true); err != nil {
		t.Errorf("it is not replaced: %v", err)
	}
	plan, err := pacs.PlanSend(t.Context(), filepath.Dir(path))
	if err != nil || len(plan.Objects) != 1 || plan.Text() != "1 file of 1 series: PR, Presentation states [Quell]" {
		t.Errorf("to be sent: %+v, %v", plan, err)
	}
}

// TestStoredMark writes marks of a volume that is shown turned over as they lie in its files.
func TestStoredMark(t *testing.T) {
	g := volume.NewGeometry([3]int{10, 8, 3}, [3]float64{1, 1, 1})
	g.Affine[0][0], g.Affine[1][1], g.Affine[2][2] = -1, 1, 1 // columns run to the right of the patient
	m := CaptionedMark{Mark: Mark{ID: 1, Plane: volume.Axial, Outline: measure.Outline{Shape: measure.Line, Points: [][2]float64{{0, 0}, {2.5, 7}}}}}
	if got := storedMark(m, 0, g); !reflect.DeepEqual(got.Points, [][2]float64{{9, 0}, {6.5, 7}}) {
		t.Errorf("points %v", got.Points)
	}
}

// TestPresentationOfAnExport refers to the images of an export of some slices, de-identified.
func TestPresentationOfAnExport(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	p := shownBundled(t)
	region := volume.Slices(p.Of.Volume.Geometry, 2, 5)
	p.Run = &run.Run{Recipe: apptest.MustRecipe("gaussian", 2), Resolved: apptest.MustRecipe("gaussian", 2), Source: p.Of, Region: region, Result: p.Of.Volume.Crop(region)}
	p.Exported = filepath.Join(t.TempDir(), "out")
	if _, err := p.state(t.Context()); err == nil || !strings.Contains(err.Error(), "out") {
		t.Errorf("without the export: %v", err)
	}
	if _, err := roomtest.ExportRun(t.Context(), p.Run, p.Exported, job.Options{Deidentify: true}, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.Exported, PresentationName(p.Exported))
	if filepath.Base(path) != "PR00001.dcm" {
		t.Errorf("it is called %s", path)
	}
	if err := p.Write(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	if name := PresentationName(p.Exported); name != "PR00002.dcm" {
		t.Errorf("the next is called %s", name)
	}
	state, err := p.state(t.Context()) // with the first in the folder
	if err != nil || len(state.Sources) != 3 || len(state.Marks) != 1 || state.Marks[0].Slice != 0 {
		t.Fatalf("%+v, %v", state, err)
	}
	plan, err := pacs.PlanSend(t.Context(), p.Exported)
	if err != nil || len(plan.Objects) != 4 {
		t.Fatalf("%+v, %v", plan, err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range plan.Objects {
		if o.Patient != plan.Objects[0].Patient || !o.Deidentified || !strings.HasPrefix(o.Patient, "Q") {
			t.Errorf("%s belongs to %q", o.Name, o.Patient)
		}
		if o.Modality != "PR" && !bytes.Contains(file, []byte(o.UID)) {
			t.Errorf("%s is not referred to", o.Name)
		}
	}
	if bytes.Contains(file, []byte(p.Of.Sources[2].UID)) {
		t.Error("the state names an image of the source")
	}
	catalog, err := open.Scan(t.Context(), p.Exported)
	if err != nil {
		t.Fatal(err)
	}
	back, err := catalog.Load(t.Context(), 0, nil)
	if err != nil || back.Volume.Dims != p.Run.Result.Dims {
		t.Errorf("the folder is opened as %+v, %v", back, err)
	}
	// The result of other slices was exported in its place.
	p.Run.Region = volume.Slices(p.Of.Volume.Geometry, 3, 6)
	_, err = p.state(t.Context())
	if err == nil || !strings.Contains(err.Error(), "export the result again") {
		t.Errorf("another export: %v", err)
	}
}

// TestPresentationOfALeftHandedExport refers to slices that DICOM counts from the other end.
func TestPresentationOfALeftHandedExport(t *testing.T) {
	s := apptest.Wavy(6, 5, 4)
	s.Volume.Affine[0][0] *= -1
	run := &run.Run{Recipe: apptest.MustRecipe("gaussian", 2), Resolved: apptest.MustRecipe("gaussian", 2), Source: s, Region: s.Volume.Bounds(), Result: s.Volume}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	view := s.Volume.View(volume.Axial)
	state, err := Presentation{Of: s, Run: run, Exported: out, View: view}.state(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for z, src := range state.Sources {
		if want := s.Volume.Affine.Apply(0, 0, float64(z)); src.Position.Sub(want).Norm() > 1e-6 {
			t.Errorf("slice %d is at %v, not %v", z, src.Position, want)
		}
	}
}

func TestCheckPresentation(t *testing.T) {
	p := shownBundled(t)
	dir := t.TempDir()
	var usage *job.UsageError
	if err := files.Check(files.PresentationOutput, filepath.Join(dir, "a.png"), false, p.Of); !errors.As(err, &usage) || !strings.Contains(err.Error(), ".dcm") {
		t.Errorf("a name of another kind: %v", err)
	}
	if err := files.Check(files.PresentationOutput, filepath.Join(dir, "a.DCM"), false, p.Of); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]int{"PR00012.dcm": 12, "PR00000.dcm": 1, "ct-presentation.dcm": 1} {
		if got := presentationNumber(filepath.Join(dir, name)); got != want {
			t.Errorf("%s has number %d, want %d", name, got, want)
		}
	}
	nifti := apptest.Wavy(4, 4, 3)
	if _, err := (Presentation{Of: nifti, View: nifti.Volume.View(volume.Axial)}).state(t.Context()); !errors.As(err, &usage) || Presentable(nifti) {
		t.Errorf("a presentation state of NIfTI: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "b.dcm")
	if err := p.Write(cancelled, path, false); !errors.Is(err, context.Canceled) || files.Exists(path) {
		t.Errorf("cancelled: %v", err)
	}
	// The folder that was opened is not written to.
	out := filepath.Join(dir, "in")
	bare := *p.Of
	bare.Sources = nil
	if _, err := roomtest.Convert(t.Context(), &bare, out, job.Options{}); err != nil {
		t.Fatal(err)
	}
	catalog, err := open.Scan(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := catalog.Load(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Check(files.PresentationOutput, filepath.Join(out, "PR00001.dcm"), true, opened); !errors.As(err, &usage) {
		t.Errorf("into the input: %v", err)
	}
}

// TestPresentationInDcmtk renders the bundled series with dcmtk: every pixel is at its place on
// the screen, and as bright.
func TestPresentationInDcmtk(t *testing.T) {
	render, err := exec.LookPath("dcmp2pgm")
	if err != nil {
		t.Skip("dcmp2pgm of dcmtk is missing; scripts/setup.sh pacs installs it")
	}
	p := shownBundled(t)
	dir := t.TempDir()
	source := p.Of.Sources[2]
	file, err := fs.ReadFile(source.FS, source.Name)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "image.dcm"), file, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain := p.View
	for i, turn := range []volume.Turn{{}, {Quarters: 1}, {Quarters: 2}, {Mirrored: true}, {Mirrored: true, Quarters: 1}, {Mirrored: true, Quarters: 3}} {
		p.View, p.Inverted, p.Window.Exact = plain.Turned(turn), i == 1, i == 2
		state, out := filepath.Join(dir, "state.dcm"), filepath.Join(dir, "out.pgm")
		if err := p.Write(t.Context(), state, true); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.Command(render, "-p", state, filepath.Join(dir, "image.dcm"), out).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := os.ReadFile(out)
		n := p.View.Size[0] * p.View.Size[1]
		if err != nil || len(got) < n {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		got = got[len(got)-n:]
		want := image.NewRGBA(image.Rect(0, 0, p.View.Size[0], p.View.Size[1]))
		paint := p.Window.Render
		if p.Inverted {
			paint = p.Window.RenderInverted
		}
		paint(want, p.View.Extract(nil, p.Of.Volume, 2))
		for k := range n {
			if d := int(got[k]) - int(want.Pix[4*k]); d < -1 || d > 1 {
				t.Fatalf("%+v: pixel %d is %d, on the screen %d", turn, k, got[k], want.Pix[4*k])
			}
		}
	}
}
