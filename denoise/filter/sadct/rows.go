package sadct

import "math/bits"

// The row kernels of the CPU form work on lines of lanes floats, computed in whole
// groups of eight. Their Go forms are here; rows_amd64.s has the same operations in
// the same order for AVX2.

// combineGo sets the first 8 groups values of dst to sum_j a[j] m[j*lanes + ...], in
// the order of j, for len(a) rows of m.
func combineGo(dst *[lanes]float32, m, a []float32, groups int) {
	out := dst[:8*groups]
	clear(out)
	for j, f := range a {
		row := m[j*lanes : j*lanes+len(out)]
		for l, b := range row {
			out[l] += float32(f * b)
		}
	}
}

// relativeGo sets the first 8 groups values of dst to (src - v0) scale.
func relativeGo(dst *[lanes]float32, src []float32, v0, scale float32, groups int) {
	for l, v := range src[:8*groups] {
		dst[l] = float32((v - v0) * scale)
	}
}

// beyondGo returns a bit for each value of the first 8 groups of c that is above low
// and above high in magnitude.
func beyondGo(c *[lanes]float32, low, high float32, groups int) (overLow, overHigh uint32) {
	for l, v := range c[:8*groups] {
		if v < 0 {
			v = -v
		}
		if v > low {
			overLow |= 1 << l
		}
		if v > high {
			overHigh |= 1 << l
		}
	}
	return overLow, overHigh
}

// attenuateGo multiplies the first 8 groups values of c by their gains
// 1 - 1/(1 + q^2) and adds the squares of these to sums.
func attenuateGo(c, q, sums *[lanes]float32, groups int) {
	for l, v := range q[:8*groups] {
		gain := 1 - 1/(1+float32(v*v))
		c[l] = float32(c[l] * gain)
		sums[l] += float32(gain * gain)
	}
}

// depositGo adds weight to the first n values of den, and weight (r + mean - u) to
// the first n of num.
func depositGo(num, den []float32, r, u *[lanes]float32, mean, weight float32, n int) {
	num, den = num[:n], den[:n]
	for l := range num {
		num[l] += float32(weight * ((r[l] + mean) - u[l]))
		den[l] += weight
	}
}

// squaresGo adds the squares of the first 8 groups values of c to sums.
func squaresGo(c, sums *[lanes]float32, groups int) {
	for l, v := range c[:8*groups] {
		sums[l] += float32(v * v)
	}
}

// fold returns the sum of all lanes.
func fold(sums *[lanes]float32) float32 {
	total := float32(0)
	for _, s := range sums {
		total += s
	}
	return total
}

// groups returns the number of groups of eight that hold n values.
func groups(n int) int { return (n + 7) / 8 }

// run reports whether a row of a support has no gap, and its first position.
func run(row uint32) (first int, whole bool) {
	first = bits.TrailingZeros32(row)
	row >>= first
	return first, row&(row+1) == 0
}
