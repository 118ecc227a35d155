package bnlm

// The row kernels are the inner loops. Each processes the first n values of its rows, n
// a multiple of tile.Lanes. The Go loops below are their definition; processors with
// AVX2 run a form that does the same operations in the same order and gives the same
// bits (rows_amd64.s). Products are converted explicitly, which keeps compilers from
// fusing them into sums.

// squaresGo: dst = (a0 - b0)^2 + (a1 - b1)^2 + (a2 - b2)^2, added to dst if more.
func squaresGo(dst, a0, b0, a1, b1, a2, b2 []float32, more bool, n int) {
	for x := range dst[:n] {
		d0, d1, d2 := a0[x]-b0[x], a1[x]-b1[x], a2[x]-b2[x]
		s := float32(d0*d0) + float32(d1*d1) + float32(d2*d2)
		if more {
			s = dst[x] + s
		}
		dst[x] = s
	}
}

// sumGo: dst = a + b.
func sumGo(dst, a, b []float32, n int) {
	for x := range dst[:n] {
		dst[x] = a[x] + b[x]
	}
}

// totalGo: den += w, peak = max(peak, w).
func totalGo(den, peak, w []float32, n int) {
	for x := range den[:n] {
		den[x] += w[x]
		peak[x] = max(peak[x], w[x])
	}
}

// spreadGo: acc += w (b - a).
func spreadGo(acc, w, a, b []float32, n int) {
	for x := range acc[:n] {
		acc[x] += float32(w[x] * (b[x] - a[x]))
	}
}

// multiplyGo: dst = a b.
func multiplyGo(dst, a, b []float32, n int) {
	for x := range dst[:n] {
		dst[x] = a[x] * b[x]
	}
}
