package open_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

// TestCompressedDICOM opens slices compressed by gzip: one by itself, in a folder
// among plain ones, and in a zip; and exports them as DICOM.
func TestCompressedDICOM(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for i, slice := range apptest.SlicesOf(t, 3) {
		name := fmt.Sprintf("%d.dcm", i)
		if i > 0 {
			name, slice = name+".GZ", apptest.Gzipped(t, slice)
		}
		apptest.WriteTestFile(t, filepath.Join(dir, name), slice)
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(slice)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	zipped := filepath.Join(t.TempDir(), "series.zip")
	apptest.WriteTestFile(t, zipped, packed.Bytes())
	opentest.Opens(t, "one file", filepath.Join(dir, "1.dcm.GZ"), 1)
	for _, path := range []string{dir, zipped} {
		opentest.Opens(t, "series", path, 3)
		s, c, err := opentest.OpenPath(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if want := apptest.Wavy(6, 5, 3); !slices.Equal(s.Volume.Data, want.Volume.Data) {
			t.Errorf("%s: the voxels are not those that were written", path)
		}
		out := filepath.Join(t.TempDir(), "out")
		if _, err := roomtest.ExportRun(t.Context(), runtest.Filtered(t, s, volume.Region{}), out, job.Options{}, nil); err != nil {
			t.Error(err)
		}
		opentest.Opens(t, "export", out, 3)
		c.Close()
	}
}
