package open_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/io/atomic"
	"quell/io/nifti/niftitest"
	"quell/series"
)

// TestLinksToNIfTI opens a folder of symbolic links, as git-annex, DataLad and
// BIDS derivatives make them. A link without its file is a finding, one to a
// folder is not followed.
func TestLinksToNIfTI(t *testing.T) {
	store, dir := t.TempDir(), t.TempDir()
	apptest.PutNii(t, filepath.Join(store, "MD5E-s1.nii"), 4, 3, 2)
	apptest.Symlink(t, filepath.Join(store, "MD5E-s1.nii"), filepath.Join(dir, "brain.nii"))
	apptest.Symlink(t, filepath.Join(store, "absent"), filepath.Join(dir, "lesion.nii.gz"))
	apptest.Symlink(t, store, filepath.Join(dir, "folder.nii"))
	c, err := open.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != 1 || c.Entries[0].Slices != 2 {
		t.Errorf("%d entries; want the linked file alone", len(c.Entries))
	}
	if len(c.Findings) != 1 || c.Findings[0].Kind != series.Unreadable || !slices.Equal(c.Findings[0].Files, []string{"lesion.nii.gz"}) {
		t.Errorf("findings %v; want one about the link without its file", c.Findings)
	}
	if err := os.Remove(filepath.Join(dir, "brain.nii")); err != nil {
		t.Fatal(err)
	}
	if err := opentest.Refused(t, dir); !strings.Contains(err.Problem.String(), "lesion.nii.gz is a link") {
		t.Errorf("a folder of links without files: %v", err)
	}
}

// TestScanSkipsUnfinishedExports opens a folder while an export runs next to it.
func TestScanSkipsUnfinishedExports(t *testing.T) {
	dir := t.TempDir()
	apptest.PutNii(t, filepath.Join(dir, "brain.nii"), 4, 3, 2)
	stage, err := atomic.Begin(filepath.Join(dir, "out.nii"))
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Close()
	apptest.PutNii(t, stage.Path("out.nii"), 4, 3, 2)
	c, err := open.Scan(t.Context(), dir)
	if err != nil || len(c.Entries) != 1 || len(c.Findings) != 0 {
		t.Errorf("catalog %+v, error %v; want one series", c, err)
	}
}

// Reading a plain NIfTI file counts its slices as they come, and ends with all of them.
func TestReadingNIfTICountsSlices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii")
	if err := niftitest.Write(t.Context(), path, apptest.Wavy(5, 4, 6).Volume, ""); err != nil {
		t.Fatal(err)
	}
	c, err := open.Scan(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var counted [][2]int
	if _, err := c.Load(t.Context(), 0, func(done, total int) { counted = append(counted, [2]int{done, total}) }); err != nil {
		t.Fatal(err)
	}
	if n := len(counted); n < 2 || counted[n-1] != [2]int{6, 6} {
		t.Errorf("progress %v; want counts of slices while it reads, too", counted)
	}
}
