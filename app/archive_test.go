package app

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

	"quell/series"
	"quell/volume"
)

// slicesOf returns the files of a small DICOM series.
func slicesOf(t *testing.T, n int) [][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "series")
	putDICOM(t, dir, 6, 5, n)
	var out [][]byte
	for i := range n {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("IM%05d.dcm", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// opens asserts that a path holds one whole series of n slices.
func opens(t *testing.T, what, path string, n int) {
	t.Helper()
	s, c, err := openPath(t.Context(), path)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer c.Close()
	if s.Volume.Dims != [3]int{6, 5, n} || len(c.Entries) != 1 {
		t.Errorf("%s: %v in %d entries", what, s.Volume.Dims, len(c.Entries))
	}
}

// TestNamesInArchives opens archives from systems with other names: in a code
// page, with backslashes, twice the same, leading out of the archive.
func TestNamesInArchives(t *testing.T) {
	files := slicesOf(t, 3)
	for what, name := range map[string]string{
		"DOS code page": "M\x81ller/Sch\x94n%d",
		"Shift JIS":     "\x8eR\x93c/\x89\xe6\x91\x9c%d",
		"backslashes":   `DIR\SUB\F%d`,
		"the same":      "dir/F",
		"leading out":   "../../etc/F%d",
		"absolute":      "/F%d",
	} {
		var buf bytes.Buffer
		z := zip.NewWriter(&buf)
		for i, b := range files {
			w, err := z.CreateHeader(&zip.FileHeader{Name: strings.ReplaceAll(name, "%d", fmt.Sprint(i)), NonUTF8: true, Method: zip.Deflate})
			if err == nil {
				_, err = w.Write(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.zip")
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		opens(t, what, path, 3)
	}
}

// TestMembersGetNamesOfTheirOwn pins the names by which members are opened.
func TestMembersGetNamesOfTheirOwn(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"a", "a", "a"}, []string{"a", "a (2)", "a (3)"}},
		{[]string{"a", "a", "a (2)"}, []string{"a", "a (2)", "a (2) (2)"}},
		{[]string{"a", "a/b", "a/b/c/d"}, []string{"a (2)", "a/b (2)", "a/b/c/d"}}, // a file of the name of a folder
		{[]string{"a/", "a/b"}, []string{"a/", "a/b"}},
		{[]string{"../..", "/x//y", `\\x\y`}, []string{"/", "x/y", "x/y (2)"}},
		{[]string{"M\x81", "M\u00fc"}, []string{"M\u00fc", "M\u00fc (2)"}},
	} {
		var files []*zip.File
		for _, name := range c.names {
			files = append(files, &zip.File{FileHeader: zip.FileHeader{Name: name}})
		}
		renameMembers(files)
		for i, f := range files {
			if f.Name != c.want[i] {
				t.Errorf("%q: member %d is %q, want %q", c.names, i, f.Name, c.want[i])
			}
		}
	}
}

// openFiles counts the open files of this process below dir.
func openFiles(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the open files are not listed here: ", err)
	}
	n := 0
	for _, e := range entries {
		if path, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(path, dir) {
			n++
		}
	}
	return n
}

// TestFilesAreClosed: an archive is open as long as its catalog, and what is refused is
// not open at all.
func TestFilesAreClosed(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(t.TempDir(), "src")
	putDICOM(t, src, 6, 5, 2)
	good := filepath.Join(dir, "good.zip")
	zipOf(t, src, good)
	c, err := Scan(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	if n := openFiles(t, dir); n != 1 {
		t.Errorf("%d files are open with the catalog of an archive; want 1", n)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if c.Close() == nil {
		t.Error("an archive was closed twice without an error")
	}
	if err := (*Catalog)(nil).Close(); err != nil {
		t.Error(err)
	}
	texts := t.TempDir()
	writeTestFile(t, filepath.Join(texts, "a.txt"), []byte("hello"))
	zipOf(t, texts, filepath.Join(dir, "texts.zip"))
	var locked bytes.Buffer
	z := zip.NewWriter(&locked)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "a", Flags: 1}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, filepath.Join(dir, "locked.zip"), locked.Bytes())
	writeTestFile(t, filepath.Join(dir, "text.dcm.gz"), gzipped(t, []byte(strings.Repeat("no image", 100))))
	for _, name := range []string{"texts.zip", "locked.zip", "text.dcm.gz"} {
		refused(t, filepath.Join(dir, name))
		if n := openFiles(t, dir); n != 0 {
			t.Errorf("%s was refused and %d files are open", name, n)
		}
	}
	cut := filepath.Join(dir, "cut")
	putDICOM(t, cut, 6, 5, 2)
	for i := range 2 {
		path := filepath.Join(cut, fmt.Sprintf("IM%05d.dcm", i+1))
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writeTestFile(t, path, b[:len(b)-9])
	}
	zipOf(t, cut, filepath.Join(dir, "cut.zip"))
	refused(t, filepath.Join(dir, "cut.zip")) // where loading fails, Open closes what Scan opened
	if n := openFiles(t, dir); n != 0 {
		t.Errorf("after a failed load %d files are open", n)
	}
}

// TestRefusedArchives checks that archives which are not opened are refused with
// the reason.
func TestRefusedArchives(t *testing.T) {
	dir := t.TempDir()
	slice := slicesOf(t, 1)[0]
	zipWith := func(h zip.FileHeader, content []byte) []byte {
		var buf bytes.Buffer
		z := zip.NewWriter(&buf)
		h.CompressedSize64, h.UncompressedSize64 = uint64(len(content)), uint64(len(content))
		w, err := z.CreateRaw(&h)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	tar := make([]byte, 1024)
	copy(tar[257:], "ustar")
	for name, c := range map[string]struct {
		content []byte
		problem string
	}{
		"encrypted.zip": {zipWith(zip.FileHeader{Name: "a", Flags: 1}, slice), "encrypted"},
		"lzma.zip":      {zipWith(zip.FileHeader{Name: "a", Method: 14}, slice), "not supported (14)"},
		"zips.zip":      {zipWith(zip.FileHeader{Name: "inner.ZIP"}, slice[:50]), "packed files (inner.ZIP)"},
		"series.tgz":    {gzipped(t, tar), "a tar archive"},
		"series.tar":    {tar, "a tar archive"},
		"series.7z":     {[]byte("7z\xbc\xaf\x27\x1c      "), "a 7z archive"},
		"series.rar":    {[]byte("Rar!\x1a\x07\x01      "), "a RAR archive"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := refused(t, path); !strings.Contains(err.Problem.String(), c.problem) || !strings.Contains(err.Advice.String(), "unpack ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnpackedSizeLimits(t *testing.T) {
	for _, c := range []struct {
		packed, unpacked uint64
		refused          bool
	}{
		{0, 0, false},
		{0, ratioCountsFrom, false},
		{1, ratioCountsFrom + 1, true},
		{ratioCountsFrom, maxRatio*ratioCountsFrom + ratioCountsFrom - 1, true}, // over maxUnpacked
		{1 << 25, maxRatio << 25, false},
		{1 << 25, (maxRatio + 1) << 25, true},
		{maxUnpacked, maxUnpacked, false},
		{maxUnpacked, maxUnpacked + 1, true},
	} {
		if problem := checkUnpacked(c.packed, c.unpacked); (problem.String() != "") != c.refused {
			t.Errorf("%d bytes from %d: %q; want refused: %v", c.unpacked, c.packed, problem, c.refused)
		}
	}
}

func TestTextOfUnpackedSizes(t *testing.T) {
	for unpacked, want := range map[uint64]string{201 << 25: "unpacks to 201 times its size, which no image does", maxUnpacked + 1: "unpacks to more than 64 GiB"} {
		if got := checkUnpacked(1<<25, unpacked); got.String() != want {
			t.Errorf("%d bytes: %q, want %q", unpacked, got, want)
		}
	}
}

// TestFolderOfPackedFiles checks that a folder without images names the
// compressed files in it.
func TestFolderOfPackedFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"IM_0001.gz", "IM_0002.gz", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\x1f\x8b"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := refused(t, dir); !strings.Contains(err.Problem.String(), "packed files (IM_0001.gz)") || !strings.Contains(err.Advice.String(), "unpack ") {
		t.Errorf("%v", err)
	}
}

// TestNamesThatAreNoUTF8 opens, filters and exports files and folders whose names
// io/fs refuses.
func TestNamesThatAreNoUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux keeps names that are not UTF-8")
	}
	dir := t.TempDir()
	for i, b := range slicesOf(t, 3) {
		path := filepath.Join(dir, "M\xfcller", fmt.Sprintf("\xff%d\n", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opens(t, "folder", dir, 3)
	opens(t, "file", filepath.Join(dir, "M\xfcller", "\xff1\n"), 1)
	s, c, err := openPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	out := filepath.Join(t.TempDir(), "out")
	if _, err := exportRun(t.Context(), filtered(t, s, volume.Region{}), out, ExportOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	opens(t, "export", out, 3)
}

// TestFindingsBesideASeriesReachIt: an unreadable file in the folder may be a
// slice of the series, so the series must have the finding.
func TestFindingsBesideASeriesReachIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "series")
	putDICOM(t, dir, 6, 5, 3)
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "IM00004.dcm")); err != nil {
		t.Skipf("symbolic links are not supported: %v", err)
	}
	writeTestFile(t, filepath.Join(dir, "notes.txt"), []byte("hello")) // a note, which is not about the series
	s, c, err := openPath(t.Context(), dir)
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

// TestIndexWithoutItsImages opens a DICOMDIR that was copied alone.
func TestIndexWithoutItsImages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "DICOMDIR")
	if err := os.WriteFile(path, append(make([]byte, 128), "DICM\x08\x00\x16\x00UI\x14\x001.2.840.10008.1.3.10\x00"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := refused(t, path); !strings.Contains(err.Problem.String(), "none of the images that it lists is here") {
		t.Errorf("%v", err)
	}
}
