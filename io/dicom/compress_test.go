package dicom

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
	"quell/series"
	"quell/volume"
)

var lossless = []Compression{RLE, JPEGLossless}

// compressing asks for an export that is compressed.
func compressing(c Compression) Derived {
	d := testDerived
	d.Compress = c
	return d
}

// wantPlain compares a compressed export with the plain one of the same series: all
// elements are the same byte for byte, UIDs among them, but for the pixels, which are
// decoded to the same; and the offset table says where each frame's one fragment is.
func wantPlain(t *testing.T, packed, plain string, c Compression, frames int) {
	t.Helper()
	all := names(t, plain)
	if is := names(t, packed); !slices.Equal(is, all) {
		t.Fatalf("files %v, want %v", is, all)
	}
	for _, name := range all {
		file := readSourceFile(t, packed, name)
		want, is := elementBytes(t, readSourceFile(t, plain, name)), elementBytes(t, file)
		p, err := tokens(file)
		if err != nil || p.syntax.uid != c.syntaxUID() || len(is) != len(want) {
			t.Fatalf("%v, %s, %d elements for %d", err, p.syntax.uid, len(is), len(want))
		}
		for tag, b := range want {
			if tag != tagPixelData && !bytes.Equal(is[tag], b) {
				t.Errorf("%v is % x\nwant % x", tag, is[tag], b)
			}
		}
		table, items, err := readItems(file, p.elements[p.pixels])
		if err != nil || len(items) != frames || len(table) != 4*frames {
			t.Fatalf("%d fragments for %d frames, offset table % x, %v", len(items), frames, table, err)
		}
		for i, it := range items {
			if at := binary.LittleEndian.Uint32(table[4*i:]); int64(at) != it.offset || len(it.bytes)%2 != 0 {
				t.Errorf("frame %d of %d bytes lies at %d, the offset table says %d", i, len(it.bytes), it.offset, at)
			}
		}
		decoded, err := plainFile(name, file)
		if err != nil {
			t.Fatal(err)
		}
		if got := elementBytes(t, decoded)[tagPixelData][12:]; !bytes.Equal(got, want[tagPixelData][12:]) {
			t.Errorf("%s: other pixels", name)
		}
	}
}

// with16 gives every image of 16-bit pixels other words.
func with16(fakes map[string]*fake, at func(i int) int) map[string]*fake {
	for _, f := range fakes {
		for i := range len(f.pixels) / 2 {
			binary.LittleEndian.PutUint16(f.pixels[2*i:], uint16(at(i)))
		}
	}
	return fakes
}

func withAll(fakes map[string]*fake, t tagID, v any) map[string]*fake {
	for _, f := range fakes {
		f.with(t, v)
	}
	return fakes
}

// compressedForm is a form of object to be compressed, and what is expected of it.
type compressedForm struct {
	fakes     func() map[string]*fake
	implicit  func() map[string]*fake // nil: as fakes, in implicit little endian
	frames    int
	precision byte // of JPEG
}

// compressedForms are objects of every kind, with words of every kind: with overlays
// above the stored bits or a sign that is repeated there, or shifted up, or of bytes
// whose number is odd.
func compressedForms() map[string]compressedForm {
	stored := func(fakes map[string]*fake, stored, high, signed int) map[string]*fake {
		return withAll(withAll(withAll(fakes, tagBitsStored, stored), tagHighBit, high), tagPixelRepresentation, signed)
	}
	bytesOf := func(f *fake, frames int) *fake {
		f.with(tagRows, 3).with(tagColumns, 3).with(tagBitsAllocated, 8).with(tagBitsStored, 8).with(tagHighBit, 7).with(tagPixelRepresentation, 0)
		f.pixels = make([]byte, 9*frames)
		for i := range f.pixels {
			f.pixels[i] = byte(29 * i)
		}
		f.pixels = append(f.pixels, 0) // the number of bytes is even
		return f
	}
	mosaic := func(enc encoding) *fake {
		f := newMosaic(2, `0\0\1`)
		f.enc = enc
		header := f.values[tagCSAImageHeaderInfo].(rawElement)[12:]
		return f.with(tagCSAImageHeaderInfo, rawElement(appendElement(nil, enc, tagCSAImageHeaderInfo, "OB", header))).
			with(tagCSAPrivateCreator, rawElement(appendElement(nil, enc, tagCSAPrivateCreator, "LO", []byte("SIEMENS CSA HEADER"))))
	}
	one := func(f *fake) map[string]*fake { return map[string]*fake{"m.dcm": f} }
	return map[string]compressedForm{
		"signed": {fakes: func() map[string]*fake { return stack(3) }, frames: 1, precision: 16},
		"12 bits": {fakes: func() map[string]*fake {
			return with16(stored(stack(3), 12, 11, 0), func(i int) int { return 372 * i })
		}, frames: 1, precision: 12},
		"overlay above": {fakes: func() map[string]*fake {
			return with16(stored(stack(3), 12, 11, 0), func(i int) int { return 372*i | i%3<<14 })
		}, frames: 1, precision: 16},
		"repeated sign": {fakes: func() map[string]*fake {
			return with16(stored(stack(3), 12, 11, 1), func(i int) int { return 300*i - 2048 })
		}, frames: 1, precision: 16},
		"shifted": {fakes: func() map[string]*fake {
			return with16(stored(stack(3), 12, 15, 0), func(i int) int { return 372 * i << 4 })
		}, frames: 1, precision: 16},
		"6 bits of a word": {fakes: func() map[string]*fake {
			return with16(stored(stack(3), 6, 5, 0), func(i int) int { return 5 * i })
		}, frames: 1, precision: 16},
		"steps of half": {fakes: func() map[string]*fake {
			return with16(stack(3), func(i int) int { return i % 2 << 15 })
		}, frames: 1, precision: 16},
		"bytes": {fakes: func() map[string]*fake { return one(bytesOf(newFake("5", 0, 0), 1)) }, frames: 1, precision: 8},
		"frames": {
			fakes:    func() map[string]*fake { return one(newEnhanced(explicitLE, false, threeFrames...)) },
			implicit: func() map[string]*fake { return one(newEnhanced(implicitLE, true, threeFrames...)) },
			frames:   3, precision: 16,
		},
		"frames of bytes": {
			fakes:    func() map[string]*fake { return one(bytesOf(newEnhanced(explicitLE, false, threeFrames...), 3)) },
			implicit: func() map[string]*fake { return one(bytesOf(newEnhanced(implicitLE, true, threeFrames...), 3)) },
			frames:   3, precision: 8,
		},
		"mosaic": {
			fakes:    func() map[string]*fake { return one(mosaic(explicitLE)) },
			implicit: func() map[string]*fake { return one(mosaic(implicitLE)) },
			frames:   1, precision: 16,
		},
	}
}

// TestCompressedForms: implicit sources become what explicit ones are.
func TestCompressedForms(t *testing.T) {
	implicit := func(fakes map[string]*fake) map[string]*fake {
		for _, f := range fakes {
			f.enc = implicitLE
		}
		return fakes
	}
	for name, test := range compressedForms() {
		t.Run(name, func(t *testing.T) {
			_, s := onDisk(t, test.fakes())
			plain, _ := export(t, s, testDerived)
			if test.implicit == nil {
				test.implicit = func() map[string]*fake { return implicit(test.fakes()) }
			}
			_, fromImplicit := onDisk(t, test.implicit())
			for _, c := range lossless {
				packed, r := export(t, s, compressing(c))
				again, _ := export(t, fromImplicit, compressing(c))
				if len(r.Warnings) != 0 {
					t.Errorf("%s: %q", c, r.Warnings)
				}
				wantPlain(t, packed, plain, c, test.frames)
				for _, file := range names(t, packed) {
					a, b := readSourceFile(t, packed, file), readSourceFile(t, again, file)
					// What is private is of unknown type where it was implicit.
					b = bytes.Replace(b, []byte("\x29\x00\x10\x10UN"), []byte("\x29\x00\x10\x10OB"), 1)
					if !bytes.Equal(a, b) {
						t.Errorf("%s: %s of an implicit source is not that of an explicit one", c, file)
					}
					if at := bytes.Index(a, []byte{0xFF, 0xC3, 0, 11}); c == JPEGLossless && (at < 0 || a[at+4] != test.precision) {
						t.Errorf("a stream of %d bits, want %d", a[at+4], test.precision)
					}
				}
			}
		})
	}
}

// TestCompressedRun compresses some frames of a multi-frame image.
func TestCompressedRun(t *testing.T) {
	_, s := onDisk(t, map[string]*fake{"m.dcm": newEnhanced(explicitLE, true, threeFrames...)})
	part := *s
	part.Volume, part.Sources = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3)), s.Sources[1:3]
	plain, _ := export(t, &part, testDerived)
	for _, c := range lossless {
		packed, _ := export(t, &part, compressing(c))
		wantPlain(t, packed, plain, c, 2)
	}
}

// TestCompressedExport compresses the bundled series: it is smaller, opens as the
// same series, and dcmtk and GDCM, where they are installed, decode the pixels of the
// plain export.
func TestCompressedExport(t *testing.T) {
	c := scan(t, assets.Series)
	s := load(t, c, c.Default)
	s = &series.Series{Meta: s.Meta, Volume: s.Volume.Crop(volume.Slices(s.Volume.Geometry, 3, 5)), Sources: s.Sources[3:5]}
	plain, _ := export(t, s, testDerived)
	for compression, tools := range map[Compression][][]string{
		RLE:          {{"dcmdrle"}, {"gdcmconv", "--raw"}},
		JPEGLossless: {{"dcmdjpeg"}, {"gdcmconv", "--raw"}},
	} {
		packed, r := export(t, s, compressing(compression))
		if len(r.Warnings) != 0 {
			t.Errorf("%q", r.Warnings)
		}
		wantPlain(t, packed, plain, compression, 1)
		unpacked, back := load(t, scan(t, os.DirFS(plain)), 0), load(t, scan(t, os.DirFS(packed)), 0)
		if back.Volume.Geometry != unpacked.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
			t.Error("the series came back differently")
		}
		for _, name := range names(t, packed) {
			want := elementBytes(t, readSourceFile(t, plain, name))[tagPixelData]
			if is := elementBytes(t, readSourceFile(t, packed, name))[tagPixelData]; len(is) >= len(want)*3/4 {
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
				other := elementBytes(t, readSourceFile(t, filepath.Dir(out), filepath.Base(out)))
				if got := other[tagPixelData]; len(got) < 12 || !bytes.Equal(got[12:], want[12:]) {
					t.Errorf("%s reads other pixels", command[0])
				}
			}
		}
	}
}

// TestCompressedNew compresses a series that has no DICOM source.
func TestCompressedNew(t *testing.T) {
	_, s := onDisk(t, stack(3))
	s.Sources = nil
	for _, c := range lossless {
		out := filepath.Join(t.TempDir(), "out")
		if _, err := WriteNew(context.Background(), out, s, compressing(c), nil); err != nil {
			t.Fatal(err)
		}
		entry := scan(t, os.DirFS(out))
		if back := load(t, entry, 0); !slices.Equal(back.Volume.Data, s.Volume.Data) || back.TransferSyntax != c.syntaxUID() {
			t.Errorf("%s: the series came back differently", c)
		}
	}
}

// TestNotCompressible writes plainly, and says so, what compressed files cannot hold,
// and refuses a compression that it does not know.
func TestNotCompressible(t *testing.T) {
	big, wide := stack(2), stack(2)
	for _, f := range big {
		f.enc = explicitBE
	}
	for _, f := range wide {
		f.with(tagBitsAllocated, 32).with(tagBitsStored, 32).with(tagHighBit, 31)
		f.pixels = slices.Concat(f.pixels, f.pixels)
	}
	for name, fakes := range map[string]map[string]*fake{"big endian": big, "32 bits": wide} {
		_, s := onDisk(t, fakes)
		plain, _ := export(t, s, testDerived)
		packed, r := export(t, s, compressing(JPEGLossless))
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "2 files are not compressed") {
			t.Errorf("%s: %q", name, r.Warnings)
		}
		for _, file := range names(t, plain) {
			if !bytes.Equal(readSourceFile(t, packed, file), readSourceFile(t, plain, file)) {
				t.Errorf("%s: %s is not the plain file", name, file)
			}
		}
	}
	_, s := onDisk(t, stack(2))
	out := filepath.Join(t.TempDir(), "out")
	_, err := Write(context.Background(), out, s, s.Volume, compressing("zip"), nil)
	wantError(t, err, `no compression is called "zip"`)
	_, err = WriteNew(context.Background(), out, s, compressing("zip"), nil)
	wantError(t, err, `no compression is called "zip"`)
}

// TestEncapsulatedBytes: the length by which too large pixels are refused is theirs.
func TestEncapsulatedBytes(t *testing.T) {
	for _, streams := range [][][]byte{{{1, 2}}, {{1, 2, 3, 4}, {5, 6}, make([]byte, 1000)}} {
		if want := len(appendEncapsulated(nil, streams)); encapsulatedBytes(streams) != int64(want) {
			t.Errorf("%d streams: %d bytes, are %d", len(streams), encapsulatedBytes(streams), want)
		}
	}
}

// TestExplicitVR gives elements of implicit files the types that PS3.5 annex A.1 and
// PS3.6 give them.
func TestExplicitVR(t *testing.T) {
	for tag, want := range map[tagID][2]string{ // unsigned, signed
		tagPixelPaddingValue: {"US", "SS"},
		tagPixelData:         {"OW", "OW"},
		0x00283006:           {"OW", "OW"}, // LUT Data
		0x60000010:           {"US", "US"}, // Overlay Rows
		0x60023000:           {"OW", "OW"}, // Overlay Data of the second overlay
		0x00290010:           {"LO", "LO"}, // a private creator,
		0x00291010:           {"UN", "UN"}, // and what it reserved
		tagRows:              {"US", "US"},
		0x00081140:           {"SQ", "SQ"},
	} {
		if is := [2]string{explicitVR(tag, false), explicitVR(tag, true)}; is != want {
			t.Errorf("%v: %v, want %v", tag, is, want)
		}
	}
}

// TestLongText writes a text that is too long for the length of its type as unknown.
func TestLongText(t *testing.T) {
	fakes := stack(2)
	long := strings.Repeat("long ", 20000)
	for _, f := range fakes {
		f.enc = implicitLE
		f.with(0x00204000, long) // Image Comments
	}
	_, s := onDisk(t, fakes)
	packed, _ := export(t, s, compressing(RLE))
	got := elementBytes(t, readSourceFile(t, packed, sliceName(0)))[0x00204000]
	if want := appendElement(nil, explicitLE, 0x00204000, "UN", []byte(long)); !bytes.Equal(got, want) {
		t.Errorf("% x of %d bytes", got[:12], len(got))
	}
}

// TestCompressedBroken makes explicit, and compresses, what flipped bits left of an
// implicit multi-frame file that still opens: a sound file comes, or a sentence.
func TestCompressedBroken(t *testing.T) {
	whole := newEnhanced(implicitLE, true, threeFrames...).file()
	derived := 0
	for i := 132; i < len(whole); i++ {
		for _, flip := range []byte{1, 0x80} {
			b := bytes.Clone(whole)
			b[i] ^= flip
			c, err := Scan(context.Background(), fstest.MapFS{"x": {Data: b}}, nil)
			if err != nil || len(c.Entries) == 0 {
				continue
			}
			s, err := c.Load(context.Background(), 0, nil)
			if err != nil {
				continue
			}
			what := fmt.Sprintf("byte %d ^ %d", i, flip)
			if err := deriveOne(t, what, s, b, JPEGLossless); err != nil {
				wantSentence(t, what, err)
			} else {
				derived++
			}
		}
	}
	if derived < 1000 {
		t.Errorf("only %d files were derived", derived)
	}
}
