package dicom_test

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

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
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
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		s := dicomtest.NewFake("1", 0, 0).With(0x00091001, dicomtest.RawElement(dicomtest.SequenceOf(enc, 0x00091001, "SQ", enc, nil)))
		s.Enc = enc
		f.Add(s.File())
		f.Add(dicomtest.NewEnhanced(enc, enc.Implicit, dicomtest.ThreeFrames...).File())
	}
	f.Add(dicomtest.NewMosaic(1, `0\0\1`).File())
	f.Add(dicomtest.NewUIHTiles(part10.ExplicitLE, 40).File())
	f.Add(dicomtest.NewMosaic(2, `0\0\-1`).File())
	f.Add(dicomtest.SecondaryFrames().With(part10.TagSpacingBetweenSlices, "2.5").File())
}

// FuzzTokenize holds what the tokenizer says to the file: every element lies
// inside it, none overlaps another, and a stream gives the same as memory.
func FuzzTokenize(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := dicomtest.Tokens(b)
		end := int64(0)
		for _, e := range slices.Concat(p.Meta, p.Elements) {
			if e.Start < end || e.Value < e.Start+8 || e.End < e.Value || e.End > int64(len(b)) {
				t.Fatalf("element %+v behind %d in %d bytes", e, end, len(b))
			}
			end = e.End
		}
		if p.PixelIndex >= 0 && p.Elements[p.PixelIndex].Tag != part10.TagPixelData {
			t.Fatal("the pixels are another element")
		}
		s, err2 := part10.Tokenize(part10.NewReadBuffer(&plainReader{b}, int64(len(b))), instance.IsWanted)
		if (err == nil) != (err2 == nil) && !errors.Is(err2, part10.ErrTruncated) || err == nil && err2 == nil && !(slices.Equal(p.Elements, s.Elements) && maps.EqualFunc(p.Kept, s.Kept, bytes.Equal)) {
			t.Fatalf("memory: %v, %d elements; stream: %v, %d elements", err, len(p.Elements), err2, len(s.Elements))
		}
	})
}

// plainReader reads and does nothing else.
type plainReader struct{ b []byte }

func (r *plainReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, part10.ErrTruncated
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
	ways := pixel.Compressions()
	f.Fuzz(func(t *testing.T, b []byte) {
		before := allocated()
		ctx := context.Background()
		c, err := dicom.Scan(ctx, fstest.MapFS{"x": {Data: b}}, nil)
		if err != nil {
			dicomtest.WantSentence(t, "input", err)
			return
		}
		allowed := 4<<20 + 64*uint64(len(b))
		for i := range c.Entries {
			switch syntax := part10.Syntaxes[c.Entries[i].TransferSyntax]; {
			case syntax.Encapsulated: // the memory of a decoder, and four million pixels believed
				allowed += 128<<20 + 64*uint64(c.Entries[i].Geometry.Voxels())
			case syntax.Deflated: // by 1032 at most
				allowed += 4 * 1032 * uint64(len(b))
			}
			s, err := c.Load(ctx, i, nil)
			if err != nil {
				dicomtest.WantSentence(t, "input", err)
				continue
			}
			if err := s.Volume.Validate(); err != nil {
				t.Fatal(err)
			}
			if len(s.Sources) != s.Volume.Dims[2] {
				t.Fatalf("%d sources for %v", len(s.Sources), s.Volume.Dims)
			}
			if err := dicomtest.DeriveOne(t, "input", s, b, ways[len(b)%len(ways)]); err != nil {
				dicomtest.WantSentence(t, "input", err)
			}
		}
		if used := allocated() - before; used > allowed {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(b))
		}
	})
}
