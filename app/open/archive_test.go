package open_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/series"
	"quell/volume"
)

// TestFilesAreClosed: an archive is open as long as its catalog, and what is refused is
// not open at all.
func TestFilesAreClosed(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(t.TempDir(), "src")
	apptest.PutDICOM(t, src, 6, 5, 2)
	good := filepath.Join(dir, "good.zip")
	apptest.ZipOf(t, src, good)
	c, err := open.Scan(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	if n := apptest.OpenFiles(t, dir); n != 1 {
		t.Errorf("%d files are open with the catalog of an archive; want 1", n)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if c.Close() == nil {
		t.Error("an archive was closed twice without an error")
	}
	if err := (*open.Catalog)(nil).Close(); err != nil {
		t.Error(err)
	}
	texts := t.TempDir()
	apptest.WriteTestFile(t, filepath.Join(texts, "a.txt"), []byte("hello"))
	apptest.ZipOf(t, texts, filepath.Join(dir, "texts.zip"))
	var locked bytes.Buffer
	z := zip.NewWriter(&locked)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "a", Flags: 1}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	apptest.WriteTestFile(t, filepath.Join(dir, "locked.zip"), locked.Bytes())
	apptest.WriteTestFile(t, filepath.Join(dir, "text.dcm.gz"), apptest.Gzipped(t, []byte(strings.Repeat("no image", 100))))
	for _, name := range []string{"texts.zip", "locked.zip", "text.dcm.gz"} {
		opentest.Refused(t, filepath.Join(dir, name))
		if n := apptest.OpenFiles(t, dir); n != 0 {
			t.Errorf("%s was refused and %d files are open", name, n)
		}
	}
	cut := filepath.Join(dir, "cut")
	apptest.PutDICOM(t, cut, 6, 5, 2)
	for i := range 2 {
		path := filepath.Join(cut, fmt.Sprintf("IM%05d.dcm", i+1))
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		apptest.WriteTestFile(t, path, b[:len(b)-9])
	}
	apptest.ZipOf(t, cut, filepath.Join(dir, "cut.zip"))
	opentest.Refused(t, filepath.Join(dir, "cut.zip")) // if loading fails, Open closes what Scan opened
	if n := apptest.OpenFiles(t, dir); n != 0 {
		t.Errorf("after a failed load %d files are open", n)
	}
}

// TestNamesThatAreNoUTF8 opens, filters and exports files and folders with names
// that io/fs refuses.
func TestNamesThatAreNoUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux keeps names that are not UTF-8")
	}
	dir := t.TempDir()
	for i, b := range apptest.SlicesOf(t, 3) {
		path := filepath.Join(dir, "M\xfcller", fmt.Sprintf("\xff%d\n", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opentest.Opens(t, "folder", dir, 3)
	opentest.Opens(t, "file", filepath.Join(dir, "M\xfcller", "\xff1\n"), 1)
	s, c, err := opentest.OpenPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	out := filepath.Join(t.TempDir(), "out")
	if _, err := roomtest.ExportRun(t.Context(), runtest.Filtered(t, s, volume.Region{}), out, job.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	opentest.Opens(t, "export", out, 3)
}

// TestFindingsBesideASeriesReachIt: an unreadable file in the folder may be a
// slice of the series, so the series must have the finding.
func TestFindingsBesideASeriesReachIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "series")
	apptest.PutDICOM(t, dir, 6, 5, 3)
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "IM00004.dcm")); err != nil {
		t.Skipf("symbolic links are not supported: %v", err)
	}
	apptest.WriteTestFile(t, filepath.Join(dir, "notes.txt"), []byte("hello")) // a note, which is not about the series
	s, c, err := opentest.OpenPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if note := (func(f series.Finding) bool { return f.Severity == series.Note }); !slices.ContainsFunc(c.Findings, note) || slices.ContainsFunc(s.Findings, note) {
		t.Errorf("findings %v of the folder and %v of the series; want the note with the folder alone", c.Findings, s.Findings)
	}
	for _, f := range s.Findings {
		if f.Kind == series.Unreadable && strings.Contains(f.Text.String(), "IM00004.dcm: it cannot be opened") {
			return
		}
	}
	t.Errorf("findings %v", s.Findings)
}
