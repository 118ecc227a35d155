package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/job"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestLeftOut works on a 4-D series of three volumes. If a file of the second is missing, the job is done with the
// other two, names the second and ends with code 4.
func TestLeftOut(t *testing.T) {
	for missing, want := range map[int]int{-1: job.ExitDone, 6: job.ExitPartial} {
		dir := t.TempDir()
		in := filepath.Join(dir, "in")
		if err := os.Mkdir(in, 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			f := dicomtest.NewFake(fmt.Sprint(i), 2*float64(i%4), 100*i).With(part10.TagInstanceNumber, fmt.Sprint(i+1))
			if i == missing {
				continue
			}
			if err := os.WriteFile(filepath.Join(in, fmt.Sprintf("%02d.dcm", i)), f.File(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		code, out, errs := quell(t, "convert", in, filepath.Join(dir, "out.nii"), "--json")
		var report struct {
			LeftOut []struct {
				Text   string
				Files  []string
				Volume bool
			} `json:"left_out"`
			Error any
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != want || report.Error != nil {
			t.Fatalf("code %d, want %d; %v; %s", code, want, err, out)
		}
		if want == job.ExitDone {
			if len(report.LeftOut) != 0 || !strings.Contains(out, `"left_out": []`) {
				t.Errorf("left out: %+v", report.LeftOut)
			}
			continue
		}
		const text = "repeat 2 of 3: it has 3 slices and the others have 4"
		if l := report.LeftOut; len(l) != 1 || l[0].Text != text || !l[0].Volume || len(l[0].Files) != 3 {
			t.Errorf("left out: %+v", report.LeftOut)
		}
		if !strings.Contains(errs, "done, but for what was left out: "+text) {
			t.Errorf("stderr %q", errs)
		}
		// One volume that is asked for leaves nothing out.
		if code, _, errs := quell(t, "convert", in, filepath.Join(dir, "one.nii"), "--series", "1"); code != job.ExitDone {
			t.Errorf("one volume: code %d, %s", code, errs)
		}
	}
}
