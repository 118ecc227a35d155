package workbench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run"
	"quell/app/run/runtest"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

func TestOutputNamesHoldStudyAndSeriesAndNotThePatient(t *testing.T) {
	nlm := denoise.Recipe{Filter: "nlm", Dims: 2}
	full := series.Meta{Format: "DICOM", Modality: "CT", StudyDate: "20150206", Number: "3", Description: "Head  4.0/H30s <axial>",
		Patient: "MÜLLER^Hans Peter", PatientID: "P-4711", BirthDate: "19540301", UID: "1.2.3"}
	with := func(change func(*series.Meta)) *series.Series {
		m := full
		change(&m)
		return &series.Series{Meta: m}
	}
	for want, s := range map[string]*series.Series{
		"ct-20150206-s3-head-4-0-h30s-axial-nlm-2d":               with(func(*series.Meta) {}),
		"ct-20150206-s3-nlm-2d":                                   with(func(m *series.Meta) { m.Description = "Müller,HANS 4711 \u202e19540301" }),
		"ct-20150206-s3-thorax-2-nlm-2d":                          with(func(m *series.Meta) { m.Description = "thorax MüllerHP_2" }),
		"ct-s3-nlm-2d":                                            with(func(m *series.Meta) { m.Description, m.StudyDate = "", "2015.02.06" }),
		"volume-20150206-s3-x-nlm-2d":                             with(func(m *series.Meta) { m.Modality, m.Description = "../../JONES", "x" }),
		"ct-20150206-s3-a-b-c-nlm-2d":                             with(func(m *series.Meta) { m.Description = "a\u3164b\ufe0f c" }), // invisible
		"mr-nlm-2d":                                               with(func(m *series.Meta) { m.Format, m.Modality = "NIfTI-1", "MR" }),
		"ct-20150206-s3-頭部-nlm-2d":                                with(func(m *series.Meta) { m.Description = "頭部" }),
		"ct-20150206-s3-" + strings.Repeat("a", 32) + "-nlm-2d":   with(func(m *series.Meta) { m.Description = strings.Repeat("A", 33) }),
		"ct-20150206-s3-" + strings.Repeat("b", 31) + "-nlm-2d":   with(func(m *series.Meta) { m.Description = strings.Repeat("B", 31) + " c" }),
		"ct-20150206-s3-" + strings.Repeat("b", 30) + "-c-nlm-2d": with(func(m *series.Meta) { m.Description = strings.Repeat("B", 30) + " c" }),
	} {
		if got := workbench.OutputName(s, nlm, false); got != want {
			t.Errorf("%q is named %q; want %q", s.Description, got, want)
		}
	}

	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	hidden := workbench.OutputName(&series.Series{Meta: full}, nlm, true)
	for _, part := range []string{"2015", "head", "s3", "ller", "4711"} {
		if strings.Contains(hidden, part) {
			t.Errorf("with the identity hidden the name is %q", hidden)
		}
	}
	other := with(func(m *series.Meta) { m.UID = "1.2.4" })
	if again := workbench.OutputName(&series.Series{Meta: full}, nlm, true); again != hidden || workbench.OutputName(other, nlm, true) == hidden {
		t.Errorf("a series has the pseudonym %q and %q, another %q", hidden, again, workbench.OutputName(other, nlm, true))
	}
}

// The next free name is proposed if anything stands but an earlier export of the same.
func TestProposedNamesAreFreeOrOfTheSame(t *testing.T) {
	dir := t.TempDir()
	apptest.PutNii(t, filepath.Join(dir, "a.nii"), 8, 7, 6)
	apptest.PutNii(t, filepath.Join(dir, "b.nii"), 8, 7, 5)
	out := t.TempDir()
	a, b := runtest.Filtered(t, opentest.Reopen(t, filepath.Join(dir, "a.nii")), volume.Region{}), runtest.Filtered(t, opentest.Reopen(t, filepath.Join(dir, "b.nii")), volume.Region{})
	propose := func(run *run.Run, mine ...*workbench.Exported) string {
		t.Helper()
		p := workbench.NewExporting(run, mine).Propose(out, false)
		return filepath.Base(p.Files[".nii.gz"])
	}
	first := propose(a)
	if want := workbench.OutputName(a.Source, a.Recipe, false) + ".nii.gz"; first != want || propose(b) != want {
		t.Fatalf("in an empty folder %q and %q are proposed", first, propose(b))
	}
	report, err := roomtest.ExportRun(t.Context(), a, filepath.Join(out, first), job.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	second := strings.TrimSuffix(first, ".nii.gz") + "-2.nii.gz"
	if got := propose(a); got != first {
		t.Errorf("for the same series and recipe %q is proposed", got)
	}
	if got := propose(b); got != second {
		t.Errorf("for another series %q is proposed", got)
	}
	for name, change := range map[string]func(m *series.Meta){
		"patient": func(m *series.Meta) { m.Patient = "B" }, "ID": func(m *series.Meta) { m.PatientID = "2" }, "series": func(m *series.Meta) { m.UID = "1.2.5" },
		"study": func(m *series.Meta) { m.Study = "1.2.6" }, "birth date": func(m *series.Meta) { m.BirthDate = "19700101" }, "sex": func(m *series.Meta) { m.Sex = "F" },
	} { // whose voxels are equal
		other, source := *a, *a.Source
		change(&source.Meta)
		other.Source = &source
		if there, _ := workbench.NewExporting(&other, nil).Existing(report.Output); there.Source || there.Same {
			t.Errorf("of a series of another %s: %+v", name, there)
		}
	}
	changed := *a
	changed.Resolved = a.Resolved.With("sigma-spatial", denoise.Number(7))
	if got := propose(&changed); got != second {
		t.Errorf("for another recipe %q is proposed", got)
	}
	there, ok := workbench.NewExporting(b, nil).Existing(report.Output)
	if !ok || !there.Quell || there.Source || there.Same || there.Files != 1 || there.Record == nil {
		t.Errorf("there is %+v", there)
	}
	if there, _ := workbench.NewExporting(&changed, nil).Existing(report.Output); !there.Source || there.Same {
		t.Errorf("of the same series there is %+v", there)
	}

	// Without its record it may be of anything, but a run knows its own exports.
	mine, err := workbench.ExportedBy(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(report.Recipe); err != nil {
		t.Fatal(err)
	}
	if got := propose(a); got != second {
		t.Errorf("without a record %q is proposed", got)
	}
	if got := propose(a, mine); got != first {
		t.Errorf("over its own export %q is proposed", got)
	}
	if err := os.WriteFile(filepath.Join(out, second), []byte("foreign"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := propose(b); got != strings.Replace(second, "-2", "-3", 1) {
		t.Errorf("beside a foreign file %q is proposed", got)
	}
}

// An export stands while every file is the one that was written.
func TestAnExportStandsWhileItsFilesDo(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 7, 6)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	for _, name := range []string{"out", "out.nii.gz", "out.hdr"} {
		out := filepath.Join(t.TempDir(), name)
		var last *workbench.Exported
		export := func() {
			t.Helper()
			report, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if last, err = workbench.ExportedBy(report); err != nil || len(last.Files) != report.Files || !last.Stands() {
				t.Fatalf("%s: %+v of %+v: %v", name, last, report, err)
			}
		}
		export()
		before := last
		export()
		if before.Stands() {
			t.Errorf("%s stands after another export took its place", name)
		}
		for what, change := range map[string]func(path string) error{
			"removed": os.Remove,
			"cut":     func(path string) error { return os.Truncate(path, 100) },
			"moved":   func(path string) error { return os.Rename(path, path+".bak") },
		} {
			export()
			file := last.Files[len(last.Files)-1].Path
			if err := change(file); err != nil {
				t.Fatal(err)
			}
			if last.Stands() {
				t.Errorf("%s stands though %s was %s", name, file, what)
			}
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
			_ = os.RemoveAll(filepath.Join(filepath.Dir(out), "out.img"))
		}
		export()
		if name == "out" { // additions do not count: a presentation state, a file manager's notes
			if err := os.WriteFile(filepath.Join(out, "PR00001.dcm"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if !last.Stands() {
				t.Error("a presentation state in the folder hides the export")
			}
		}
	}
	file := filepath.Join(t.TempDir(), "out.nii")
	report, err := roomtest.ExportRun(t.Context(), run, file, job.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := workbench.ExportedBy(report)
	if err != nil {
		t.Fatal(err)
	}
	written := time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC)
	e.Files[0].Modified = written
	for now, want := range map[time.Time]bool{
		written: true, written.Truncate(100): true, written.Truncate(time.Second): true, written.Truncate(2 * time.Second): true,
		written.Truncate(2 * time.Second).Add(2 * time.Second): true,
		written.Add(200): false, written.Add(time.Second): false, written.Truncate(2 * time.Second).Add(-2 * time.Second): false,
		written.Truncate(2 * time.Second).Add(4 * time.Second): false,
	} {
		if err := os.Chtimes(file, now, now); err != nil {
			t.Fatal(err)
		}
		if e.Stands() != want {
			t.Errorf("written at %v, the file of %v stands: %v", written, now, !want)
		}
	}
	if new(workbench.Exported).Stands() {
		t.Error("an export without files stands")
	}
}
