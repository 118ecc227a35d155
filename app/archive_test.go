package app_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/open/opentest"
)

// TestNamesInArchives opens archives from systems with other names: in a code
// page, with backslashes, twice the same, leading out of the archive.
func TestNamesInArchives(t *testing.T) {
	files := apptest.SlicesOf(t, 3)
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
		opentest.Opens(t, what, path, 3)
	}
}
