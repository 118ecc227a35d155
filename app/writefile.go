package app

import (
	"bytes"
	"io"
	"os"

	"quell/io/atomic"
	"quell/series"
)

// CheckFile is Gate.Check for one file of a kind that is written while the series of are open,
// which are its inputs.
func CheckFile(kind *OutputKind, path string, overwrite bool, of ...*series.Series) error {
	var inputs []string
	for _, s := range of {
		if s != nil {
			inputs = append(inputs, sourcesOf(s)...)
		}
	}
	return Gate{Inputs: inputs, Outputs: []Target{{kind.Name, path, kind}}, Overwrite: overwrite}.Check()
}

// WriteFile writes a file, whole or not at all, if CheckFile permits it.
func WriteFile(kind *OutputKind, path string, data []byte, overwrite bool, of ...*series.Series) error {
	if err := CheckFile(kind, path, overwrite, of...); err != nil {
		return err
	}
	return atomic.WriteFile(path, data, 0o666)
}

// CheckPage is CheckFile for a report.
func CheckPage(path string, overwrite bool) error { return CheckFile(ReportOutput, path, overwrite) }

// CheckPicture is CheckFile for a picture.
func CheckPicture(path string, overwrite bool) error {
	return CheckFile(PictureOutput, path, overwrite)
}

// CheckNew is CheckFile for a table.
func CheckNew(path string, overwrite bool) error { return CheckFile(TableOutput, path, overwrite) }

// CheckPresentation is CheckFile for a presentation state of s.
func CheckPresentation(s *series.Series, path string, overwrite bool) error {
	return CheckFile(PresentationOutput, path, overwrite, s)
}

// WriteNew is WriteFile for a table.
func WriteNew(path string, data []byte, overwrite bool) error {
	return WriteFile(TableOutput, path, data, overwrite)
}

// holdsMark reports whether a file has mark in its first n bytes, by which Quell knows a file
// that it wrote.
func holdsMark(path, mark string, n int64) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, n))
	return err == nil && bytes.Contains(start, []byte(mark))
}
