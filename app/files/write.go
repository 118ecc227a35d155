package files

import (
	"bytes"
	"io"
	"os"

	"quell/io/atomic"
	"quell/series"
)

// Check is Gate.Check for one file of a kind that is written while the series of are open,
// which are its inputs.
func Check(kind *Kind, path string, overwrite bool, of ...*series.Series) error {
	var inputs []string
	for _, s := range of {
		if s != nil {
			inputs = append(inputs, SourcesOf(s)...)
		}
	}
	return Gate{Inputs: inputs, Outputs: []Target{{kind.Name, path, kind}}, Overwrite: overwrite}.Check()
}

// Write writes a file, whole or not at all, if Check permits it.
func Write(kind *Kind, path string, data []byte, overwrite bool, of ...*series.Series) error {
	if err := Check(kind, path, overwrite, of...); err != nil {
		return err
	}
	return atomic.WriteFile(path, data, 0o666)
}

// CheckOf returns Check for a kind and the series that are open.
func CheckOf(kind *Kind, of ...*series.Series) func(path string, overwrite bool) error {
	return func(path string, overwrite bool) error { return Check(kind, path, overwrite, of...) }
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
