package app

import (
	"bytes"
	"io"
	"os"

	"quell/io/atomic"
)

// CheckNew returns an error where a file cannot be written to path; one that wraps
// ErrForeignTarget where anything is there, unless overwrite is set.
func CheckNew(path string, overwrite bool) error {
	if err := atomic.Check(path, false); err != nil {
		return &UsageError{Text: err.Error(), Err: err}
	}
	if exists(path) && !overwrite {
		return foreign(path)
	}
	return nil
}

// WriteNew writes a file, whole or not at all; one that is there is replaced with overwrite
// only.
func WriteNew(path string, data []byte, overwrite bool) error {
	if err := CheckNew(path, overwrite); err != nil {
		return err
	}
	return atomic.WriteFile(path, data, 0o666)
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
