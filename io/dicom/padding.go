package dicom

import "encoding/binary"

// hounsfieldFloor is below what CT measures: air is -1000 HU, and noise in the
// 12-bit scale ends at -1024.
const hounsfieldFloor = -1024

// mask sets dst, one value for each pixel, to false where there is padding and
// to true elsewhere, and says whether there is any. A value that no measurement
// can have is padding wherever it stands; any other only where it reaches in
// from the image's edge, for files name 0 or air as padding and use it inside
// the patient as well.
func (f *pixelFormat) mask(dst []bool, raw []byte, modality string) bool {
	if !f.padding || !f.markPadding(dst, raw) {
		return false
	}
	lo, _ := f.storedRange()
	impossible := f.signed && int64(f.padHi) == lo || modality == "CT" && f.real(int64(f.padHi)) < hounsfieldFloor
	return impossible || keepEdge(dst, f.cols, f.rows)
}

// markPadding sets dst to whether the stored value is outside the padding range,
// and says whether one is inside.
func (f *pixelFormat) markPadding(dst []bool, raw []byte) (found bool) {
	if f.alloc != 16 || f.stored != 16 {
		for i := range dst {
			v := int(f.at(raw, i))
			dst[i] = v < f.padLo || v > f.padHi
			found = found || !dst[i]
		}
		return found
	}
	// The range begins at 0 once padLo is taken off, whatever the sign.
	first, span := uint16(f.padLo), uint16(f.padHi-f.padLo)
	raw = raw[:2*len(dst)]
	for i := range dst {
		outside := binary.LittleEndian.Uint16(raw[2*i:])-first > span
		dst[i] = outside
		found = found || !outside
	}
	return found
}

// keepEdge sets pixels that are false back to true unless a path of false
// pixels, side by side, leads from them to the edge of the image. It says
// whether any false one remains.
func keepEdge(dst []bool, cols, rows int) bool {
	reached := make([]bool, len(dst))
	var stack []int
	visit := func(x, y int) {
		if i := y*cols + x; !dst[i] && !reached[i] {
			reached[i] = true
			stack = append(stack, i)
		}
	}
	for x := range cols {
		visit(x, 0)
		visit(x, rows-1)
	}
	for y := range rows {
		visit(0, y)
		visit(cols-1, y)
	}
	found := len(stack) > 0
	for len(stack) > 0 {
		x, y := stack[len(stack)-1]%cols, stack[len(stack)-1]/cols
		stack = stack[:len(stack)-1]
		if x > 0 {
			visit(x-1, y)
		}
		if x < cols-1 {
			visit(x+1, y)
		}
		if y > 0 {
			visit(x, y-1)
		}
		if y < rows-1 {
			visit(x, y+1)
		}
	}
	for i := range dst {
		dst[i] = !reached[i]
	}
	return found
}
