//go:build unix && !linux

package shm

import "os"

func createFile() (*os.File, string, error) { return unlinkedFile() }
