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

// PresentationName names the file of the n-th presentation state of an exported series, counted
// from 1, in the folder of that.
func PresentationName(n int) string { return fmt.Sprintf("PR%05d.dcm", n) }

// IsPresentation says whether a file of an exported series has the name of a presentation state.
func IsPresentation(name string) bool {
	return strings.HasPrefix(name, "PR") && exportedPattern.MatchString(name)
}

// exportedPattern is of the files of a series that Quell exported, and of its presentation states.
var exportedPattern = regexp.MustCompile(`^(IM|PR)\d{5,}\.dcm$`)

// fileManagerFiles are what file managers leave in folders that they show.
var fileManagerFiles = []string{".DS_Store", "Thumbs.db", "desktop.ini", ".directory"}

// volumePattern is of the folders of an output of several volumes, see
// series.Group.FolderName.
var volumePattern = regexp.MustCompile(`^\d{3,}(-[a-z0-9.]+)*$`)

// MayReplace reports whether the folder dir holds nothing but a series that Write
// or WriteNew made, with presentation states of it, or folders of them for the volumes of a 4-D series, or nothing at all,
// so that a new export may replace it. Files of file managers do not count.
func MayReplace(dir string) (bool, error) { return mayReplace(dir, true) }

func mayReplace(dir string, volumes bool) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir() && volumes && volumePattern.MatchString(name):
			if ours, err := mayReplace(filepath.Join(dir, name), false); !ours || err != nil {
				return false, err
			}
		case !e.Type().IsRegular():
			return false, nil
		case slices.Contains(fileManagerFiles, name) || strings.HasPrefix(name, "._"): // macOS, on network shares
		case !exportedPattern.MatchString(name) || !writtenByQuell(filepath.Join(dir, name)):
			return false, nil
		}
	}
	return true, nil
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
