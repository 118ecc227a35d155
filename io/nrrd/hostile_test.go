package nrrd_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/nrrd"
	"quell/series"
	"quell/volume"
)

// ramp is a header of 2 x 2 x 1 voxels of int16, and its voxels.
const ramp = "NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 1\nspace: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nendian: little\nencoding: raw\n"

var voxels = []byte{1, 0, 2, 0, 3, 0, 4, 0}

func read(t *testing.T, files fstest.MapFS, name string) (*series.Series, error) {
	t.Helper()
	return nrrd.Open.Read(t.Context(), fs.FS(files), name, 0, "")
}

// one reads a file of a header and voxels.
func one(t *testing.T, header string, data []byte) (*series.Series, error) {
	t.Helper()
	return read(t, fstest.MapFS{"a.nrrd": {Data: append([]byte(header+"\n"), data...)}}, "a.nrrd")
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

// TestHeaders: what other programs write, and the positions of its voxels in LPS+.
func TestHeaders(t *testing.T) {
	big := []byte{0, 1, 0, 2, 0, 3, 0, 4}
	for what, c := range map[string]struct {
		header string
		data   []byte
		last   volume.Vec // position of the last voxel
	}{
		"LPS":         {ramp, voxels, volume.Vec{1, 1, 0}},
		"big":         {strings.Replace(ramp, "little", "big", 1), big, volume.Vec{1, 1, 0}},
		"gzip":        {strings.Replace(ramp, "raw", "gzip", 1), zipped(voxels), volume.Vec{1, 1, 0}},
		"RAS":         {strings.Replace(ramp, "LPS", "right-anterior-superior", 1) + "space origin: (10,20,30)\n", voxels, volume.Vec{-11, -21, 30}},
		"LAS":         {strings.Replace(ramp, "LPS", "LAS", 1) + "space origin: (10,20,30)\n", voxels, volume.Vec{11, -21, 30}},
		"cm":          {ramp + "space units: \"cm\" \"cm\" \"cm\"\n", voxels, volume.Vec{10, 10, 0}},
		"skips":       {ramp + "line skip: 1\nbyte skip: 2\n", append([]byte("a line\nxx"), voxels...), volume.Vec{1, 1, 0}},
		"end":         {ramp + "byte skip: -1\n", append([]byte("anything"), voxels...), volume.Vec{1, 1, 0}},
		"spacings":    {"NRRD0001\r\n# a comment\r\ntype: int16\r\ndimension: 3\r\nsizes: 2 2 1\r\nspacings: 0.5 2 NaN\r\nendian: little\r\nencoding: raw\r\n\r", voxels, volume.Vec{0.5, 2, 0}},
		"axis mins":   {"NRRD0001\ntype: int16\ndimension: 2\nsizes: 2 2\nspacings: 2 2\naxis mins: 5 5\ncenters: cell node\nendian: little\nencoding: raw\n", voxels, volume.Vec{8, 7, 0}},
		"frame":       {ramp + "measurement frame: (1,0,0) (0,1,0) (0,0,1)\nDWMRI_b-value:=1000\n", voxels, volume.Vec{1, 1, 0}},
		"one channel": {"NRRD0004\ntype: short\ndimension: 4\nsizes: 1 2 2 1\nkinds: vector domain domain domain\nspace: LPS\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nendian: little\nencoding: raw\n", voxels, volume.Vec{1, 1, 0}},
	} {
		s, err := one(t, c.header, c.data)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		d := s.Volume.Dims
		if at := s.Volume.Affine.Apply(float64(d[0]-1), float64(d[1]-1), float64(d[2]-1)); at.Sub(c.last).Norm() > 1e-9 {
			t.Errorf("%s: the last voxel lies at %v, want %v", what, at, c.last)
		}
		if v := s.Volume.Data; len(v) != 4 || v[0] != 1 || v[3] != 4 {
			t.Errorf("%s: %v", what, v)
		}
	}
}

// TestTypes reads every type in both byte orders.
func TestTypes(t *testing.T) {
	for name, put := range map[string]func(o binary.AppendByteOrder, b []byte, x int) []byte{
		"signed char": func(_ binary.AppendByteOrder, b []byte, x int) []byte { return append(b, byte(x)) },
		"uint8":       func(_ binary.AppendByteOrder, b []byte, x int) []byte { return append(b, byte(x)) },
		"short":       func(o binary.AppendByteOrder, b []byte, x int) []byte { return o.AppendUint16(b, uint16(x)) },
		"ushort":      func(o binary.AppendByteOrder, b []byte, x int) []byte { return o.AppendUint16(b, uint16(x)) },
		"int":         func(o binary.AppendByteOrder, b []byte, x int) []byte { return o.AppendUint32(b, uint32(x)) },
		"uint":        func(o binary.AppendByteOrder, b []byte, x int) []byte { return o.AppendUint32(b, uint32(x)) },
		"longlong":    func(o binary.AppendByteOrder, b []byte, x int) []byte { return o.AppendUint64(b, uint64(x)) },
		"ulonglong":   func(o binary.AppendByteOrder, b []byte, x int) []byte { return o.AppendUint64(b, uint64(x)) },
		"float": func(o binary.AppendByteOrder, b []byte, x int) []byte {
			return o.AppendUint32(b, math.Float32bits(float32(x)))
		},
		"double": func(o binary.AppendByteOrder, b []byte, x int) []byte {
			return o.AppendUint64(b, math.Float64bits(float64(x)))
		},
	} {
		for endian, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
			var b []byte
			for _, x := range []int{7, 100, 3, 99} {
				b = put(order, b, x)
			}
			s, err := one(t, strings.NewReplacer("short", name, "little", endian).Replace(ramp), b)
			if err != nil || s.Volume.Data[0] != 7 || s.Volume.Data[1] != 100 || s.Volume.Data[3] != 99 {
				t.Errorf("%s, %s: %v", name, endian, err)
			}
		}
	}
}

// TestRefused: each with its sentence.
func TestRefused(t *testing.T) {
	for want, header := range map[string]string{
		"gives \"\\xff":                  strings.Replace(ramp, "(1,0,0)", "NONE \xff\xff\xff", 1),
		"not a NRRD file":                "NRRD0009\n",
		"the dimension":                  strings.Replace(ramp, "dimension: 3", "dimension: 99", 1),
		"sizes for":                      strings.Replace(ramp, "2 2 1", "2 2", 1),
		"gives the size":                 strings.Replace(ramp, "2 2 1", "2 -2 1", 1),
		"than a volume can have":         strings.Replace(ramp, "2 2 1", "2000000 2000000 2000000", 1),
		"of the type":                    strings.Replace(ramp, "short", "block", 1),
		"encoded as \"ascii\"":           strings.Replace(ramp, "raw", "ascii", 1),
		"byte order":                     strings.Replace(ramp, "little", "middle", 1),
		"instead of a vector":            strings.Replace(ramp, "(1,0,0)", "1,0,0", 1),
		"in a vector":                    strings.Replace(ramp, "(1,0,0)", "(1,x,0)", 1),
		"space directions for":           strings.Replace(ramp, "(1,0,0) ", "", 1),
		"not finite":                     strings.Replace(ramp, "(1,0,0)", "(inf,0,0)", 1),
		"lie in one plane":               strings.Replace(ramp, "(0,0,1)", "(1,1,0)", 1),
		"twice":                          ramp + "type: short\n",
		"which is no field":              ramp + "something else\n",
		"should end at byte":             strings.Replace(ramp, "2 2 1", "2 2 2", 1),
		"vectors or colours":             "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 3 2 1\nkinds: RGB-color domain domain\nencoding: raw\n",
		"voxel by voxel":                 "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 2 2 2 1\nkinds: list domain domain domain\nspace: LPS\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\n",
		"in several files":               ramp + "data file: x%02d.raw 1 4 1\n",
		"does not lie beside it":         ramp + "data file: ../x.raw\n",
		"\"/etc/passwd\" for its voxels": ramp + "data file: /etc/passwd\n",
		"\"sub\\\\x.raw\"":               ramp + "data file: sub\\x.raw\n",
		"cannot be opened":               ramp + "data file: missing.raw\n",
		"negative number":                ramp + "line skip: -1\n",
		"as its byteskip":                ramp + "byte skip: 99999999999999999999\n",
		"more voxels than":               strings.NewReplacer("raw", "gzip", "2 2 1", "2000 2000 100").Replace(ramp),
		"compressed data is damaged":     strings.Replace(ramp, "raw", "gzip", 1),
	} {
		data := voxels
		if want == "more voxels than" {
			data = zipped(voxels)
		}
		if s, err := one(t, header, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", want, s, err)
		}
	}
}

// TestDetached: the voxels lie next to the header or below it, and the same are
// read.
func TestDetached(t *testing.T) {
	for name, data := range map[string][]byte{"x.raw": voxels, "sub/x.raw.gz": zipped(voxels)} {
		header := ramp
		if strings.HasSuffix(name, ".gz") {
			header = strings.Replace(ramp, "raw", "gzip", 1)
		}
		files := fstest.MapFS{"in/a.nhdr": {Data: []byte(header + "data file: " + name + "\n")}, "in/" + name: {Data: data}}
		s, err := read(t, files, "in/a.nhdr")
		if err != nil || s.Volume.Data[3] != 4 {
			t.Fatalf("%s: %v", name, err)
		}
		info, err := nrrd.Open.ReadHeader(files, "in/a.nhdr")
		if err != nil || len(info.Files) != 2 || info.Files[1] != "in/"+name {
			t.Errorf("%s: %v, %v", name, info.Files, err)
		}
	}
}

// FuzzRead: no header makes the reader panic, or claim memory that the file does not hold.
func FuzzRead(f *testing.F) {
	f.Add([]byte(ramp+"\n"), voxels)
	f.Add([]byte(ramp+"data file: x.raw\nbyte skip: -1\n"), voxels)
	f.Add([]byte(strings.Replace(ramp, "raw", "gzip", 1)+"\n"), zipped(voxels))
	f.Fuzz(func(t *testing.T, header, data []byte) {
		files := fstest.MapFS{"a.nrrd": {Data: append(bytes.Clone(header), data...)}, "x.raw": {Data: data}}
		s, err := read(t, files, "a.nrrd")
		if err == nil {
			if err := s.Volume.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}
