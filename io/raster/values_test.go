package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"quell/series"
	"quell/volume"
)

// row returns a volume of one row.
func row(values ...float32) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{len(values), 1, 1}, [3]float64{1, 1, 1}))
	copy(v.Data, values)
	return v
}

// TestWriteErrorIsReported writes to a full disk.
func TestWriteErrorIsReported(t *testing.T) {
	v := row(1, 2, 3)
	e := encoderFor(datatypes[8], limitsOf(v.Data))
	for _, compress := range []bool{false, true} {
		out, err := newOutput(full{}, []byte("header"), e, Spec{Compress: compress})
		if err == nil {
			err = out.add(t.Context(), v, nil)
		}
		if err == nil {
			err = out.finish()
		}
		if !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("error %v", err)
		}
	}
}

// TestComponentsInWords: complex numbers are not colours.
func TestComponentsInWords(t *testing.T) {
	for code, want := range map[int64]string{
		Complex64: "its voxels are complex numbers; choose one component: magnitude, phase, real or imaginary",
		RGB24:     "its voxels are colours; choose one component: luminance, red, green or blue",
		Int16:     "",
	} {
		d, _ := DatatypeByCode(code)
		if err := d.checkComponent(""); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v", d.Name, err)
		}
		if err := d.checkComponent(Component("hue")); err == nil {
			t.Errorf("%s has a hue", d.Name)
		}
	}
}

// TestScaledDatatypes decodes several voxels of each datatype with a slope, an intercept, and both.
func TestScaledDatatypes(t *testing.T) {
	for _, d := range datatypes[:10] {
		for _, scale := range [][2]float64{{1, 0}, {2, 0}, {1, 3}, {-0.5, 7}} {
			stored := []int64{1, 0, 100, 7, 127}
			src := make([]byte, len(stored)*d.Bytes)
			for i, x := range stored {
				bits := uint64(x)
				switch d.Code {
				case Float32:
					bits = uint64(math.Float32bits(float32(x)))
				case Float64:
					bits = math.Float64bits(float64(x))
				}
				for b := range d.Bytes {
					src[i*d.Bytes+b] = byte(bits >> (8 * b))
				}
			}
			dst := make([]float32, len(stored))
			lost := decoder{Datatype: d, order: binary.LittleEndian, slope: scale[0], inter: scale[1]}.decode(dst, src)
			for i, x := range stored {
				if want := float32(float64(x)*scale[0] + scale[1]); dst[i] != want {
					t.Errorf("%s, %v: voxel %d is %g, want %g", d.Name, scale, i, dst[i], want)
				}
			}
			if lost != (losses{}) {
				t.Errorf("%s, %v: %+v", d.Name, scale, lost)
			}
		}
	}
}

// TestLossesBesideEachOther counts a voxel that is rounded behind one that overflows.
func TestLossesBesideEachOther(t *testing.T) {
	d, _ := DatatypeByCode(Int32)
	src := binary.LittleEndian.AppendUint32(nil, math.MaxInt32)
	for i := range uint32(7) { // steps of float32 are two of these
		src = binary.LittleEndian.AppendUint32(src, 19000001+i)
	}
	lost := decoder{Datatype: d, order: binary.LittleEndian, slope: 1e31}.decode(make([]float32, 8), src)
	if lost.overflow != 1 || lost.rounded < 2 || lost.nonFinite() != 1 {
		t.Errorf("%+v", lost)
	}
}

// TestScaledRange leaves one step of the type free at both ends.
func TestScaledRange(t *testing.T) {
	for _, dtype := range []string{"uint8", "int16", "uint16", "int32"} {
		d, err := DatatypeByName(dtype)
		if err != nil {
			t.Fatal(err)
		}
		e := encoderFor(d, limitsOf(row(-0.5, 0, 1e6).Data))
		lo, hi := (-0.5-e.Inter)/e.Slope, (1e6-e.Inter)/e.Slope
		// The header's float32 rounds slope and intercept.
		if slack := (d.Hi - d.Lo) * 1e-6; math.Abs(lo-(d.Lo+1)) > 0.01+slack || math.Abs(hi-(d.Hi-1)) > 0.01+slack {
			t.Errorf("%s: stored from %g to %g, want %g to %g", dtype, lo, hi, d.Lo+1, d.Hi-1)
		}
	}
}

// TestErrorsInWords: damaged compression, an early end, and errors of the system as they are.
func TestErrorsInWords(t *testing.T) {
	const damaged, truncated = "the compressed data is damaged", "the file is truncated"
	other := errors.New("broken disk")
	for err, want := range map[error]string{
		gzip.ErrChecksum: damaged, gzip.ErrHeader: damaged, flate.CorruptInputError(3): damaged,
		io.EOF: truncated, io.ErrUnexpectedEOF: truncated, other: "broken disk",
	} {
		if got := ReadError(err); !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%v: %v", err, got)
		}
	}
	p := plan{volumeBytes: 100}
	for err, want := range map[error]string{
		io.EOF: "the file ends after 7 of 100 bytes of voxels; get a complete copy", io.ErrUnexpectedEOF: "the file ends after 7 of 100 bytes of voxels; get a complete copy", other: "broken disk",
	} {
		if got := p.voxelError(7, err); got.Error() != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// TestIntegerEncoding: whole numbers that fill a type exactly are stored as they are,
// numbers that are as many but elsewhere are shifted, more of them are scaled.
func TestIntegerEncoding(t *testing.T) {
	for what, c := range map[string]struct {
		v     *volume.Volume
		dtype string
		inter float64
		plain bool // slope 1
	}{
		"all bytes":               {row(0, 255), "uint8", 0, true},
		"one too many":            {row(0, 256), "uint8", 0, false},
		"below 0":                 {row(-1, 254), "uint8", -1, true},
		"above 255":               {row(1, 256), "uint8", 1, true},
		"all of int16":            {row(math.MinInt16, math.MaxInt16), "int16", 0, true},
		"int16, one lower":        {row(math.MinInt16-1, math.MaxInt16-1), "int16", -1, true},
		"the largest shift":       {row(1<<24, 1<<24+254), "uint8", 1 << 24, true},
		"beyond the shift":        {row(1<<24+2, 1<<24+4), "uint8", 0, false},
		"the lowest shift":        {row(-1<<24, -1<<24+200), "uint8", -1 << 24, true},
		"a constant far from 0":   {row(1<<26, 1<<26), "uint8", 1 << 26, true},
		"a fraction":              {row(0, 0.5), "uint8", 0, false},
		"a fraction in the range": {row(0, 10.25, 20), "int16", 0, false},
	} {
		d, err := DatatypeByName(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		e := encoderFor(d, limitsOf(c.v.Data))
		if (e.Slope == 1) != c.plain || c.plain && e.Inter != c.inter {
			t.Errorf("%s: slope %g, intercept %g", what, e.Slope, e.Inter)
		}
	}
}

func TestDatatypesToWrite(t *testing.T) {
	list := Datatypes()
	if list[0] != "float32" {
		t.Errorf("the default is %s", list[0])
	}
	list[0] = "changed"
	if Datatypes()[0] != "float32" {
		t.Error("the caller can change the list")
	}
	for dtype, want := range map[string]int{"": 4, "float32": 4, "float64": 8, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "int64": 0, "complex64": 0} {
		if got := BytesPerVoxel(dtype); got != want {
			t.Errorf("%q: %d bytes, want %d", dtype, got, want)
		}
	}
}

// TestPossibleLength: a compressed file may expand by deflate's limit and no more.
func TestPossibleLength(t *testing.T) {
	for _, c := range []struct {
		packed Packing
		end    int64
		want   bool
	}{
		{Plain, 100, true}, {Plain, 101, false},
		{Deflate, 100*maxDeflateRatio + maxDeflateRatio - 1, true}, {Deflate, 101 * maxDeflateRatio, false},
		{Hex, 400, true}, {Hex, 416, false},
		{Zstd, plainlyHarmless, true}, {Zstd, plainlyHarmless + 1, false}, {Bzip2, plainlyHarmless, true}, {Bzip2, plainlyHarmless + 1, false},
	} {
		if got := (&File{size: 100, packed: c.packed}).couldHold(c.end); got != c.want {
			t.Errorf("%d bytes in a file of 100, packed %q: %v", c.end, c.packed, got)
		}
	}
	if n := int64(plainlyHarmless); !(&File{size: n/maxDeflateRatio + 1, packed: Zstd}).couldHold(n + 1) {
		t.Error("a file of zstd may expand as far as one of gzip")
	}
}

// TestMaskedAsNaN: only masked voxels of a series read from NIfTI become NaN, and only in a
// floating-point type.
func TestMaskedAsNaN(t *testing.T) {
	for what, c := range map[string]struct {
		source, mask bool
		dtype        string
		nan          bool
	}{
		"masked source":          {true, true, "float32", true},
		"masked source, float64": {true, true, "float64", true},
		"the result has no mask": {true, false, "float32", false},
		"another source":         {false, true, "float32", false},
		"integers":               {true, true, "int16", false},
	} {
		v := row(1, 2, 3)
		if c.mask {
			v.Mask = []bool{true, false, true}
		}
		d, err := DatatypeByName(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		e := encoderFor(d, limitsOf(v.Data))
		var b bytes.Buffer
		if err := WriteVoxels(t.Context(), &b, c.source, e, v, nil); err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 3)
		decoder{Datatype: d, order: binary.LittleEndian, slope: 1}.decode(got, b.Bytes())
		if got[0] != 1 || got[2] != 3 || (got[1] != got[1]) != c.nan || !c.nan && got[1] != 2 {
			t.Errorf("%s: %v", what, got)
		}
		if !slices.Equal(v.Data, []float32{1, 2, 3}) {
			t.Errorf("%s: the volume was changed: %v", what, v.Data)
		}
	}
}

// TestRoundedBytes computes back 8-bit integers that are scaled so that float32 rounds them.
func TestRoundedBytes(t *testing.T) {
	for _, code := range []int64{Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64} {
		d, _ := DatatypeByCode(code)
		for _, c := range []struct {
			inter   float64
			rounded int
		}{{0, 0}, {1 << 24, 1}} { // 2^24 + 7 is not a float32, 2^24 + 6 and 2^24 - 2 are
			dec := decoder{Datatype: d, order: binary.LittleEndian, slope: 1, inter: c.inter}
			stored := []int64{7, 6, -2}
			if d.Lo == 0 {
				stored[2] = 2
			}
			src := make([]byte, 3*d.Bytes)
			for i, x := range stored {
				for b := range d.Bytes {
					src[i*d.Bytes+b] = byte(x >> (8 * b))
				}
			}
			dst := make([]float32, 3)
			if lost := dec.decode(dst, src); lost.rounded != c.rounded || lost.nonFinite() != 0 {
				t.Errorf("%s, intercept %g: %v, %+v", d.Name, c.inter, dst, lost)
			}
		}
	}
}

// TestReadAheadAfterItsEnd returns the end again and again.
func TestReadAheadAfterItsEnd(t *testing.T) {
	r := newReadAhead(strings.NewReader("abc"), 3)
	defer r.Close()
	b, err := io.ReadAll(r)
	if string(b) != "abc" || err != nil {
		t.Fatalf("%q, %v", b, err)
	}
	for range 2 {
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%d, %v", n, err)
		}
	}
}

// TestColoursHaveNoByteOrder reads RGBA from a big-endian file.
func TestColoursHaveNoByteOrder(t *testing.T) {
	d, _ := DatatypeByCode(RGBA32)
	for c, want := range map[Component]float32{Red: 10, Green: 20, Blue: 30, Luminance: 18.15} {
		dst := make([]float32, 1)
		dec := decoder{Datatype: d, component: c, order: binary.BigEndian, slope: 1}
		if lost := dec.decode(dst, []byte{10, 20, 30, 255}); dst[0] != want || lost != (losses{}) {
			t.Errorf("%s: %g, want %g; losses %+v", c, dst[0], want, lost)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func (full) WriteAt([]byte, int64) (int, error) { return 0, io.ErrShortWrite }

// Masked voxels are written as NaN for what was computed from one image with a mask, or whose voxels are elsewhere, and for
// several volumes; not for what has sources of another format.
func TestHasNaN(t *testing.T) {
	of := func(v *volume.Volume, sources ...series.Source) *series.Series {
		return &series.Series{Volume: v, Sources: sources}
	}
	masked, elsewhere := row(1, 2), row(1, 2)
	masked.Mask, elsewhere.Data = []bool{true, false}, nil
	for name, c := range map[string]struct {
		from   *series.Series
		frames int
		want   bool
	}{
		"nothing":                {nil, 2, false},
		"a volume without":       {of(row(1, 2), series.Source{}), 1, false},
		"a volume with a mask":   {of(masked, series.Source{}), 1, true},
		"a volume on disk":       {of(elsewhere, series.Source{}), 1, true},
		"two volumes":            {of(row(1, 2), series.Source{}), 2, true},
		"slices of several":      {of(masked, series.Source{}, series.Source{}), 1, false},
		"no source":              {of(masked), 1, false},
		"an instance with a UID": {of(masked, series.Source{UID: "1.2"}), 2, false},
	} {
		if got := HasNaN(c.from, c.frames); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
