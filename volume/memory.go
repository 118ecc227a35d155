package volume

import (
	"runtime"
	"unsafe"
)

const (
	largeMemory = 32 << 20 // bytes from which large pages are used
	usedMemory  = 16 << 20 // bytes at the end of the heap that may have been in use
)

// Make returns n zeros for a volume's Data or Mask. The first write to the memory of
// a large volume takes longer than reading the files: with 4 kB pages and cleared
// by one goroutine it is half of the time of opening a series. Make therefore uses
// pages of 2 MB and avoids that Go clears the memory. Opening 548 CT slices
// (575 MB) takes 91 ms with Make and 155 ms with make (docs/benchmarks/performance.md).
func Make[T float32 | bool](n int) []T {
	size := n * int(unsafe.Sizeof(*new(T)))
	if size < largeMemory {
		return make([]T, n)
	}
	// Go clears a whole allocation, in one goroutine, if its first page was in use
	// before. The block in front takes that used end of the heap; memory behind it is
	// new from the system and zero already.
	front := make([]byte, usedMemory)
	s := make([]T, n)
	runtime.KeepAlive(front)
	adviseLargePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	return s
}
