package app_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// identified writes a noisy MR with an identity in every text, UID, date and private attribute, in a folder that has the
// name of the patient too.
func identified(t *testing.T) (dir string) {
	t.Helper()
	grainy := apptest.Grainy(t, 15).Volume
	fakes := dicomtest.Identified(part10.ExplicitLE, dicomtest.EveryText(func(part10.Tag) bool { return false }))
	dir = filepath.Join(t.TempDir(), dicomtest.Mark)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	z := 0
	for name, f := range fakes {
		f.With(part10.TagModality, "MR").With(part10.TagRescaleIntercept, "0").With(part10.TagRescaleSlope, "1").With(part10.TagRows, grainy.Dims[1]).With(part10.TagColumns, grainy.Dims[0])
		f.Pixels = nil
		for _, x := range grainy.Data[z*grainy.SliceVoxels():][:grainy.SliceVoxels()] {
			f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(int16(x)))
		}
		z++
		if err := os.WriteFile(filepath.Join(dir, dicomtest.Mark+name), f.File(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAttachedHidesIdentity: of an identity that stands everywhere in the source, nothing is in the maps and the report of
// a de-identified result, nor in what the job says. Without de-identification they have the name of the patient.
func TestAttachedHidesIdentity(t *testing.T) {
	apptest.OwnConfig(t, t.TempDir())
	in := identified(t)
	for _, hidden := range []bool{true, false} {
		out := filepath.Join(t.TempDir(), "out")
		j := attachJob(in, out, job.Attachments()...)
		j.Output.Deidentify = hidden
		r := do(t, j)
		names := dicomtest.Names(t, out)
		for _, name := range []string{"PM00001.dcm", "PM00002.dcm", "SR00001.dcm"} {
			if !slices.Contains(names, name) {
				t.Fatalf("%q without %s: %q", names, name, r.Warnings)
			}
			patient := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, name))[part10.TagPatientName]
			if strings.Contains(string(patient), dicomtest.Mark) == hidden {
				t.Errorf("hidden %v: %s is of %q", hidden, name, patient)
			}
			if hidden { // the images keep coded concepts, and have a test of their own
				dicomtest.WantUnmarked(t, name, dicomtest.ReadSourceFile(t, out, name))
			}
		}
		if !hidden {
			continue
		}
		record, err := os.ReadFile(r.Record)
		if err != nil {
			t.Fatal(err)
		}
		said, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		dicomtest.WantUnmarked(t, "the record", record)
		dicomtest.WantUnmarked(t, "the outcome", said)
	}
}
