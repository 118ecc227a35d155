package job_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/open/opentest"
)

// TestRefusedArchives checks that archives which are not opened are refused with
// the reason.
func TestRefusedArchives(t *testing.T) {
	dir := t.TempDir()
	slice := apptest.SlicesOf(t, 1)[0]
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
		"series.tgz":    {apptest.Gzipped(t, tar), "a tar archive"},
		"series.tar":    {tar, "a tar archive"},
		"series.7z":     {[]byte("7z\xbc\xaf\x27\x1c      "), "a 7z archive"},
		"series.rar":    {[]byte("Rar!\x1a\x07\x01      "), "a RAR archive"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := opentest.Refused(t, path); !strings.Contains(err.Problem.String(), c.problem) || !strings.Contains(err.Advice.String(), "unpack ") {
			t.Errorf("%s: %v", name, err)
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
	if err := opentest.Refused(t, dir); !strings.Contains(err.Problem.String(), "packed files (IM_0001.gz)") || !strings.Contains(err.Advice.String(), "unpack ") {
		t.Errorf("%v", err)
	}
}

// TestIndexWithoutItsImages opens a DICOMDIR that was copied alone.
func TestIndexWithoutItsImages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "DICOMDIR")
	if err := os.WriteFile(path, append(make([]byte, 128), "DICM\x08\x00\x16\x00UI\x14\x001.2.840.10008.1.3.10\x00"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := opentest.Refused(t, path); !strings.Contains(err.Problem.String(), "none of the images that it lists is here") {
		t.Errorf("%v", err)
	}
}
