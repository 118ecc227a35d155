package app

import "golang.org/x/sys/unix"

// machineMemory returns the bytes of memory of the machine, 0 where they are not known.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit) //nolint:unconvert // the types differ by architecture
}
