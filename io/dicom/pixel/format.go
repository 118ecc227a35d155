package pixel

import (
	"math"

	"quell/internal/message"
	"quell/io/dicom/part10"
)

// Format is how one slice's pixels are stored (PS3.3 C.7.6.3) and what
// they mean (C.11.1).
type Format struct {
	Rows, Cols  int
	Samples     int
	Allocated   int // BitsAllocated: 8, 16 or 32; of floating point numbers 32 or 64
	Stored      int // BitsStored
	High        int // HighBit
	Signed      bool
	Photometric string
	Slope       float64 // real = stored*slope + inter
	Intercept   float64
	// Padding is set if the stored values PadLow..PadHigh fill the image to a
	// rectangle and are not measured (C.7.5.1.1.2).
	Padding         bool
	PadLow, PadHigh int
	// Float says that pixels are floating point numbers. Those that are not finite, or in the range of padding, are not
	// measured.
	Float                     bool
	FloatPadLow, FloatPadHigh float64
	// LUT gives the real values in place of slope and intercept; nil for none.
	LUT *LUT
}

// ReadOnly reports whether no values can be stored as such pixels.
func (f *Format) ReadOnly() bool { return f.Float || f.LUT != nil }

// Bytes returns the length of one slice's pixels.
func (f *Format) Bytes() int64 {
	return int64(f.Rows) * int64(f.Cols) * int64(f.Samples) * int64(f.Allocated/8)
}

// storedRange returns the smallest and largest value the stored bits can hold.
func (f *Format) storedRange() (lo, hi int64) {
	if f.Signed {
		return -1 << (f.Stored - 1), 1<<(f.Stored-1) - 1
	}
	return 0, 1<<f.Stored - 1
}

// SameLayout reports whether two slices have the same size.
func (f *Format) SameLayout(o *Format) bool {
	return f.Rows == o.Rows && f.Cols == o.Cols
}

// ReadFormat reads the image pixel module of pixels in some element. problem says why the pixels are not a
// grey-scale image that can be read; "" if they are.
func ReadFormat(a part10.Attributes, pixels part10.Tag) (f Format, problem message.Message) {
	get := func(t part10.Tag, fallback int) int {
		if v, ok := a.Integer(t); ok {
			return v
		}
		return fallback
	}
	f.Rows, f.Cols = get(part10.TagRows, 0), get(part10.TagColumns, 0)
	f.Samples = get(part10.TagSamplesPerPixel, 1)
	f.Allocated = get(part10.TagBitsAllocated, 0)
	f.Stored = get(part10.TagBitsStored, f.Allocated)
	f.High = get(part10.TagHighBit, f.Stored-1)
	f.Signed = get(part10.TagPixelRepresentation, 0) == 1
	f.Photometric = a.Text(part10.TagPhotometricInterpretation)

	f.Float = f.Allocated == 32 && pixels == part10.TagFloatPixelData || f.Allocated == 64 && pixels == part10.TagDoubleFloatPixelData
	if f.Float {
		f.Stored, f.High, f.Signed = f.Allocated, f.Allocated-1, true
	}
	if problem = f.problem(pixels); !problem.IsZero() {
		return f, problem
	}

	f.Slope, f.Intercept = 1, 0
	if v, ok := a.Number(part10.TagRescaleSlope); ok {
		f.Slope = v
	}
	if v, ok := a.Number(part10.TagRescaleIntercept); ok {
		f.Intercept = v
	}
	if f.Slope == 0 {
		return f, message.New(message.InputDamaged, "its rescale slope is 0")
	}
	if f.Float {
		f.readFloatPadding(a)
		return f, message.Message{}
	}
	lo, hi := f.storedRange()
	if reach := math.Max(math.Abs(float64(lo)), float64(hi))*math.Abs(f.Slope) + math.Abs(f.Intercept); !(reach < math.MaxFloat32/2) {
		return f, message.New(message.InputDamaged, "its rescale slope %g and intercept %g lead out of range", f.Slope, f.Intercept)
	}
	if v, ok := a.Stored(part10.TagPixelPaddingValue, f.Signed); ok && f.Allocated <= 16 {
		f.Padding, f.PadLow, f.PadHigh = true, v, v
		if v, ok := a.Stored(part10.TagPixelPaddingRangeLimit, f.Signed); ok {
			f.PadLow, f.PadHigh = min(f.PadLow, v), max(f.PadHigh, v)
		}
	}
	return f, message.Message{}
}

// problem says why pixels in some element are not a grey-scale image that can be read; "" if they are.
func (f *Format) problem(pixels part10.Tag) message.Message {
	switch {
	case f.Rows < 1 || f.Cols < 1 || f.Rows > math.MaxUint16 || f.Cols > math.MaxUint16:
		return message.New(message.InputDamaged, "its image is %d x %d pixels", f.Cols, f.Rows)
	case f.Samples != 1:
		return message.New(message.InputUnsupported, "it is a colour image (%s), and only grey-scale images are read from DICOM", part10.Shorten(f.Photometric))
	case f.Photometric != "" && f.Photometric != "MONOCHROME1" && f.Photometric != "MONOCHROME2":
		return message.New(message.InputUnsupported, "its pixels are %s, not grey values", part10.Shorten(f.Photometric))
	case f.Float:
	case pixels == part10.TagFloatPixelData || pixels == part10.TagDoubleFloatPixelData:
		return message.New(message.InputDamaged, "its pixels are floating point numbers of %d bits instead of 32 or 64", f.Allocated)
	case f.Allocated != 8 && f.Allocated != 16 && f.Allocated != 32:
		return message.New(message.InputUnsupported, "it has %d bits allocated for a pixel; 8, 16 and 32 are read", f.Allocated)
	case f.Stored < 1 || f.Stored > f.Allocated || f.High < f.Stored-1 || f.High >= f.Allocated:
		return message.New(message.InputDamaged, "its bits contradict each other (%d allocated, %d stored, high bit %d)", f.Allocated, f.Stored, f.High)
	}
	return message.Message{}
}

// readFloatPadding reads which floating point numbers are padding. A file without such has a range of none.
func (f *Format) readFloatPadding(a part10.Attributes) {
	f.Padding, f.FloatPadLow, f.FloatPadHigh = true, 1, 0
	value, limit := part10.TagFloatPixelPaddingValue, part10.TagFloatPixelPaddingRangeLimit
	if f.Allocated == 64 {
		value, limit = part10.TagDoubleFloatPixelPaddingValue, part10.TagDoubleFloatPixelPaddingRangeLimit
	}
	if v, ok := a.Number(value); ok {
		f.FloatPadLow, f.FloatPadHigh = v, v
		if v, ok := a.Number(limit); ok {
			f.FloatPadLow, f.FloatPadHigh = min(f.FloatPadLow, v), max(f.FloatPadHigh, v)
		}
	}
}
