package dicom

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestMask tells padding from data that has its value.
func TestMask(t *testing.T) {
	// 5 x 5, 0 is padding; the 0 in the middle is enclosed by data.
	f := pixelFormat{rows: 5, cols: 5, samples: 1, alloc: 8, stored: 8, high: 7, slope: 1, padding: true}
	raw := []byte{
		0, 0, 9, 9, 0,
		0, 9, 9, 9, 9,
		9, 9, 0, 9, 9,
		9, 9, 9, 9, 0,
		9, 9, 9, 0, 0,
	}
	mask := make([]bool, 25)
	if n := f.mask(mask, raw, "MR"); n != 7 {
		t.Fatalf("%d pixels of padding, want 7", n)
	}
	for i, v := range raw {
		if want := v != 0 || i == 12; mask[i] != want {
			t.Errorf("pixel %d: mask %v", i, mask[i])
		}
	}
	// What CT cannot measure is padding wherever it is.
	f.inter = -2000
	f.mask(mask, raw, "CT")
	for i, v := range raw {
		if mask[i] != (v != 0) {
			t.Errorf("CT pixel %d: mask %v", i, mask[i])
		}
	}
	f.padding = false
	if f.mask(mask, raw, "CT") != 0 || slices.Contains(mask, false) {
		t.Error("padding without a padding value")
	}
}

// TestPaddingRange marks ranges of 16-bit values, signed and not, with the
// ends at and beyond where the sign turns.
func TestPaddingRange(t *testing.T) {
	var raw []byte
	for v := range 1 << 16 {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
	}
	mask := make([]bool, 1<<16)
	for _, c := range []struct {
		signed bool
		lo, hi int
	}{{true, -2000, -2000}, {true, -5, 5}, {true, -32768, -32768}, {false, 0, 0}, {false, 65530, 65535}, {false, 32760, 32770}} {
		f := pixelFormat{alloc: 16, stored: 16, high: 15, signed: c.signed, padding: true, padLo: c.lo, padHi: c.hi}
		f.markPadding(mask, raw)
		for i, valid := range mask {
			v := i
			if c.signed {
				v = int(int16(i))
			}
			if want := v < c.lo || v > c.hi; valid != want {
				t.Fatalf("%+v: value %d valid %v", c, v, valid)
			}
		}
	}
}

// TestPaddingBeyondStoredBits masks padding that twelve bits cannot hold, and
// leaves data alone whose twelve bits are the same.
func TestPaddingBeyondStoredBits(t *testing.T) {
	f := newFake("1", 0, 0).with(tagBitsStored, 12).with(tagHighBit, 11).with(tagPixelRepresentation, 0).with(tagPixelPaddingValue, 0xF830)
	for i, v := range []uint16{0xF830, 0x0830} {
		binary.LittleEndian.PutUint16(f.pixels[10*i:], v)
	}
	v := load(t, scan(t, filesOf(map[string]*fake{"x": f})), 0).Volume
	if v.Mask == nil || v.Mask[0] || slices.Contains(v.Mask[1:], false) {
		t.Errorf("mask %v", v.Mask)
	}
	if v.Data[5] != 2*0x830-1000 {
		t.Errorf("a value beside: %g", v.Data[5])
	}
}
