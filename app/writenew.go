package app

import "quell/io/atomic"

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
