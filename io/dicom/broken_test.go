package dicom

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
	"time"

	"quell/series"
)

// internals are words that belong into a program and not into a message.
var internals = regexp.MustCompile(`EOF|runtime error|out of range|goroutine|MustGet|flate:|strconv|%!|dicom: `)

// wantSentence asks that an error is one a person can use: of one line, with the
// file's name, what is wrong and what to do.
func wantSentence(t *testing.T, what string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Name, "x") || e.Problem == "" || e.Advice == "" {
		t.Fatalf("%s: error %#v", what, err)
	}
	wantWords(t, what, err.Error())
}

func wantWords(t *testing.T, what, text string) {
	t.Helper()
	if internals.MatchString(text) || strings.ContainsAny(text, "\x00\n\r") || len(text) > 400 {
		t.Fatalf("%s: it says %q", what, text)
	}
}

// survive does with one file all that a user does: the list, the pictures, the
// voxels, the derived file. It returns the first error, which is a sentence, or
// nil where the file is a sound volume.
func survive(t *testing.T, what string, b []byte) (failed error) {
	t.Helper()
	ctx := context.Background()
	c, err := Scan(ctx, fstest.MapFS{"x.dcm": {Data: b}}, nil)
	if err != nil {
		wantSentence(t, what, err)
		return err
	}
	for i, e := range c.Entries {
		for _, f := range slices.Concat(c.Findings, e.Findings) {
			wantWords(t, what, f.Text)
		}
		_, pictured := c.Thumbnail(ctx, i, 64)
		s, err := c.Load(ctx, i, nil)
		if err != nil {
			wantSentence(t, what, err)
			failed = err
			continue
		}
		if pictured != nil {
			wantSentence(t, what, pictured) // of a volume the picture shows one slice
		}
		if err := s.Volume.Validate(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := deriveOne(t, what, s, b, Uncompressed); err != nil {
			wantSentence(t, what, err)
		}
	}
	return failed
}

// deriveOne makes the derived file of a series' first file, b, from the source's
// own values, and reads it back.
func deriveOne(t *testing.T, what string, s *series.Series, b []byte, c Compression) error {
	t.Helper()
	at := sliceFiles(s.Sources)[0]
	var sources []series.Source
	for _, z := range at {
		sources = append(sources, s.Sources[z])
	}
	d, err := newDerivedImage(sources, b)
	if err != nil {
		return err
	}
	derived := testDerived
	derived.Compress = c
	d.Derived, d.sopUID, d.seriesUID = &derived, "1.2", "1.3"
	if err := d.makeExplicit(); err != nil {
		return err
	}
	d.store(func(i int) []float32 { return s.Volume.Plane(at[i]) }, func(i int) []bool { return s.Volume.PlaneMask(at[i]) })
	out, err := d.patch()
	if err != nil {
		return err
	}
	p, err := tokens(out)
	if err != nil || p.pixels < 0 {
		t.Fatalf("%s: the derived file does not read: %v", what, err)
	}
	if !slices.IsSortedFunc(p.elements, func(a, b element) int { return int(int64(a.tag) - int64(b.tag)) }) {
		t.Fatalf("%s: the derived file's attributes are out of order", what)
	}
	back, err := Scan(context.Background(), fstest.MapFS{"y": {Data: out}}, nil)
	if err != nil || len(back.Entries) != 1 || back.Entries[0].UID != "1.3" || back.Entries[0].Err != nil {
		t.Fatalf("%s: the derived file is read as %+v, %v", what, back, err)
	}
	return nil
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
		f := newFake("1", 0, 0).with(tagRows, x.Rows).with(tagColumns, x.Cols).with(tagPixelRepresentation, sign).
			with(tagBitsAllocated, x.Allocated).with(tagBitsStored, x.Stored).with(tagHighBit, x.Stored-1)
		files[x.Syntax] = encapsulate(f, x.Syntax, nil, append(stream, make([]byte, len(stream)%2)...))
	}
	return files
}

// wholeFiles returns sound files: one in every transfer syntax, every kind of
// object, and real ones.
func wholeFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := streamFiles(t)
	files["multi-frame"] = newEnhanced(explicitLE, true, threeFrames...).file()
	files["big endian"] = newEnhanced(explicitBE, false, threeFrames...).file()
	files["implicit"] = newEnhanced(implicitLE, true, threeFrames...).file()
	files["mosaic"] = newMosaic(2, `0\0\1`).file()
	files["uih"] = newUIHTiles(explicitLE, 40).file()
	files["deflated"] = deflate(t, newFake("1", 0, 0).file())
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
var cutOff = regexp.MustCompile(`is cut off|ends before its pixel data|ends too early|it is not a DICOM file`)

// TestBrokenFiles cuts files at 200 places, none of which may pass for whole, and
// changes up to 200 bytes in them: what comes is a sentence or a sound volume, soon,
// in memory that the file accounts for.
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
				start := time.Now()
				err := survive(t, what, b)
				if d := time.Since(start); d > 10*time.Second {
					t.Fatalf("%s: %v", what, d)
				}
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
func rearranged(t *testing.T, f *fake, arrange func([][]byte) [][]byte) []byte {
	t.Helper()
	whole := f.file()
	p, err := tokens(whole)
	if err != nil {
		t.Fatal(err)
	}
	var elements [][]byte
	for _, e := range p.elements {
		elements = append(elements, whole[e.start:e.end])
	}
	return append(slices.Clone(whole[:p.datasetStart()]), slices.Concat(arrange(elements)...)...)
}

// TestBrokenRules derives from files that break the order of attributes or have
// one twice: what is written keeps to both, and nothing of the source shows
// through where an attribute was replaced.
func TestBrokenRules(t *testing.T) {
	series := appendElement(nil, explicitLE, tagSeriesInstanceUID, "UI", []byte("1.2.3.2"))
	for name, arrange := range map[string]func([][]byte) [][]byte{
		"backwards":     func(e [][]byte) [][]byte { slices.Reverse(e[1:]); return e },
		"pixels first":  func(e [][]byte) [][]byte { return append([][]byte{e[0], e[len(e)-1]}, e[1:len(e)-1]...) },
		"twice":         func(e [][]byte) [][]byte { return slices.Insert(e, 5, series, series) },
		"behind pixels": func(e [][]byte) [][]byte { return append(e, series) },
		"meta astray": func(e [][]byte) [][]byte {
			return append(e, appendElement(nil, explicitLE, tagTransferSyntaxUID, "UI", []byte(uidImplicitLE)))
		},
		"private first": func(e [][]byte) [][]byte {
			return slices.Insert(e, 1, appendElement(nil, explicitLE, 0x7FE10010, "LO", []byte("PRIVATE")))
		},
	} {
		b := rearranged(t, newFake("1", 0, 0), arrange)
		s := load(t, scan(t, fstest.MapFS{"x.dcm": {Data: b}}), 0)
		if err := deriveOne(t, name, s, b, Uncompressed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := encapsulate(newFake("1", 0, 0), uidRLE, nil, rleStream(make([]byte, 24)))
	group := appendElement(nil, explicitLE, 0x7FE10010, "LO", []byte("PRIVATE"))
	first := bytes.Index(b, []byte{8, 0, 5, 0, 'C', 'S'})
	b = slices.Insert(b, first+8+len("ISO_IR 100"), group...)
	s := load(t, scan(t, fstest.MapFS{"x.dcm": {Data: b}}), 0)
	if err := deriveOne(t, "compressed", s, b, Uncompressed); err != nil {
		t.Error(err)
	}
}

// TestBrokenSentences holds what is said of broken files to the words.
func TestBrokenSentences(t *testing.T) {
	plain := newFake("1", 0, 0).file()
	pixels := bytes.LastIndex(plain, []byte{0xE0, 0x7F, 0x10, 0})
	// grown returns a multi-frame file with one byte of the first frame's position
	// group made larger: a length inside it.
	grown := func(offset int) []byte {
		b := newEnhanced(explicitLE, false, threeFrames...).file()
		b[bytes.Index(b, []byte{0x20, 0, 0x13, 0x91, 'S', 'Q'})+offset] += 4
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"no pixels": {plain[:pixels], "it describes an image and ends before its pixel data"},
		"control characters": {
			newFake("1", 0, 0).with(tagPhotometricInterpretation, "MONO\nCHROME\x00\x1b2").file(),
			"its pixels are MONO\uFFFDCHROME\uFFFD\uFFFD2, not grey values"},
		"long text": {
			newFake("1", 0, 0).with(tagPhotometricInterpretation, strings.Repeat("LONG", 1000)).file(),
			"its pixels are " + strings.Repeat("LONG", 16) + "…, not grey values"},
		"retired": {
			encapsulate(newFake("1", 0, 0), "1.2.840.10008.1.2.4.55", nil, []byte("\xFF\xD8")),
			"its transfer syntax JPEG Full Progression, Non-Hierarchical (Process 10 and 12) (1.2.840.10008.1.2.4.55) is not read"},
		"private": {
			encapsulate(newFake("1", 0, 0), "1.2.3\x01.4", nil, []byte("\xFF\xD8")),
			"its transfer syntax 1.2.3\uFFFD.4 is not known"},
		"one bit": {
			newFake("1", 0, 0).with(tagBitsAllocated, 1).with(tagBitsStored, 1).with(tagHighBit, 0).with(tagPixelData, rawElement(appendElement(nil, explicitLE, tagPixelData, "OB", []byte{1, 2}))).file(),
			"1 bits allocated"},
		"colour": {
			newFake("1", 0, 0).with(tagSamplesPerPixel, 3).with(tagPhotometricInterpretation, "RGB").file(),
			"it is a colour image (RGB)"},
		"long item":    {grown(12 + 4), "an item runs out of its sequence"},
		"long element": {grown(12 + 8 + 6), "an element runs out of its item"},
		"item outside": {
			slices.Concat(plain[:pixels], binary.LittleEndian.AppendUint32([]byte{0xFE, 0xFF, 0, 0xE0}, undefinedLength), plain[pixels:]),
			"(FFFE,E000) has no length"},
	} {
		err := survive(t, name, c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: it says %v, want %q", name, err, c.want)
		}
	}
}

// TestWrongSize gives headers of more pixels than their streams have: that is known
// before memory is made for them.
func TestWrongSize(t *testing.T) {
	for uid, b := range streamFiles(t) {
		for _, tag := range []tagID{tagRows, tagColumns} {
			at := bytes.Index(b, appendElementHeader(nil, explicitLE, tag, "US", 2)) + 8
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

// TestBrokenSlice breaks one file of a series: the series is refused with the
// file's name, whatever was broken, unless what is left is sound.
func TestBrokenSlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for i := range 120 {
		files := filesOf(stack(3))
		name := slices.Sorted(maps.Keys(files))[i%3]
		b := files[name].Data
		if i < 60 {
			b = b[:i*len(b)/60]
		} else {
			b[rng.IntN(len(b))] ^= byte(1 << rng.IntN(8))
		}
		files[name].Data = b
		c, err := Scan(context.Background(), files, nil)
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

// TestCutBeforeItsSeries cuts a file before it tells its series: what is of its class
// beside it is refused, for the slice may be theirs, and nothing else is.
func TestCutBeforeItsSeries(t *testing.T) {
	const mrClass = "1.2.840.10008.5.1.4.1.1.4"
	for class, refused := range map[string]bool{ctClass: true, mrClass: false} {
		lost := newFake("9", 30, 0).with(tagSOPClassUID, class).file()
		p, err := tokens(lost)
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := p.find(tagSeriesInstanceUID)
		files := filesOf(stack(3))
		files["lost.dcm"] = &fstest.MapFile{Data: lost[:uid.start]}
		c := scan(t, files)
		if len(c.Entries) != 1 || (c.Entries[0].Err != nil) != refused {
			t.Errorf("%s: %d entries, %v", class, len(c.Entries), c.Entries[0].Err)
		}
		finding(t, c.Findings, "damaged")
	}
}
