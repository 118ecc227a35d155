package dicom

import "golang.org/x/sys/unix"

// exchange swaps two folders in one step, so that a process that is killed
// leaves one of them under each name. False where the file system cannot.
func exchange(a, b string) bool {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) == nil
}
