package dicom

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

// addSeeds gives a fuzz target small real files and generated ones. Real ones with
// many pixels would only have these changed.
func addSeeds(f *testing.F) {
	const most = 8 << 10
	paths, err := filepath.Glob(filepath.Join("testdata", "pydicom", "*.dcm"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		if len(b) <= most {
			f.Add(b)
		}
	}
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		s := newFake("1", 0, 0).with(0x00091001, rawElement(sequenceOf(enc, 0x00091001, "SQ", enc, nil)))
		s.enc = enc
		f.Add(s.file())
		f.Add(newEnhanced(enc, enc.implicit, threeFrames...).file())
	}
	f.Add(newMosaic(1, `0\0\1`).file())
	f.Add(newUIHTiles(explicitLE, 40).file())
	f.Add(newMosaic(2, `0\0\-1`).file())
	f.Add(secondaryFrames().with(tagSpacingBetweenSlices, "2.5").file())
}

// FuzzTokenize holds what the tokenizer says to the file: every element lies
// inside it, none overlaps another, and a stream gives the same as memory.
func FuzzTokenize(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := tokens(b)
		end := int64(0)
		for _, e := range slices.Concat(p.meta, p.elements) {
			if e.start < end || e.value < e.start+8 || e.end < e.value || e.end > int64(len(b)) {
				t.Fatalf("element %+v behind %d in %d bytes", e, end, len(b))
			}
			end = e.end
		}
		if p.pixels >= 0 && p.elements[p.pixels].tag != tagPixelData {
			t.Fatal("the pixels are another element")
		}
		s, err2 := tokenize(&window{r: &plainReader{b}, size: int64(len(b))}, isWanted)
		if (err == nil) != (err2 == nil) && !errors.Is(err2, errTruncated) || err == nil && err2 == nil && !(slices.Equal(p.elements, s.elements) && maps.EqualFunc(p.kept, s.kept, bytes.Equal)) {
			t.Fatalf("memory: %v, %d elements; stream: %v, %d elements", err, len(p.elements), err2, len(s.elements))
		}
	})
}

// plainReader reads and does nothing else.
type plainReader struct{ b []byte }

func (r *plainReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, errTruncated
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

// FuzzRead scans, loads and exports whatever comes: a sentence or a sound
// volume, in memory that the file's size bounds.
func FuzzRead(f *testing.F) {
	addSeeds(f)
	streams := streamFiles(f)
	for _, uid := range slices.Sorted(maps.Keys(streams)) {
		f.Add(streams[uid])
	}
	ways := Compressions()
	f.Fuzz(func(t *testing.T, b []byte) {
		before := allocated()
		ctx := context.Background()
		c, err := Scan(ctx, fstest.MapFS{"x": {Data: b}}, nil)
		if err != nil {
			wantSentence(t, "input", err)
			return
		}
		allowed := 4<<20 + 64*uint64(len(b))
		for i := range c.Entries {
			switch syntax := syntaxes[c.Entries[i].TransferSyntax]; {
			case syntax.encapsulated: // what a decoder needs, and four million pixels believed
				allowed += 128<<20 + 64*uint64(c.Entries[i].Geometry.Voxels())
			case syntax.deflated: // by 1032 at most
				allowed += 4 * 1032 * uint64(len(b))
			}
			s, err := c.Load(ctx, i, nil)
			if err != nil {
				wantSentence(t, "input", err)
				continue
			}
			if err := s.Volume.Validate(); err != nil {
				t.Fatal(err)
			}
			if len(s.Sources) != s.Volume.Dims[2] {
				t.Fatalf("%d sources for %v", len(s.Sources), s.Volume.Dims)
			}
			if err := deriveOne(t, "input", s, b, ways[len(b)%len(ways)]); err != nil {
				wantSentence(t, "input", err)
			}
		}
		if used := allocated() - before; used > allowed {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(b))
		}
	})
}
