package dicom

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/codec"
	"quell/series"
	"quell/volume"
)

// encapsulate returns a file of f's attributes whose pixel data is the given
// fragments behind an offset table.
func encapsulate(f *fake, syntaxUID string, table []byte, fragments ...[]byte) []byte {
	b := appendElementHeader(nil, explicitLE, tagPixelData, "OB", undefinedLength)
	b = appendItem(b, explicitLE, table)
	for _, f := range fragments {
		b = appendItem(b, explicitLE, f)
	}
	b = appendElementHeader(b, explicitLE, tagSequenceDelimitation, "", 0)
	f.pixels = nil
	f.with(tagPixelData, rawElement(b))
	class, _ := f.values[tagSOPClassUID].(string)
	sop, _ := f.values[tagSOPInstanceUID].(string)
	return append(appendFileMeta(nil, class, sop, syntaxUID, "test"), f.dataset()...)
}

// rleStream packs 16-bit pixels by PS3.5 annex G, every byte as it is.
func rleStream(pixels []byte) []byte {
	n := len(pixels) / 2
	b := make([]byte, 64)
	binary.LittleEndian.PutUint32(b, 2)
	for p := range 2 {
		binary.LittleEndian.PutUint32(b[4+4*p:], uint32(len(b)))
		for i := 0; i < n; i += 128 {
			m := min(n-i, 128)
			b = append(b, byte(m-1))
			for k := i; k < i+m; k++ {
				b = append(b, pixels[2*k+1-p])
			}
		}
		b = append(b, make([]byte, len(b)%2)...)
	}
	return b
}

// TestCompressedRealFiles reads one image in several transfer syntaxes: the
// voxels are those of the plain file.
func TestCompressedRealFiles(t *testing.T) {
	read := func(fsys fstest.MapFS) *series.Series { return load(t, scan(t, fsys), 0) }
	file := func(name string) fstest.MapFS {
		b, err := os.ReadFile(filepath.Join("testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		return fstest.MapFS{"x.dcm": {Data: b}}
	}
	want := read(file("MR_small.dcm"))
	for name, syntax := range map[string]string{
		"MR_small_RLE.dcm":              uidRLE,
		"MR_small_jpeg_ls_lossless.dcm": "1.2.840.10008.1.2.4.80",
		"MR_small_jp2klossless.dcm":     "1.2.840.10008.1.2.4.90",
	} {
		got := read(file(name))
		if !slices.Equal(got.Volume.Data, want.Volume.Data) || got.Meta.TransferSyntax != syntax {
			t.Errorf("%s (%s): the voxels are not those of the plain file", name, got.Meta.TransferSyntax)
		}
	}
}

// TestNineSyntaxes reads one series in nine transfer syntaxes, and every WG04
// image beside its uncompressed twin.
func TestNineSyntaxes(t *testing.T) {
	fsys := sharedSeries(t, "codecs")
	read := func(name string) []float32 {
		c, err := Scan(context.Background(), fsys, []string{name})
		if err != nil {
			t.Fatal(err)
		}
		return load(t, c, 0).Volume.Data
	}
	want := read("nine-syntaxes/1.dcm")
	for i := 2; i <= 9; i++ {
		if !slices.Equal(read(fmt.Sprintf("nine-syntaxes/%d.dcm", i)), want) {
			t.Errorf("%d.dcm: the voxels differ", i)
		}
	}
	for _, image := range []string{"CT1", "MR1", "MR2", "NM1"} {
		want := read("wg04/" + image + "_UNC.dcm")
		for _, syntax := range []string{"RLE", "JPLL", "JLSL", "J2KR"} {
			if !slices.Equal(read("wg04/"+image+"_"+syntax+".dcm"), want) {
				t.Errorf("%s in %s: the voxels differ", image, syntax)
			}
		}
	}
}

// TestCompressedFrames reads and derives a multi-frame image whose frames are
// fragments, told apart in every way there is.
func TestCompressedFrames(t *testing.T) {
	frames := []fakeFrame{{z: 10}, {z: 12}, {z: 14}}
	plain := newEnhanced(explicitLE, false, frames...)
	wantFile := plain.file()
	n := len(plain.pixels) / 3
	var streams [][]byte
	for i := range 3 {
		streams = append(streams, rleStream(plain.pixels[i*n:(i+1)*n]))
	}
	want := load(t, scan(t, fstest.MapFS{"x": {Data: wantFile}}), 0)

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
		"no table":    encapsulate(newEnhanced(explicitLE, false, frames...), uidRLE, nil, streams...),
		"table":       encapsulate(newEnhanced(explicitLE, false, frames...), uidRLE, table(0, size, 2*size), streams...),
		"wrong table": encapsulate(newEnhanced(explicitLE, false, frames...), uidRLE, table(0, 7, 9), streams...),
		"two fragments": encapsulate(newEnhanced(explicitLE, false, frames...), uidRLE, table(0, size, 2*size+8),
			streams[0], streams[1][:half], streams[1][half:], streams[2]),
		"extended table": encapsulate(newEnhanced(explicitLE, false, frames...).with(tagExtendedOffsetTable,
			rawElement(appendElement(nil, explicitLE, tagExtendedOffsetTable, "OV", extended))), uidRLE, nil, streams...),
	} {
		got := load(t, scan(t, fstest.MapFS{"x": {Data: file}}), 0)
		if !slices.Equal(got.Volume.Data, want.Volume.Data) {
			t.Errorf("%s: the voxels are not those of the plain file", name)
		}
		decoded, err := plainFile("x", file)
		if err != nil {
			t.Fatal(err)
		}
		_, wantSet, _ := bytes.Cut(wantFile, []byte(uidExplicitLE))
		_, gotSet, _ := bytes.Cut(decoded, []byte(uidExplicitLE))
		if !bytes.Equal(gotSet[len(gotSet)-len(wantSet)+64:], wantSet[64:]) {
			t.Errorf("%s: the decoded file is not the plain one", name)
		}
	}

	for name, file := range map[string][]byte{
		"two of three":  encapsulate(newEnhanced(explicitLE, false, frames...), uidRLE, nil, streams[:2]...),
		"four of three": encapsulate(newEnhanced(explicitLE, false, frames...), uidRLE, nil, streams[0], streams[1][:half], streams[1][half:], streams[2]),
		"no fragment":   encapsulate(newEnhanced(explicitLE, false, frames...), uidRLE, nil),
	} {
		c, err := Scan(context.Background(), fstest.MapFS{"x": {Data: file}}, nil)
		if err == nil {
			_, err = c.Load(context.Background(), 0, nil)
		}
		if err == nil {
			t.Errorf("%s: it loads", name)
			continue
		}
		wantError(t, err, "x: ", "; ")
	}
}

// TestFragmentsOfStreams tells frames apart by where JPEG streams begin.
func TestFragmentsOfStreams(t *testing.T) {
	start, more := []byte("\xFF\xD8\xFF\xC3"), []byte("more")
	file := encapsulate(newFake("1", 0, 0).with(tagNumberOfFrames, "2"), uidJPEGLossless, nil, start, more, start, more, more)
	p, err := tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := frameFragments(file, p)
	if err != nil || len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 3 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestDeriveFromCompressed exports from compressed sources and from their plain
// twins: the files must be equal but for the compression that the attributes of
// the source tell of.
func TestDeriveFromCompressed(t *testing.T) {
	write := func(fsys fstest.MapFS) map[string][]byte {
		s := load(t, scan(t, fsys), 0)
		result := volume.New(s.Volume.Geometry)
		for i, v := range s.Volume.Data {
			result.Data[i] = v + 2
		}
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := Write(context.Background(), dir, s, result, testDerived, nil); err != nil {
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
	lossy := func(f *fake) *fake { return f.with(0x00282110, "01").with(0x00282112, "7.5") }
	plain, packed, deflated := fstest.MapFS{}, fstest.MapFS{}, fstest.MapFS{}
	for name, f := range stack(3) {
		b := lossy(f).file()
		plain[name] = &fstest.MapFile{Data: b}
		deflated[name] = &fstest.MapFile{Data: deflate(t, b)}
		packed[name] = &fstest.MapFile{Data: encapsulate(f, uidRLE, nil, rleStream(f.pixels))}
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

// TestLossyStaysSaid decodes a JPEG image whose attributes do not say that it was
// lossy, or deny it: the plain file must say it.
func TestLossyStaysSaid(t *testing.T) {
	stream, err := os.ReadFile(filepath.Join("codec", "testdata", "u8-baseline"))
	if err != nil {
		t.Fatal(err)
	}
	jpeg := func() *fake {
		return newFake("1", 0, 0).with(tagRows, 67).with(tagColumns, 45).with(tagBitsAllocated, 8).
			with(tagBitsStored, 8).with(tagHighBit, 7).with(tagPixelRepresentation, 0)
	}
	for _, f := range []*fake{jpeg(), jpeg().with(tagLossyImageCompression, "00"), jpeg().with(tagLossyImageCompression, "01")} {
		file, err := plainFile("x", encapsulate(f, uidJPEGBaseline, nil, stream))
		if err != nil {
			t.Fatal(err)
		}
		p, err := tokens(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, e := range p.elements {
			if e.tag == tagLossyImageCompression && string(file[e.value:e.end]) == "01" {
				n++
			}
		}
		if e := p.elements[p.pixels]; n != 1 || e.vr != "OB" || e.length != 67*45+1 {
			t.Errorf("said %d times; %d bytes of %s", n, e.length, e.vr)
		}
	}
}

// TestCompressedTooSmall gives headers that promise more than their fragments
// can hold: they are refused before the volume is made.
func TestCompressedTooSmall(t *testing.T) {
	for _, uid := range []string{uidRLE, uidJPEGLossless, "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.90"} {
		f := newFake("1", 0, 0).with(tagRows, 65000).with(tagColumns, 65000)
		c := scan(t, fstest.MapFS{"x": {Data: encapsulate(f, uid, nil, make([]byte, 1000))}})
		wantError(t, c.Entries[0].Err, "x: it holds", "too few for 1 image of 65000 x 65000 pixels")
	}
	f := newFake("1", 0, 0)
	c := scan(t, fstest.MapFS{"x": {Data: append(appendFileMeta(nil, ctClass, "1.2.3.1", uidRLE, "test"), f.dataset()...)}})
	wantError(t, c.Entries[0].Err, "x: ", "not in fragments")
}

// TestBrokenStreams flips bytes in the streams of compressed files: what comes is
// an error of one line that names the file and the codec, or a sound volume.
func TestBrokenStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	failed := 0
	for _, name := range []string{"MR_small_RLE.dcm", "MR_small_jpeg_ls_lossless.dcm", "MR_small_jp2klossless.dcm"} {
		whole, err := os.ReadFile(filepath.Join("testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := tokens(whole)
		if err != nil {
			t.Fatal(err)
		}
		e := p.elements[p.pixels]
		for i := range 100 {
			b := slices.Clone(whole)
			for range 1 + i%5 {
				b[e.value+16+rng.Int64N(e.end-e.value-24)] ^= byte(1 << rng.IntN(8))
			}
			s, err := scan(t, fstest.MapFS{"x.dcm": {Data: b}}).Load(context.Background(), 0, nil)
			if err == nil {
				err = s.Volume.Validate()
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			failed++
			wantError(t, err, "x.dcm: its pixels (", "cannot be decoded", "; ")
			if strings.Contains(err.Error(), "decoder failed") {
				t.Errorf("a panic: %v", err)
			}
		}
	}
	if failed == 0 {
		t.Error("no broken stream was noticed")
	}
}

// TestSyntaxesAreKnown holds the decoders to the table of transfer syntaxes.
func TestSyntaxesAreKnown(t *testing.T) {
	n := 0
	for uid, s := range syntaxes {
		if !codec.Supported(uid) {
			continue
		}
		n++
		if !s.encapsulated || s.encoding != explicitLE {
			t.Errorf("%s (%s) is decoded and not encapsulated", s.name, uid)
		}
	}
	if n != 12 {
		t.Errorf("%d of the syntaxes are decoded", n)
	}
}
