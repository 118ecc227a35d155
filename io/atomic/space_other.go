//go:build !linux && !darwin

package atomic

// freeSpace would return the bytes that are free on the file system of dir.
func freeSpace(string) (int64, bool) { return 0, false }
