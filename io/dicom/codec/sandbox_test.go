package codec

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
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

// TestLimits bounds what a hostile stream of the size of a CT slice can take: 40 MB and
// a second.
func TestLimits(t *testing.T) {
	memory, steps := limits(200_000, 512*512)
	if memory < 35*512*512 || memory > 40<<20 || steps < 50*512*512 || steps > 100e6 {
		t.Errorf("%d bytes and %d steps", memory, steps)
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
