package atomic

import (
	"os"

	"golang.org/x/sys/unix"
)

// StartWriteback begins to put length bytes of a file in a stage on disk, 0 for all from
// offset on, so that the commit has less to wait for. It is a hint: errors show in the commit.
func StartWriteback(f *os.File, offset, length int64) {
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Control(func(fd uintptr) {
		_ = unix.SyncFileRange(int(fd), offset, length, unix.SYNC_FILE_RANGE_WRITE)
	})
}
