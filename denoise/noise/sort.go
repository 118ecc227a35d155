package noise

import (
	"math"
	"slices"
)

const (
	digitBits = 11
	digits    = 6 // of a float64
	// fewFloats is up to where comparisons sort faster than digits.
	fewFloats = 2000
)

// sortFloats is slices.Sort. Estimates sort thousands of values, many times: those are
// sorted by the digits of their bits. Values that were float32 differ in four digits alone.
func sortFloats(x []float64) {
	if len(x) <= fewFloats || slices.ContainsFunc(x, math.IsNaN) {
		slices.Sort(x)
		return
	}
	keys, next := make([]uint64, len(x)), make([]uint64, len(x))
	var counts [digits][1 << digitBits]int
	for i, a := range x {
		b := math.Float64bits(a)
		// In the order of the values: the negative ones, larger in size first, then the others.
		b ^= uint64(int64(b)>>63) | 1<<63
		keys[i] = b
		for d := range counts {
			counts[d][b>>(d*digitBits)%(1<<digitBits)]++
		}
	}
	for d := range counts {
		c := &counts[d]
		if c[keys[0]>>(d*digitBits)%(1<<digitBits)] == len(x) {
			continue // the digit of all
		}
		at := 0
		for k, n := range c {
			c[k], at = at, at+n
		}
		for _, b := range keys {
			k := b >> (d * digitBits) % (1 << digitBits)
			next[c[k]] = b
			c[k]++
		}
		keys, next = next, keys
	}
	for i, b := range keys {
		b ^= ^uint64(int64(b)>>63) | 1<<63
		x[i] = math.Float64frombits(b)
	}
}
