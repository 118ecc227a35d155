package output_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/output"
	"quell/app/roomtest"
)

func TestExportNeverTouchesItsSource(t *testing.T) {
	dir := t.TempDir()
	nii := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, nii, 4, 4, 4)
	pair := filepath.Join(dir, "pair.hdr")
	apptest.PutNii(t, pair, 4, 4, 4)
	folder := filepath.Join(dir, "study", "series")
	apptest.PutDICOM(t, folder, 4, 4, 4)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "study"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, c := range []struct{ in, out string }{
		{nii, nii},
		{nii, filepath.Join(dir, "study", "..", "in.nii")},
		{pair, pair},
		{pair, filepath.Join(dir, "pair.img")},
		{folder, folder},
		{folder, filepath.Join(dir, "study")},
		{folder, dir},
		{folder, filepath.Join(folder, "sub")},
		{folder, filepath.Join(folder, "out.nii.gz")},
		{folder, filepath.Join(link, "series", "out.nii.gz")},
		{folder, filepath.Join(link, "series")},
		{filepath.Join(folder, "IM00001.dcm"), folder},
		{filepath.Join(dir, "study"), filepath.Join(folder, "sub")},
	} {
		s := opentest.Reopen(t, c.in)
		err := output.Check(s, c.out, job.Options{})
		if job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s to %s: %v", c.in, c.out, err)
		}
		if c.out == c.in && strings.Contains(c.in, ".") && !strings.Contains(err.Error(), "is the input itself") {
			t.Errorf("%s to itself: %v", c.in, err)
		}
	}
	for _, c := range []struct{ in, out string }{
		{nii, filepath.Join(dir, "out.nii")},
		{folder, filepath.Join(dir, "study", "out")},
		{folder, filepath.Join(dir, "study", "out.nii.gz")},
		{filepath.Join(folder, "IM00001.dcm"), filepath.Join(folder, "out")},
		{filepath.Join(dir, "study"), filepath.Join(dir, "study", "out")},
	} {
		s := opentest.Reopen(t, c.in)
		if err := output.Check(s, c.out, job.Options{}); err != nil {
			t.Errorf("%s to %s: %v", c.in, c.out, err)
		}
	}
}

func TestExportRefusesUnusableNames(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 4, 4, 4)
	s := opentest.Reopen(t, in)
	if err := os.Mkdir(filepath.Join(dir, "folder.nii"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		out, dtype string
	}{
		{"", ""}, {"x.img", ""}, {"x.nii", "int3"}, {"folder", "int16"}, {"folder.nii", ""}, {"in.nii/x.nii", ""}, {"in.nii/folder", ""},
	} {
		out := c.out
		if out != "" {
			out = filepath.Join(dir, out)
		}
		if err := output.Check(s, out, job.Options{Dtype: c.dtype}); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%q %q: %v", c.out, c.dtype, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := output.Check(s, filepath.Join(dir, "file"), job.Options{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "is a file, and a DICOM series needs a folder") {
		t.Errorf("DICOM onto a file: %v", err)
	}
	if err := output.Check(s, filepath.Join(dir, "folder.nii"), job.Options{}); err == nil || !strings.Contains(err.Error(), "is a folder; choose a name that is free") {
		t.Errorf("NIfTI onto a folder: %v", err)
	}
	series := filepath.Join(dir, "series")
	apptest.PutDICOM(t, series, 4, 4, 2)
	if _, err := roomtest.Convert(t.Context(), opentest.Reopen(t, series), filepath.Join(dir, "again"), job.Options{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("DICOM to DICOM: %v", err)
	}
}
