//go:build !linux

package volume

// adviseLargePages does nothing: only Linux takes the advice.
func adviseLargePages([]byte) {}
