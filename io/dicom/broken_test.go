package dicom_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// survive does with one file all that a user does: the list, the pictures, the
// voxels, the derived file. It returns the first error, which is a sentence, or
// nil if the file is a sound volume.
func survive(t *testing.T, what string, b []byte) (failed error) {
	t.Helper()
	ctx := context.Background()
	c, err := dicom.Scan(ctx, fstest.MapFS{"x.dcm": {Data: b}}, nil)
	if err != nil {
		dicomtest.WantSentence(t, what, err)
		return err
	}
	for i, e := range c.Entries {
		for _, f := range slices.Concat(c.Findings, e.Findings) {
			dicomtest.WantWords(t, what, f.Text.String())
		}
		_, pictured := c.Thumbnail(ctx, i, 64)
		s, err := c.Load(ctx, i, nil)
		if err != nil {
			dicomtest.WantSentence(t, what, err)
			failed = err
			continue
		}
		if pictured != nil {
			dicomtest.WantSentence(t, what, pictured) // of a volume the picture shows one slice
		}
		if err := s.Volume.Validate(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := dicomtest.DeriveOne(t, what, s, b, pixel.Uncompressed); err != nil {
			dicomtest.WantSentence(t, what, err)
		}
	}
	return failed
}

// streamFiles returns a file for each transfer syntax with compressed pixels, of
// streams that the codecs are tested with.
func streamFiles(t testing.TB) map[string][]byte {
	t.Helper()
	var facts []struct {
		Name, Syntax                  string
		Rows, Cols, Allocated, Stored int
		Signed                        bool
	}
	b, err := os.ReadFile(filepath.Join("codec", "testdata", "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &facts); err != nil {
		t.Fatal(err)
	}
	files, had := map[string][]byte{}, map[string]bool{}
	for _, x := range facts {
		if had[x.Syntax] {
			continue
		}
		had[x.Syntax] = true
		stream, err := os.ReadFile(filepath.Join("codec", "testdata", x.Name))
		if err != nil {
			t.Fatal(err)
		}
		sign := 0
		if x.Signed {
			sign = 1
		}
		f := dicomtest.NewFake("1", 0, 0).With(part10.TagRows, x.Rows).With(part10.TagColumns, x.Cols).With(part10.TagPixelRepresentation, sign).
			With(part10.TagBitsAllocated, x.Allocated).With(part10.TagBitsStored, x.Stored).With(part10.TagHighBit, x.Stored-1)
		files[x.Syntax] = dicomtest.Encapsulate(f, x.Syntax, nil, append(stream, make([]byte, len(stream)%2)...))
	}
	return files
}

// wholeFiles returns sound files: one in every transfer syntax, every kind of
// object, and real ones.
func wholeFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := streamFiles(t)
	files["multi-frame"] = dicomtest.NewEnhanced(part10.ExplicitLE, true, dicomtest.ThreeFrames...).File()
	files["big endian"] = dicomtest.NewEnhanced(part10.ExplicitBE, false, dicomtest.ThreeFrames...).File()
	files["implicit"] = dicomtest.NewEnhanced(part10.ImplicitLE, true, dicomtest.ThreeFrames...).File()
	files["mosaic"] = dicomtest.NewMosaic(2, `0\0\1`).File()
	files["uih"] = dicomtest.NewUIHTiles(part10.ExplicitLE, 40).File()
	files["deflated"] = dicomtest.Deflate(t, dicomtest.NewFake("1", 0, 0).File())
	for _, name := range []string{"MR_small.dcm", "MR_small_implicit.dcm", "MR_small_bigendian.dcm", "ct-2062.dcm"} {
		b, err := os.ReadFile(filepath.Join("testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files
}

// cutOff are the ways to say that a file has lost its end.
var cutOff = regexp.MustCompile(`is truncated|ends before its pixel data|ends too early|it is not a DICOM file`)

// TestBrokenFiles truncates files at 200 places and flips bits: no truncated file may be read as
// complete, and nothing may panic, allocate more than the file could hold, or give an
// error that is no plain sentence.
func TestBrokenFiles(t *testing.T) {
	places := 200
	if testing.Short() {
		places = 20
	}
	for name, whole := range wholeFiles(t) {
		t.Run(name, func(t *testing.T) {
			if err := survive(t, "whole", whole); err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(3, 4))
			before := allocated()
			for i := range 2 * places {
				b, what := whole[:i*len(whole)/places%len(whole)], fmt.Sprintf("cut %d", i)
				if i >= places {
					b, what = slices.Clone(whole), fmt.Sprintf("change %d", i)
					for range 1 + i%2*rng.IntN(200) {
						b[rng.IntN(len(b))] ^= byte(1 << rng.IntN(8))
					}
				}
				err := survive(t, what, b)
				if i < places && (err == nil || !cutOff.MatchString(err.Error())) {
					t.Fatalf("%s of %d bytes: %v", what, len(b), err)
				}
			}
			// A decoder in its sandbox begins with memory that is used again.
			if used := (allocated() - before) / uint64(2*places); used > 2<<20+64*uint64(len(whole)) {
				t.Errorf("%d bytes allocated a time for a file of %d", used, len(whole))
			}
		})
	}
}

// allocated returns the bytes that were ever allocated on the heap.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// rearranged returns a file of f's attributes in the order that arrange makes.
func rearranged(t *testing.T, f *dicomtest.Fake, arrange func([][]byte) [][]byte) []byte {
	t.Helper()
	whole := f.File()
	p, err := dicomtest.Tokens(whole)
	if err != nil {
		t.Fatal(err)
	}
	var elements [][]byte
	for _, e := range p.Elements {
		elements = append(elements, whole[e.Start:e.End])
	}
	return append(slices.Clone(whole[:p.DatasetStart()]), slices.Concat(arrange(elements)...)...)
}

// TestMisorderedAttributes derives from files with attributes that are out of order or
// duplicated.
func TestMisorderedAttributes(t *testing.T) {
	series := part10.AppendElement(nil, part10.ExplicitLE, part10.TagSeriesInstanceUID, "UI", []byte("1.2.3.2"))
	for name, arrange := range map[string]func([][]byte) [][]byte{
		"backwards":     func(e [][]byte) [][]byte { slices.Reverse(e[1:]); return e },
		"pixels first":  func(e [][]byte) [][]byte { return append([][]byte{e[0], e[len(e)-1]}, e[1:len(e)-1]...) },
		"twice":         func(e [][]byte) [][]byte { return slices.Insert(e, 5, series, series) },
		"behind pixels": func(e [][]byte) [][]byte { return append(e, series) },
		"meta astray": func(e [][]byte) [][]byte {
			return append(e, part10.AppendElement(nil, part10.ExplicitLE, part10.TagTransferSyntaxUID, "UI", []byte(part10.UIDImplicitLE)))
		},
		"private first": func(e [][]byte) [][]byte {
			return slices.Insert(e, 1, part10.AppendElement(nil, part10.ExplicitLE, 0x7FE10010, "LO", []byte("PRIVATE")))
		},
	} {
		b := rearranged(t, dicomtest.NewFake("1", 0, 0), arrange)
		s := dicomtest.Load(t, dicomtest.Scan(t, fstest.MapFS{"x.dcm": {Data: b}}), 0)
		if err := dicomtest.DeriveOne(t, name, s, b, pixel.Uncompressed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := dicomtest.Encapsulate(dicomtest.NewFake("1", 0, 0), part10.UIDRLE, nil, dicomtest.RleStream(make([]byte, 24)))
	group := part10.AppendElement(nil, part10.ExplicitLE, 0x7FE10010, "LO", []byte("PRIVATE"))
	first := bytes.Index(b, []byte{8, 0, 5, 0, 'C', 'S'})
	b = slices.Insert(b, first+8+len("ISO_IR 100"), group...)
	s := dicomtest.Load(t, dicomtest.Scan(t, fstest.MapFS{"x.dcm": {Data: b}}), 0)
	if err := dicomtest.DeriveOne(t, "compressed", s, b, pixel.Uncompressed); err != nil {
		t.Error(err)
	}
}

// TestErrorTextsOfBrokenFiles checks the texts of errors about broken files.
func TestErrorTextsOfBrokenFiles(t *testing.T) {
	plain := dicomtest.NewFake("1", 0, 0).File()
	pixels := bytes.LastIndex(plain, []byte{0xE0, 0x7F, 0x10, 0})
	// grown returns a multi-frame file with one byte of the first frame's position
	// group made larger: a length inside it.
	grown := func(offset int) []byte {
		b := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).File()
		b[bytes.Index(b, []byte{0x20, 0, 0x13, 0x91, 'S', 'Q'})+offset] += 4
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"no pixels": {plain[:pixels], "it describes an image and ends before its pixel data"},
		"control characters": {
			dicomtest.NewFake("1", 0, 0).With(part10.TagPhotometricInterpretation, "MONO\nCHROME\x00\x1b2").File(),
			"its pixels are MONO\uFFFDCHROME\uFFFD\uFFFD2, not grey values"},
		"long text": {
			dicomtest.NewFake("1", 0, 0).With(part10.TagPhotometricInterpretation, strings.Repeat("LONG", 1000)).File(),
			"its pixels are " + strings.Repeat("LONG", 16) + "…, not grey values"},
		"retired": {
			dicomtest.Encapsulate(dicomtest.NewFake("1", 0, 0), "1.2.840.10008.1.2.4.55", nil, []byte("\xFF\xD8")),
			"its transfer syntax JPEG Full Progression, Non-Hierarchical (Process 10 and 12) (1.2.840.10008.1.2.4.55) is not read"},
		"private": {
			dicomtest.Encapsulate(dicomtest.NewFake("1", 0, 0), "1.2.3\x01.4", nil, []byte("\xFF\xD8")),
			"its transfer syntax 1.2.3\uFFFD.4 is not known"},
		"one bit": {
			dicomtest.NewFake("1", 0, 0).With(part10.TagBitsAllocated, 1).With(part10.TagBitsStored, 1).With(part10.TagHighBit, 0).With(part10.TagPixelData, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagPixelData, "OB", []byte{1, 2}))).File(),
			"1 bits allocated"},
		"colour": {
			dicomtest.NewFake("1", 0, 0).With(part10.TagSamplesPerPixel, 3).With(part10.TagPhotometricInterpretation, "RGB").File(),
			"it is a colour image (RGB)"},
		"long item":    {grown(12 + 4), "an item runs out of its sequence"},
		"long element": {grown(12 + 8 + 6), "an element runs out of its item"},
		"item outside": {
			slices.Concat(plain[:pixels], binary.LittleEndian.AppendUint32([]byte{0xFE, 0xFF, 0, 0xE0}, part10.UndefinedLength), plain[pixels:]),
			"(FFFE,E000) has no length"},
	} {
		err := survive(t, name, c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: it says %v, want %q", name, err, c.want)
		}
	}
}

// TestAdviceHelps has a truncated file, which another copy may mend, and complete files
// that contradict themselves, which it cannot.
func TestAdviceHelps(t *testing.T) {
	whole := dicomtest.NewFake("1", 0, 0).File()
	for name, c := range map[string]struct {
		file   []byte
		advice string
	}{
		"truncated":      {whole[:len(whole)-5], part10.AdviseCopy.String()},
		"without pixels": {whole[:len(whole)-36], part10.AdviseCopy.String()},
		"frames":         {dicomtest.NewFake("1", 0, 0).With(part10.TagNumberOfFrames, "5000").File(), part10.AdviseExport.String()},
		"size":           {dicomtest.NewFake("1", 0, 0).With(part10.TagRows, 300).File(), part10.AdviseExport.String()},
		"stream":         {dicomtest.Encapsulate(dicomtest.NewFake("1", 0, 0), part10.UIDJPEGLossless, nil, []byte("\xFF\xD8 no JPEG at all")), part10.AdviseExport.String()},
		"value":          {dicomtest.NewFake("1", 0, 0).With(part10.TagRows, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagRows, "UL", []byte{3, 0}))).File(), part10.AdviseExport.String()},
	} {
		var e *part10.Error
		if err := survive(t, name, c.file); !errors.As(err, &e) || e.Advice.String() != c.advice {
			t.Errorf("%s: %v, want the advice %q", name, err, c.advice)
		}
	}
	colour := dicomtest.NewFake("1", 0, 0).With(part10.TagSamplesPerPixel, 3).With(part10.TagPhotometricInterpretation, "RGB").File()
	dicomtest.WantError(t, survive(t, "colour", colour), "only grey-scale images are read from DICOM", "convert this one to grey scale first")
}

// TestWrongSize states more pixels in the header than the streams have: that is found before memory for
// them is allocated.
func TestWrongSize(t *testing.T) {
	for uid, b := range streamFiles(t) {
		for _, tag := range []part10.Tag{part10.TagRows, part10.TagColumns} {
			at := bytes.Index(b, part10.AppendElementHeader(nil, part10.ExplicitLE, tag, "US", 2)) + 8
			wide := slices.Clone(b)
			binary.LittleEndian.PutUint16(wide[at:], 30000)
			before := allocated()
			err := survive(t, uid, wide)
			if used := allocated() - before; err == nil || used > 1<<20 {
				t.Errorf("%s with 30000 at %v: %v, %d bytes allocated", uid, tag, err, used)
			}
		}
	}
}

// TestBrokenSlice breaks one file of a series: the series is refused and the error names the file.
func TestBrokenSlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for i := range 120 {
		files := dicomtest.FilesOf(dicomtest.Stack(3))
		name := slices.Sorted(maps.Keys(files))[i%3]
		b := files[name].Data
		if i < 60 {
			b = b[:i*len(b)/60]
		} else {
			b[rng.IntN(len(b))] ^= byte(1 << rng.IntN(8))
		}
		files[name].Data = b
		c, err := dicom.Scan(context.Background(), files, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, e := range c.Entries {
			s, err := c.Load(context.Background(), k, nil)
			switch {
			case err != nil && !strings.Contains(err.Error(), name):
				t.Errorf("case %d: %v does not name %s", i, err, name)
			case err == nil && s.Volume.Validate() != nil:
				t.Errorf("case %d: %v", i, s.Volume.Validate())
			case err == nil && i < 60 && len(slices.Concat(e.Findings, c.Findings)) == 0:
				t.Errorf("cut %d: the series loads and nothing is said", i)
			}
		}
	}
}

// TestTruncatedBeforeSeriesUID truncates a file before its Series Instance UID: the series in its folder with its SOP
// class are refused.
func TestTruncatedBeforeSeriesUID(t *testing.T) {
	const mrClass = "1.2.840.10008.5.1.4.1.1.4"
	for class, refused := range map[string]bool{dicomtest.CtClass: true, mrClass: false} {
		lost := dicomtest.NewFake("9", 30, 0).With(part10.TagSOPClassUID, class).File()
		p, err := dicomtest.Tokens(lost)
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := p.Find(part10.TagSeriesInstanceUID)
		files := dicomtest.FilesOf(dicomtest.Stack(3))
		files["lost.dcm"] = &fstest.MapFile{Data: lost[:uid.Start]}
		c := dicomtest.Scan(t, files)
		if len(c.Entries) != 1 || (c.Entries[0].Err != nil) != refused {
			t.Errorf("%s: %d entries, %v", class, len(c.Entries), c.Entries[0].Err)
		}
		dicomtest.Finding(t, c.Findings, "damaged")
	}
}
