package codec

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// decodeBroken decodes a stream that may be damaged. Unlike Decode it does not recover
// from a panic: tests must find those.
func decodeBroken(t *testing.T, uid string, info Info, stream []byte) ([]byte, error) {
	t.Helper()
	if !CanHold(uid, int64(info.pixels()), int64(len(stream))) {
		return nil, errTruncated
	}
	p, err := decoders[uid].decode(stream, info)
	if err == nil && len(p) != info.bytes() {
		t.Fatalf("%d bytes, want %d", len(p), info.bytes())
	}
	if err != nil && (p != nil || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400) {
		t.Fatalf("%d bytes and error %q", len(p), err)
	}
	return p, err
}

// TestBroken truncates every stream at many places and flips bits in it. A stream that
// has lost pixels must give an error.
func TestBroken(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range readFacts(t) {
		whole := f.stream(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const endMarker = 4 // end marker and padding, which decoders do not need
		cases := 0
		for i := range 60 {
			n := i * len(whole) / 60
			if _, err := decodeBroken(t, f.Syntax, f.info(), whole[:n]); err == nil && n < len(whole)-endMarker {
				t.Errorf("%s decodes from %d of %d bytes", f.Name, n, len(whole))
			}
			broken := slices.Clone(whole)
			for range 1 + i%8 {
				broken[rng.IntN(len(broken))] ^= byte(1 << rng.IntN(8))
			}
			decodeBroken(t, f.Syntax, f.info(), broken)
			cases += 2
		}
		runtime.ReadMemStats(&after)
		// The sandbox's memory is limited and reused; see TestMemoryIsCapped.
		if used := int(after.TotalAlloc-before.TotalAlloc) / cases; used > 2<<20+16*f.info().pixels() {
			t.Errorf("%s: %d bytes allocated for a frame of %d", f.Name, used, f.info().bytes())
		}
	}
}

// TestHugeClaims gives every codec a short stream under the header of a huge image.
func TestHugeClaims(t *testing.T) {
	huge := Info{Rows: 65535, Cols: 65535, BitsAllocated: 16}
	for _, f := range readFacts(t) {
		stream := slices.Clone(f.stream(t))
		if i := strings.Index(string(stream), "\xFF\x4F\xFF\x51"); i >= 0 {
			binary.BigEndian.PutUint32(stream[i+8:], 65535)
			binary.BigEndian.PutUint32(stream[i+12:], 65535)
		}
		for i := 0; i+9 < len(stream); i++ {
			if stream[i] == 0xFF && (stream[i+1] == markSOF0 || stream[i+1] == markSOF1 || stream[i+1] == markSOF3 || stream[i+1] == markSOF55) {
				copy(stream[i+5:], "\xFF\xFF\xFF\xFF")
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Decode(f.Syntax, huge, [][]byte{stream}); err == nil {
			t.Errorf("%s gives %d x %d pixels", f.Name, huge.Cols, huge.Rows)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: %d bytes allocated for a stream of %d", f.Name, used, len(stream))
		}
	}
}

// TestClaimsBeyondTheStream gives streams the largest images that CanHold accepts for
// them: the decoder finds that the pixels do not fit before it allocates memory for them.
func TestClaimsBeyondTheStream(t *testing.T) {
	for name, c := range map[string]struct {
		mark       byte
		rows, cols int
	}{
		"flat-lossless": {markSOF3, 2000, 2000},
		"flat-ls":       {markSOF55, 65535, 64},
	} {
		f := readFact(t, name)
		stream := slices.Clone(f.stream(t))
		at := segment(t, stream, c.mark)
		binary.BigEndian.PutUint16(stream[at+5:], uint16(c.rows))
		binary.BigEndian.PutUint16(stream[at+7:], uint16(c.cols))
		f.Rows, f.Cols = c.rows, c.cols
		stream = append(stream, make([]byte, max(0, c.rows*c.cols/256+1-len(stream)))...)
		if name == "flat-ls" {
			stream = stream[:min(len(stream), 1<<12)]
		}
		if !CanHold(f.Syntax, int64(f.info().pixels()), int64(len(stream))) {
			t.Fatalf("%s: CanHold refuses the image", name)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := f.decode(stream)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 1<<20 {
			t.Errorf("%s: %d bytes allocated, %v", name, used, err)
		}
	}
}

// TestTooManyCodes: a Huffman table has at most two codes of one bit, four of two.
func TestTooManyCodes(t *testing.T) {
	for _, c := range []struct {
		counts [16]byte
		ok     bool
	}{
		{[16]byte{2}, true}, {[16]byte{3}, false}, {[16]byte{1, 2}, true}, {[16]byte{1, 3}, false}, {[16]byte{0, 4}, true}, {[16]byte{0, 5}, false},
	} {
		if _, err := newHuffman(c.counts, make([]byte, 8)); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.counts[:2], err)
		}
	}
}

// addSeeds adds the streams of testdata to the fuzz target of their decoder.
func addSeeds(f *testing.F, d *decoder) {
	for _, x := range readFacts(f) {
		if decoders[x.Syntax].name == d.name {
			f.Add(x.stream(f), uint16(x.Rows), uint16(x.Cols), x.Allocated > 8, x.Signed)
		}
	}
}

func fuzz(f *testing.F, uid string) {
	addSeeds(f, decoders[uid])
	f.Fuzz(func(t *testing.T, stream []byte, rows, cols uint16, wide, signed bool) {
		info := Info{Rows: int(rows), Cols: int(cols), BitsAllocated: 8, Signed: signed}
		if wide {
			info.BitsAllocated = 16
		}
		if info.pixels() == 0 || info.pixels() > 1<<18 {
			return
		}
		p, err := decodeBroken(t, uid, info, stream)
		if err != nil {
			return
		}
		again, err := decodeBroken(t, uid, info, stream)
		if err != nil || !slices.Equal(p, again) {
			t.Fatalf("a second decode differs (%v)", err)
		}
	})
}

func FuzzRLE(f *testing.F)          { fuzz(f, "1.2.840.10008.1.2.5") }
func FuzzJPEG(f *testing.F)         { fuzz(f, "1.2.840.10008.1.2.4.51") }
func FuzzJPEGLossless(f *testing.F) { fuzz(f, "1.2.840.10008.1.2.4.57") }
func FuzzJPEGLS(f *testing.F)       { fuzz(f, "1.2.840.10008.1.2.4.80") }
func FuzzJPEG2000(f *testing.F)     { fuzz(f, "1.2.840.10008.1.2.4.90") }
