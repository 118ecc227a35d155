package shm

import (
	"os"

	"golang.org/x/sys/unix"
)

// createFile returns a memfd: it is in memory, has no name and is not limited by
// the size of /dev/shm.
func createFile() (*os.File, string, error) {
	fd, err := unix.MemfdCreate("quell", unix.MFD_CLOEXEC)
	if err != nil {
		return unlinkedFile()
	}
	return os.NewFile(uintptr(fd), "quell"), "", nil
}
