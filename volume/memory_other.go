//go:build !linux

package volume

// adviseLargePages does nothing: only Linux has this advice.
func adviseLargePages([]byte) {}
