package dicom

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"quell/volume"
)

// addSeeds gives a fuzz target small real files and generated ones.
func addSeeds(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "pydicom", "*.dcm"))
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		s := newFake("1", 0, 0).with(0x00091001, rawElement(sequenceOf(enc, 0x00091001, "SQ", enc, nil)))
		s.enc = enc
		f.Add(s.file())
		f.Add(newEnhanced(enc, enc.implicit, threeFrames...).file())
	}
	f.Add(newMosaic(1, `0\0\1`).file())
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
		s, err2 := tokenize(&window{r: &plainReader{b}, size: int64(len(b))}, func(t tagID) bool { return wantedTags[t] })
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
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ctx := context.Background()
		c, err := Scan(ctx, fstest.MapFS{"x": {Data: b}}, nil)
		if err != nil {
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
				continue
			}
			if err := s.Volume.Validate(); err != nil {
				t.Fatal(err)
			}
			if len(s.Sources) != s.Volume.Dims[2] {
				t.Fatalf("%d sources for %v", len(s.Sources), s.Volume.Dims)
			}
			at := sliceFiles(s.Sources)[0]
			var sources []volume.Source
			for _, z := range at {
				sources = append(sources, s.Sources[z])
			}
			d, err := newDerivedImage(sources, b)
			if err != nil {
				wantError(t, err, "x: ", "; ")
				continue
			}
			d.Derived, d.sopUID, d.seriesUID = &testDerived, "1.2", "1.3"
			d.store(func(i int) []float32 { return s.Volume.Plane(at[i]) }, func(i int) []bool { return s.Volume.PlaneMask(at[i]) })
			out, err := d.patch()
			if err != nil {
				wantError(t, err, "x: ", "; ")
				continue
			}
			if p, err := tokens(out); err != nil || p.pixels < 0 {
				t.Fatalf("the derived file does not read: %v", err)
			}
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > allowed {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(b))
		}
	})
}

// TestBrokenFiles cuts real and generated files at many places and flips bytes in them: what
// comes is an error of one line that names the file, or a sound volume.
func TestBrokenFiles(t *testing.T) {
	files := map[string][]byte{
		"multi-frame": newEnhanced(explicitLE, true, threeFrames...).file(),
		"big endian":  newEnhanced(explicitBE, false, threeFrames...).file(),
		"implicit":    newEnhanced(implicitLE, true, threeFrames...).file(),
		"mosaic":      newMosaic(2, `0\0\1`).file(),
	}
	for _, name := range []string{"MR_small.dcm", "MR_small_implicit.dcm", "MR_small_bigendian.dcm", "MR_small_RLE.dcm", "ct-2062.dcm"} {
		whole, err := os.ReadFile(filepath.Join("testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = whole
	}
	for name, whole := range files {
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range 400 {
			b := slices.Clone(whole)
			if i < 200 {
				b = b[:i*len(b)/200]
			} else {
				for range 1 + i%20 {
					b[rng.IntN(len(b))] ^= byte(1 << rng.IntN(8))
				}
			}
			c, err := Scan(context.Background(), fstest.MapFS{"x.dcm": {Data: b}}, nil)
			if err == nil {
				var s *volume.Series
				if s, err = c.Load(context.Background(), 0, nil); err == nil {
					err = s.Volume.Validate()
					if i < 200 || err != nil {
						t.Fatalf("%s, case %d: loads, %v", name, i, err)
					}
					continue
				}
			}
			wantError(t, err, "x.dcm: ", "; ")
		}
	}
}
