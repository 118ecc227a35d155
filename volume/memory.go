package volume

import (
	"runtime"
	"unsafe"
)

// Sizes in bytes: what counts as large, and how much of the heap's end may have
// been used by what was done before.
const (
	largeMemory = 32 << 20
	usedMemory  = 16 << 20
)

// Make returns n zeros for a volume's Data or Mask. Of a large series the first
// touch of this memory takes longer than reading the files, so it is taken as the
// system gives it fastest: in large pages, and untouched until a reader's
// goroutines write to it.
func Make[T float32 | bool](n int) []T {
	size := n * int(unsafe.Sizeof(*new(T)))
	if size < largeMemory {
		return make([]T, n)
	}
	// Go clears a whole allocation, in one goroutine, where its first page was in use
	// before. A block in front takes up the used end of the heap; what comes from the
	// system behind it is zero already.
	front := make([]byte, usedMemory)
	s := make([]T, n)
	runtime.KeepAlive(front)
	adviseLargePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	return s
}
