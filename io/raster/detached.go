package raster

import (
	"io/fs"
	"math"
	"path"
	"strings"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Detached returns the name of the file that a header names for its voxels: in the folder of the header
// or below it. A header may come from anywhere, and opens no other file.
func Detached(header, data string) (string, error) {
	name := path.Join(path.Dir(header), data)
	if data == "" || strings.ContainsAny(data, "\\\x00") || path.IsAbs(data) || !fs.ValidPath(data) {
		return "", message.Errorf(message.InputMissing, "the header names %q for its voxels, which was not found beside it; put both files into one folder", data)
	}
	return name, nil
}

// Grid returns the grid of voxels from the positions in LPS+ mm of the first one and of the steps along
// one to three axes, or an error for axes that span no volume. Axes that a file lacks are of one voxel of 1 mm, across the others.
func Grid(dims []int, steps []volume.Vec, origin volume.Vec) (volume.Geometry, error) {
	size := [3]int{1, 1, 1}
	copy(size[:], dims)
	axes := [3]volume.Vec{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	copy(axes[:], steps)
	if len(steps) == 2 {
		if n := axes[0].Cross(axes[1]); n.Norm() > 0 {
			axes[2] = n.Unit()
		}
	}
	var a volume.Affine
	for c, axis := range axes {
		a.SetColumn(c, axis)
	}
	a.SetColumn(3, origin)
	for r := range a {
		for c := range a[r] {
			a[r][c] += 0 // no negative zero
		}
	}
	if whole := axes[0].Norm() * axes[1].Norm() * axes[2].Norm(); !(math.Abs(a.Det()) > 1e-6*whole) || math.IsInf(whole, 0) {
		return volume.Geometry{}, message.Errorf(message.InputDamaged, "the header gives axes that lie in one plane or have no length; it is damaged")
	}
	return volume.FromAffine(size, a), nil
}

// Sizes checks the lengths of the axes in space and of the others, so that no product overflows.
func Sizes(space, others []int64) (dims []int, volumes int, err error) {
	voxels, n := int64(1), int64(1)
	for _, d := range space {
		if d < 1 || d > volume.MaxVoxels/voxels {
			return nil, 0, message.Errorf(message.InputDamaged, "the header gives %v voxels, more or fewer than a volume can have; it is damaged", space)
		}
		voxels *= d
		dims = append(dims, int(d))
	}
	for _, d := range others {
		if d < 1 || d > maxVolumes/n {
			return nil, 0, message.Errorf(message.InputDamaged, "the header gives %v volumes, more or fewer than the %d that a file may have; it is damaged", others, maxVolumes)
		}
		n *= d
	}
	return dims, int(n), nil
}

// maxVolumes bounds the volumes of one file: a catalogue lists each one.
const maxVolumes = 1 << 16

// HasNaN reports whether the masked voxels of what was computed from a series are to be written as NaN:
// they were read as such from a file of one image.
func HasNaN(from *series.Series, frames int) bool {
	if from == nil || len(from.Sources) != 1 || from.Sources[0].UID != "" {
		return false
	}
	return frames > 1 || from.Volume.Mask != nil || from.Volume.Data == nil
}

// OneLine returns a text without line ends and control characters, of at most n bytes, cut off between
// words.
func OneLine(text string, n int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(text) <= n {
		return text
	}
	cut := strings.LastIndexByte(text[:n+1], ' ')
	if cut < 0 {
		return ""
	}
	return strings.TrimRight(text[:cut], " ,;")
}

// The codes of the datatypes, as nifti1.h numbers them.
const (
	Uint8      = 2
	Int16      = 4
	Int32      = 8
	Float32    = 16
	Complex64  = 32
	Float64    = 64
	RGB24      = 128
	Int8       = 256
	Uint16     = 512
	Uint32     = 768
	Int64      = 1024
	Uint64     = 1280
	Complex128 = 1792
	RGBA32     = 2304
)

// Datatype describes how one voxel is stored.
type Datatype struct {
	Code   int64 // one of the constants
	Name   string
	Bytes  int
	Lo, Hi float64 // the range of an integer type; 0, 0 for floating point

	Components []Component // the components of a voxel; nil if a voxel is a single number
}

// Integer reports whether voxels are whole numbers.
func (d Datatype) Integer() bool { return d.Lo != d.Hi }

func (d Datatype) complex() bool { return d.Code == Complex64 || d.Code == Complex128 }

// Colours reports whether a voxel is a colour.
func (d Datatype) Colours() bool { return d.Code == RGB24 || d.Code == RGBA32 }

// numberBytes returns the size of one number of a voxel, the unit that byte order
// applies to: half a complex voxel, one byte of a colour.
func (d Datatype) numberBytes() int {
	switch {
	case d.complex():
		return d.Bytes / 2
	case d.Colours():
		return 1
	}
	return d.Bytes
}

var datatypes = []Datatype{
	{Uint8, "uint8", 1, 0, math.MaxUint8, nil},
	{Int8, "int8", 1, math.MinInt8, math.MaxInt8, nil},
	{Int16, "int16", 2, math.MinInt16, math.MaxInt16, nil},
	{Uint16, "uint16", 2, 0, math.MaxUint16, nil},
	{Int32, "int32", 4, math.MinInt32, math.MaxInt32, nil},
	{Uint32, "uint32", 4, 0, math.MaxUint32, nil},
	{Int64, "int64", 8, math.MinInt64, math.MaxInt64, nil},
	{Uint64, "uint64", 8, 0, math.MaxUint64, nil},
	{Float32, "float32", 4, 0, 0, nil},
	{Float64, "float64", 8, 0, 0, nil},
	{Complex64, "complex64", 8, 0, 0, complexComponents},
	{Complex128, "complex128", 16, 0, 0, complexComponents},
	{RGB24, "RGB24", 3, 0, math.MaxUint8, colourComponents},
	{RGBA32, "RGBA32", 4, 0, math.MaxUint8, colourComponents},
}

// DatatypeByCode returns the datatype of a code.
func DatatypeByCode(code int64) (d Datatype, ok bool) {
	for _, d := range datatypes {
		if d.Code == code {
			return d, true
		}
	}
	return Datatype{}, false
}
