package instance_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/codec"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// TestCompressedRealFiles reads one image in several transfer syntaxes: the voxels
// equal the voxels of the plain file.
func TestCompressedRealFiles(t *testing.T) {
	read := func(fsys fstest.MapFS) *series.Series { return dicomtest.Load(t, dicomtest.Scan(t, fsys), 0) }
	file := func(name string) fstest.MapFS {
		b, err := os.ReadFile(filepath.Join("..", "testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		return fstest.MapFS{"x.dcm": {Data: b}}
	}
	want := read(file("MR_small.dcm"))
	for name, syntax := range map[string]string{
		"MR_small_RLE.dcm":              part10.UIDRLE,
		"MR_small_jpeg_ls_lossless.dcm": "1.2.840.10008.1.2.4.80",
		"MR_small_jp2klossless.dcm":     "1.2.840.10008.1.2.4.90",
	} {
		got := read(file(name))
		if !slices.Equal(got.Volume.Data, want.Volume.Data) || got.Meta.TransferSyntax != syntax {
			t.Errorf("%s (%s): the voxels are not those of the plain file", name, got.Meta.TransferSyntax)
		}
	}
}

// voxelsOf returns the voxels of the one series in a file of fsys.
func voxelsOf(t *testing.T, fsys fs.FS, name string) []float32 {
	t.Helper()
	c, err := dicom.Scan(context.Background(), fsys, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	return dicomtest.Load(t, c, 0).Volume.Data
}

// TestNineSyntaxes reads one image in nine transfer syntaxes: from the repository in
// part, and from the shared data whole, with the streams of the original encoders.
func TestNineSyntaxes(t *testing.T) {
	check := func(t *testing.T, fsys fs.FS) {
		want := voxelsOf(t, fsys, "1.dcm")
		for i := 2; i <= 9; i++ {
			if name := fmt.Sprintf("%d.dcm", i); !slices.Equal(voxelsOf(t, fsys, name), want) {
				t.Errorf("%s: the voxels differ", name)
			}
		}
	}
	t.Run("cropped", func(t *testing.T) { check(t, os.DirFS(filepath.Join("..", "testdata", "nine-syntaxes"))) })
	t.Run("whole", func(t *testing.T) { check(t, dicomtest.PublicSeries(t, "codecs/nine-syntaxes")) })
}

// TestWG04 reads every image of the NEMA WG04 set in each lossless transfer syntax and
// compares it with the uncompressed file.
func TestWG04(t *testing.T) {
	fsys := dicomtest.PublicSeries(t, "codecs/wg04")
	for _, image := range []string{"CT1", "MR1", "MR2", "NM1"} {
		want := voxelsOf(t, fsys, image+"_UNC.dcm")
		for _, syntax := range []string{"RLE", "JPLL", "JLSL", "J2KR"} {
			if !slices.Equal(voxelsOf(t, fsys, image+"_"+syntax+".dcm"), want) {
				t.Errorf("%s in %s: the voxels differ", image, syntax)
			}
		}
	}
}

// TestCompressedFrames reads and derives a multi-frame image with fragments that are assigned to frames in
// every possible way.
func TestCompressedFrames(t *testing.T) {
	frames := []dicomtest.FakeFrame{{Z: 10}, {Z: 12}, {Z: 14}}
	plain := dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...)
	wantFile := plain.File()
	n := len(plain.Pixels) / 3
	var streams [][]byte
	for i := range 3 {
		streams = append(streams, dicomtest.RleStream(plain.Pixels[i*n:(i+1)*n]))
	}
	want := dicomtest.Load(t, dicomtest.Scan(t, fstest.MapFS{"x": {Data: wantFile}}), 0)

	size := uint32(len(streams[0])) + 8
	table := func(offsets ...uint32) (b []byte) {
		for _, o := range offsets {
			b = binary.LittleEndian.AppendUint32(b, o)
		}
		return b
	}
	var extended []byte
	for i := range uint64(3) {
		extended = binary.LittleEndian.AppendUint64(extended, i*uint64(size))
	}
	half := len(streams[1]) / 4 * 2
	for name, file := range map[string][]byte{
		"no table":    dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...), part10.UIDRLE, nil, streams...),
		"table":       dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...), part10.UIDRLE, table(0, size, 2*size), streams...),
		"wrong table": dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...), part10.UIDRLE, table(0, 7, 9), streams...),
		"two fragments": dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...), part10.UIDRLE, table(0, size, 2*size+8),
			streams[0], streams[1][:half], streams[1][half:], streams[2]),
		"extended table": dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...).With(part10.TagExtendedOffsetTable,
			dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagExtendedOffsetTable, "OV", extended))), part10.UIDRLE, nil, streams...),
	} {
		got := dicomtest.Load(t, dicomtest.Scan(t, fstest.MapFS{"x": {Data: file}}), 0)
		if !slices.Equal(got.Volume.Data, want.Volume.Data) {
			t.Errorf("%s: the voxels are not those of the plain file", name)
		}
		decoded, _, err := instance.OpenSource("x", file)
		if err != nil {
			t.Fatal(err)
		}
		_, wantSet, _ := bytes.Cut(wantFile, []byte(part10.UIDExplicitLE))
		_, gotSet, _ := bytes.Cut(decoded.Bytes, []byte(part10.UIDExplicitLE))
		if !bytes.Equal(gotSet[len(gotSet)-len(wantSet)+64:], wantSet[64:]) {
			t.Errorf("%s: the decoded file is not the plain one", name)
		}
	}

	for name, file := range map[string][]byte{
		"two of three":  dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...), part10.UIDRLE, nil, streams[:2]...),
		"four of three": dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...), part10.UIDRLE, nil, streams[0], streams[1][:half], streams[1][half:], streams[2]),
		"no fragment":   dicomtest.Encapsulate(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...), part10.UIDRLE, nil),
	} {
		c, err := dicom.Scan(context.Background(), fstest.MapFS{"x": {Data: file}}, nil)
		if err == nil {
			_, err = c.Load(context.Background(), 0, nil)
		}
		if err == nil {
			t.Errorf("%s: it loads", name)
			continue
		}
		dicomtest.WantError(t, err, "x: ", "; ")
	}
}

// TestFragmentsOfStreams assigns fragments to frames by the start of JPEG streams.
func TestFragmentsOfStreams(t *testing.T) {
	start, more := []byte("\xFF\xD8\xFF\xC3"), []byte("more")
	file := dicomtest.Encapsulate(dicomtest.NewFake("1", 0, 0).With(part10.TagNumberOfFrames, "2"), part10.UIDJPEGLossless, nil, start, more, start, more, more)
	p, err := dicomtest.Tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pixel.FrameFragments(file, p)
	if err != nil || len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 3 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestDeriveFromCompressed exports from compressed sources and from the same sources
// decompressed: the files are equal but for the lossy compression that attributes of
// the source state.
func TestDeriveFromCompressed(t *testing.T) {
	write := func(fsys fstest.MapFS) map[string][]byte {
		s := dicomtest.Load(t, dicomtest.Scan(t, fsys), 0)
		result := volume.New(s.Volume.Geometry)
		for i, v := range s.Volume.Data {
			result.Data[i] = v + 2
		}
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := dicomtest.WriteAs(context.Background(), dir, s, result, dicomtest.TestDerived, nil); err != nil {
			t.Fatal(err)
		}
		out := map[string][]byte{}
		paths, _ := filepath.Glob(filepath.Join(dir, "*.dcm"))
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(p)] = b
		}
		return out
	}
	lossy := func(f *dicomtest.Fake) *dicomtest.Fake { return f.With(0x00282110, "01").With(0x00282112, "7.5") }
	plain, packed, deflated := fstest.MapFS{}, fstest.MapFS{}, fstest.MapFS{}
	for name, f := range dicomtest.Stack(3) {
		b := lossy(f).File()
		plain[name] = &fstest.MapFile{Data: b}
		deflated[name] = &fstest.MapFile{Data: dicomtest.Deflate(t, b)}
		packed[name] = &fstest.MapFile{Data: dicomtest.Encapsulate(f, part10.UIDRLE, nil, dicomtest.RleStream(f.Pixels))}
	}
	want := write(plain)
	if len(want) != 3 {
		t.Fatalf("%d files", len(want))
	}
	for what, fsys := range map[string]fstest.MapFS{"RLE": packed, "deflated": deflated} {
		for name, got := range write(fsys) {
			if !bytes.Equal(got, want[name]) {
				t.Errorf("%s of %s sources is not that of plain ones", name, what)
			}
			if !bytes.Contains(got, []byte("\x28\x00\x10\x21CS\x02\x0001")) {
				t.Errorf("%s of %s sources: LossyImageCompression is lost", name, what)
			}
		}
	}
}

// TestLossyStaysMarked decodes a JPEG image with attributes that do not state that it is lossy: the export
// does.
func TestLossyStaysMarked(t *testing.T) {
	stream, err := os.ReadFile(filepath.Join("..", "codec", "testdata", "u8-baseline"))
	if err != nil {
		t.Fatal(err)
	}
	jpeg := func() *dicomtest.Fake {
		return dicomtest.NewFake("1", 0, 0).With(part10.TagRows, 67).With(part10.TagColumns, 45).With(part10.TagBitsAllocated, 8).
			With(part10.TagBitsStored, 8).With(part10.TagHighBit, 7).With(part10.TagPixelRepresentation, 0)
	}
	for _, f := range []*dicomtest.Fake{jpeg(), jpeg().With(part10.TagLossyImageCompression, "00"), jpeg().With(part10.TagLossyImageCompression, "01")} {
		decoded, _, err := instance.OpenSource("x", dicomtest.Encapsulate(f, part10.UIDJPEGBaseline, nil, stream))
		if err != nil {
			t.Fatal(err)
		}
		p, err := dicomtest.Tokens(decoded.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, e := range p.Elements {
			if e.Tag == part10.TagLossyImageCompression && string(decoded.Bytes[e.Value:e.End]) == "01" {
				n++
			}
		}
		if e := p.Elements[p.PixelIndex]; n != 1 || e.VR != "OB" || e.Length != 67*45+1 {
			t.Errorf("said %d times; %d bytes of %s", n, e.Length, e.VR)
		}
	}
}

// TestCompressedTooSmall reads headers that promise more than the fragments can hold.
func TestCompressedTooSmall(t *testing.T) {
	for _, uid := range []string{part10.UIDRLE, part10.UIDJPEGLossless, "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.90"} {
		f := dicomtest.NewFake("1", 0, 0).With(part10.TagRows, 65000).With(part10.TagColumns, 65000)
		c := dicomtest.Scan(t, fstest.MapFS{"x": {Data: dicomtest.Encapsulate(f, uid, nil, make([]byte, 1000))}})
		dicomtest.WantError(t, c.Entries[0].Err, "x: it contains", "too few for 1 image of 65000 x 65000 pixels")
	}
	f := dicomtest.NewFake("1", 0, 0)
	c := dicomtest.Scan(t, fstest.MapFS{"x": {Data: append(part10.AppendFileMeta(nil, dicomtest.CtClass, "1.2.3.1", part10.UIDRLE, "test"), f.Dataset()...)}})
	dicomtest.WantError(t, c.Entries[0].Err, "x: ", "not in fragments")
}

// TestBrokenStreams flips bytes in the streams of compressed files: what comes is
// an error of one line that names the file and the codec, or a sound volume.
func TestBrokenStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	failed := 0
	for _, name := range []string{"MR_small_RLE.dcm", "MR_small_jpeg_ls_lossless.dcm", "MR_small_jp2klossless.dcm"} {
		whole, err := os.ReadFile(filepath.Join("..", "testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := dicomtest.Tokens(whole)
		if err != nil {
			t.Fatal(err)
		}
		e := p.Elements[p.PixelIndex]
		for i := range 100 {
			b := slices.Clone(whole)
			for range 1 + i%5 {
				b[e.Value+16+rng.Int64N(e.End-e.Value-24)] ^= byte(1 << rng.IntN(8))
			}
			s, err := dicomtest.Scan(t, fstest.MapFS{"x.dcm": {Data: b}}).Load(context.Background(), 0, nil)
			if err == nil {
				err = s.Volume.Validate()
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			failed++
			dicomtest.WantError(t, err, "x.dcm: its pixels (", "cannot be decoded", "; ")
			if strings.Contains(err.Error(), "decoder failed") {
				t.Errorf("a panic: %v", err)
			}
		}
	}
	if failed == 0 {
		t.Error("no broken stream was noticed")
	}
}

// TestSyntaxesAreKnown compares the decoders with the table of transfer syntaxes.
func TestSyntaxesAreKnown(t *testing.T) {
	n := 0
	for uid, s := range part10.Syntaxes {
		if !codec.Supported(uid) {
			continue
		}
		n++
		if !s.Encapsulated || s.Encoding != part10.ExplicitLE {
			t.Errorf("%s (%s) is decoded and not encapsulated", s.Name, uid)
		}
	}
	if n != 12 {
		t.Errorf("%d of the syntaxes are decoded", n)
	}
}
