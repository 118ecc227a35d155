package derive_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/assets"
	"quell/io/dicom"
	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

var lossless = []pixel.Compression{pixel.RLE, pixel.JPEGLossless}

// compressing asks for an export that is compressed.
func compressing(c pixel.Compression) derive.Derived {
	d := dicomtest.TestDerived
	d.Compress = c
	return d
}

// wantPlain compares a compressed export with the plain one of the same series: all
// elements are the same byte for byte, UIDs among them, but for the pixels, which are
// decoded to the same; and the offset table gives the place of each frame's one
// fragment.
func wantPlain(t *testing.T, packed, plain string, c pixel.Compression, frames int) {
	t.Helper()
	all := dicomtest.Names(t, plain)
	if is := dicomtest.Names(t, packed); !slices.Equal(is, all) {
		t.Fatalf("files %v, want %v", is, all)
	}
	for _, name := range all {
		file := dicomtest.ReadSourceFile(t, packed, name)
		want, is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, plain, name)), dicomtest.ElementBytes(t, file)
		p, err := dicomtest.Tokens(file)
		if err != nil || p.Syntax.UID != c.SyntaxUID() || len(is) != len(want) {
			t.Fatalf("%v, %s, %d elements for %d", err, p.Syntax.UID, len(is), len(want))
		}
		for tag, b := range want {
			// Another encoding is another instance of another series.
			same, ours := bytes.Equal(is[tag], b), tag == part10.TagSOPInstanceUID || tag == part10.TagSeriesInstanceUID
			if tag != part10.TagPixelData && same == ours {
				t.Errorf("%v is % x\nin the plain export % x", tag, is[tag], b)
			}
		}
		table, items, err := part10.ReadFragments(file, p.Elements[p.PixelIndex])
		if err != nil || len(items) != frames || len(table) != 4*frames {
			t.Fatalf("%d fragments for %d frames, offset table % x, %v", len(items), frames, table, err)
		}
		for i, it := range items {
			if at := binary.LittleEndian.Uint32(table[4*i:]); int64(at) != it.Offset || len(it.Bytes)%2 != 0 {
				t.Errorf("frame %d of %d bytes lies at %d, the offset table says %d", i, len(it.Bytes), it.Offset, at)
			}
		}
		decoded, _, err := instance.OpenSource(name, file)
		if err != nil {
			t.Fatal(err)
		}
		if got := dicomtest.ElementBytes(t, decoded.Bytes)[part10.TagPixelData][12:]; !bytes.Equal(got, want[part10.TagPixelData][12:]) {
			t.Errorf("%s: other pixels", name)
		}
	}
}

// with16 gives every image of 16-bit pixels other words.
func with16(fakes map[string]*dicomtest.Fake, at func(i int) int) map[string]*dicomtest.Fake {
	for _, f := range fakes {
		for i := range len(f.Pixels) / 2 {
			binary.LittleEndian.PutUint16(f.Pixels[2*i:], uint16(at(i)))
		}
	}
	return fakes
}

func withAll(fakes map[string]*dicomtest.Fake, t part10.Tag, v any) map[string]*dicomtest.Fake {
	for _, f := range fakes {
		f.With(t, v)
	}
	return fakes
}

// compressedForm is a form of object to be compressed, and the expected result.
type compressedForm struct {
	fakes     func() map[string]*dicomtest.Fake
	implicit  func() map[string]*dicomtest.Fake // nil: as fakes, in implicit little endian
	frames    int
	precision byte // of JPEG
}

// compressedForms are objects of every kind, with words of every kind: with overlays
// above the stored bits or a sign that is repeated there, or shifted up, or of an
// odd number of bytes.
func compressedForms() map[string]compressedForm {
	stored := func(fakes map[string]*dicomtest.Fake, stored, high, signed int) map[string]*dicomtest.Fake {
		return withAll(withAll(withAll(fakes, part10.TagBitsStored, stored), part10.TagHighBit, high), part10.TagPixelRepresentation, signed)
	}
	bytesOf := func(f *dicomtest.Fake, frames int) *dicomtest.Fake {
		f.With(part10.TagRows, 3).With(part10.TagColumns, 3).With(part10.TagBitsAllocated, 8).With(part10.TagBitsStored, 8).With(part10.TagHighBit, 7).With(part10.TagPixelRepresentation, 0)
		f.Pixels = make([]byte, 9*frames)
		for i := range f.Pixels {
			f.Pixels[i] = byte(29 * i)
		}
		f.Pixels = append(f.Pixels, 0) // the number of bytes is even
		return f
	}
	mosaic := func(enc part10.Encoding) *dicomtest.Fake {
		f := dicomtest.NewMosaic(2, `0\0\1`)
		f.Enc = enc
		header := f.Values[part10.TagSiemensCSAImageHeader].(dicomtest.RawElement)[12:]
		return f.With(part10.TagSiemensCSAImageHeader, dicomtest.RawElement(part10.AppendElement(nil, enc, part10.TagSiemensCSAImageHeader, "OB", header))).
			Own(part10.TagSiemensCSAImageHeader)
	}
	one := func(f *dicomtest.Fake) map[string]*dicomtest.Fake { return map[string]*dicomtest.Fake{"m.dcm": f} }
	return map[string]compressedForm{
		"signed": {fakes: func() map[string]*dicomtest.Fake { return dicomtest.Stack(3) }, frames: 1, precision: 16},
		"12 bits": {fakes: func() map[string]*dicomtest.Fake {
			return with16(stored(dicomtest.Stack(3), 12, 11, 0), func(i int) int { return 372 * i })
		}, frames: 1, precision: 12},
		"overlay above": {fakes: func() map[string]*dicomtest.Fake {
			return with16(stored(dicomtest.Stack(3), 12, 11, 0), func(i int) int { return 372*i | i%3<<14 })
		}, frames: 1, precision: 16},
		"repeated sign": {fakes: func() map[string]*dicomtest.Fake {
			return with16(stored(dicomtest.Stack(3), 12, 11, 1), func(i int) int { return 300*i - 2048 })
		}, frames: 1, precision: 16},
		"shifted": {fakes: func() map[string]*dicomtest.Fake {
			return with16(stored(dicomtest.Stack(3), 12, 15, 0), func(i int) int { return 372 * i << 4 })
		}, frames: 1, precision: 16},
		"6 bits of a word": {fakes: func() map[string]*dicomtest.Fake {
			return with16(stored(dicomtest.Stack(3), 6, 5, 0), func(i int) int { return 5 * i })
		}, frames: 1, precision: 16},
		"steps of half": {fakes: func() map[string]*dicomtest.Fake {
			return with16(dicomtest.Stack(3), func(i int) int { return i % 2 << 15 })
		}, frames: 1, precision: 16},
		"bytes": {fakes: func() map[string]*dicomtest.Fake { return one(bytesOf(dicomtest.NewFake("5", 0, 0), 1)) }, frames: 1, precision: 8},
		"frames": {
			fakes: func() map[string]*dicomtest.Fake {
				return one(dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...))
			},
			implicit: func() map[string]*dicomtest.Fake {
				return one(dicomtest.NewEnhanced(part10.ImplicitLE, true, dicomtest.ThreeFrames...))
			},
			frames: 3, precision: 16,
		},
		"frames of bytes": {
			fakes: func() map[string]*dicomtest.Fake {
				return one(bytesOf(dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...), 3))
			},
			implicit: func() map[string]*dicomtest.Fake {
				return one(bytesOf(dicomtest.NewEnhanced(part10.ImplicitLE, true, dicomtest.ThreeFrames...), 3))
			},
			frames: 3, precision: 8,
		},
		"mosaic": {
			fakes:    func() map[string]*dicomtest.Fake { return one(mosaic(part10.ExplicitLE)) },
			implicit: func() map[string]*dicomtest.Fake { return one(mosaic(part10.ImplicitLE)) },
			frames:   1, precision: 16,
		},
	}
}

// TestCompressedForms compresses every form of image; implicit sources give the same files as explicit ones.
func TestCompressedForms(t *testing.T) {
	implicit := func(fakes map[string]*dicomtest.Fake) map[string]*dicomtest.Fake {
		for _, f := range fakes {
			f.Enc = part10.ImplicitLE
		}
		return fakes
	}
	for name, test := range compressedForms() {
		t.Run(name, func(t *testing.T) {
			_, s := dicomtest.OnDisk(t, test.fakes())
			plain, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
			if test.implicit == nil {
				test.implicit = func() map[string]*dicomtest.Fake { return implicit(test.fakes()) }
			}
			_, fromImplicit := dicomtest.OnDisk(t, test.implicit())
			for _, c := range lossless {
				packed, r := dicomtest.Export(t, s, compressing(c))
				again, _ := dicomtest.Export(t, fromImplicit, compressing(c))
				if len(r.Warnings) != 0 {
					t.Errorf("%s: %q", c, r.Warnings)
				}
				wantPlain(t, packed, plain, c, test.frames)
				for _, file := range dicomtest.Names(t, packed) {
					a, b := dicomtest.ReadSourceFile(t, packed, file), dicomtest.ReadSourceFile(t, again, file)
					// A private element is of unknown type if it was implicit.
					b = bytes.Replace(b, []byte("\x29\x00\x10\x10UN"), []byte("\x29\x00\x10\x10OB"), 1)
					if !bytes.Equal(a, b) {
						t.Errorf("%s: %s of an implicit source is not that of an explicit one", c, file)
					}
					if at := bytes.Index(a, []byte{0xFF, 0xC3, 0, 11}); c == pixel.JPEGLossless && (at < 0 || a[at+4] != test.precision) {
						t.Errorf("a stream of %d bits, want %d", a[at+4], test.precision)
					}
				}
			}
		})
	}
}

// TestCompressedRun compresses some frames of a multi-frame image.
func TestCompressedRun(t *testing.T) {
	_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": dicomtest.NewEnhanced(part10.ExplicitLE, true, dicomtest.ThreeFrames...)})
	part := *s
	part.Volume, part.Sources = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3)), s.Sources[1:3]
	plain, _ := dicomtest.Export(t, &part, dicomtest.TestDerived)
	for _, c := range lossless {
		packed, _ := dicomtest.Export(t, &part, compressing(c))
		wantPlain(t, packed, plain, c, 2)
	}
}

// TestCompressedExport compresses the bundled series: it is smaller, opens as the
// same series, and dcmtk and GDCM, if they are installed, decode the pixels of the
// plain export.
func TestCompressedExport(t *testing.T) {
	c := dicomtest.Scan(t, assets.Series)
	s := dicomtest.Load(t, c, c.Default)
	s = &series.Series{Meta: s.Meta, Volume: s.Volume.Crop(volume.Slices(s.Volume.Geometry, 3, 5)), Sources: s.Sources[3:5]}
	plain, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
	for compression, tools := range map[pixel.Compression][][]string{
		pixel.RLE:          {{"dcmdrle"}, {"gdcmconv", "--raw"}},
		pixel.JPEGLossless: {{"dcmdjpeg"}, {"gdcmconv", "--raw"}},
	} {
		packed, r := dicomtest.Export(t, s, compressing(compression))
		if len(r.Warnings) != 0 {
			t.Errorf("%q", r.Warnings)
		}
		wantPlain(t, packed, plain, compression, 1)
		unpacked, back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(plain)), 0), dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(packed)), 0)
		if back.Volume.Geometry != unpacked.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
			t.Error("the series came back differently")
		}
		for _, name := range dicomtest.Names(t, packed) {
			want := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, plain, name))[part10.TagPixelData]
			if is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, packed, name))[part10.TagPixelData]; len(is) >= len(want)*3/4 {
				t.Errorf("%s: %d bytes of pixels for %d", compression, len(is), len(want))
			}
			for _, command := range tools {
				if _, err := exec.LookPath(command[0]); err != nil {
					t.Logf("%s is not installed", command[0])
					continue
				}
				out := filepath.Join(t.TempDir(), "plain.dcm")
				if text, err := exec.Command(command[0], append(command[1:], filepath.Join(packed, name), out)...).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", command[0], err, text)
					continue
				}
				other := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, filepath.Dir(out), filepath.Base(out)))
				if got := other[part10.TagPixelData]; len(got) < 12 || !bytes.Equal(got[12:], want[12:]) {
					t.Errorf("%s reads other pixels", command[0])
				}
			}
		}
	}
}

// TestCompressedNew compresses a series that has no DICOM source.
func TestCompressedNew(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	s.Sources = nil
	for _, c := range lossless {
		out := filepath.Join(t.TempDir(), "out")
		if _, err := dicomtest.WriteNew(context.Background(), out, s, compressing(c), nil); err != nil {
			t.Fatal(err)
		}
		entry := dicomtest.Scan(t, os.DirFS(out))
		if back := dicomtest.Load(t, entry, 0); !slices.Equal(back.Volume.Data, s.Volume.Data) || back.TransferSyntax != c.SyntaxUID() {
			t.Errorf("%s: the series came back differently", c)
		}
	}
}

// TestNotCompressible writes uncompressed, with a warning, what compressed files cannot hold.
func TestNotCompressible(t *testing.T) {
	big, wide := dicomtest.Stack(2), dicomtest.Stack(2)
	for _, f := range big {
		f.Enc = part10.ExplicitBE
	}
	for _, f := range wide {
		f.With(part10.TagBitsAllocated, 32).With(part10.TagBitsStored, 32).With(part10.TagHighBit, 31)
		f.Pixels = slices.Concat(f.Pixels, f.Pixels)
	}
	for name, fakes := range map[string]map[string]*dicomtest.Fake{"big endian": big, "32 bits": wide} {
		_, s := dicomtest.OnDisk(t, fakes)
		plain, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
		packed, r := dicomtest.Export(t, s, compressing(pixel.JPEGLossless))
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), "2 files are not compressed") {
			t.Errorf("%s: %q", name, r.Warnings)
		}
		for _, file := range dicomtest.Names(t, plain) {
			if !bytes.Equal(dicomtest.ReadSourceFile(t, packed, file), dicomtest.ReadSourceFile(t, plain, file)) {
				t.Errorf("%s: %s is not the plain file", name, file)
			}
		}
	}
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	out := filepath.Join(t.TempDir(), "out")
	_, err := dicomtest.WriteAs(context.Background(), out, s, s.Volume, compressing("zip"), nil)
	dicomtest.WantError(t, err, `no compression is called "zip"`)
	_, err = dicomtest.WriteNew(context.Background(), out, s, compressing("zip"), nil)
	dicomtest.WantError(t, err, `no compression is called "zip"`)
}

// TestEncapsulatedBytes compares the computed length of compressed pixels with the real one.
func TestEncapsulatedBytes(t *testing.T) {
	for _, streams := range [][][]byte{{{1, 2}}, {{1, 2, 3, 4}, {5, 6}, make([]byte, 1000)}} {
		if want := len(pixel.AppendEncapsulated(nil, streams)); pixel.EncapsulatedBytes(pixel.Lengths(streams)) != int64(want) {
			t.Errorf("%d streams: %d bytes, are %d", len(streams), pixel.EncapsulatedBytes(pixel.Lengths(streams)), want)
		}
	}
}

// TestLongText writes a text that is too long for the length of its type as unknown.
func TestLongText(t *testing.T) {
	fakes := dicomtest.Stack(2)
	long := strings.Repeat("long ", 20000)
	for _, f := range fakes {
		f.Enc = part10.ImplicitLE
		f.With(0x00204000, long) // Image Comments
	}
	_, s := dicomtest.OnDisk(t, fakes)
	packed, _ := dicomtest.Export(t, s, compressing(pixel.RLE))
	got := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, packed, dicomtest.SliceName(0)))[0x00204000]
	if want := part10.AppendElement(nil, part10.ExplicitLE, 0x00204000, "UN", []byte(long)); !bytes.Equal(got, want) {
		t.Errorf("% x of %d bytes", got[:12], len(got))
	}
}

// TestCompressedBroken makes implicit files with flipped bits explicit and compresses them.
func TestCompressedBroken(t *testing.T) {
	whole := dicomtest.NewEnhanced(part10.ImplicitLE, true, dicomtest.ThreeFrames...).File()
	derived := 0
	for i := 132; i < len(whole); i++ {
		for _, flip := range []byte{1, 0x80} {
			b := bytes.Clone(whole)
			b[i] ^= flip
			c, err := dicom.Scan(context.Background(), fstest.MapFS{"x": {Data: b}}, nil)
			if err != nil || len(c.Entries) == 0 {
				continue
			}
			s, err := c.Load(context.Background(), 0, nil)
			if err != nil {
				continue
			}
			what := fmt.Sprintf("byte %d ^ %d", i, flip)
			if err := dicomtest.DeriveOne(t, what, s, b, pixel.JPEGLossless); err != nil {
				dicomtest.WantSentence(t, what, err)
			} else {
				derived++
			}
		}
	}
	if derived < 1000 {
		t.Errorf("only %d files were derived", derived)
	}
}
