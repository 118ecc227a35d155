package dimse

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Folder keeps instances that arrive as files "N.dcm" of a folder of mode 0700. N is a counter of its own
// that goes on from the highest number there, so that nothing of the other side is part of a name. A file
// has its name only when it is whole; OpenFolder removes the remains of a crash. Functions are
// safe for concurrent use; one process at a time may have a folder open.
type Folder struct {
	dir   string
	quota int64
	sync  bool

	mu   sync.Mutex
	next uint64
	used int64
}

const (
	wholeSuffix = ".dcm"
	partSuffix  = ".part"
)

// OpenFolder makes a folder or opens it with what it has. It takes quota bytes in all. With durable every
// file is on the disk before Store returns, at the price of a wait for the disk.
func OpenFolder(dir string, quota int64, durable bool) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // it may be there with another mode
		return nil, err
	}
	f := &Folder{dir: dir, quota: quota, sync: durable, next: 1}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name, part := strings.CutSuffix(e.Name(), partSuffix); part && isNumber(name) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return nil, err
			}
			continue
		}
		f.After(e.Name())
		if info, err := e.Info(); err == nil {
			f.used += info.Size()
		}
	}
	return f, nil
}

func isNumber(s string) bool { _, err := strconv.ParseUint(s, 10, 64); return err == nil }

// After keeps the names up to one that Store gave from being given again, though its file is gone.
func (f *Folder) After(name string) {
	base, whole := strings.CutSuffix(name, wholeSuffix)
	n, err := strconv.ParseUint(base, 10, 64)
	f.mu.Lock()
	defer f.mu.Unlock()
	if whole && err == nil {
		f.next = max(f.next, n+1)
	}
}

// Used returns the bytes of all files.
func (f *Folder) Used() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.used
}

// Path returns the path of a file that Store named.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, name) }

// Remove removes a file that Store named.
func (f *Folder) Remove(name string) error {
	info, err := os.Stat(f.Path(name))
	if err != nil {
		return err
	}
	if err := os.Remove(f.Path(name)); err != nil {
		return err
	}
	f.take(-info.Size())
	return nil
}

// take counts bytes, and reports whether they were within the quota; more than that is not counted.
func (f *Folder) take(n int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n > 0 && f.used+n > f.quota {
		return false
	}
	f.used += n
	return true
}

// number reports whether nothing more is taken, and else returns a number for a file.
func (f *Folder) number() (n uint64, full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.used >= f.quota {
		return 0, true
	}
	n = f.next
	f.next++
	return n, false
}

// Store writes an instance as it arrives and returns its file with its bytes. The status is OutOfResources if the quota or the disk is full,
// and an error says why a file could not be written or the instance did not end.
func (f *Folder) Store(a *Arrival) (name string, size int64, s Status, err error) {
	n, full := f.number()
	if full {
		return "", 0, OutOfResources, nil
	}
	base := fmt.Sprintf("%08d", n)
	part := f.Path(base + partSuffix)
	file, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", 0, OutOfResources, err
	}
	w := &counted{f: f, w: file}
	if _, err = a.WriteTo(w); err == nil && f.sync {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part, f.Path(base+wholeSuffix))
	}
	if err == nil && f.sync {
		f.syncNames()
	}
	if err != nil {
		os.Remove(part)
		f.take(-w.n)
		if err == errQuota { //nolint:errorlint // our own
			err = nil
		}
		return "", 0, OutOfResources, err
	}
	return base + wholeSuffix, w.n, 0, nil
}

// syncNames puts the names on the disk. Not every system can do it for a folder.
func (f *Folder) syncNames() {
	if d, err := os.Open(f.dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// errQuota ends a file that does not fit.
var errQuota = fmt.Errorf("the quota is full")

// counted writes what the quota has room for.
type counted struct {
	f *Folder
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	if !c.f.take(int64(len(p))) {
		return 0, errQuota
	}
	c.n += int64(len(p))
	return c.w.Write(p)
}
