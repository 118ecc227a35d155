//go:build unix

package atomic

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFolder waits until no other process commits to the entries of dir, for so many
// hundredths of a second at most. The system gives the lock back when the process ends, however it ends. On file
// systems without locks it does not wait.
func lockFolder(dir string, tries int) (release func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for range tries {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return func() { f.Close() }, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.Close()
	return nil, errHeld
}
