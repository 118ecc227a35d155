package sadct

import (
	"math"
	"slices"
	"testing"
)

// The assembly and the Go loops give the same bits, for all lengths, and write nothing
// outside.
func TestRowKernels(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loops only")
	}
	values := func(n, seed int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(math.Sin(float64(7*i*i+13*seed+1)) * 100)
		}
		s[n/2] = float32(math.Inf(1 - seed%2*2))
		s[n/3] = float32(math.NaN())
		return s
	}
	line := func(seed int) *[lanes]float32 { return (*[lanes]float32)(values(lanes, seed)) }
	equal := func(a, b []float32) bool {
		return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y })
	}
	const space = 4 * lanes
	for n := range maxSide + 1 {
		g := groups(max(n, 1))
		if g != (max(n, 1)+7)/8 {
			t.Fatalf("%d groups hold %d values", g, n)
		}
		a, m := values(n+9, 1)[:n], values((n+1)*lanes, 2)
		got, want := line(3), line(3)
		combine(got, m, a, g)
		combineGo(want, m, a, g)
		if !equal(got[:], want[:]) {
			t.Errorf("combine of %d: %v; want %v", n, got, want)
		}
		src := values(lanes, 4)
		relative(got, src, 1.5, 0.3, g)
		relativeGo(want, src, 1.5, 0.3, g)
		if !equal(got[:], want[:]) {
			t.Errorf("relative, %d groups: %v; want %v", g, got, want)
		}
		low, high := beyond(line(5), 20, 60, g)
		wantLow, wantHigh := beyondGo(line(5), 20, 60, g)
		if low != wantLow || high != wantHigh || low == high {
			t.Errorf("beyond, %d groups: %b and %b; want %b and %b", g, low, high, wantLow, wantHigh)
		}
		sums, wantSums := line(6), line(6)
		attenuate(got, line(7), sums, g)
		attenuateGo(want, line(7), wantSums, g)
		if !equal(got[:], want[:]) || !equal(sums[:], wantSums[:]) {
			t.Errorf("attenuate, %d groups: %v, %v; want %v, %v", g, got, sums, want, wantSums)
		}
		squares(line(8), sums, g)
		squaresGo(line(8), wantSums, g)
		if !equal(sums[:], wantSums[:]) {
			t.Errorf("squares, %d groups: %v; want %v", g, sums, wantSums)
		}
		if n == 0 {
			continue
		}
		num, den, wantNum, wantDen := values(space, 9), values(space, 10), values(space, 9), values(space, 10)
		deposit(num[5:], den[5:], line(11), line(12), 3, 0.7, n)
		depositGo(wantNum[5:], wantDen[5:], line(11), line(12), 3, 0.7, n)
		if !equal(num, wantNum) || !equal(den, wantDen) {
			t.Errorf("deposit of %d: %v, %v; want %v, %v", n, num, den, wantNum, wantDen)
		}
	}
}

// A run with the Go loops gives the bits of one with vector code.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !useVector {
		t.Skip("this processor runs the Go loops only")
	}
	v := waves([3]int{60, 50, 1})
	result := func() []float32 { return compute(t, v, testParams(), v.Bounds(), tileSize) }
	vector := result()
	useVector = false
	defer func() { useVector = true }()
	if !slices.Equal(result(), vector) {
		t.Error("the Go loops give other bits than the vector code")
	}
}
