package volume

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unsafe"

	"quell/internal/parallel"
)

// Volume is a geometry and its voxels.
type Volume struct {
	Geometry
	// Data holds Voxels() values in real units (HU for CT, scanner units for
	// MR), x fastest, then y, then z; every one is finite.
	Data []float32
	// Mask marks the voxels that hold data; nil means all of them. A voxel with a
	// false mask is padding: filters neither use nor change it and measures do not
	// count it. Its Data is finite too.
	Mask []bool
	// Unit names the unit of Data ("HU"; "" if the scanner's unit is unknown).
	Unit string
	// Modality is what measured the values, in the terms of DICOM ("CT", "MR"), if the file or a
	// person states it; "" if that is not known.
	Modality string
	Encoding Encoding // what the file states of the k-space of an MR
}

// New returns a volume of zeros. It panics if the geometry is not valid: readers
// validate theirs first.
func New(g Geometry) *Volume {
	if err := g.Validate(); err != nil {
		panic(err)
	}
	return &Volume{Geometry: g, Data: Make[float32](g.Voxels())}
}

// At returns voxel (x, y, z).
func (v *Volume) At(x, y, z int) float32 { return v.Data[v.Index(x, y, z)] }

// Valid reports whether voxel i of Data holds data and not padding.
func (v *Volume) Valid(i int) bool { return v.Mask == nil || v.Mask[i] }

// Plane returns the voxels of slice z: nx*ny values that share v's memory.
func (v *Volume) Plane(z int) []float32 {
	n := v.SliceVoxels()
	return v.Data[z*n : (z+1)*n : (z+1)*n]
}

// PlaneMask returns the mask of slice z, or nil if every voxel is valid.
func (v *Volume) PlaneMask(z int) []bool {
	if v.Mask == nil {
		return nil
	}
	n := v.SliceVoxels()
	return v.Mask[z*n : (z+1)*n : (z+1)*n]
}

// rangeBlock is the number of voxels that one task of Range reads.
const rangeBlock = 1 << 17

// Range returns the smallest and largest valid voxel; 0, 0 if there is none. It
// runs on all cores, and its error is the context's.
func (v *Volume) Range(ctx context.Context) (lo, hi float32, err error) {
	return v.RangeOver(ctx, nil)
}

// RangeOver is Range of the voxels divided by the voxels of a volume of the same
// dims; nil divides by nothing.
func (v *Volume) RangeOver(ctx context.Context, divisor *Volume) (lo, hi float32, err error) {
	blocks := make([]struct{ lo, hi float32 }, (len(v.Data)+rangeBlock-1)/rangeBlock)
	inf := float32(math.Inf(1))
	err = parallel.For(ctx, len(blocks), func(b int) error {
		lo, hi := inf, -inf
		first := b * rangeBlock
		part := v.Data[first:min(first+rangeBlock, len(v.Data))]
		if divisor == nil && v.Mask == nil { // values are finite: plain comparisons do, which are faster
			for _, x := range part {
				if x < lo {
					lo = x
				}
				if x > hi {
					hi = x
				}
			}
			blocks[b].lo, blocks[b].hi = lo, hi
			return nil
		}
		for i, x := range part {
			if !v.Valid(first + i) {
				continue
			}
			if divisor != nil {
				x /= divisor.Data[first+i]
			}
			lo, hi = min(lo, x), max(hi, x)
		}
		blocks[b].lo, blocks[b].hi = lo, hi
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	lo, hi = inf, -inf
	for _, b := range blocks {
		lo, hi = min(lo, b.lo), max(hi, b.hi)
	}
	if lo > hi {
		return 0, 0, nil
	}
	return lo, hi, nil
}

// Clone returns a copy that shares no memory with v.
func (v *Volume) Clone() *Volume {
	c := *v
	c.Data = append([]float32(nil), v.Data...)
	if v.Mask != nil {
		c.Mask = append([]bool(nil), v.Mask...)
	}
	return &c
}

// Crop returns a copy of the voxels of r, at the same positions in
// the patient.
func (v *Volume) Crop(r Region) *Volume {
	c := New(v.Geometry.Crop(r))
	c.Unit, c.Modality, c.Encoding = v.Unit, v.Modality, v.Encoding
	if v.Mask != nil {
		c.Mask = make([]bool, len(c.Data))
	}
	n := c.Dims[0]
	for z := range c.Dims[2] {
		for y := range c.Dims[1] {
			from := v.Index(r.Min[0], r.Min[1]+y, r.Min[2]+z)
			to := c.Index(0, y, z)
			copy(c.Data[to:to+n], v.Data[from:from+n])
			if c.Mask != nil {
				copy(c.Mask[to:to+n], v.Mask[from:from+n])
			}
		}
	}
	return c
}

// Validate returns an error if the lengths of Data and Mask do not fit the geometry
// or if a value is not finite.
func (v *Volume) Validate() error {
	if err := v.ValidateLayout(); err != nil {
		return err
	}
	return v.validateValues(0, len(v.Data))
}

// ValidatePlane returns an error if a value of slice z is not finite; see Validate.
func (v *Volume) ValidatePlane(z int) error {
	n := v.SliceVoxels()
	return v.validateValues(z*n, (z+1)*n)
}

func (v *Volume) validateValues(from, to int) error {
	values := v.Data[from:to]
	if Finite(values) {
		return nil
	}
	i := slices.IndexFunc(values, func(x float32) bool { return x-x != 0 })
	return fmt.Errorf("volume: voxel %d is %v", from+i, values[i])
}

// ValidateLayout is Validate without a look at the values.
func (v *Volume) ValidateLayout() error {
	if err := v.Geometry.Validate(); err != nil {
		return err
	}
	if len(v.Data) != v.Voxels() {
		return fmt.Errorf("volume: %d values for %d voxels", len(v.Data), v.Voxels())
	}
	if v.Mask != nil && len(v.Mask) != len(v.Data) {
		return errors.New("volume: mask and data differ in length")
	}
	return nil
}

// Finite reports whether all values are finite. A sum is not finite if a value is not: there is one addition for each value, and
// sums of large values, which overflow, are looked at again.
func Finite(values []float32) bool {
	for ; len(values) >= 16; values = values[16:] {
		v := (*[16]float32)(values)
		a, b := v[0]+v[4]+v[8]+v[12], v[1]+v[5]+v[9]+v[13]
		c, d := v[2]+v[6]+v[10]+v[14], v[3]+v[7]+v[11]+v[15]
		if sum := a + b + (c + d); sum-sum != 0 && !eachFinite(v[:]) {
			return false
		}
	}
	return eachFinite(values)
}

func eachFinite(values []float32) bool {
	for _, x := range values {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// MaskNonFinite makes padding of the voxels that are not finite: their mask is false, which is that of no other
// voxel, and their value the lowest of the others. It returns how many others there are; if none, the values are
// infinite.
func (v *Volume) MaskNonFinite() (valid int) {
	v.Mask = make([]bool, len(v.Data))
	lowest := float32(math.Inf(1))
	for i, x := range v.Data {
		if v.Mask[i] = x-x == 0; v.Mask[i] {
			lowest = min(lowest, x)
			valid++
		}
	}
	for i, finite := range v.Mask {
		if !finite {
			v.Data[i] = lowest
		}
	}
	return valid
}

// Encoding holds, for x and y, how many frequencies of k-space an MR was acquired with, in up to three readings of what
// its file states; 0 is none. Makers count the lines of a smaller field of view, or of a reduced sampling, in different
// ways.
type Encoding [2][3]int

// Stated reports whether the file states anything of an axis.
func (e Encoding) Stated(axis int) bool { return e[axis] != [3]int{} }

// nativeLittleEndian reports whether this processor stores the lowest byte first.
var nativeLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// LittleEndian returns values as the bytes of little-endian float32. If shared is true
// they are the memory of values, as on nearly every processor.
func LittleEndian(values []float32) (b []byte, shared bool) {
	if nativeLittleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values)), true
	}
	return littleEndianCopy(values), false
}

// ReadLittleEndian reads values from the bytes of little-endian float32 at an offset of f. The error is f's.
func ReadLittleEndian(f io.ReaderAt, offset int64, values []float32) error {
	b, shared := LittleEndian(values)
	if _, err := f.ReadAt(b, offset); err != nil {
		return err
	}
	for i := 0; i < len(values) && !shared; i++ {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

func littleEndianCopy(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
