package open

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/series"
)

// TestArchiveLimits checks the archive's directory alone: nothing of the size
// it claims is ever there.
func TestArchiveLimits(t *testing.T) {
	many := make([]*zip.File, maxArchiveFiles+1)
	for i := range many {
		many[i] = &zip.File{FileHeader: zip.FileHeader{Name: fmt.Sprint(i)}}
	}
	file := func(packed, unpacked uint64) *zip.File {
		return &zip.File{FileHeader: zip.FileHeader{CompressedSize64: packed, UncompressedSize64: unpacked}}
	}
	for name, files := range map[string][]*zip.File{
		"too many":    many,
		"too large":   {file(1<<40, files.MaxUnpacked+1)},
		"overflowing": {file(1, 1<<63), file(1, 1<<63)},
		"a bomb":      {file(10<<20, 10<<30)},
	} {
		if err := checkArchive(&zip.Reader{File: files}, "x.zip"); job.ExitCode(err) != job.ExitInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkArchive(&zip.Reader{File: many[1:]}, "x.zip"); err != nil {
		t.Errorf("as many files as may be: %v", err)
	}
	if err := checkArchive(&zip.Reader{File: []*zip.File{file(1<<36, files.MaxUnpacked)}}, "x.zip"); err != nil {
		t.Errorf("as much as may be: %v", err)
	}
	if err := checkArchive(&zip.Reader{File: []*zip.File{file(1<<36, files.MaxUnpacked), file(1, 1)}}, "x.zip"); err == nil {
		t.Error("two files that together are too large were accepted")
	}
	if err := checkArchive(&zip.Reader{File: []*zip.File{file(300<<20, 900<<20), file(1<<10, 1<<20)}}, "x.zip"); err != nil {
		t.Errorf("an ordinary archive: %v", err)
	}
}

// TestFoldersOfNIfTI: links to files are followed and others are not; a file that cannot
// be read does not hide those behind it, and stages of exports are left out.
func TestFoldersOfNIfTI(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	apptest.PutNii(t, filepath.Join(other, "real.nii"), 4, 4, 4)
	apptest.PutNii(t, filepath.Join(dir, "z", "last.nii"), 3, 3, 3)
	apptest.PutNii(t, filepath.Join(dir, ".quell-export-1", "staged.nii"), 9, 9, 9)
	apptest.WriteTestFile(t, filepath.Join(dir, "b.nii"), []byte("torn"))
	for link, target := range map[string]string{"a.nii": filepath.Join(other, "real.nii"), "c.nii": filepath.Join(other, "gone"), "d.nii": other} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	c, err := Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(c.Entries) != 2 || c.Entries[0].Geometry.Dims != [3]int{4, 4, 4} || c.Entries[1].Geometry.Dims != [3]int{3, 3, 3} || c.Default != 0 {
		t.Errorf("%d entries, the default is %d", len(c.Entries), c.Default)
	}
	var names []string
	for _, f := range c.Findings {
		names = append(names, f.Files...)
		if f.Severity != series.Refused || f.Kind != series.Unreadable {
			t.Errorf("finding %+v", f)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"b.nii", "c.nii"}) {
		t.Errorf("findings about %q; want the torn file and the broken link", names)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if files, err := listImageFiles(ctx, os.DirFS(dir)); !errors.Is(err, context.Canceled) || len(files.names) != 0 {
		t.Errorf("cancelled: %v, %v", files, err)
	}
	if _, err := listImageFiles(t.Context(), os.DirFS(filepath.Join(dir, "gone"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
