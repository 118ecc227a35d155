package gpu

import (
	"math"
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
			finite := decode(got, slot)
			for i := range got {
				if got[i] != c.voxels[i] {
					t.Errorf("%s: %v came back as %v", name, c.voxels[i], got[i])
				}
			}
			if finite != (name != "infinite") {
				t.Errorf("%s: finite is %v", name, finite)
			}
		}
	}
}

func TestDecodeFindsValuesThatAreNotFinite(t *testing.T) {
	for _, bits := range []uint32{0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x7f800001} {
		slot := make([]byte, 12)
		encode(slot, []float32{0.5, math.Float32frombits(bits), 0.5})
		if decode(make([]float32, 3), slot) {
			t.Errorf("%08x passed", bits)
		}
	}
	slot := make([]byte, 12)
	encode(slot, []float32{math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32})
	if !decode(make([]float32, 3), slot) {
		t.Error("the largest numbers did not pass")
	}
}
