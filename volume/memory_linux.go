package volume

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseLargePages asks for pages of 2 MB: a volume then takes hundreds of page
// faults instead of hundreds of thousands. An error is ignored, as it is only advice.
func adviseLargePages(b []byte) {
	const page = 4 << 10
	first := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page)
	_ = unix.Madvise(b[first:first+(len(b)-first)/page*page], unix.MADV_HUGEPAGE)
}
