package pixel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestVectorLoops compares the vector loops with the plain ones.
func TestVectorLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	raw := make([]byte, 2<<16)
	for v := range 1 << 16 {
		raw[2*v], raw[2*v+1] = byte(v), byte(v>>8)
	}
	for range 1000 {
		stored := 1 + rng.IntN(16)
		f := Format{Allocated: 16, Stored: stored, High: stored - 1 + rng.IntN(17-stored), Signed: rng.IntN(2) == 1,
			Slope: rng.NormFloat64(), Intercept: 1000 * rng.NormFloat64()}
		switch rng.IntN(4) {
		case 0:
			f.Slope, f.Intercept = 1, float64(rng.IntN(1<<24)-1<<23)
		case 1:
			f.Slope, f.Intercept = 1, math.Copysign(0, -1)
		}
		first := rng.IntN(1 << 16)
		n := rng.IntN(min(100, 1<<16-first))
		if rng.IntN(20) == 0 {
			first, n = 0, 1<<16
		}
		pixels := raw[2*first : 2*(first+n)]
		got, want := make([]float32, n), make([]float32, n)
		f.decode16(got, pixels)
		f.decode16Go(want, pixels)
		if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Fatalf("%+v: %d values from %d on differ", f, n, first)
		}
		left, from, span := rng.IntN(16), uint16(rng.Uint32()), uint16(rng.Uint32()>>rng.IntN(16))
		mask, wantMask := make([]bool, n), make([]bool, n)
		inside, wantInside := outside16(mask, pixels, left, from, span), outside16Go(wantMask, pixels, left, from, span)
		if inside != wantInside || !slices.Equal(mask, wantMask) {
			t.Fatalf("outside %d..%d+%d of %d values from %d on: %d inside, want %d", from, from, span, n, first, inside, wantInside)
		}
	}
}

// TestPaddingOfTwelveBits marks padding if other bits share the word.
func TestPaddingOfTwelveBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		stored := 1 + rng.IntN(16)
		f := Format{Allocated: 16, Stored: stored, High: stored - 1 + rng.IntN(17-stored), Signed: rng.IntN(2) == 1, Padding: true}
		lo, hi := f.storedRange()
		f.PadLow = int(lo) - 20 + rng.IntN(int(hi-lo)+40)
		f.PadHigh = f.PadLow + rng.IntN(60)
		raw := make([]byte, 2*1000)
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		mask := make([]bool, 1000)
		inside := f.markPadding(mask, raw)
		for i, valid := range mask {
			v := int(f.at(raw, i))
			if padding := v >= f.PadLow && v <= f.PadHigh; padding == valid {
				t.Fatalf("%+v: value %d valid %v", f, v, valid)
			} else if padding {
				inside--
			}
		}
		if inside != 0 {
			t.Fatalf("%+v: counted %d too many", f, inside)
		}
	}
}

// TestEncodeAndExtremesOf16Bits compares the loops of 16-bit pixels with their definition, in
// all formats.
func TestEncodeAndExtremesOf16Bits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		stored := 1 + rng.IntN(16)
		f := Format{Allocated: 16, Stored: stored, High: stored - 1 + rng.IntN(17-stored), Signed: rng.IntN(2) == 1, Slope: 1, Intercept: float64(rng.IntN(3) - 1)}
		if rng.IntN(2) == 1 {
			f.Slope = []float64{0.5, -1, 3, 0.1}[rng.IntN(4)]
		}
		if f.Padding = rng.IntN(2) == 1; f.Padding {
			f.PadLow = rng.IntN(5) - 2
			f.PadHigh = f.PadLow + rng.IntN(3)
		}
		before, values := make([]byte, 2*40), make([]float32, 40)
		for i := range before {
			before[i] = byte(rng.Uint32())
		}
		lo, hi := f.storedRange()
		for i := range values {
			at := float64([]int64{lo, hi, 0}[rng.IntN(3)]) + float64(rng.IntN(17)-8)/4
			values[i] = float32(at*f.Slope + f.Intercept)
		}
		raw := slices.Clone(before)
		clipped := f.Encode(raw, values, nil)
		extremes, found := [2]int64{math.MaxInt64, math.MinInt64}, false
		for i, v := range values {
			x := math.Round((float64(v) - f.Intercept) / f.Slope)
			if x < float64(lo) || x > float64(hi) {
				clipped--
			}
			want := int64(max(min(x, float64(hi)), float64(lo)))
			pad := f.Padding && want >= int64(f.PadLow) && want <= int64(f.PadHigh)
			got := f.at(raw, i)
			if !pad && got != want || pad && got != f.at(before, i) && got != f.besidePadding(float64(v), lo, hi) {
				t.Fatalf("%+v: %v is %d; want %d", f, v, got, want)
			}
			if !f.signExtended(before, len(values)) && (f.word(raw, i)^f.word(before, i))&^(uint32(1)<<(f.High+1)-uint32(1)<<(f.High+1-stored)) != 0 {
				t.Fatalf("%+v: other bits of pixel %d changed", f, i)
			}
			if !f.Padding || got < int64(f.PadLow) || got > int64(f.PadHigh) {
				extremes, found = [2]int64{min(extremes[0], got), max(extremes[1], got)}, true
			}
		}
		if clipped != 0 {
			t.Fatalf("%+v: %d too many were clipped", f, clipped)
		}
		if a, b, present := f.Extremes(raw, len(values)); present != found || present && [2]int64{a, b} != extremes {
			t.Fatalf("%+v: extremes %d, %d, %v; want %v, %v", f, a, b, present, extremes, found)
		}
	}
}
