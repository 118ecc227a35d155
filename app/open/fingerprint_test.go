package open_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/app/roomtest"
	"quell/internal/shareddata"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
)

// A series has the same fingerprint by whatever path it is found, and another one after any
// of its files has changed.
func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	apptest.PutDICOM(t, filepath.Join(dir, "ct"), 8, 6, 3)
	for _, name := range []string{"a.nii", "b.hdr"} {
		if _, err := roomtest.Convert(t.Context(), &series.Series{Volume: apptest.Wavy(8, 6, 3).Volume}, filepath.Join(dir, "mr", name), job.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	prints := func(path string) (all []string) {
		t.Helper()
		c, err := open.Scan(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for i := range c.Entries {
			all = append(all, c.Fingerprint(t.Context(), i))
		}
		return all
	}
	mr, ct := prints(filepath.Join(dir, "mr")), prints(filepath.Join(dir, "ct"))
	if len(mr) != 2 || len(ct) != 1 || mr[0] == mr[1] || mr[0] == ct[0] || mr[0] == "" || mr[1] == "" || ct[0] == "" {
		t.Fatalf("%q, %q", mr, ct)
	}
	if got := prints(filepath.Join(dir, "mr", "a.nii")); got[0] != mr[0] {
		t.Error("a file has another fingerprint than in its folder")
	}
	t.Chdir(dir)
	if got := prints("ct"); got[0] != ct[0] {
		t.Error("a relative path has another fingerprint")
	}
	if got := prints(filepath.Join("mr", "b.img")); got[0] != mr[1] {
		t.Error("the two files of a pair have different fingerprints")
	}
	touch := func(path string) {
		t.Helper()
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
	}
	touch("mr/b.img")
	if got := prints("mr"); got[0] != mr[0] || got[1] == mr[1] {
		t.Error("want the fingerprint of the pair changed with its voxels, and no other")
	}
	files, err := os.ReadDir("ct")
	if err != nil {
		t.Fatal(err)
	}
	touch(filepath.Join("ct", files[1].Name()))
	if got := prints("ct"); got[0] == ct[0] {
		t.Error("the fingerprint is the same after a slice has changed")
	}

	c, err := open.Scan(t.Context(), "ct")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c.Fingerprint(ctx, 0) != "" || c.Fingerprint(t.Context(), 1) != "" || c.Fingerprint(t.Context(), -1) != "" {
		t.Error("there is a fingerprint after a cancel, or of no entry")
	}
	if err := os.Remove(filepath.Join("ct", files[2].Name())); err != nil {
		t.Fatal(err)
	}
	if c.Fingerprint(t.Context(), 0) != "" {
		t.Error("there is a fingerprint of files that are gone")
	}
	if (&open.Catalog{Entries: make([]open.Entry, 1)}).Fingerprint(t.Context(), 0) != "" {
		t.Error("there is a fingerprint of an entry without files")
	}
}

// The series of an archive have its time and their own names; the volumes of a 4-D series
// have one fingerprint.
func TestFingerprintOfArchivesAndVolumes(t *testing.T) {
	dir := t.TempDir()
	apptest.PutDICOM(t, filepath.Join(dir, "ct"), 8, 6, 3)
	path := filepath.Join(dir, "ct.zip")
	apptest.ZipOf(t, filepath.Join(dir, "ct"), path)
	fingerprint := func() string {
		t.Helper()
		c, err := open.Scan(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.Fingerprint(t.Context(), 0)
	}
	first := fingerprint()
	if first == "" || fingerprint() != first {
		t.Errorf("fingerprints %q, %q", first, fingerprint())
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if fingerprint() == first {
		t.Error("the fingerprint is the same after the archive has changed")
	}
	c, err := open.Scan(t.Context(), shareddata.Path(t, "nifti/nibabel/example4d.nii.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if a, b := c.Fingerprint(t.Context(), 0), c.Fingerprint(t.Context(), 1); a == "" || a != b {
		t.Errorf("volumes have the fingerprints %q and %q", a, b)
	}
}

// Copies of the images have the identity of the original, whatever their folder; other patients, fewer images and files without
// UIDs do not.
func TestIdentityOfCopies(t *testing.T) {
	dir := t.TempDir()
	identity := func(name string) string {
		t.Helper()
		c, err := open.Scan(t.Context(), filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.Identity(0)
	}
	put := func(name, patient string) {
		t.Helper()
		for file, f := range dicomtest.Stack(6) {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name, file), f.With(part10.TagPatientName, patient).File(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("a", "MUELLER")
	put("b", "MUELLER")
	put("c", "MEIER")
	put("d", "MUELLER")
	if err := os.Remove(filepath.Join(dir, "d", "c.dcm")); err != nil {
		t.Fatal(err)
	}
	if _, err := roomtest.Convert(t.Context(), &series.Series{Volume: apptest.Wavy(8, 6, 3).Volume}, filepath.Join(dir, "e.nii"), job.Options{}); err != nil {
		t.Fatal(err)
	}
	a := identity("a")
	if a == "" || identity("b") != a || identity("c") == a || identity("d") == a || identity("e.nii") != "" {
		t.Errorf("identities %q, %q, %q, %q, %q", a, identity("b"), identity("c"), identity("d"), identity("e.nii"))
	}
}
