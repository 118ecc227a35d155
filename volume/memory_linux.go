package volume

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseLargePages asks for pages of 2 MB: hundreds of page faults for a volume
// and not hundreds of thousands. It is only advice.
func adviseLargePages(b []byte) {
	const page = 4 << 10
	first := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page)
	_ = unix.Madvise(b[first:first+(len(b)-first)/page*page], unix.MADV_HUGEPAGE)
}
