//go:build !linux

package dicom

// exchange would swap two folders in one step; no call for it is common to the
// other systems.
func exchange(_, _ string) bool { return false }
