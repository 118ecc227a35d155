package noise

import (
	"math"
	"slices"
)

const (
	digitBits = 11
	// fewFloats is the length up to which comparisons sort faster than digits.
	fewFloats = 2000
)

// sortFloats is slices.Sort. Estimates sort thousands of values, and the same ones for each quantile: what is not
// sorted yet is sorted by the digits of its bits. Values that were float32 differ in four digits alone.
func sortFloats(x []float64) {
	if slices.IsSorted(x) {
		return
	}
	if len(x) <= fewFloats || slices.ContainsFunc(x, math.IsNaN) {
		slices.Sort(x)
		return
	}
	keys := make([]uint64, len(x))
	for i, a := range x {
		b := math.Float64bits(a)
		// In the order of the values: the negative ones, larger in size first, then the others.
		keys[i] = b ^ (uint64(int64(b)>>63) | 1<<63)
	}
	for i, b := range sortKeys(keys, 0) {
		b ^= ^uint64(int64(b)>>63) | 1<<63
		x[i] = math.Float64frombits(b)
	}
}

// sortKeys returns the keys in the order of their bits from the given one on; of equal ones the
// order stays. It overwrites keys.
func sortKeys(keys []uint64, from int) []uint64 {
	if len(keys) == 0 {
		return keys
	}
	const last = (64 + digitBits - 1) / digitBits
	var counts [last][1 << digitBits]int
	digits := counts[:(64-from+digitBits-1)/digitBits]
	for _, b := range keys {
		b >>= from
		for d := range digits {
			digits[d][b>>(d*digitBits)%(1<<digitBits)]++
		}
	}
	next := make([]uint64, len(keys))
	for d := range digits {
		c, shift := &digits[d], from+d*digitBits
		if c[keys[0]>>shift%(1<<digitBits)] == len(keys) {
			continue // the digit of all
		}
		at := 0
		for k, n := range c {
			c[k], at = at, at+n
		}
		for _, b := range keys {
			k := b >> shift % (1 << digitBits)
			next[c[k]] = b
			c[k]++
		}
		keys, next = next, keys
	}
	return keys
}
