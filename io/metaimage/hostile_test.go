package metaimage_test

import (
	"bytes"
	"compress/zlib"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/internal/shareddata"
	"quell/io/metaimage"
	"quell/series"
	"quell/volume"
)

// ramp is a header of 2 x 2 x 1 voxels of int16, and its voxels.
const ramp = "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\nTransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = 0 0 0\nElementSpacing = 1 1 1\nDimSize = 2 2 1\nElementType = MET_SHORT\n"

const local = "ElementDataFile = LOCAL\n"

var voxels = []byte{1, 0, 2, 0, 3, 0, 4, 0}

func read(t *testing.T, files fstest.MapFS, name string) (*series.Series, error) {
	t.Helper()
	return metaimage.Open.Read(t.Context(), fs.FS(files), name, 0, "")
}

// one reads a file of a header and voxels.
func one(t *testing.T, header string, data []byte) (*series.Series, error) {
	t.Helper()
	return read(t, fstest.MapFS{"a.mha": {Data: append([]byte(header), data...)}}, "a.mha")
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

// TestHeaders: what other programs write, and the positions of its voxels in LPS+.
func TestHeaders(t *testing.T) {
	set := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(ramp) + local }
	for what, c := range map[string]struct {
		header string
		data   []byte
		last   volume.Vec // position of the last voxel
	}{
		"plain":            {ramp + local, voxels, volume.Vec{1, 1, 0}},
		"most significant": {set("MSB = False", "MSB = True"), []byte{0, 1, 0, 2, 0, 3, 0, 4}, volume.Vec{1, 1, 0}},
		"other name of it": {set("BinaryDataByteOrderMSB = False", "ElementByteOrderMSB = True"), []byte{0, 1, 0, 2, 0, 3, 0, 4}, volume.Vec{1, 1, 0}},
		"zlib":             {set("CompressedData = False", "CompressedData = True\nCompressedDataSize = 99"), zipped(voxels), volume.Vec{1, 1, 0}},
		"a turn":           {set("1 0 0 0 1 0 0 0 1", "0 1 0 -1 0 0 0 0 1", "Offset = 0 0 0", "Position = 10 20 30", "Spacing = 1 1 1", "Spacing = 2 3 4"), voxels, volume.Vec{7, 22, 30}},
		"centre":           {set("Offset = 0 0 0", "Offset = 1 2 3\nCenterOfRotation = 9 9 9\nAnatomicalOrientation = RAI"), voxels, volume.Vec{2, 3, 3}},
		"size of elements": {set("ElementSpacing", "ElementSize"), voxels, volume.Vec{1, 1, 0}},
		"no place":         {"NDims = 2\r\nDimSize = 2 2\r\nElementType = MET_SHORT\r\nElementDataFile = LOCAL\r\n", voxels, volume.Vec{1, 1, 0}},
		"bytes before":     {set("ElementType", "HeaderSize = 3\nElementType"), append([]byte("abc"), voxels...), volume.Vec{1, 1, 0}},
		"negative spacing": {set("Spacing = 1 1 1", "Spacing = 2 -3 -4", "Offset = 0 0 0", "Offset = 10 20 30"), voxels, volume.Vec{12, 17, 30}},
		"text":             {set("BinaryData = True", "BinaryData = False", "MSB = False", "MSB = True"), []byte("1 2\n3 4"), volume.Vec{1, 1, 0}},
		"the end":          {set("ElementType", "HeaderSize = -1\nElementType"), append([]byte("anything"), voxels...), volume.Vec{1, 1, 0}},
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

// TestRefused: each with its sentence.
func TestRefused(t *testing.T) {
	set := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(ramp) + local }
	for want, header := range map[string]string{
		"not a MetaImage file":       "This is a text.\n",
		"no ElementDataFile":         ramp,
		"of the type \"Tube\"":       set("= Image", "= Tube"),
		"the dimension":              set("NDims = 3", "NDims = 99"),
		"sizes for":                  set("2 2 1", "2 2"),
		"gives the size":             set("2 2 1", "2 0 1"),
		"than a volume can have":     set("2 2 1", "2000000 2000000 2000000"),
		"vectors or colours":         set("ElementType", "ElementNumberOfChannels = 3\nElementType"),
		"the type \"MET_OTHER\"":     set("MET_SHORT", "MET_OTHER"),
		"what is no number":          set("BinaryData = True", "BinaryData = False"),
		"HeaderSize \"x\"":           set("ElementType", "HeaderSize = x\nElementType"),
		"for compressed":             set("ElementType", "HeaderSize = 4\nElementType", "CompressedData = False", "CompressedData = True"),
		"numbers as its Offset":      set("Offset = 0 0 0", "Offset = 0 0"),
		"as its ElementSpacing":      set("ElementSpacing = 1", "ElementSpacing = NaN"),
		"lie in one plane":           set("0 0 1\n", "1 1 0\n"),
		"should end at byte":         set("2 2 1", "2 2 2"),
		"compressed data is damaged": set("CompressedData = False", "CompressedData = True"),
		"more voxels than":           set("CompressedData = False", "CompressedData = True", "2 2 1", "2000 2000 100"),
		"names no file of voxels":    ramp + "ElementDataFile = LIST\n",
		"files of \"9D\"":            ramp + "ElementDataFile = LIST 9D\nx.raw\n",
		"names 6 files of voxels":    strings.Replace(ramp, "2 2 1", "1 1 8", 1) + "ElementDataFile = LIST\na\nb\nc\nd\ne\nf\n",
		"there should be 4":          strings.Replace(ramp, "2 2 1", "1 1 4", 1) + "ElementDataFile = x%d.raw 1 3 1\n",
		"which is no pattern":        ramp + "ElementDataFile = x%03d%s.raw 1 2 1\n",
		"in steps of 1":              ramp + "ElementDataFile = x%03d.raw 1 99999999 1\n",
		"numbers its files":          ramp + "ElementDataFile = x%03d.raw 1 b 1\n",
		"a file of its voxels":       strings.Replace(ramp, "2 2 1", "1 2 2", 1) + "ElementDataFile = x%d.raw 1 2 1\n",
		"are not alike":              strings.NewReplacer("2 2 1", "1 2 2", "ElementType", "HeaderSize = 1\nElementType").Replace(ramp) + "ElementDataFile = x%d.raw 1 2 1\n",
		"which was not found beside": ramp + "ElementDataFile = ../x.raw\n",
		"\"/etc/passwd\"":            ramp + "ElementDataFile = /etc/passwd\n",
		"cannot be opened":           ramp + "ElementDataFile = missing.raw\n",
	} {
		data := voxels
		switch want {
		case "names no file of voxels", "files of \"9D\"", "names 6 files of voxels":
			data = nil
		case "what is no number":
			data = []byte("1 2 x 4")
		}
		if want == "more voxels than" {
			data = zipped(voxels)
		}
		if s, err := one(t, header, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", want, s, err)
		}
	}
}

// TestDetached: the voxels lie next to the header.
func TestDetached(t *testing.T) {
	packed := strings.Replace(ramp, "CompressedData = False", "CompressedData = True", 1)
	for name, c := range map[string]struct {
		header string
		data   []byte
	}{"x.raw": {ramp, voxels}, "x.zraw": {packed, zipped(voxels)}} {
		files := fstest.MapFS{"in/a.mhd": {Data: []byte(c.header + "ElementDataFile = " + name)}, "in/" + name: {Data: c.data}}
		s, err := read(t, files, "in/a.mhd")
		if err != nil || s.Volume.Data[3] != 4 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSeveralFiles: a pattern with numbers, and a list, each file a part of the voxels.
func TestSeveralFiles(t *testing.T) {
	for name, end := range map[string]string{"pattern": "s%03d.raw 7 8 1\n", "list": "LIST\ns007.raw\ns008.raw\n", "of planes": "LIST 2D\ns007.raw\ns008.raw\n", "backwards": "s%03d.raw 7 8\n"} {
		files := fstest.MapFS{"in/a.mhd": {Data: []byte(strings.Replace(ramp, "2 2 1", "2 1 2", 1) + "ElementDataFile = " + end)}, "in/s007.raw": {Data: voxels[:4]}, "in/s008.raw": {Data: voxels[4:]}}
		s, err := read(t, files, "in/a.mhd")
		if err != nil || !slices.Equal(s.Volume.Data, []float32{1, 2, 3, 4}) {
			t.Errorf("%s: %v", name, err)
		}
		info, err := metaimage.Open.ReadHeader(files, "in/a.mhd")
		if err != nil || len(info.Files) != 3 {
			t.Errorf("%s: %v, %v", name, info.Files, err)
		}
		files["in/s008.raw"].Data = voxels[5:]
		if _, err := read(t, files, "in/a.mhd"); err == nil || !strings.Contains(err.Error(), "should have 4 bytes, but it has 3") {
			t.Errorf("%s, short: %v", name, err)
		}
	}
}

func TestSniff(t *testing.T) {
	for head, want := range map[string]bool{"ObjectType = Image\n": true, "NDims = 3\n": true, "Comment = x\n": true, "plain text\n": false, "a\x00 = b": false} {
		if metaimage.Sniff([]byte(head), "a.mhd") != want {
			t.Errorf("%q", head)
		}
	}
	if metaimage.Sniff([]byte("key = value\n"), "a.txt") {
		t.Error("a text")
	}
}

// TestFDA reads the images of a public phantom as their headers say. The headers of the filtered
// images give the other byte order than their voxels have, which is the fault of the files.
func TestFDA(t *testing.T) {
	dir := os.DirFS(shareddata.Path(t, "lcd-fda"))
	s, err := metaimage.Open.Read(t.Context(), dir, "fbp/dose_100/signal_absent/signal_absent.mhd", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	lo, hi, err := s.Volume.Range(t.Context())
	if err != nil || s.Volume.Dims != [3]int{256, 256, 10} || lo < -1000 || hi > 3000 {
		t.Errorf("%v voxels from %g to %g, %v", s.Volume.Dims, lo, hi, err)
	}
}

// FuzzRead: no header makes the reader panic, or claim memory that the file does not hold.
func FuzzRead(f *testing.F) {
	f.Add([]byte(ramp+local), voxels)
	f.Add([]byte(ramp+"ElementDataFile = x.raw\n"), voxels)
	f.Add([]byte(strings.Replace(ramp, "CompressedData = False", "CompressedData = True", 1)+local), zipped(voxels))
	f.Fuzz(func(t *testing.T, header, data []byte) {
		files := fstest.MapFS{"a.mha": {Data: append(bytes.Clone(header), data...)}, "x.raw": {Data: data}}
		s, err := read(t, files, "a.mha")
		if err == nil {
			if err := s.Volume.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}
