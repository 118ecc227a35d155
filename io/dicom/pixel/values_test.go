package pixel

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDecode reads words with stored bits that lie in several places; the expected
// values are worked out by hand.
func TestDecode(t *testing.T) {
	le16 := func(w ...uint16) (b []byte) {
		for _, x := range w {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
		return b
	}
	for name, c := range map[string]struct {
		f    Format
		raw  []byte
		want []float32
	}{
		"16 unsigned":           {Format{Allocated: 16, Stored: 16, High: 15}, le16(0, 1, 0x7FFF, 0x8000, 0xFFFF), []float32{0, 1, 32767, 32768, 65535}},
		"16 signed":             {Format{Allocated: 16, Stored: 16, High: 15, Signed: true}, le16(0, 1, 0x7FFF, 0x8000, 0xFFFF), []float32{0, 1, 32767, -32768, -1}},
		"12 of 16, overlay":     {Format{Allocated: 16, Stored: 12, High: 11}, le16(0xF000, 0x1FFF, 0x0800), []float32{0, 4095, 2048}},
		"12 of 16 signed":       {Format{Allocated: 16, Stored: 12, High: 11, Signed: true}, le16(0x0800, 0x07FF, 0x0FFF, 0xFFFF), []float32{-2048, 2047, -1, -1}},
		"12 of 16 at the top":   {Format{Allocated: 16, Stored: 12, High: 15}, le16(0x7FFF, 0x8000), []float32{2047, 2048}},
		"12 at the top, signed": {Format{Allocated: 16, Stored: 12, High: 15, Signed: true}, le16(0x7FFF, 0x8000), []float32{2047, -2048}},
		"8 unsigned":            {Format{Allocated: 8, Stored: 8, High: 7}, []byte{0, 127, 255}, []float32{0, 127, 255}},
		"8 signed":              {Format{Allocated: 8, Stored: 8, High: 7, Signed: true}, []byte{0, 127, 255}, []float32{0, 127, -1}},
		"6 of 8":                {Format{Allocated: 8, Stored: 6, High: 5}, []byte{0xC1, 0x3F}, []float32{1, 63}},
		"32 unsigned":           {Format{Allocated: 32, Stored: 32, High: 31}, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, []float32{1, 1 << 31}},
		"32 signed":             {Format{Allocated: 32, Stored: 32, High: 31, Signed: true}, []byte{1, 0, 0, 0, 0, 0, 0, 0x80}, []float32{1, -1 << 31}},
		"24 of 32 signed":       {Format{Allocated: 32, Stored: 24, High: 23, Signed: true}, []byte{0, 0, 0x80, 7}, []float32{-1 << 23}},
	} {
		c.f.Slope, c.f.Intercept, c.f.Rows, c.f.Cols, c.f.Samples = 1, 0, 1, len(c.want), 1
		got := make([]float32, len(c.want))
		c.f.Decode(got, c.raw)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		// What was read goes back to the same bytes, unused bits included.
		raw := slices.Clone(c.raw)
		if n := c.f.Encode(raw, got, nil); n != 0 || !slices.Equal(raw, c.raw) {
			t.Errorf("%s: % x comes back as % x, %d clipped", name, c.raw, raw, n)
		}
	}
}

// TestEncode writes values that need rounding, clipping, and care for what
// shares the word.
func TestEncode(t *testing.T) {
	f := Format{Allocated: 16, Stored: 12, High: 11, Slope: 0.5, Intercept: -10}
	raw := []byte{0x00, 0xA0, 0x00, 0x10, 0xFF, 0x0F, 0x00, 0xF0, 0x34, 0x12}
	clipped := f.Encode(raw, []float32{-10, 0.2, -11, 5000, 7}, []bool{true, true, true, true, false})
	want := []byte{0x00, 0xA0, 0x14, 0x10, 0x00, 0x00, 0xFF, 0xFF, 0x34, 0x12}
	if !slices.Equal(raw, want) || clipped != 2 {
		t.Errorf("% x, want % x; %d clipped, want 2", raw, want, clipped)
	}

	// Bits above the stored ones that only repeat the sign follow it.
	f = Format{Allocated: 16, Stored: 12, High: 11, Signed: true, Slope: 1}
	raw = []byte{0x05, 0x00, 0xFB, 0xFF}
	f.Encode(raw, []float32{-5, 5}, nil)
	if want := []byte{0xFB, 0xFF, 0x05, 0x00}; !slices.Equal(raw, want) {
		t.Errorf("sign: % x, want % x", raw, want)
	}
}

// TestEncodeAvoidsPadding stores results on the padding value as the nearest other value.
func TestEncodeAvoidsPadding(t *testing.T) {
	f := Format{Allocated: 8, Stored: 8, High: 7, Slope: 1, Padding: true, PadLow: 10, PadHigh: 12}
	raw := []byte{50, 50, 50, 11, 11}
	f.Encode(raw, []float32{9.8, 12.3, 11, 11.2, 200}, []bool{true, true, true, true, false})
	if want := []byte{9, 13, 13, 11, 11}; !slices.Equal(raw, want) {
		t.Errorf("%v, want %v", raw, want)
	}
	f = Format{Allocated: 8, Stored: 8, High: 7, Slope: 1, Padding: true, PadLow: 0, PadHigh: 0}
	raw = []byte{50}
	f.Encode(raw, []float32{0}, nil)
	if raw[0] != 1 {
		t.Errorf("padding 0: stored %d, want 1", raw[0])
	}
}

// TestDecodeMatchesBitByBit compares the fast paths with single bits.
func TestDecodeMatchesBitByBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		alloc := []int{8, 16, 32}[rng.IntN(3)]
		stored := 1 + rng.IntN(alloc)
		f := Format{Rows: 3, Cols: 7, Samples: 1, Allocated: alloc, Stored: stored, High: stored - 1 + rng.IntN(alloc-stored+1),
			Signed: rng.IntN(2) == 1, Slope: 1.5, Intercept: -3}
		raw := make([]byte, f.Bytes())
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		got := make([]float32, 21)
		f.Decode(got, raw)
		for i := range got {
			var v int64
			for b := range stored {
				bit := i*alloc + f.High - stored + 1 + b
				v |= int64(raw[bit/8]>>(bit%8)&1) << b
			}
			if f.Signed && v>>(stored-1)&1 == 1 {
				v -= 1 << stored
			}
			if want := float32(float64(v)*1.5 - 3); got[i] != want {
				t.Fatalf("%+v: pixel %d is %g, want %g", f, i, got[i], want)
			}
		}
	}
}
