package batch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	"quell/io/dicom/dicomtest"
)

// TestAttachedByABatch: every result that is DICOM has its maps and its report, which count as its files: one that is gone
// is made again by the next batch that verifies.
func TestAttachedByABatch(t *testing.T) {
	c := newCohort(t)
	c.dicom("a", 1)
	c.dicom("b", 2)
	o := c.options()
	o.Job.Output.Attach = job.Attachments()
	s := c.run(o)
	equal(t, "states", states(s), []string{"a done", "b done"})
	for _, r := range resultsOf(s) {
		out := filepath.Join(c.out, filepath.FromSlash(r.Output))
		names := map[string]bool{}
		for _, name := range dicomtest.Names(t, out) {
			names[name] = true
		}
		if !names["IM00003.dcm"] || !names["PM00001.dcm"] || !names["SR00001.dcm"] {
			t.Fatalf("%s has %v", r.Output, names)
		}
		verdict := dicomtest.Content(t, dicomtest.ReadSourceFile(t, out, "SR00001.dcm")).Only(t, "Verdict on the result")
		if verdict.Value != strings.ToUpper(r.Judgement) || verdict.Value == "" {
			t.Errorf("%s is %s in the list and %+v in its report", r.Unit, r.Judgement, verdict)
		}
	}
	equal(t, "again", states(c.run(o)), []string{"a done before", "b done before"})
	first := filepath.Join(c.out, filepath.FromSlash(resultsOf(s)[0].Output))
	c.must(os.Remove(filepath.Join(first, "SR00001.dcm")))
	o.Verify = true
	equal(t, "without a report", states(c.run(o)), []string{resultsOf(s)[0].Unit + " done", resultsOf(s)[1].Unit + " done before"})
	o.Job.Output.Attach = nil
	if _, err := Run(t.Context(), o, Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("what else is attached is another batch: %v", err)
	}
	o.Job.Output.Overwrite = true
	equal(t, "without attachments", states(c.run(o)), []string{"a done", "b done"})
	if names := dicomtest.Names(t, first); len(names) != 3 {
		t.Errorf("%q", names)
	}
}

// TestAttachedToDICOMAlone: a batch in which a file is not DICOM is refused before anything is written, by the name of the
// first one; with a selection, or without attachments, it runs.
func TestAttachedToDICOMAlone(t *testing.T) {
	c := newCohort(t)
	c.dicom("a", 1)
	c.nii("b.nii.gz", 2)
	o := c.options()
	o.Job.Output.Attach = []string{job.AttachMaps}
	refused := func(want string) {
		t.Helper()
		_, err := Run(t.Context(), o, Events{})
		var input *job.InputError
		if !errors.As(err, &input) || filepath.Base(input.Path) != "b.nii.gz" || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "leave out --attach") {
			t.Errorf("%v; want %q", err, want)
		}
		if _, err := os.Stat(c.out); err == nil {
			t.Errorf("%s is there", c.out)
		}
	}
	refused("is NIfTI, and maps and measurements are attached to DICOM alone (1 file is concerned)")
	c.nii("c.nii", 3)
	refused("(2 files are concerned)")
	o.Select = "Format~DICOM"
	if got := states(c.run(o)); !slices.Contains(got, "a done") {
		t.Errorf("with a selection %q", got)
	}
	o.Select, o.Job.Output.Attach = "", nil
	c.out = filepath.Join(t.TempDir(), "out")
	o.Output = c.out
	equal(t, "without attachments", states(c.run(o)), []string{"a done", "b.nii.gz done", "c.nii done"})
}
