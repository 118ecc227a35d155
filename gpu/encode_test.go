package gpu

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"quell/gpu/wire"
)

func TestEncodeIsExact(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, c := range map[string]struct {
		voxels []float32
		want   wire.Format
	}{
		"CT":                 {[]float32{-1024, 0, 3071, 40}, wire.Int16},
		"ends of int16":      {[]float32{-32768, 32767}, wire.Int16},
		"beyond":             {[]float32{32768}, wire.Float32},
		"below":              {[]float32{-32769}, wire.Float32},
		"equal modulo 65536": {[]float32{65536 + 7}, wire.Float32},
		"huge":               {[]float32{1e20, -1e20}, wire.Float32},
		"fraction":           {[]float32{1, 2, 2.5}, wire.Float32},
		"negative zero":      {[]float32{float32(math.Copysign(0, -1))}, wire.Float32},
		"infinite":           {[]float32{inf}, wire.Float32},
	} {
		slot := make([]byte, 4*len(c.voxels))
		if got := encode(slot, c.voxels); got != c.want {
			t.Errorf("%s: sent as %s; want %s", name, got, c.want)
		}
		if c.want == wire.Float32 {
			got := make([]float32, len(c.voxels))
			err := decode(got, slot)
			for i := range got {
				if got[i] != c.voxels[i] {
					t.Errorf("%s: %v came back as %v", name, c.voxels[i], got[i])
				}
			}
			if (err != nil) != (name == "infinite") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

func TestDecodeFindsValuesThatAreNotFinite(t *testing.T) {
	for _, bits := range []uint32{0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x7f800001} {
		slot := make([]byte, 12)
		encode(slot, []float32{0.5, math.Float32frombits(bits), 0.5})
		if err := decode(make([]float32, 3), slot); !errors.Is(err, errNotFinite) {
			t.Errorf("%08x: error %v", bits, err)
		}
	}
	slot := make([]byte, 12)
	encode(slot, []float32{math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32})
	if err := decode(make([]float32, 3), slot); err != nil {
		t.Errorf("the largest numbers: error %v", err)
	}
}

// A chunk is copied in parts, and each is checked.
func TestDecodeInParts(t *testing.T) {
	for _, n := range []int{minChunkVoxels - 1, minChunkVoxels, minChunkVoxels + 1, 3*minChunkVoxels + 5} {
		voxels, got := make([]float32, n), make([]float32, n+1)
		for i := range voxels {
			voxels[i] = float32(i) + 0.5
		}
		slot := make([]byte, 4*n)
		encode(slot, voxels)
		if err := decode(got[:n], slot); err != nil || !slices.Equal(got[:n], voxels) || got[n] != 0 {
			t.Errorf("%d voxels: error %v, equal %v, %g behind them", n, err, slices.Equal(got[:n], voxels), got[n])
		}
		for _, bad := range []int{0, minChunkVoxels - 1, minChunkVoxels, n - 1} {
			if bad >= n {
				continue
			}
			kept := voxels[bad]
			voxels[bad] = float32(math.NaN())
			encode(slot, voxels)
			if err := decode(got[:n], slot); !errors.Is(err, errNotFinite) {
				t.Errorf("%d voxels, voxel %d not finite: error %v", n, bad, err)
			}
			voxels[bad] = kept
		}
	}
}

// TestChunksOfATransfer pins the limits of a chunk: a staging buffer, and enough voxels to
// be worth a core.
func TestChunksOfATransfer(t *testing.T) {
	for n, want := range map[int]int{
		1: 65536, 65536: 65536, 1 << 40: 1 << 20,
		200000 * runtime.GOMAXPROCS(0): 200000,
		65537 * runtime.GOMAXPROCS(0):  65537,
	} {
		if got := chunkVoxels(n); got != want {
			t.Errorf("%d voxels: chunks of %d; want %d", n, got, want)
		}
	}
}

// TestMasksAreBytes checks the encoding of a mask.
func TestMasksAreBytes(t *testing.T) {
	staging := []byte{9, 9, 9, 9}
	if f := encodeMask(staging, []bool{true, false, true}); f != wire.Bytes || !bytes.Equal(staging, []byte{1, 0, 1, 9}) {
		t.Errorf("%s %v", f, staging)
	}
	if f := encode(staging, []float32{-2, 258}); f != wire.Int16 || !bytes.Equal(staging, []byte{0xfe, 0xff, 2, 1}) {
		t.Errorf("%s %v", f, staging)
	}
}

// TestRequestsForChunks pins offset, length and place of the chunks of a result.
func TestRequestsForChunks(t *testing.T) {
	d := &download{from: &buffer{handle: 3}, at: 100, voxels: 25, chunk: 10}
	for i, want := range []wire.Request{
		{Op: wire.Get, Buffer: 3, Offset: 100, Count: 10, Shared: 7, Format: wire.Float32},
		{Op: wire.Get, Buffer: 3, Offset: 110, Count: 10, Shared: 7, Format: wire.Float32},
		{Op: wire.Get, Buffer: 3, Offset: 120, Count: 5, Shared: 7, Format: wire.Float32},
	} {
		if got := *d.request(i, 7); got != want {
			t.Errorf("chunk %d: %+v; want %+v", i, got, want)
		}
	}
}

func TestUncleared(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 1 << 18} {
		voxels := uncleared(n)
		if len(voxels) != n || cap(voxels) != n {
			t.Fatalf("%d of %d voxels, %d", len(voxels), n, cap(voxels))
		}
		for i := range voxels {
			voxels[i] = float32(i)
		}
		runtime.GC()
		other := uncleared(n)
		for i := range other {
			other[i] = -1
		}
		for i, v := range voxels {
			if v != float32(i) {
				t.Fatalf("voxel %d of %d is %g", i, n, v)
			}
		}
	}
}
