package codec

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestSandboxHasNoImports: the decoder cannot call anything outside.
func TestSandboxHasNoImports(t *testing.T) {
	s, err := openSandbox()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.module.ImportedFunctions()); n > 0 {
		t.Errorf("the decoder imports %d functions", n)
	}
	if n := len(s.module.ImportedMemories()); n > 0 {
		t.Errorf("the decoder imports %d memories", n)
	}
}

// TestManifest compares the embedded module with the checksum in its manifest.
func TestManifest(t *testing.T) {
	manifest, err := os.ReadFile("wasm/MANIFEST")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(openJPEGModule)
	if !strings.Contains(string(manifest), hex.EncodeToString(sum[:])) {
		t.Errorf("wasm/MANIFEST does not have the module's sum %x", sum)
	}
}

// TestLimits bounds the resources that a hostile stream of the size of a CT slice can take: 40 MB and
// a second.
func TestLimits(t *testing.T) {
	memory, steps := limits(200_000, 512*512)
	if memory < 35*512*512 || memory > 40<<20 || steps < 50*512*512 || steps > 100e6 {
		t.Errorf("%d bytes and %d steps", memory, steps)
	}
}

// TestLimitsGrow with the pixels and the bytes of the stream.
func TestLimitsGrow(t *testing.T) {
	for _, c := range []struct {
		bytes, pixels int
		memory, steps uint64
	}{{0, 0, 16 << 20, 50e6}, {1000, 0, 16<<20 + 4000, 50e6}, {0, 1000, 16<<20 + 64000, 50e6 + 50000}} {
		if memory, steps := limits(c.bytes, c.pixels); memory != c.memory || steps != c.steps {
			t.Errorf("%d bytes, %d pixels: %d bytes and %d steps, want %d and %d", c.bytes, c.pixels, memory, steps, c.memory, c.steps)
		}
	}
}

// TestMemoryGrows by half, from 4 MB up to the limit, and in place if there is room.
func TestMemoryGrows(t *testing.T) {
	buffers = sync.Pool{} // none is left of other tests
	m := &cappedMemory{limit: 14 << 20}
	for _, c := range []struct{ size, capacity int }{
		{1, 4 << 20}, {4 << 20, 4 << 20}, {4<<20 + 2, (4<<20 + 2) * 3 / 2}, {10 << 20, 14 << 20}, {14 << 20, 14 << 20},
	} {
		if len(m.buf) > 0 {
			m.buf[len(m.buf)-1] = 7
		}
		before, old := m.buf, len(m.buf)
		b := m.Reallocate(uint64(c.size))
		if len(b) != c.size || cap(b) != c.capacity {
			t.Errorf("%d bytes of capacity %d, want %d of %d", len(b), cap(b), c.size, c.capacity)
		}
		if old > 0 && (b[old-1] != 7 || (&b[0] == &before[0]) != (cap(before) >= c.size)) {
			t.Errorf("%d bytes: the content was lost, or copied without need", c.size)
		}
		for i, x := range b[old:] {
			if x != 0 {
				t.Fatalf("%d bytes: byte %d is %d", c.size, old+i, x)
			}
		}
	}
}

// TestDecoderErrors: the sentences of an instance that fails, and the sentence of one that has been
// closed.
func TestDecoderErrors(t *testing.T) {
	f := readFact(t, "mr-j2k")
	stream, pixels := f.stream(t), f.Rows*f.Cols
	damaged := slices.Clone(stream)
	damaged[segment(t, damaged, 0x52)+5] = 0xEE // the coding style
	s, err := openSandbox()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for what, c := range map[string]struct {
		stream        []byte
		pixels        int
		memory, steps uint64
		close         bool
		want          string
	}{
		"intact":          {stream, pixels, 32 << 20, 50e6, false, ""},
		"another size":    {stream, pixels + 1, 32 << 20, 50e6, false, "the decoder returned "},
		"damaged":         {damaged, pixels, 32 << 20, 50e6, false, "the stream is damaged ("},
		"a long stream":   {make([]byte, 3<<20), pixels, 2 << 20, 50e6, false, "the stream is too large for the decoder's memory"},
		"too few steps":   {stream, pixels, 32 << 20, 1000, false, "wasm error: "},
		"closed before":   {stream, pixels, 32 << 20, 50e6, true, "closed"},
		"no steps at all": {stream, pixels, 32 << 20, 0, false, "wasm error: "},
	} {
		m := &cappedMemory{limit: c.memory}
		i, err := s.start(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if c.close {
			i.Close(ctx)
		}
		samples, err := i.decode(ctx, c.stream, c.pixels, c.steps)
		checkRefusal(t, what, err, c.want)
		if err == nil && len(samples) != 4*pixels {
			t.Errorf("%s: %d bytes of samples", what, len(samples))
		}
		if err != nil && strings.Contains(sandboxError(err).Error(), "\n") {
			t.Errorf("%s: %q", what, sandboxError(err))
		}
		if !c.close {
			i.Close(ctx)
		}
		m.release()
	}
	checkRefusal(t, "a trap", sandboxError(errors.New("wasm error: unreachable\nwasm stack trace:\n\tf")), "the decoder stopped (unreachable)")
	plain := errors.New("the stream is damaged")
	if sandboxError(plain) != plain {
		t.Errorf("another error: %v", sandboxError(plain))
	}
}

// TestMemoryIsCapped: an allocation beyond the limit fails inside the decoder, one within
// it succeeds.
func TestMemoryIsCapped(t *testing.T) {
	m := &cappedMemory{limit: 4 << 20}
	defer m.release()
	if b := m.Reallocate(4 << 20); len(b) != 4<<20 {
		t.Errorf("%d bytes", len(b))
	}
	if b := m.Reallocate(4<<20 + 1); b != nil {
		t.Errorf("%d bytes", len(b))
	}

	s, err := openSandbox()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	small := &cappedMemory{limit: 2 << 20}
	i, err := s.start(ctx, small)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close(ctx)
	if at, err := i.call(ctx, "allocate", 3<<20); at != 0 || err != nil {
		t.Errorf("3 MB of 2 at %d, %v", at, err)
	}
	if at, err := i.call(ctx, "allocate", 1<<19); at == 0 || err != nil {
		t.Errorf("half a MB of 2 at %d, %v", at, err)
	}
}

// TestMemoryIsClean: memory that an instance has written to is zero for the next one.
func TestMemoryIsClean(t *testing.T) {
	for range 4 {
		m := &cappedMemory{limit: 1 << 20}
		for i, b := range m.Reallocate(1 << 20) {
			if b != 0 {
				t.Fatalf("byte %d is %d", i, b)
			}
		}
		for i := range m.buf {
			m.buf[i] = 0xAA
		}
		m.release()
	}
}

// TestStepLimit gives the decoder too few steps for an intact stream.
func TestStepLimit(t *testing.T) {
	for _, f := range readFacts(t) {
		if f.Name != "mr-j2k" {
			continue
		}
		s, err := openSandbox()
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		for _, steps := range []uint64{10, 1000, 50e6} {
			m := &cappedMemory{limit: 32 << 20}
			i, err := s.start(ctx, m)
			if err != nil {
				t.Fatal(err)
			}
			_, err = i.decode(ctx, f.stream(t), f.Rows*f.Cols, steps)
			if (err == nil) != (steps == 50e6) {
				t.Errorf("%d steps: %v", steps, err)
			}
			i.Close(ctx)
			m.release()
		}
	}
}
