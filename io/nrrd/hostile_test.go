package nrrd_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/format"
	"quell/io/nrrd"
	"quell/series"
	"quell/volume"
)

// ramp is a header of 2 x 2 x 1 voxels of int16, and its voxels.
const ramp = "NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 1\nspace: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nendian: little\nencoding: raw\n"

var voxels = []byte{1, 0, 2, 0, 3, 0, 4, 0}

// bzipped are the voxels, compressed by bzip2.
var bzipped = []byte("\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xde\x59\x11\x5b\x00\x00\x02\x40\x00\x7c\x00\x20\x00\x21\x83\x41\x9a\x02\xe0\x4b\x8b\xb9\x22\x9c\x28\x48\x6f\x2c\x88\xad\x80")

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
		"hex":         {strings.Replace(ramp, "raw", "hex", 1), []byte("0100 0200\n03000 40 0"), volume.Vec{1, 1, 0}},
		"text":        {strings.NewReplacer("raw", "ascii", "little", "big").Replace(ramp), []byte("1 2\n3,4\n"), volume.Vec{1, 1, 0}},
		"bzip2":       {strings.Replace(ramp, "raw", "bzip2", 1), bzipped, volume.Vec{1, 1, 0}},
		"against":     {"NRRD0001\ntype: int16\ndimension: 2\nsizes: 2 2\nspacings: -2 2\naxis mins: 5 5\ncenters: cell node\nendian: little\nencoding: raw\n", voxels, volume.Vec{2, 7, 0}},
		"nan is none": {"NRRD0005\ntype: short\ndimension: 4\nsizes: 2 2 1 1\nspace: LPS\nspace directions: (1,0,0) (0,1,0) (0,0,1) (nan,nan,nan)\nendian: little\nencoding: raw\n", voxels, volume.Vec{1, 1, 0}},
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
		"encoded as \"xml\"":             strings.Replace(ramp, "raw", "xml", 1),
		"ends after 0 of 8 bytes":        strings.Replace(ramp, "raw", "ascii", 1),
		"what is no number":              strings.Replace(ramp, "raw", "hex", 1),
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
		"lie between those in space":     "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 2 2 2 1\nkinds: domain list domain domain\nspace: LPS\nspace directions: (1,0,0) none (0,1,0) (0,0,1)\nencoding: raw\n",
		"between those in space; save":   "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 2 2 1 2\nkinds: list domain domain list\nspace: LPS\nspace directions: none (1,0,0) (0,1,0) none\nencoding: raw\n",
		"names 4 files of voxels":        ramp + "data file: x%02d.raw 1 4 1\n",
		"names no file of voxels":        ramp + "data file: LIST\n",
		"names its files by":             ramp + "data file: LIST 7\n",
		"by \"x%d 1 b 1\"":               ramp + "data file: x%d 1 b 1\n",
		"no pattern with one":            ramp + "data file: x%s 1 2 1\n",
		"was not found beside it":        ramp + "data file: ../x.raw\n",
		"\"/etc/passwd\" for its voxels": ramp + "data file: /etc/passwd\n",
		"\"sub\\\\x.raw\"":               ramp + "data file: sub\\x.raw\n",
		"cannot be opened":               ramp + "data file: missing.raw\n",
		"negative number":                ramp + "line skip: -1\n",
		"as its byteskip":                ramp + "byte skip: 99999999999999999999\n",
		"more voxels than":               strings.NewReplacer("raw", "gzip", "2 2 1", "2000 2000 100").Replace(ramp),
		"compressed data is damaged":     strings.Replace(ramp, "raw", "gzip", 1),
	} {
		data := voxels
		switch want {
		case "more voxels than":
			data = zipped(voxels)
		case "names no file of voxels":
			data = nil
		case "what is no number":
			data = []byte("01 0g")
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

// TestFileLists: a pattern with numbers, up or down, and a list, each file a slice or what the header says.
func TestFileLists(t *testing.T) {
	header := strings.Replace(ramp, "2 2 1", "2 1 2", 1)
	for name, c := range map[string]struct{ header, end string }{
		"pattern": {header, "x%02d.raw 7 8 1\n"}, "down": {header, "y%d.raw 2 1 -1\n"}, "list": {header, "LIST\nx07.raw\nx08.raw\n"},
		"lines": {ramp, "LIST 1\nx07.raw\nx08.raw\n"}, "slabs": {strings.Replace(ramp, "2 2 1", "1 1 4", 1), "x%02d.raw 7 8 1 3\n"},
	} {
		files := fstest.MapFS{"in/a.nhdr": {Data: []byte(c.header + "data file: " + c.end)}, "in/x07.raw": {Data: voxels[:4]}, "in/x08.raw": {Data: voxels[4:]},
			"in/y2.raw": {Data: voxels[:4]}, "in/y1.raw": {Data: voxels[4:]}}
		s, err := read(t, files, "in/a.nhdr")
		if err != nil || !slices.Equal(s.Volume.Data, []float32{1, 2, 3, 4}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestListFirst: Slicer stores a sequence voxel by voxel, the volumes interleaved.
func TestListFirst(t *testing.T) {
	const header = "NRRD0005\ntype: short\ndimension: 4\nsizes: 3 2 2 1\nspace: LPS\nkinds: list domain domain domain\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nendian: ENDIAN\nencoding: raw\n\n"
	for endian, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		var b []byte
		for voxel := range 4 {
			for v := range 3 {
				b = order.AppendUint16(b, uint16(100*v+voxel))
			}
		}
		for _, encoding := range []string{"raw", "gzip"} {
			data := b
			if encoding == "gzip" {
				data = zipped(b)
			}
			files := fstest.MapFS{"a.nrrd": {Data: append([]byte(strings.NewReplacer("ENDIAN", endian, "raw", encoding).Replace(header)), data...)}}
			for v := range 3 {
				s, err := nrrd.Open.Read(t.Context(), files, "a.nrrd", v, "")
				want := []float32{float32(100 * v), float32(100*v + 1), float32(100*v + 2), float32(100*v + 3)}
				if err != nil || !slices.Equal(s.Volume.Data, want) {
					t.Fatalf("%s, %s: volume %d: %v", endian, encoding, v, err)
				}
				r, err := nrrd.Open.OpenSlices(t.Context(), files, "a.nrrd", v, "")
				if err != nil {
					t.Fatal(err)
				}
				got := make([]float32, 4)
				if _, err := r.Read(t.Context(), got, nil); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, %s: slices of volume %d: %v, %v", endian, encoding, v, got, err)
				}
				r.Close()
			}
			cut := fstest.MapFS{"a.nrrd": {Data: append([]byte(strings.NewReplacer("ENDIAN", endian, "raw", encoding).Replace(header)), data[:len(data)-2]...)}}
			if _, err := nrrd.Open.Read(t.Context(), cut, "a.nrrd", 0, ""); err == nil {
				t.Errorf("%s, %s: a file that is cut off is read", endian, encoding)
			}
		}
	}
}

// TestDiffusion reads the keys of Slicer: the vectors lie in the measurement frame, and their squares share out the
// b-value. A written file is read back.
func TestDiffusion(t *testing.T) {
	const header = "NRRD0005\ntype: short\ndimension: 4\nsizes: 2 2 1 4\nspace: SPACE\nkinds: space space space list\nspace directions: (1,0,0) (0,1,0) (0,0,1) none\n" +
		"measurement frame: (0,1,0) (1,0,0) (0,0,1)\nendian: little\nencoding: raw\nmodality:=DWMRI\nDWMRI_b-value:=2000\nDWMRI_gradient_0000:=0 0 0\n" +
		"DWMRI_gradient_0001:= 1 0 0\nDWMRI_NEX_0001:=2\nDWMRI_gradient_0003:=0 0.7071 0\n\n"
	data := bytes.Repeat(voxels, 4)
	find := func(t *testing.T, header string) (*series.Gradients, []series.Finding) {
		t.Helper()
		files := fstest.MapFS{"a.nrrd": {Data: append([]byte(header), data...)}}
		found, err := nrrd.Format.Scan(t.Context(), files, []string{"a.nrrd"})
		if err != nil {
			t.Fatal(err)
		}
		return found.Entries[0].Group.Gradients, found.Entries[0].Findings
	}
	for space, sign := range map[string]float64{"LPS": 1, "right-anterior-superior": -1} {
		g, findings := find(t, strings.Replace(header, "SPACE", space, 1))
		want := []series.Gradient{{}, {B: 2000, Direction: volume.Vec{0, sign, 0}}, {B: 2000, Direction: volume.Vec{0, sign, 0}}, {B: 1000, Direction: volume.Vec{sign, 0, 0}}}
		if g == nil || len(g.Volumes) != 4 {
			t.Fatalf("%s: %+v, %+v", space, g, findings)
		}
		for i, v := range g.Volumes {
			if v.B != want[i].B || v.Direction.Sub(want[i].Direction).Norm() > 1e-9 {
				t.Errorf("%s: volume %d: %+v, want %+v", space, i, v, want[i])
			}
		}
		path := filepath.Join(t.TempDir(), "b.nrrd")
		group := &series.Group{Places: make([]series.Place, 4), Gradients: g}
		w := nrrd.Make.NewWriter(path, format.Options{Group: group, Datatype: "int16"})
		for range 4 {
			v := volume.New(volume.NewGeometry([3]int{2, 2, 1}, [3]float64{1, 1, 1}))
			if err := errors.Join(w.Begin(t.Context(), &series.Series{Volume: v}, format.Derived{}), w.Add(t.Context(), v, nil)); err != nil {
				t.Fatal(err)
			}
		}
		if report, err := w.Close(t.Context()); err != nil || len(report.Warnings) > 0 {
			t.Fatal(report, err)
		}
		found, err := nrrd.Format.Scan(t.Context(), os.DirFS(filepath.Dir(path)), []string{"b.nrrd"})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range found.Entries[0].Group.Gradients.Volumes {
			if v.B != want[i].B || v.Direction.Sub(want[i].Direction).Norm() > 1e-7 {
				t.Errorf("%s: volume %d is read back as %+v", space, i, v)
			}
		}
	}
	for what, h := range map[string]string{
		"missing": strings.Replace(header, "DWMRI_gradient_0003", "DWMRI_other", 1), "is repeated": strings.Replace(header, "0001:=2", "0001:=9", 1),
		"its b-value": strings.Replace(header, "2000", "x", 1), "among its numbers": strings.Replace(header, "0.7071", "x", 1),
		"no matrix": strings.Replace(header, "(0,1,0) (1,0,0) (0,0,1)", "(0,1,0)", 1), "no space": header,
	} {
		if what != "no space" {
			h = strings.Replace(h, "SPACE", "LPS", 1)
		}
		if g, findings := find(t, h); g != nil || !slices.ContainsFunc(findings, func(f series.Finding) bool {
			return f.Kind == series.Diffusion && strings.Contains(f.Text.String(), what)
		}) {
			t.Errorf("%s: %+v, %+v", what, g, findings)
		}
	}
	if g, _ := find(t, strings.NewReplacer("SPACE", "LPS", "DWMRI_b", "other_b").Replace(header)); g != nil {
		t.Errorf("without keys: %+v", g)
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
