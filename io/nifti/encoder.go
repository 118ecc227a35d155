package nifti

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"quell/internal/parallel"
	"quell/internal/words16"
	"quell/volume"
)

// writable names the datatypes that Write offers, the default first.
var writable = []string{"float32", "float64", "uint8", "int16", "uint16", "int32"}

// Datatypes lists what Write accepts as dtype, the default first.
func Datatypes() []string { return append([]string(nil), writable...) }

// datatypeByName returns one of Datatypes; "" is the default.
func datatypeByName(name string) (datatype, error) {
	if name == "" {
		name = writable[0]
	}
	for _, w := range writable {
		if w != name {
			continue
		}
		for _, d := range datatypes {
			if d.name == name {
				return d, nil
			}
		}
	}
	return datatype{}, fmt.Errorf("there is no datatype %q; choose %s", name, strings.Join(writable, ", "))
}

// BytesPerVoxel returns the size of a voxel of that data type, one of Datatypes or
// "" for the default; 0 for another.
func BytesPerVoxel(dtype string) int {
	d, err := datatypeByName(dtype)
	if err != nil {
		return 0
	}
	return d.bytes
}

// encoder converts real values to stored ones: stored = (real - inter) / slope.
type encoder struct {
	datatype
	slope, inter float64
}

// newEncoder chooses slope and intercept. Values are stored unscaled in
// floating-point types, and in integer types if all are whole and fit, if necessary
// after a shift (CT in unsigned integers). Otherwise the range of the values is
// mapped to that of the type, less one step at both ends, so that rounding slope
// and intercept to the header's float32 clips nothing.
func newEncoder(d datatype, v *volume.Volume) encoder {
	var values valueLimits
	if d.integer() {
		values = limitsOf(v.Data)
	}
	return encoderFor(d, values)
}

// encoderFor is newEncoder for values of which only the limits are known; a floating-point
// type needs none.
func encoderFor(d datatype, values valueLimits) encoder {
	e := encoder{datatype: d, slope: 1}
	if !d.integer() {
		return e
	}
	lo, hi, whole := float64(values.lo), float64(values.hi), !values.fractions
	if whole && lo >= d.lo && hi <= d.hi {
		return e
	}
	if shift := lo - d.lo; lo == hi || (whole && hi-lo <= d.hi-d.lo && math.Abs(shift) <= 1<<24) {
		e.inter = shift
		return e
	}
	const smallestNormal = 0x1p-126
	slope := float32(max((hi-lo)/(d.hi-d.lo-2), smallestNormal))
	e.slope = float64(math.Nextafter32(slope, math.MaxFloat32))
	e.inter = float64(float32(lo - (d.lo+1)*e.slope))
	return e
}

// newScaleOnlyEncoder is newEncoder for Analyze, which has no intercept.
func newScaleOnlyEncoder(d datatype, v *volume.Volume) (encoder, error) {
	switch d.code {
	case dtUint8, dtInt16, dtInt32, dtFloat32, dtFloat64:
	default:
		return encoder{}, fmt.Errorf("an Analyze file cannot hold %s; choose uint8, int16, int32, float32 or float64", d.name)
	}
	e := encoder{datatype: d, slope: 1}
	values := limitsOf(v.Data)
	lo, hi, whole := float64(values.lo), float64(values.hi), !values.fractions
	if !d.integer() || (whole && lo >= d.lo && hi <= d.hi) {
		return e, nil
	}
	if lo < 0 && d.lo == 0 {
		return e, fmt.Errorf("%s cannot hold negative values in an Analyze file; choose int16 or float32", d.name)
	}
	const smallestNormal = 0x1p-126
	slope := float32(max(max(-lo, hi)/(d.hi-1), smallestNormal))
	e.slope = float64(math.Nextafter32(slope, math.MaxFloat32))
	return e, nil
}

// valueLimits are the smallest and the largest of values, masked voxels included. Its zero
// value is that of none.
type valueLimits struct {
	lo, hi    float32
	any       bool
	fractions bool // not all are whole numbers
}

// add counts in more values.
func (l *valueLimits) add(data []float32) {
	if !l.any && len(data) > 0 {
		l.lo, l.hi, l.any = data[0], data[0], true
	}
	lo, hi, fractions := l.lo, l.hi, l.fractions // not min and max, which ask for NaN, and there is none
	for _, x := range data {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		fractions = fractions || float64(x) != math.Trunc(float64(x))
	}
	l.lo, l.hi, l.fractions = lo, hi, fractions
}

// merge counts in the values of others.
func (l *valueLimits) merge(others valueLimits) {
	if !others.any {
		return
	}
	if l.any {
		others.lo, others.hi, others.fractions = min(l.lo, others.lo), max(l.hi, others.hi), l.fractions || others.fractions
	}
	*l = others
}

// limitsOf returns the limits of values, which all cores look at.
func limitsOf(data []float32) valueLimits {
	const step = 1 << 20
	parts := make([]valueLimits, (len(data)+step-1)/step)
	_ = parallel.For(context.Background(), len(parts), func(i int) error { // without a cancel there is no error
		parts[i].add(data[i*step : min((i+1)*step, len(data))])
		return nil
	})
	var all valueLimits
	for _, part := range parts {
		all.merge(part)
	}
	return all
}

// encode stores src in dst, little-endian; dst has len(src)*bytes bytes. A value in the middle
// between two stored ones becomes, of 16 bits, the one further from zero, else the even one.
func (e encoder) encode(dst []byte, src []float32) {
	le, stored := binary.LittleEndian, func(x float32) float64 {
		return min(max(math.RoundToEven((float64(x)-e.inter)/e.slope), e.lo), e.hi)
	}
	switch e.code {
	case dtUint8:
		for i, x := range src {
			dst[i] = byte(stored(x))
		}
	case dtInt16, dtUint16:
		words16.Encode(dst, src, e.slope, e.inter, int(e.lo), int(e.hi)) // nothing is clipped: the encoder holds the limits
	case dtInt32:
		for i, x := range src {
			le.PutUint32(dst[4*i:], uint32(int32(stored(x))))
		}
	case dtFloat32:
		for i, x := range src {
			le.PutUint32(dst[4*i:], math.Float32bits(x))
		}
	case dtFloat64:
		for i, x := range src {
			le.PutUint64(dst[8*i:], math.Float64bits(float64(x)))
		}
	}
}
