package volume

import (
	"bytes"
	"math"
	"testing"
)

func TestLittleEndian(t *testing.T) {
	values := []float32{1, -2.5, 0, float32(math.Copysign(0, -1)), math.MaxFloat32, 1e-45}
	want := []byte{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0x7f, 0x7f, 1, 0, 0, 0}
	if got := littleEndianCopy(values); !bytes.Equal(got, want) {
		t.Errorf("copied: % x", got)
	}
	got, shared := LittleEndian(values)
	if !bytes.Equal(got, want) || shared != nativeLittleEndian {
		t.Errorf("% x", got)
	}
	if shared {
		if got[3] = 0xbf; values[0] != -1 {
			t.Error("the memory is not shared")
		}
	}
	read := make([]float32, len(values))
	if err := ReadLittleEndian(bytes.NewReader(append([]byte{7}, want...)), 1, read); err != nil || !bytes.Equal(littleEndianCopy(read), want) {
		t.Errorf("read %v, %v", read, err)
	}
	if err := ReadLittleEndian(bytes.NewReader(want), 1, read); err == nil {
		t.Error("values of which a byte is missing were read")
	}
	if none, _ := LittleEndian(nil); len(none) != 0 {
		t.Errorf("% x", none)
	}
}
