package dicom

import (
	"fmt"
	"math"
)

// pixelFormat is how one slice's pixels are stored (PS3.3 C.7.6.3) and what
// they mean (C.11.1).
type pixelFormat struct {
	rows, cols  int
	samples     int
	alloc       int // BitsAllocated: 8, 16 or 32
	stored      int // BitsStored
	high        int // HighBit
	signed      bool
	photometric string
	slope       float64 // real = stored*slope + inter
	inter       float64
	// padding says that stored values padLo..padHi fill the image to a
	// rectangle and are no measurement (C.7.5.1.1.2).
	padding      bool
	padLo, padHi int
}

// bytes returns the length of one slice's pixels.
func (f *pixelFormat) bytes() int64 {
	return int64(f.rows) * int64(f.cols) * int64(f.samples) * int64(f.alloc/8)
}

// storedRange returns the smallest and largest value the stored bits can hold.
func (f *pixelFormat) storedRange() (lo, hi int64) {
	if f.signed {
		return -1 << (f.stored - 1), 1<<(f.stored-1) - 1
	}
	return 0, 1<<f.stored - 1
}

// sameLayout says whether two slices can lie in one volume.
func (f *pixelFormat) sameLayout(o *pixelFormat) bool {
	return f.rows == o.rows && f.cols == o.cols
}

// readPixelFormat takes the image pixel module. problem is why the pixels are
// not a grey image that this package reads; "" where they are.
func readPixelFormat(a attributes) (f pixelFormat, problem string) {
	get := func(t tagID, fallback int) int {
		if v, ok := a.integer(t); ok {
			return v
		}
		return fallback
	}
	f.rows, f.cols = get(tagRows, 0), get(tagColumns, 0)
	f.samples = get(tagSamplesPerPixel, 1)
	f.alloc = get(tagBitsAllocated, 0)
	f.stored = get(tagBitsStored, f.alloc)
	f.high = get(tagHighBit, f.stored-1)
	f.signed = get(tagPixelRepresentation, 0) == 1
	f.photometric = a.text(tagPhotometricInterpretation)

	switch {
	case f.rows < 1 || f.cols < 1 || f.rows > math.MaxUint16 || f.cols > math.MaxUint16:
		return f, fmt.Sprintf("its image is %d x %d pixels", f.cols, f.rows)
	case f.samples != 1:
		return f, fmt.Sprintf("it is a colour image (%s)", brief(f.photometric))
	case f.photometric != "" && f.photometric != "MONOCHROME1" && f.photometric != "MONOCHROME2":
		return f, fmt.Sprintf("its pixels are %s, not grey values", brief(f.photometric))
	case f.alloc != 8 && f.alloc != 16 && f.alloc != 32:
		return f, fmt.Sprintf("it has %d bits allocated for a pixel; 8, 16 and 32 are read", f.alloc)
	case f.stored < 1 || f.stored > f.alloc || f.high < f.stored-1 || f.high >= f.alloc:
		return f, fmt.Sprintf("its bits contradict each other (%d allocated, %d stored, high bit %d)", f.alloc, f.stored, f.high)
	}

	f.slope, f.inter = 1, 0
	if v, ok := a.number(tagRescaleSlope); ok {
		f.slope = v
	}
	if v, ok := a.number(tagRescaleIntercept); ok {
		f.inter = v
	}
	if f.slope == 0 {
		return f, "its rescale slope is 0"
	}
	lo, hi := f.storedRange()
	if reach := math.Max(math.Abs(float64(lo)), float64(hi))*math.Abs(f.slope) + math.Abs(f.inter); !(reach < math.MaxFloat32/2) {
		return f, fmt.Sprintf("its rescale slope %g and intercept %g lead out of range", f.slope, f.inter)
	}
	if v, ok := a.stored(tagPixelPaddingValue, f.signed); ok && f.alloc <= 16 {
		f.padding, f.padLo, f.padHi = true, v, v
		if v, ok := a.stored(tagPixelPaddingRangeLimit, f.signed); ok {
			f.padLo, f.padHi = min(f.padLo, v), max(f.padHi, v)
		}
	}
	return f, ""
}
