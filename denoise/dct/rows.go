package dct

import "math"

// The row kernels are the inner loops of the sliding transforms. Each processes the
// first n values of its rows, n a multiple of lanes. The Go loops below are their
// definition; processors with AVX2 run a form that does the same operations in the
// same order and gives the same bits (rows_amd64.s). Products are converted
// explicitly, which keeps compilers from fusing them into sums.

// sumDifferenceGo: s = a + b, d = a - b. s and d may be a and b.
func sumDifferenceGo(s, d, a, b []float32, n int) {
	s, d, a, b = s[:n], d[:n], a[:n], b[:n]
	for x := range s {
		u, v := a[x], b[x]
		s[x], d[x] = u+v, u-v
	}
}

// combine: dst = m[0] rows[0] + m[1] rows[1] + ..., summed from the left.
func combine(dst []float32, rows [][]float32, m []float32, n int) {
	switch len(m) {
	case 1:
		combine1(dst, rows[0], m[0], n)
	case 2:
		combine2(dst, rows[0], rows[1], m[0], m[1], n)
	case 3:
		combine3(dst, rows[0], rows[1], rows[2], m[0], m[1], m[2], n)
	default:
		combine4(dst, rows[0], rows[1], rows[2], rows[3], m[0], m[1], m[2], m[3], n)
	}
}

// combine1: dst = p a.
func combine1(dst, a []float32, p float32, n int) {
	dst, a = dst[:n], a[:n]
	for x := range dst {
		dst[x] = p * a[x]
	}
}

func combine2Go(dst, a, b []float32, p, q float32, n int) {
	dst, a, b = dst[:n], a[:n], b[:n]
	for x := range dst {
		dst[x] = float32(p*a[x]) + float32(q*b[x])
	}
}

func combine3Go(dst, a, b, c []float32, p, q, r float32, n int) {
	dst, a, b, c = dst[:n], a[:n], b[:n], c[:n]
	for x := range dst {
		dst[x] = float32(p*a[x]) + float32(q*b[x]) + float32(r*c[x])
	}
}

func combine4Go(dst, a, b, c, d []float32, p, q, r, s float32, n int) {
	dst, a, b, c, d = dst[:n], a[:n], b[:n], c[:n], d[:n]
	for x := range dst {
		dst[x] = float32(p*a[x]) + float32(q*b[x]) + float32(r*c[x]) + float32(s*d[x])
	}
}

// thresholdGo: if |c| > limit: kept += 1 and c = 0, which leaves the removed part.
func thresholdGo(c, kept []float32, limit float32, n int) {
	c, kept = c[:n], kept[:n]
	last, one := math.Float32bits(limit)+1, math.Float32bits(1)
	for x := range c {
		bits := math.Float32bits(c[x])
		below := uint32(int32(bits&^(1<<31)-last) >> 31) // all ones if |c| <= limit
		c[x] = math.Float32frombits(bits & below)
		kept[x] += math.Float32frombits(one &^ below)
	}
}

// shrinkGo: with the gain g = q^2 / (1 + q^2), q = scale p: gains += g^2 and
// c = (1 - g) c, the removed part.
func shrinkGo(c, p, gains []float32, scale float32, n int) {
	c, p, gains = c[:n], p[:n], gains[:n]
	for x := range c {
		q := scale * p[x]
		r := 1 / (1 + float32(q*q))
		g := 1 - r
		gains[x] += float32(g * g)
		c[x] *= r
	}
}

// accumulateGo: sum += w a.
func accumulateGo(sum, w, a []float32, n int) {
	sum, w, a = sum[:n], w[:n], a[:n]
	for x := range sum {
		sum[x] += float32(w[x] * a[x])
	}
}

// add: sum += a.
func add(sum, a []float32, n int) { combine2(sum, sum, a, 1, 1, n) }

// invert: a = 1 / a.
func invert(a []float32, n int) {
	for x, v := range a[:n] {
		a[x] = 1 / v
	}
}
