package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
)

// TestEndings: which names are names of folders, and which are refused.
func TestEndings(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "there.old"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"out": true, "out/": true, "a.nii": true, "a.NII.GZ": true, "a.hdr": true,
		"sub-01.v2": true, "study_2.5mm": true, "v1.0": true, "ct.final": true, "1.2.840.113619": true, ".hidden": true, "ct.": true,
		"a b.c-d": true, "there.old": true, "new.old/": true, "x.png/": true, "Müller.geändert": true,
		"ct.fine": false, "ct.o": false, "new.old": false, "a.nii.gzip": false, "a.ni": false,
		"x.png": false, "x.JPG": false, "x.jpeg": false, "x.tiff": false, "x.mha": true, "x.mhd": false, "x.NRRD": true, "x.nhdr": false, "x.mgz": false,
		"x.mif": false, "x.dcm": false, "x.txt": false, "x.csv": false, "x.json": false, "x.html": false, "x.pdf": false, "x.gz": false,
		"x.h5": false, "x.jp2": false, "x.mp4": false, "x.bz2": false, "x.7z": false, "x.dicom": false, "x.nifti": false, "x.recipe.json": false,
	} {
		err := SeriesOutput.CheckName(filepath.Join(dir, "y") + "/../" + name)
		if (err == nil) != ok || err != nil && (job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), ".nii, .nii.gz, .hdr, .nrrd or .mha")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		kind *Kind
		name string
		ok   bool
	}{
		{ReportOutput, "r.html", true}, {ReportOutput, "r.HTM", true}, {ReportOutput, "r", true}, {ReportOutput, "r.v2", true}, {ReportOutput, "r.nii", false},
		{ReportOutput, "r.dcm", false}, {PictureOutput, "p.PNG", true}, {PictureOutput, "p", false}, {PictureOutput, "p.xyz", false}, {PictureOutput, "p.jpg", false},
		{RecipeOutput, "r.json", true}, {RecipeOutput, "r.nii.gz", false}, {LogOutput, "quell.log", true}, {LogOutput, "I10", true}, {LogOutput, "I10.dcm", false},
		{TableOutput, "t.csv", true}, {TableOutput, "t.hdr", false}, {PresentationOutput, "PR1.dcm", true}, {PresentationOutput, "PR1", false},
		{BatchOutput, "out.png", true}, {MapOutput, "m.nii", true}, {MapOutput, "m.hdr", false},
	} {
		if err := c.kind.CheckName(c.name); (err == nil) != c.ok {
			t.Errorf("%s as %s: %v", c.name, c.kind.Name, err)
		}
	}
}

// TestLogsAreAppendedToLogsAlone: a log is appended to one of Quell or an empty file, and
// nothing else is touched.
func TestLogsAreAppendedToLogsAlone(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	src := at("src")
	apptest.PutDICOM(t, src, 4, 4, 2)
	slice := filepath.Join(src, "IM00001.dcm")
	apptest.WriteTestFile(t, at("empty"), nil)
	apptest.WriteTestFile(t, at("other"), []byte(`{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"start"}`+"\n"))
	late := append(make([]byte, 300), logMark...) // a patient's file that quotes one
	apptest.WriteTestFile(t, at("late"), late)
	for what, link := range map[string]func(from, to string) error{"link": os.Symlink, "hard": os.Link} {
		if err := link(slice, at(what)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	for _, name := range []string{"new.log", "new.log", "empty", "empty"} {
		closer, err := LogTo(at(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		job.Log("line")
		closer.Close()
	}
	for _, name := range []string{"new.log", "empty"} {
		if text, err := os.ReadFile(at(name)); err != nil || strings.Count(string(text), logMark) != 1 || strings.Count(string(text), `"msg":"line"`) != 2 {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	before := apptest.FilesBelow(t, dir)
	for _, path := range []string{slice, at("link"), at("hard"), at("other"), at("late"), src} {
		if _, err := LogTo(path); err == nil {
			t.Errorf("%s was opened as a log", path)
		}
	}
	if after := apptest.FilesBelow(t, dir); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Error("a file changed")
	}
	if closer, err := LogTo(os.DevNull); err != nil {
		t.Errorf("a device: %v", err)
	} else {
		closer.Close()
	}
}

// TestReportsOfAnotherProgramStay in the folder of a batch; the reports of a batch
// do not.
func TestReportsOfAnotherProgramStay(t *testing.T) {
	for _, name := range []string{"report.csv", "report.html"} {
		dir := t.TempDir()
		apptest.WriteTestFile(t, filepath.Join(dir, "other.csv"), nil)
		check := func(overwrite bool) error {
			return Gate{Outputs: []Target{{"OUT", dir, BatchOutput}}, Overwrite: overwrite}.Check()
		}
		if err := check(false); err != nil {
			t.Errorf("a prepared folder: %v", err)
		}
		apptest.WriteTestFile(t, filepath.Join(dir, name), nil)
		if err := check(false); !errors.Is(err, ErrForeignTarget) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if err := check(true); err != nil {
			t.Errorf("%s, with overwrite: %v", name, err)
		}
		if err := os.Mkdir(filepath.Join(dir, batchState), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := check(false); err != nil {
			t.Errorf("%s of a batch: %v", name, err)
		}
	}
}
