//go:build unix

package shm

import "os"

// unlinkedFile returns a temporary file without a name. The system removes it when
// the last process that has it open exits.
func unlinkedFile() (*os.File, string, error) {
	f, err := os.CreateTemp("", "quell-*.shm")
	if err != nil {
		return nil, "", err
	}
	os.Remove(f.Name())
	return f, "", nil
}
