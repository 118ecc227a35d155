package open

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/series"
)

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
	apptest.PutNii(t, path, 4, 3, 2)
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
	if _, err := scanTree(t.Context(), lockedFS{tree, "."}, "tree", locate); job.ExitCode(err) != job.ExitInput {
		t.Errorf("a root that cannot be read: %v", err)
	}
}

func TestNamesOfFormats(t *testing.T) {
	for name, want := range map[string]bool{"a.img": true, "A.IMG.GZ": true, "a.img.GZ": true, "a.hdr": false, "a.nii.gz": false, "img": false} {
		if files.IsVoxels(name) != want {
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

func TestFilesLieInTheirArchive(t *testing.T) {
	if path := (&archive{path: "/data/a.zip"}).OnDisk("b.dcm"); path != "/data/a.zip" {
		t.Error(path)
	}
}
