// Package lockfile detects whether the process that created a file still runs: the process
// holds a lock on the file, which the system releases when the process exits or crashes.
//
// It imports the standard library and golang.org/x/sys.
package lockfile

import (
	"errors"
	"os"
)

// ErrHeld says that another process, or another File of this one, holds the lock.
var ErrHeld = errors.New("the lock is held")

// File is a locked file.
type File struct{ f *os.File }

// Take makes the file at path, if there is none, and locks it. It does not wait: the
// error is ErrHeld if the lock is held.
func Take(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &File{f}, nil
}

// Release gives the lock back; the file stays.
func (l *File) Release() error { return l.f.Close() }
