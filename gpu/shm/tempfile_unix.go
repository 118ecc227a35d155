//go:build unix

package shm

import "os"

// unlinkedFile returns a temporary file without a name: it goes when the last
// process lets go of it, however that process ends.
func unlinkedFile() (*os.File, string, error) {
	f, err := os.CreateTemp("", "quell-*.shm")
	if err != nil {
		return nil, "", err
	}
	os.Remove(f.Name())
	return f, "", nil
}
