package words16

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// words returns every word once.
func words() []byte {
	raw := make([]byte, 2<<16)
	for v := range 1 << 16 {
		binary.LittleEndian.PutUint16(raw[2*v:], uint16(v))
	}
	return raw
}

// part returns up to 100 words of raw, or now and then all.
func part(rng *rand.Rand, raw []byte) []byte {
	if rng.IntN(20) == 0 {
		return raw
	}
	first := rng.IntN(1 << 16)
	return raw[2*first : 2*(first+rng.IntN(min(100, 1<<16-first)))]
}

func randomLayout(rng *rand.Rand) Layout {
	stored := 1 + rng.IntN(16)
	return Layout{High: stored - 1 + rng.IntN(17-stored), Stored: stored, Signed: rng.IntN(2) == 1}
}

// TestDecodeAndOutside compares the vector loops with the plain ones.
func TestDecodeAndOutside(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	raw := words()
	for range 1000 {
		l, slope, intercept := randomLayout(rng), rng.NormFloat64(), 1000*rng.NormFloat64()
		switch rng.IntN(4) {
		case 0:
			slope, intercept = 1, float64(rng.IntN(1<<24)-1<<23)
		case 1:
			slope, intercept = 1, math.Copysign(0, -1)
		}
		pixels := part(rng, raw)
		n := len(pixels) / 2
		got, want := make([]float32, n), make([]float32, n)
		l.Decode(got, pixels, slope, intercept)
		l.decodeGo(want, pixels, slope, intercept)
		if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Fatalf("%+v, %v, %v: %d values from % x on differ", l, slope, intercept, n, pixels[:2])
		}
		left, from, span := rng.IntN(16), uint16(rng.Uint32()), uint16(rng.Uint32()>>rng.IntN(16))
		mask, wantMask := make([]bool, n), make([]bool, n)
		inside, wantInside := Outside(mask, pixels, left, from, span), outsideGo(wantMask, pixels, left, from, span)
		if inside != wantInside || !slices.Equal(mask, wantMask) {
			t.Fatalf("outside %d..%d+%d of %d values: %d inside, want %d", from, from, span, n, inside, wantInside)
		}
	}
}

// TestDecodeOfOneWord compares with the definition.
func TestDecodeOfOneWord(t *testing.T) {
	for _, c := range []struct {
		l    Layout
		word uint16
		want float32
	}{
		{Whole(true), 0xFFFE, 2*-2 + 0.5},
		{Whole(false), 0xFFFE, 2*65534 + 0.5},
		{Layout{High: 11, Stored: 12}, 0xF801, 2*0x801 + 0.5},
		{Layout{High: 11, Stored: 12, Signed: true}, 0xF801, 2*(0x801-0x1000) + 0.5},
		{Layout{High: 13, Stored: 4, Signed: true}, 0x2C00, 2*-5 + 0.5},
	} {
		raw := make([]byte, 2*17)
		for i := range 17 {
			binary.LittleEndian.PutUint16(raw[2*i:], c.word)
		}
		got := make([]float32, 17)
		if c.l.Decode(got, raw, 2, 0.5); got[0] != c.want || got[16] != c.want {
			t.Errorf("%+v: word %#x is %v and %v, want %v", c.l, c.word, got[0], got[16], c.want)
		}
	}
}

// TestEncode compares with the definition, at halves, at both ends and beyond them.
func TestEncode(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		lo, hi := -1<<15, 1<<15-1
		switch rng.IntN(3) {
		case 0:
			lo, hi = 0, 1<<16-1
		case 1:
			lo, hi = -1<<rng.IntN(12), 1<<rng.IntN(12)
		}
		slope, intercept := 1.0, 0.0
		if rng.IntN(2) == 1 {
			slope, intercept = []float64{0.5, -1, 3, 0.1}[rng.IntN(4)], float64(rng.IntN(5)-2)/4
		}
		values := make([]float32, rng.IntN(40))
		for i := range values {
			at := float64([]int{lo, hi, 0, 7, -8}[rng.IntN(5)]) + float64(rng.IntN(17)-8)/4
			values[i] = float32(at*slope + intercept)
		}
		raw := make([]byte, 2*len(values))
		clipped := Encode(raw, values, slope, intercept, lo, hi)
		for i, v := range values {
			nearest := math.Round((float64(v) - intercept) / slope)
			want := max(min(nearest, float64(hi)), float64(lo))
			if want != nearest {
				clipped--
			}
			if got := binary.LittleEndian.Uint16(raw[2*i:]); got != uint16(int(want)) {
				t.Fatalf("%v, slope %v, intercept %v, %d..%d: stored as %d, want %v", v, slope, intercept, lo, hi, int16(got), want)
			}
		}
		if clipped != 0 {
			t.Fatalf("%d too many of %d were counted as clipped", clipped, len(values))
		}
	}
}

// TestEncodeRoundsNearHalves rounds as math.Round if adding a half would not.
func TestEncodeRoundsNearHalves(t *testing.T) {
	below := math.Nextafter32(0.5, 0)
	values := []float32{below, -below, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0, float32(math.Copysign(0, -1)), 1e30, -1e30, 32767.5, 32767.25, -32768.5, -32768.25}
	want := []int16{0, 0, 1, -1, 2, 3, -2, -3, 0, 0, 32767, -32768, 32767, 32767, -32768, -32768}
	raw := make([]byte, 2*len(values))
	clipped := Encode(raw, values, 1, 0, -32768, 32767)
	for i, w := range want {
		if got := int16(binary.LittleEndian.Uint16(raw[2*i:])); got != w {
			t.Errorf("%v is stored as %d, want %d", values[i], got, w)
		}
	}
	if clipped != 4 {
		t.Errorf("%d values were clipped, want 4", clipped)
	}
}

// TestExtremes compares with a search by decoded values.
func TestExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		l := randomLayout(rng)
		raw := make([]byte, 2*(1+rng.IntN(50)))
		base := rng.Uint32()
		for i := 0; i < len(raw); i += 2 {
			binary.LittleEndian.PutUint16(raw[i:], uint16(base)^uint16(rng.Uint32()>>rng.IntN(32)))
		}
		values := make([]float32, len(raw)/2)
		l.decodeGo(values, raw, 1, 0)
		lo, hi := l.Extremes(raw)
		if float32(lo) != slices.Min(values) || float32(hi) != slices.Max(values) {
			t.Fatalf("%+v: %d values lie in %v..%v, found %d..%d", l, len(values), slices.Min(values), slices.Max(values), lo, hi)
		}
	}
}
