package open_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/assets"
)

// TestScanFolder: the DICOM files directly in a folder are one catalog; other files and the
// folders below do not count.
func TestScanFolder(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a", "a/below"} {
		if err := os.CopyFS(filepath.Join(root, dir), assets.Series); err != nil {
			t.Fatal(err)
		}
	}
	apptest.PutNii(t, filepath.Join(root, "a", "x.nii"), 3, 3, 3)
	c, err := open.ScanFolder(t.Context(), filepath.Join(root, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != 1 || c.Entries[0].Slices != 9 || len(c.Findings) != 0 {
		t.Fatalf("%d entries, findings %v", len(c.Entries), c.Findings)
	}
	e := c.Entries[0]
	for keyword, want := range map[string]string{"Modality": "CT", "Rows": "512", "SliceThickness": "7.0", "ImageComments": ""} {
		values, err := e.Attribute(t.Context(), keyword)
		if got := strings.Join(values, `\`); err != nil || got != want {
			t.Errorf("%s: %q, %v", keyword, got, err)
		}
	}
	below, err := open.ScanFolder(t.Context(), filepath.Join(root, "a", "below"))
	if err != nil {
		t.Fatal(err)
	}
	if id := e.Identity(); id == "" || below.Entries[0].Identity() != id {
		t.Errorf("identities %q and %q of copies", id, below.Entries[0].Identity())
	}
	if err := os.Remove(filepath.Join(root, "a", "below", "16.dcm")); err != nil {
		t.Fatal(err)
	}
	if below, err = open.ScanFolder(t.Context(), filepath.Join(root, "a", "below")); err != nil || below.Entries[0].Identity() == e.Identity() {
		t.Errorf("a part has the identity of the whole: %v", err)
	}
	nii, err := open.Scan(t.Context(), filepath.Join(root, "a", "x.nii"))
	if err != nil {
		t.Fatal(err)
	}
	if values, err := nii.Entries[0].Attribute(t.Context(), "Modality"); values != nil || err != nil || nii.Entries[0].Identity() != "" {
		t.Errorf("NIfTI: %v, %v, %q", values, err, nii.Entries[0].Identity())
	}

	// Documents are no series, what cannot be opened may be one.
	other := filepath.Join(root, "b")
	if err := os.MkdirAll(other, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one.txt", "two.txt"} {
		if err := os.WriteFile(filepath.Join(other, name), []byte("text"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open.ScanFolder(t.Context(), other); !errors.Is(err, open.ErrNoImages) {
		t.Errorf("documents: %v", err)
	}
	if err := os.Symlink("nowhere", filepath.Join(other, "link.dcm")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	if _, err := open.ScanFolder(t.Context(), other); errors.Is(err, open.ErrNoImages) || job.ExitCode(err) != job.ExitInput || !strings.Contains(err.Error(), "link.dcm") {
		t.Errorf("a broken link: %v", err)
	}
	if _, err := open.ScanFolder(t.Context(), filepath.Join(root, "none")); job.ExitCode(err) != job.ExitInput {
		t.Errorf("a missing folder: %v", err)
	}
}
