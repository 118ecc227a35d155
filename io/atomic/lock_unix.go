//go:build unix

package atomic

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// tryLock locks a folder as long as the file is open and its process lives, however that ends. The
// error is errHeld if another has the lock, and errNoLocks on file systems without locks.
func tryLock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case err == nil:
		return f, nil
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EINTR):
		return nil, errors.Join(errHeld, f.Close())
	}
	return nil, errors.Join(errNoLocks, f.Close())
}

// lockFolder waits until no other process commits to the entries of dir, for so many
// hundredths of a second at most. On file systems without locks it does not wait.
func lockFolder(dir string, tries int) (release func(), err error) {
	for range tries {
		f, err := tryLock(dir)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case errors.Is(err, errNoLocks):
			return func() {}, nil
		case !errors.Is(err, errHeld):
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, errHeld
}
