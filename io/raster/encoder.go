package raster

import (
	"context"
	"encoding/binary"
	"math"
	"strings"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/internal/words16"
)

// writable names the datatypes that files are written in, the default first.
var writable = []string{"float32", "float64", "uint8", "int16", "uint16", "int32"}

// Datatypes lists the names of the datatypes that files are written in, the default first.
func Datatypes() []string { return append([]string(nil), writable...) }

// DatatypeByName returns one of Datatypes; "" is the default.
func DatatypeByName(name string) (Datatype, error) {
	if name == "" {
		name = writable[0]
	}
	for _, w := range writable {
		if w != name {
			continue
		}
		for _, d := range datatypes {
			if d.Name == name {
				return d, nil
			}
		}
	}
	return Datatype{}, message.Errorf(message.OutputUnsupported, "there is no datatype %q; choose %s", name, strings.Join(writable, ", "))
}

// BytesPerVoxel returns the size of a voxel of that data type, one of Datatypes or
// "" for the default; 0 for another.
func BytesPerVoxel(dtype string) int {
	d, err := DatatypeByName(dtype)
	if err != nil {
		return 0
	}
	return d.Bytes
}

// Encoder converts real values to stored ones: stored = (real - Inter) / Slope.
type Encoder struct {
	Datatype
	Slope, Inter float64
}

// Scaled chooses slope and intercept. Values are stored unscaled in floating-point types, and
// in integer types if all are whole and fit, if necessary after a shift (CT in unsigned
// integers). Otherwise the range of the values is mapped to the range of the type, less one
// step at both ends, so that rounding slope and intercept to the header's float32 clips
// nothing. A floating-point type needs no limits.
func Scaled(d Datatype, values Limits) (e Encoder, lost message.Message, err error) {
	e = Encoder{Datatype: d, Slope: 1}
	if !d.Integer() {
		return e, lost, nil
	}
	lo, hi, whole := float64(values.Lo), float64(values.Hi), !values.Fractions
	if whole && lo >= d.Lo && hi <= d.Hi {
		return e, lost, nil
	}
	if shift := lo - d.Lo; lo == hi || (whole && hi-lo <= d.Hi-d.Lo && math.Abs(shift) <= 1<<24) {
		e.Inter = shift
		return e, lost, nil
	}
	const smallestNormal = 0x1p-126
	slope := float32(max((hi-lo)/(d.Hi-d.Lo-2), smallestNormal))
	e.Slope = float64(math.Nextafter32(slope, math.MaxFloat32))
	e.Inter = float64(float32(lo - (d.Lo+1)*e.Slope))
	if most := values.most(); most > 0 && most < (d.Hi-d.Lo)/coarse*e.Slope {
		lost = message.New(message.OutputRounded, "A few values are so large that %s stores all in steps of %.3g, and 99 %% of the voxels that are not 0 are below %.3g; float32 keeps them.", d.Name, e.Slope, most)
	}
	return e, lost, nil
}

// coarse is the part of its range that an integer type must have for 99 % of the values, or its steps are coarse for
// them.
const coarse = 64

// Unscaled is Scaled for a format that stores neither slope nor intercept. lost says
// what integers do not keep; "" for nothing.
func Unscaled(d Datatype, values Limits) (e Encoder, lost message.Message, err error) {
	e = Encoder{Datatype: d, Slope: 1}
	if !d.Integer() {
		return e, lost, nil
	}
	if values.Fractions {
		lost = message.New(message.OutputRounded, "The format stores no scale, so that %s has values rounded to whole numbers; float32 keeps them.", d.Name)
	}
	if float64(values.Lo) < d.Lo-0.5 || float64(values.Hi) > d.Hi+0.5 {
		lost = message.New(message.OutputRounded, "Values from %g to %g do not fit %s and were clipped to its range; float32 keeps them.", values.Lo, values.Hi, d.Name)
	}
	return e, lost, nil
}

// Limits are the smallest and the largest of values, masked voxels included. Their zero
// value belongs to none.
type Limits struct {
	Lo, Hi    float32
	Fractions bool // not all are whole numbers
	any       bool
	// sizes counts values other than 0 by the power of two above their magnitude.
	sizes [256]int64
}

// most returns a bound, a power of two, of the magnitude of 99 % of the values that are not 0; 0 if all are 0.
func (l *Limits) most() float64 {
	var all, n int64
	for _, k := range l.sizes {
		all += k
	}
	for e, k := range l.sizes {
		if n += k; all > 0 && 100*n >= 99*all {
			return math.Ldexp(1, e-126)
		}
	}
	return 0
}

// add counts in more values.
func (l *Limits) add(data []float32) {
	if !l.any && len(data) > 0 {
		l.Lo, l.Hi, l.any = data[0], data[0], true
	}
	lo, hi, fractions := l.Lo, l.Hi, l.Fractions // not min and max, which ask for NaN, and there is none
	for _, x := range data {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		fractions = fractions || float64(x) != math.Trunc(float64(x))
		l.sizes[math.Float32bits(x)>>23&0xFF]++
	}
	l.sizes[0] = 0 // zeros, and their neighbours
	l.Lo, l.Hi, l.Fractions = lo, hi, fractions
}

// merge counts in the values of others.
func (l *Limits) merge(others Limits) {
	if !others.any {
		return
	}
	for i, n := range l.sizes {
		others.sizes[i] += n
	}
	if l.any {
		others.Lo, others.Hi, others.Fractions = min(l.Lo, others.Lo), max(l.Hi, others.Hi), l.Fractions || others.Fractions
	}
	*l = others
}

// limitsOf returns the limits of values, which all cores look at.
func limitsOf(data []float32) Limits {
	const step = 1 << 20
	parts := make([]Limits, (len(data)+step-1)/step)
	_ = parallel.For(context.Background(), len(parts), func(i int) error { // without a cancel there is no error
		parts[i].add(data[i*step : min((i+1)*step, len(data))])
		return nil
	})
	var all Limits
	for _, part := range parts {
		all.merge(part)
	}
	return all
}

// encode stores src in dst, little-endian; dst has len(src)*bytes bytes. A value in the middle
// between two stored ones becomes, of 16 bits, the one further from zero, else the even one.
func (e Encoder) encode(dst []byte, src []float32) {
	le, stored := binary.LittleEndian, func(x float32) float64 {
		return min(max(math.RoundToEven((float64(x)-e.Inter)/e.Slope), e.Lo), e.Hi)
	}
	switch e.Code {
	case Uint8:
		for i, x := range src {
			dst[i] = byte(stored(x))
		}
	case Int16, Uint16:
		words16.Encode(dst, src, e.Slope, e.Inter, int(e.Lo), int(e.Hi))
	case Int32:
		for i, x := range src {
			le.PutUint32(dst[4*i:], uint32(int32(stored(x))))
		}
	case Float32:
		for i, x := range src {
			le.PutUint32(dst[4*i:], math.Float32bits(x))
		}
	case Float64:
		for i, x := range src {
			le.PutUint64(dst[8*i:], math.Float64bits(float64(x)))
		}
	}
}
