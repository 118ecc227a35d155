package dicom

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"quell/io/atomic"
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

// MapName names the file of the n-th parametric map of an exported series, counted from 1, in the folder of that.
func MapName(n int) string { return fmt.Sprintf("PM%05d.dcm", n) }

// ReportName names the file of the n-th measurement report of an exported series, counted from 1, in the folder of that.
func ReportName(n int) string { return fmt.Sprintf("SR%05d.dcm", n) }

// exportedPattern is of the files of a series that Quell exported, and of the objects about it.
var exportedPattern = regexp.MustCompile(`^(IM|PR|PM|SR)\d{5,}\.dcm$`)

// fileManagerFiles are what file managers leave in folders that they show.
var fileManagerFiles = []string{".DS_Store", "Thumbs.db", "desktop.ini", ".directory"}

// volumePattern is of the folders of an earlier output of several volumes, which had one for each.
var volumePattern = regexp.MustCompile(`^\d{3,}(-[a-z0-9.]+)*$`)

// Foreign returns the name of the first entry of the folder dir, with slashes, that a Writer
// did not make; "" for none. Its outputs are series with the objects about them, also in
// folders for the volumes of a 4-D series. Not counted are files of file managers, what stays
// when a folder is written into (atomic.Kept), and files directly in dir for which known is true.
func Foreign(dir string, known func(name string) bool) (string, error) {
	return foreign(dir, known, true)
}

func foreign(dir string, known func(name string) bool, volumes bool) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir() && atomic.Kept(name):
		case e.IsDir() && volumes && volumePattern.MatchString(name):
			inner, err := foreign(filepath.Join(dir, name), func(string) bool { return false }, false)
			if inner != "" || err != nil {
				return path.Join(name, inner), err
			}
		case !e.Type().IsRegular():
			return name, nil
		case slices.Contains(fileManagerFiles, name) || strings.HasPrefix(name, "._"): // macOS, on network shares
		case exportedPattern.MatchString(name) && writtenByQuell(filepath.Join(dir, name)):
		case !known(name):
			return name, nil
		}
	}
	return "", nil
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
