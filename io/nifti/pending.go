package nifti

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// pending is a file that is being written beside its target. It takes the
// target's name only when it is whole and on disk.
type pending struct {
	*os.File
	target string
}

// createPending opens a new file in the folder of target. Its permissions are
// the user's default: a scan is not for everybody to read.
func createPending(target string) (*pending, error) {
	dir, base := filepath.Split(target)
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return nil, errors.New("this is a folder; give a file's name")
	}
	for range 100 {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%08x.part", base, rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the folder %s does not exist; create it first", filepath.Clean(dir))
		}
		if err != nil {
			return nil, plain(err)
		}
		return &pending{f, target}, nil
	}
	return nil, errors.New("no temporary name is free in its folder")
}

// finish puts the bytes on disk and closes the file, still under its own name.
func (p *pending) finish() error {
	if err := p.Sync(); err != nil {
		return plain(err)
	}
	return plain(p.Close())
}

// commit finishes the file and gives it the target's name.
func (p *pending) commit() error {
	if err := p.finish(); err != nil {
		return err
	}
	return p.rename()
}

// rename gives a finished file the target's name.
func (p *pending) rename() error {
	if err := os.Rename(p.Name(), p.target); err != nil {
		var link *os.LinkError
		if errors.As(err, &link) {
			err = link.Err
		}
		return err
	}
	// The new name is on disk only when the folder is; not every system can
	// be asked for that.
	if dir, err := os.Open(filepath.Dir(p.target)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// discard removes the file if it still has its own name.
func (p *pending) discard() {
	_ = p.Close()
	_ = os.Remove(p.Name())
}
