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

	"quell/series"
)

// truncated reads a small image with each of its files truncated to lengths spread over
// the file and to all lengths near its end.
func (f Format) truncated(t *testing.T) {
	v := whole.fill(f.Grids[0].geometry([3]int{9, 8, 3}))
	dir, name := f.write(t, v, "truncated")
	intact := files(t, dir)
	sound := f.mustRead(t, intact, name)
	for _, file := range slices.Sorted(maps.Keys(intact)) {
		for _, n := range lengths(len(intact[file])) {
			damaged := maps.Clone(intact)
			damaged[file] = intact[file][:n]
			what := fmt.Sprintf("%s truncated to %d of %d bytes", file, n, len(intact[file]))
			got, ok := f.readDamaged(t, damaged, name, what)
			if !ok || got == nil {
				continue
			}
			// A file that has lost voxels must not be read as complete.
			if len(got.Findings) <= len(sound.Findings) && !slices.Equal(got.Volume.Data, sound.Volume.Data) {
				t.Errorf("%s: read with other values, without an error or a finding", what)
			}
		}
	}
}

// lengths returns about 200 lengths below n, and the last 20.
func lengths(n int) []int {
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

// flippedBits reads a small image with single bits changed, most of them in the header.
func (f Format) flippedBits(t *testing.T) {
	v := whole.fill(f.Grids[0].geometry([3]int{9, 8, 3}))
	dir, name := f.write(t, v, "flip")
	intact := files(t, dir)
	rng := rand.New(rand.NewPCG(7, 7))
	for _, file := range slices.Sorted(maps.Keys(intact)) {
		n := len(intact[file])
		for i := range 600 {
			at := rng.IntN(n)
			if i < 400 {
				at = rng.IntN(min(n, 400))
			}
			bit := byte(1) << rng.IntN(8)
			damaged := maps.Clone(intact)
			damaged[file] = slices.Clone(intact[file])
			damaged[file][at] ^= bit
			f.readDamaged(t, damaged, name, fmt.Sprintf("%s with byte %d changed by %#02x", file, at, bit))
		}
	}
}

// otherFiles reads files that are not images under the names of an image.
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
		if s, ok := f.readDamaged(t, damaged, name, what); ok && s != nil {
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

// readDamaged reads damaged files. It reports a panic, an invalid volume, and memory
// beyond what files and volume account for. The series is nil if the reader returned
// an error; ok is false after a panic or an invalid volume.
func (f Format) readDamaged(t *testing.T, content map[string][]byte, name, what string) (s *series.Series, ok bool) {
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
	s, err := f.Read(t.Context(), mapFS(content), name)
	used := allocated() - before
	// Decompression gives up to a thousand bytes for one; buffers take a few MB.
	limit := uint64(32<<20 + 1100*4*stored)
	if used > limit {
		t.Errorf("%s: allocated %d bytes for %d stored", what, used, stored)
	}
	if err != nil {
		if err.Error() == "" {
			t.Errorf("%s: an error without a text", what)
		}
		return nil, true
	}
	if err := s.Volume.Validate(); err != nil {
		t.Errorf("%s: read an invalid volume: %v", what, err)
		return nil, false
	}
	if math.IsNaN(s.Volume.Affine.Det()) {
		t.Errorf("%s: read a volume without a position", what)
	}
	return s, true
}

// allocated returns the sum of all heap allocations in bytes. It does not use
// runtime.ReadMemStats, which stops the world and takes longer than the readers.
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
