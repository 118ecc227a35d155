package bnlm

// The row kernels are the inner loops. Each processes the first n values of its rows, n
// a multiple of tile.Lanes. The Go loops below are their definition; processors with
// AVX2 run a form that does the same operations in the same order and gives the same
// bits (rows_amd64.s). Products are converted explicitly, which keeps compilers from
// fusing them into sums.

// Kernels with planes process that many, which lie a stride of so many floats apart.

// squaresGo: dst = the sum over planes of (a0 - b0)^2 + (a1 - b1)^2 + (a2 - b2)^2.
func squaresGo(dst, a0, b0, a1, b1, a2, b2 []float32, stride, planes, n int) {
	for x := range dst[:n] {
		s := float32(0)
		for p := range planes {
			i := p*stride + x
			d0, d1, d2 := a0[i]-b0[i], a1[i]-b1[i], a2[i]-b2[i]
			t := float32(d0*d0) + float32(d1*d1) + float32(d2*d2)
			if p == 0 {
				s = t
			} else {
				s += t
			}
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

// totalGo: w = 0 where the bit is not set, den += w, peak = max(peak, w).
func totalGo(den, peak, w []float32, bits []byte, n int) {
	for x := range den[:n] {
		if bits[x/lanes]>>(x%lanes)&1 == 0 {
			w[x] = 0
		}
		den[x] += w[x]
		peak[x] = max(peak[x], w[x])
	}
}

// spreadGo: acc += w (b - a), in every plane.
func spreadGo(acc, w, a, b []float32, n int) {
	for x := range acc[:n] {
		acc[x] += float32(w[x] * (b[x] - a[x]))
	}
}

// spreadPairsGo is spreadGo for the voxels on the middles of blocks, of weight w[x], and
// for those between two of them, of weight w[x] + w[x+1], in every plane. The planes of
// acc are accStride apart.
func spreadPairsGo(acc0, acc1, w, a0, b0, a1, b1 []float32, accStride, stride, planes, n int) {
	for x := range n {
		both := w[x] + w[x+1]
		for p := range planes {
			i, to := p*stride+x, p*accStride+x
			acc0[to] += float32(w[x] * (b0[i] - a0[i]))
			acc1[to] += float32(both * (b1[i] - a1[i]))
		}
	}
}

// multiplyGo: dst = a b.
func multiplyGo(dst, a, b []float32, n int) {
	for x := range dst[:n] {
		dst[x] = a[x] * b[x]
	}
}
