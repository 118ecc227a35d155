// Package regular opens files that were not chosen one by one: those that a header or a folder names. Opening a
// pipe waits for a writer and cannot be cancelled, and reading a device may not end, so that both are refused before.
package regular

import (
	"io/fs"
	"os"

	"quell/internal/message"
)

// errOther is the error of a path that is neither a file nor a folder.
var errOther = message.Errorf(message.InputForeign, "it is a pipe, a socket or a device and not a file")

// OpenIn opens a file or a folder of a file system.
func OpenIn(fsys fs.FS, name string) (fs.File, error) {
	if info, err := fs.Stat(fsys, name); err == nil && isOther(info) { // without a Stat, Open says the reason
		return nil, &fs.PathError{Op: "open", Path: name, Err: errOther}
	}
	return fsys.Open(name)
}

// Open opens a file or a folder of the machine.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && isOther(info) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errOther}
	}
	return os.Open(path)
}

// ReadFile reads a file of the machine.
func ReadFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && isOther(info) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errOther}
	}
	return os.ReadFile(path)
}

func isOther(info fs.FileInfo) bool { return !info.Mode().IsRegular() && !info.IsDir() }
