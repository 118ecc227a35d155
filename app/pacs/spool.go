package pacs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"quell/internal/lockfile"
	"quell/io/atomic"
)

// spoolPrefix begins the name of every spool.
const spoolPrefix = "quell-pacs-"

// Spool is a folder for retrieved images, of this account alone, until it is closed. One goroutine at a time uses it.
type Spool struct {
	dir  string
	lock *lockfile.File
	made int
}

// NewSpool makes a spool in the folder for temporary files. It removes the spools there whose process has ended without
// closing them.
func NewSpool() (*Spool, error) {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), spoolPrefix+"*"))
	if err == nil {
		for _, dir := range old {
			removeLeft(dir)
		}
	}
	dir, err := os.MkdirTemp("", spoolPrefix)
	if err != nil {
		return nil, atomic.WriteError(os.TempDir(), err)
	}
	lock, err := lockfile.Take(filepath.Join(dir, "lock"))
	if err != nil {
		os.RemoveAll(dir)
		return nil, atomic.WriteError(dir, err)
	}
	return &Spool{dir: dir, lock: lock}, nil
}

// removeLeft removes a spool whose lock no process holds. A spool without a lock file is being made.
func removeLeft(dir string) {
	path := filepath.Join(dir, "lock")
	if _, err := os.Lstat(path); err != nil {
		return
	}
	lock, err := lockfile.Take(path)
	if err != nil {
		return // another process has it, or it is of another account
	}
	_ = lock.Release() // it goes
	os.RemoveAll(dir)
}

// Folder makes an empty folder in the spool, named by a counter.
func (s *Spool) Folder() (string, error) {
	s.made++
	dir := filepath.Join(s.dir, fmt.Sprint(s.made))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", atomic.WriteError(dir, err)
	}
	return dir, nil
}

// Close removes the spool with everything in it.
func (s *Spool) Close() {
	_ = s.lock.Release() // first: Windows removes no file that is open
	os.RemoveAll(s.dir)
}

// IsSpooled reports whether a path lies in a spool, and so will be gone.
func IsSpooled(path string) bool {
	rest, err := filepath.Rel(os.TempDir(), path)
	return err == nil && strings.HasPrefix(rest, spoolPrefix)
}
