package pixel

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestMask distinguishes padding from data with the same value.
func TestMask(t *testing.T) {
	// 5 x 5, 0 is padding; the 0 in the middle is enclosed by data.
	f := Format{Rows: 5, Cols: 5, Samples: 1, Allocated: 8, Stored: 8, High: 7, Slope: 1, Padding: true}
	raw := []byte{
		0, 0, 9, 9, 0,
		0, 9, 9, 9, 9,
		9, 9, 0, 9, 9,
		9, 9, 9, 9, 0,
		9, 9, 9, 0, 0,
	}
	mask := make([]bool, 25)
	if n := f.Mask(mask, raw, "MR"); n != 7 {
		t.Fatalf("%d pixels of padding, want 7", n)
	}
	for i, v := range raw {
		if want := v != 0 || i == 12; mask[i] != want {
			t.Errorf("pixel %d: mask %v", i, mask[i])
		}
	}
	// What CT cannot measure is padding wherever it is.
	f.Intercept = -2000
	f.Mask(mask, raw, "CT")
	for i, v := range raw {
		if mask[i] != (v != 0) {
			t.Errorf("CT pixel %d: mask %v", i, mask[i])
		}
	}
	f.Padding = false
	if f.Mask(mask, raw, "CT") != 0 || slices.Contains(mask, false) {
		t.Error("padding without a padding value")
	}
}

// TestPaddingBelowAir encloses a pixel of the padding value with data. Below -1024
// HU, the end of the 12-bit scale, it is padding; from there on it may be air
// inside the patient, which is only padding if it reaches in from the edge.
func TestPaddingBelowAir(t *testing.T) {
	raw := make([]byte, 18)
	binary.LittleEndian.PutUint16(raw[8:], 7) // in the middle of 3 x 3
	for _, c := range []struct {
		hu       float64
		modality string
		masked   bool
	}{{-1025, "CT", true}, {-1024, "CT", false}, {-1000, "CT", false}, {-901, "CT", false}, {-1025, "MR", false}} {
		f := Format{Rows: 3, Cols: 3, Samples: 1, Allocated: 16, Stored: 16, High: 15, Slope: 1, Intercept: c.hu - 7,
			Padding: true, PadLow: 7, PadHigh: 7}
		mask := make([]bool, 9)
		if n := f.Mask(mask, raw, c.modality); (n == 1) != c.masked || mask[4] == c.masked {
			t.Errorf("%s, padding of %g HU: %d pixels masked", c.modality, c.hu, n)
		}
	}
}

// TestPaddingRange marks ranges of 16-bit values, signed and not, with the ends at
// and beyond the value at which the sign turns.
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
		f := Format{Allocated: 16, Stored: 16, High: 15, Signed: c.signed, Padding: true, PadLow: c.lo, PadHigh: c.hi}
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
