package atomic

import (
	"os"

	"golang.org/x/sys/unix"
)

// Reserve allocates the space of a file in a stage that will have that many bytes, without changing its
// size: bytes that are written later only has to be copied. It is a hint, as not every file system can do it.
func Reserve(f *os.File, size int64) {
	c, err := f.SyscallConn()
	if err != nil || size <= 0 {
		return
	}
	_ = c.Control(func(fd uintptr) {
		_ = unix.Fallocate(int(fd), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	})
}

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
