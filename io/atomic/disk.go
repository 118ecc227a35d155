package atomic

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// fileSystem is everything that a stage changes on disk. Tests replace it to
// make single steps fail.
type fileSystem interface {
	MkdirAll(dir string) error
	Mkdir(dir string) error
	Create(path string, data []byte) error  // a new file, synced
	Rewrite(path string, data []byte) error // an existing file
	Rename(from, to string) error
	Link(from, to string) error
	Exchange(a, b string) error // swaps two folders in one step
	Sync(path string) error
	RemoveAll(path string) error
}

// disk is the fileSystem of the machine.
type disk struct{}

func (disk) MkdirAll(dir string) error    { return os.MkdirAll(dir, 0o777) }
func (disk) Mkdir(dir string) error       { return os.Mkdir(dir, 0o777) }
func (disk) Rename(from, to string) error { return os.Rename(from, to) }
func (disk) Link(from, to string) error   { return os.Link(from, to) }
func (disk) Exchange(a, b string) error   { return exchange(a, b) }
func (disk) RemoveAll(path string) error  { return os.RemoveAll(path) }

func (disk) Create(path string, data []byte) error {
	return writeTo(path, os.O_CREATE|os.O_EXCL, data)
}

func (disk) Rewrite(path string, data []byte) error {
	return writeTo(path, os.O_TRUNC, data)
}

func writeTo(path string, flags int, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|flags, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Sync puts a file or the entries of a folder on disk. Not every system can sync
// folders, so there only errors of the medium count.
func (disk) Sync(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	flag := os.O_RDWR // Windows does not sync a file that is open for reading
	if info.IsDir() {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	err = errors.Join(f.Sync(), f.Close())
	if info.IsDir() && !errors.Is(err, syscall.EIO) && !errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

// exists reports whether path names anything, a broken link too.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
