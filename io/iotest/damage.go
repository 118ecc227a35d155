package iotest

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime/metrics"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"quell/series"
)

// patience is how long a reader may think about a file of a few kilobytes.
const patience = 10 * time.Second

// truncated cuts each file of a small image at every length up to its header's
// end, at lengths spread over the rest, and just before its end.
func (f Format) truncated(t *testing.T) {
	v := whole.fill(f.Grids[0].geometry([3]int{9, 8, 3}))
	dir, name := f.write(t, v, "cut")
	intact := files(t, dir)
	sound := f.mustRead(t, intact, name)
	for _, file := range slices.Sorted(maps.Keys(intact)) {
		for _, n := range cuts(len(intact[file])) {
			damaged := maps.Clone(intact)
			damaged[file] = intact[file][:n]
			what := fmt.Sprintf("%s cut to %d of %d bytes", file, n, len(intact[file]))
			got, ok := f.survives(t, damaged, name, what)
			if !ok || got == nil {
				continue
			}
			// A file that lost voxels must not pass for whole.
			if len(got.Findings) <= len(sound.Findings) && !slices.Equal(got.Volume.Data, sound.Volume.Data) {
				t.Errorf("%s: read without an error or a finding, with other values", what)
			}
		}
	}
}

// cuts returns about 200 lengths below n.
func cuts(n int) []int {
	var at []int
	for i := 0; i < n; i += max(1, n/200) {
		at = append(at, i)
	}
	for i := max(0, n-20); i < n; i++ {
		at = append(at, i)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// flippedBits changes single bits all over the files.
func (f Format) flippedBits(t *testing.T) {
	v := whole.fill(f.Grids[0].geometry([3]int{9, 8, 3}))
	dir, name := f.write(t, v, "flip")
	intact := files(t, dir)
	rng := rand.New(rand.NewPCG(7, 7))
	for _, file := range slices.Sorted(maps.Keys(intact)) {
		n := len(intact[file])
		for i := range 600 {
			at := rng.IntN(n)
			if i < 400 { // most of them in the header
				at = rng.IntN(min(n, 400))
			}
			bit := byte(1) << rng.IntN(8)
			damaged := maps.Clone(intact)
			damaged[file] = slices.Clone(intact[file])
			damaged[file][at] ^= bit
			f.survives(t, damaged, name, fmt.Sprintf("%s with byte %d changed by %#02x", file, at, bit))
		}
	}
}

// otherFiles offers what is no image at all under an image's name.
func (f Format) otherFiles(t *testing.T) {
	v := whole.fill(f.Grids[0].geometry([3]int{9, 8, 3}))
	dir, name := f.write(t, v, "other")
	intact := files(t, dir)
	zeros := make([]byte, 4096)
	ones := make([]byte, 4096)
	for i := range ones {
		ones[i] = 0xff
	}
	for what, b := range map[string][]byte{
		"empty": {}, "zeros": zeros, "ones": ones, "text": []byte("This is not an image.\n"),
		"gzip of nothing": {0x1f, 0x8b}, "zip": []byte("PK\x03\x04\x14\x00\x00\x00"),
	} {
		damaged := maps.Clone(intact)
		for file := range damaged {
			damaged[file] = b
		}
		if s, ok := f.survives(t, damaged, name, what); ok && s != nil {
			t.Errorf("%s was read as an image of %v voxels", what, s.Volume.Dims)
		}
	}
}

func (f Format) mustRead(t *testing.T, content map[string][]byte, name string) *series.Series {
	t.Helper()
	s, err := f.Read(t.Context(), mapFS(content), name)
	if err != nil {
		t.Fatalf("the intact file: %v", err)
	}
	return s
}

// survives reads damaged files and reports a panic, a hang, a volume that is
// not sound, and memory beyond what files and volume account for. The series is
// nil where the reader gave an error.
func (f Format) survives(t *testing.T, content map[string][]byte, name, what string) (s *series.Series, ok bool) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", what, r)
			ok = false
		}
	}()
	stored := 0
	for _, b := range content {
		stored += len(b)
	}
	before := allocated()
	start := time.Now()
	s, err := f.Read(t.Context(), mapFS(content), name)
	elapsed := time.Since(start)
	used := allocated() - before
	if elapsed > patience {
		t.Errorf("%s: took %v", what, elapsed)
	}
	// A decompressor may make a thousand bytes of one; buffers are a few MB.
	limit := uint64(32<<20 + 1100*4*stored)
	if used > limit {
		t.Errorf("%s: allocated %d bytes for %d stored", what, used, stored)
	}
	if err != nil {
		if err.Error() == "" {
			t.Errorf("%s: an error without words", what)
		}
		return nil, true
	}
	if err := s.Volume.Validate(); err != nil {
		t.Errorf("%s: read an unsound volume: %v", what, err)
		return nil, false
	}
	if math.IsNaN(s.Volume.Affine.Det()) {
		t.Errorf("%s: read a volume without a place", what)
	}
	return s, true
}

// allocated returns the bytes that were ever allocated on the heap. Unlike
// runtime.ReadMemStats it does not stop the world, which would take longer than
// the readers do.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func mapFS(content map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for name, b := range content {
		m[name] = &fstest.MapFile{Data: b, Mode: 0o444}
	}
	return m
}
