package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/atomic"
	"quell/io/nifti/niftitest"
	"quell/series"
)

// symlink makes a symbolic link and skips the test where that is not possible.
func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("symbolic links are not supported: %v", err)
	}
}

// TestLinksToNIfTI opens a folder of symbolic links, as git-annex, DataLad and
// BIDS derivatives make them. A link without its file is a finding, one to a
// folder is not followed.
func TestLinksToNIfTI(t *testing.T) {
	store, dir := t.TempDir(), t.TempDir()
	putNii(t, filepath.Join(store, "MD5E-s1.nii"), 4, 3, 2)
	symlink(t, filepath.Join(store, "MD5E-s1.nii"), filepath.Join(dir, "brain.nii"))
	symlink(t, filepath.Join(store, "absent"), filepath.Join(dir, "lesion.nii.gz"))
	symlink(t, store, filepath.Join(dir, "folder.nii"))
	c, err := Scan(t.Context(), dir)
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
	if err := refused(t, dir); !strings.Contains(err.Problem.String(), "lesion.nii.gz is a link") {
		t.Errorf("a folder of links without files: %v", err)
	}
}

// lockedFS is a file system with folders that cannot be read.
type lockedFS struct {
	fs.FS
	locked string
}

func (l lockedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == l.locked {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return fs.ReadDir(l.FS, name)
}

// TestUnreadableSubfolder: as in a scan for DICOM, a folder that cannot be read is
// a finding and the rest of the tree is opened.
func TestUnreadableSubfolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brain.nii")
	putNii(t, path, 4, 3, 2)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"brain.nii": {Data: data}, "locked/x": {Data: []byte("x")}}
	locate := func(s string) string { return s }
	c, err := scanTree(t.Context(), lockedFS{tree, "locked"}, "tree", locate)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != 1 {
		t.Errorf("%d entries; want 1", len(c.Entries))
	}
	if len(c.Findings) != 1 || c.Findings[0].Severity != series.Refused || !strings.Contains(c.Findings[0].Text.String(), "The folder locked cannot be read (permission denied)") {
		t.Errorf("findings %v; want one about the folder", c.Findings)
	}
	if _, err := scanTree(t.Context(), lockedFS{tree, "."}, "tree", locate); ExitCode(err) != ExitInput {
		t.Errorf("a root that cannot be read: %v", err)
	}
}

// TestScanSkipsUnfinishedExports opens a folder beside which an export is running.
func TestScanSkipsUnfinishedExports(t *testing.T) {
	dir := t.TempDir()
	putNii(t, filepath.Join(dir, "brain.nii"), 4, 3, 2)
	stage, err := atomic.Begin(filepath.Join(dir, "out.nii"))
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Close()
	putNii(t, stage.Path("out.nii"), 4, 3, 2)
	c, err := Scan(t.Context(), dir)
	if err != nil || len(c.Entries) != 1 || len(c.Findings) != 0 {
		t.Errorf("catalog %+v, error %v; want one series", c, err)
	}
}

func TestLinkToItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop.nii")
	symlink(t, path, path)
	if err := refused(t, path); !strings.Contains(err.Problem.String(), "leads back to itself") {
		t.Errorf("%v", err)
	}
}

func TestNamesOfFormats(t *testing.T) {
	for name, want := range map[string]bool{"a.img": true, "A.IMG.GZ": true, "a.img.GZ": true, "a.hdr": false, "a.nii.gz": false, "img": false} {
		if isImg(name) != want {
			t.Errorf("%s is the voxels of a pair: %v", name, !want)
		}
	}
	for name, want := range map[string]bool{"a.tgz": true, "A.ZIP": true, "a.tar": true, "a.gz": true, "a.7z": true, "a.rar": true, "a.bz2": true, "a.xz": true, "a.zst": true, "a.txt": false, "zip": false} {
		if isPacked(name) != want {
			t.Errorf("%s is packed: %v", name, !want)
		}
	}
	plain := errors.New("plain")
	if got := cause(&fs.PathError{Op: "open", Path: "/data/x", Err: fs.ErrPermission}); !errors.Is(got, fs.ErrPermission) || got.Error() != fs.ErrPermission.Error() {
		t.Errorf("the cause of a path's error is %q", got)
	}
	if got := cause(plain); got.Error() != "plain" {
		t.Errorf("the cause of another is %v", got)
	}
}

// TestOriginOfASource: files of a folder and of an archive have a path, others have none.
func TestOriginOfASource(t *testing.T) {
	for what, c := range map[string]struct {
		src  series.Source
		path string
		ok   bool
	}{
		"folder":  {series.Source{FS: openFolder("/data", true), Name: "a/b.dcm"}, filepath.Join("/data", "a", "b.dcm"), true},
		"archive": {series.Source{FS: &archive{path: "/data/a.zip"}, Name: "b.dcm"}, "/data/a.zip", true},
		"bundled": {series.Source{FS: fstest.MapFS{}, Name: "b.dcm"}, "", false},
		"none":    {series.Source{}, "", false},
	} {
		if path, ok := origin(c.src); path != c.path || ok != c.ok {
			t.Errorf("%s: %q, %v", what, path, ok)
		}
	}
}

// Reading a plain NIfTI file counts its slices as they come, and ends with all of them.
func TestReadingNIfTICountsSlices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii")
	if err := niftitest.Write(t.Context(), path, wavy(5, 4, 6).Volume, ""); err != nil {
		t.Fatal(err)
	}
	c, err := Scan(t.Context(), path)
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
