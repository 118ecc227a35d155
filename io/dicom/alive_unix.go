//go:build unix

package dicom

import (
	"errors"
	"syscall"
)

// processAlive says whether a process of this machine runs.
func processAlive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
