package pixel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
			f.PadLow = []int{rng.IntN(5) - 2, 11}[rng.IntN(2)]
			f.PadHigh = f.PadLow + rng.IntN(3)
		}
		n := 40
		if rng.IntN(50) == 0 {
			n += block16
		}
		before, values := make([]byte, 2*n), make([]float32, n)
		for i := range before {
			before[i] = byte(rng.Uint32())
		}
		var valid []bool
		if rng.IntN(3) == 0 {
			valid = make([]bool, n)
			for i := range valid {
				valid[i] = i < 7 || rng.IntN(8) > 0
			}
		}
		lo, hi := f.storedRange()
		for i := range values {
			at := float64([]int64{lo, hi, 0}[rng.IntN(3)]) + float64(rng.IntN(17)-8)/4
			values[i] = float32(at*f.Slope + f.Intercept)
		}
		raw := slices.Clone(before)
		clipped := f.Encode(raw, values, valid)
		extremes, found := [2]int64{math.MaxInt64, math.MinInt64}, false
		for i, v := range values {
			if valid != nil && !valid[i] {
				if f.word(raw, i) != f.word(before, i) {
					t.Fatalf("%+v: masked pixel %d changed", f, i)
				}
				if got := f.at(raw, i); !f.Padding || got < int64(f.PadLow) || got > int64(f.PadHigh) {
					extremes, found = [2]int64{min(extremes[0], got), max(extremes[1], got)}, true
				}
				continue
			}
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
