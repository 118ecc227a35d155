package shm

import (
	"os"

	"golang.org/x/sys/unix"
)

// createFile prefers a memfd: it lives in memory, has no name to clash or to
// clean up, and is not bound by the size of /dev/shm.
func createFile() (*os.File, string, error) {
	fd, err := unix.MemfdCreate("quell", unix.MFD_CLOEXEC)
	if err != nil {
		return unlinkedFile()
	}
	return os.NewFile(uintptr(fd), "quell"), "", nil
}
