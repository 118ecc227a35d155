//go:build !unix

package dicom

import "os"

// processAlive says whether a process of this machine runs: Windows finds only
// those that do.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}
