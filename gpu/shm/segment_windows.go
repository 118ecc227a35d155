package shm

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// createFile returns a temporary file with its path: on Windows a child does not
// inherit extra files, and an open file cannot be unlinked.
func createFile() (*os.File, string, error) {
	f, err := os.CreateTemp("", "quell-*.shm")
	if err != nil {
		return nil, "", err
	}
	return f, f.Name(), nil
}

func mapFile(f *os.File, size int) ([]byte, error) {
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READWRITE, 0, 0, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	// The view keeps the mapping alive.
	defer windows.CloseHandle(mapping)
	at, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ|windows.FILE_MAP_WRITE, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// The view is not Go memory, so the collector neither moves nor frees it.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&at))
	return unsafe.Slice((*byte)(p), size), nil
}

func unmap(b []byte) error {
	return windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}
