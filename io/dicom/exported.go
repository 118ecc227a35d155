package dicom

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"quell/io/dicom/part10"
)

// sliceName names the file of slice z, counted from 0 along the slice normal.
func sliceName(z int) string { return fmt.Sprintf("IM%05d.dcm", z+1) }

var slicePattern = regexp.MustCompile(`^IM\d{5,}\.dcm$`)

// fileManagerFiles are what file managers leave in folders that they show.
var fileManagerFiles = []string{".DS_Store", "Thumbs.db", "desktop.ini", ".directory"}

// IsExport reports whether the folder dir holds nothing but a series that Write or
// WriteNew made, so that a new export may replace it. Files of file managers do
// not count.
func IsExport(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	exported := 0
	for _, e := range entries {
		switch {
		case !e.Type().IsRegular():
			return false
		case slices.Contains(fileManagerFiles, e.Name()) || strings.HasPrefix(e.Name(), "._"): // macOS, on network shares
		case slicePattern.MatchString(e.Name()) && writtenByQuell(filepath.Join(dir, e.Name())):
			exported++
		default:
			return false
		}
	}
	return exported > 0
}

// writtenByQuell reports whether the meta header of a file names this writer.
func writtenByQuell(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	return part10.WriterOf(f, info.Size()) == part10.ImplementationClassUID
}
