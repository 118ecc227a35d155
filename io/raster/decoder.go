package raster

import (
	"encoding/binary"
	"math"
	"math/bits"

	"quell/internal/words16"
	"quell/volume"
)

// decoder converts stored voxels to real values: float32(stored*slope + inter),
// computed in float64. The product is rounded before the sum, so that processors
// with and without fused multiply-add give the same bits.
type decoder struct {
	Datatype
	component    Component // one of the datatype's; "" if it has none
	order        binary.ByteOrder
	slope, inter float64
	// beside is how many volumes are stored voxel by voxel beside each other, 0 for one, and pick which of them is read.
	beside, pick int
}

// stored is how many bytes there are from a voxel to the next.
func (d decoder) stored() int { return d.Bytes * max(d.beside, 1) }

// decode converts len(dst) voxels of src; it may swap their bytes. Voxels without a
// finite value are NaN or infinite in dst; the caller masks them.
func (d decoder) decode(dst []float32, src []byte) losses {
	if d.beside > 1 {
		for i := range dst {
			copy(src[i*d.Bytes:][:d.Bytes], src[(i*d.beside+d.pick)*d.Bytes:])
		}
	}
	if d.order == binary.ByteOrder(binary.BigEndian) {
		swapBytes(src[:len(dst)*d.Bytes], d.numberBytes())
	}
	switch {
	case d.complex():
		d.decodeComplex(dst, src)
	case d.Colours():
		d.decodeColours(dst, src)
	case d.Code == Int16 || d.Code == Uint16:
		words16.Whole(d.Code == Int16).Decode(dst, src, d.slope, d.inter)
	case !d.decodeUnscaled(dst, src):
		d.decodeScaled(dst, src)
	}
	return d.losses(dst, src)
}

// losses counts what decode lost; src holds dst as stored, little-endian.
func (d decoder) losses(dst []float32, src []byte) (l losses) {
	if d.mayBeNonFinite() && !volume.Finite(dst) {
		l = d.countNonFinite(dst, src)
	}
	if d.mayRound() {
		l.rounded = d.countRounded(dst, src)
	}
	return l
}

// isPlain reports whether voxels are stored as little-endian float32 of the real values.
func (d decoder) isPlain() bool {
	return d.Code == Float32 && d.beside <= 1 && d.slope == 1 && d.inter == 0 && d.order == binary.ByteOrder(binary.LittleEndian)
}

// decodeScaled is decode for little-endian voxels of one number that is not of 16 bits.
func (d decoder) decodeScaled(dst []float32, src []byte) {
	le, scale := binary.LittleEndian, func(stored float64) float32 {
		return float32(float64(stored*d.slope) + d.inter)
	}
	switch d.Code {
	case Uint8:
		for i := range dst {
			dst[i] = scale(float64(src[i]))
		}
	case Int8:
		for i := range dst {
			dst[i] = scale(float64(int8(src[i])))
		}
	case Int32:
		for i := range dst {
			dst[i] = scale(float64(int32(le.Uint32(src[4*i:]))))
		}
	case Uint32:
		for i := range dst {
			dst[i] = scale(float64(le.Uint32(src[4*i:])))
		}
	case Int64:
		for i := range dst {
			dst[i] = scale(float64(int64(le.Uint64(src[8*i:]))))
		}
	case Uint64:
		for i := range dst {
			dst[i] = scale(float64(le.Uint64(src[8*i:])))
		}
	case Float32:
		for i := range dst {
			dst[i] = scale(float64(math.Float32frombits(le.Uint32(src[4*i:]))))
		}
	case Float64:
		for i := range dst {
			dst[i] = scale(math.Float64frombits(le.Uint64(src[8*i:])))
		}
	}
}

// decodeUnscaled is decodeScaled without the conversion to float64, for slope 1,
// intercept 0 and the most frequent datatypes. It returns false, with dst
// unchanged, for everything else.
func (d decoder) decodeUnscaled(dst []float32, src []byte) bool {
	if d.slope != 1 || d.inter != 0 {
		return false
	}
	le := binary.LittleEndian
	switch d.Code {
	case Uint8:
		for i, x := range src[:len(dst)] {
			dst[i] = float32(x)
		}
	case Float32:
		for i := range dst {
			dst[i] = math.Float32frombits(le.Uint32(src[4*i:]))
		}
	default:
		return false
	}
	return true
}

// reach returns an upper bound of the magnitude of real values of an integer type.
func (d decoder) reach() float64 {
	return max(-d.Lo, d.Hi)*math.Abs(d.slope) + math.Abs(d.inter)
}

// mayBeNonFinite reports whether decode could give NaN or infinity.
func (d decoder) mayBeNonFinite() bool {
	return !d.Integer() || d.reach() >= math.MaxFloat32
}

// countNonFinite sorts the voxels of dst that are not finite by their stored
// values in src, which are little-endian.
func (d decoder) countNonFinite(dst []float32, src []byte) (l losses) {
	for i, x := range dst {
		switch {
		case x-x == 0:
		case x != x:
			l.nan++
		case d.storedFinite(src[i*d.Bytes:]):
			l.overflow++
		default:
			l.infinite++
		}
	}
	return l
}

// storedFinite reports whether all numbers of one little-endian voxel are finite.
func (d decoder) storedFinite(voxel []byte) bool {
	if d.Integer() {
		return true
	}
	le, size := binary.LittleEndian, d.numberBytes()
	for at := 0; at < d.Bytes; at += size {
		x := 0.0
		if size == 4 {
			x = float64(math.Float32frombits(le.Uint32(voxel[at:])))
		} else {
			x = math.Float64frombits(le.Uint64(voxel[at:]))
		}
		if x-x != 0 {
			return false
		}
	}
	return true
}

// mayRound reports whether decode could give two stored integers the same
// float32. It cannot while the scale's steps are larger than the spacing of
// float32 values, 2^-23 of their magnitude.
func (d decoder) mayRound() bool {
	return d.Integer() && !d.Colours() && d.reach() > 1<<23*math.Abs(d.slope)
}

// countRounded counts the voxels for which the stored integer cannot be computed
// back from its float32.
func (d decoder) countRounded(dst []float32, src []byte) (n int) {
	for i, x := range dst {
		if x-x != 0 { // counted as overflow
			continue
		}
		magnitude, negative := d.storedInteger(src[i*d.Bytes:])
		back := math.RoundToEven((float64(x) - d.inter) / d.slope)
		if negative {
			back = -back
		}
		// float64 holds 53 significant bits; only a 64-bit integer can have more.
		exact := bits.Len64(magnitude)-bits.TrailingZeros64(magnitude) <= 53
		if !exact || back != float64(magnitude) {
			n++
		}
	}
	return n
}

// storedInteger returns one little-endian integer voxel as magnitude and sign.
func (d decoder) storedInteger(voxel []byte) (magnitude uint64, negative bool) {
	le := binary.LittleEndian
	var v uint64 // two's complement, sign-extended
	switch d.Code {
	case Uint8:
		v = uint64(voxel[0])
	case Int8:
		v = uint64(int8(voxel[0]))
	case Int16:
		v = uint64(int16(le.Uint16(voxel)))
	case Uint16:
		v = uint64(le.Uint16(voxel))
	case Int32:
		v = uint64(int32(le.Uint32(voxel)))
	case Uint32:
		v = uint64(le.Uint32(voxel))
	default:
		v = le.Uint64(voxel)
	}
	if d.Lo < 0 && int64(v) < 0 {
		return -v, true
	}
	return v, false
}

// swapBytes reverses the bytes of every number of size bytes.
func swapBytes(b []byte, size int) {
	switch size {
	case 2:
		for i := 0; i+2 <= len(b); i += 2 {
			binary.LittleEndian.PutUint16(b[i:], binary.BigEndian.Uint16(b[i:]))
		}
	case 4:
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
		}
	case 8:
		for i := 0; i+8 <= len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], binary.BigEndian.Uint64(b[i:]))
		}
	}
}
