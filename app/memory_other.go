//go:build !linux

package app

// machineMemory returns 0: the bytes of memory of the machine are not known.
func machineMemory() int64 { return 0 }
