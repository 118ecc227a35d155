//go:build linux || darwin

package atomic

import (
	"math"
	"syscall"
)

// FreeSpace returns the bytes that a user may still write to the file system of
// dir.
func FreeSpace(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(min(s.Bavail, math.MaxInt64/uint64(s.Bsize)) * uint64(s.Bsize)), true
}
