package bnlm

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 row kernels; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// The assembly forms of the row kernels, rows_amd64.s; n > 0 is a multiple of 8, planes
// is above 0.

//go:noescape
func squaresAVX2(dst, a0, b0, a1, b1, a2, b2 *float32, stride, planes, n int)

//go:noescape
func sumAVX2(dst, a, b *float32, n int)

//go:noescape
func totalAVX2(den, peak, w *float32, bits *byte, n int)

//go:noescape
func spreadAVX2(acc, w, a, b *float32, n int)

//go:noescape
func spreadPairsAVX2(acc0, acc1, w, a0, b0, a1, b1 *float32, accStride, stride, planes, n int)

//go:noescape
func multiplyAVX2(dst, a, b *float32, n int)

// The slice expressions below are the bounds checks that assembly lacks.

func squares(dst, a0, b0, a1, b1, a2, b2 []float32, stride, planes, n int) {
	if !useVector || n == 0 {
		squaresGo(dst, a0, b0, a1, b1, a2, b2, stride, planes, n)
		return
	}
	m := (planes-1)*stride + n
	squaresAVX2(&dst[:n][0], &a0[:m][0], &b0[:m][0], &a1[:m][0], &b1[:m][0], &a2[:m][0], &b2[:m][0], stride, planes, n)
}

func sum(dst, a, b []float32, n int) {
	if !useVector || n == 0 {
		sumGo(dst, a, b, n)
		return
	}
	sumAVX2(&dst[:n][0], &a[:n][0], &b[:n][0], n)
}

func total(den, peak, w []float32, bits []byte, n int) {
	if !useVector || n == 0 {
		totalGo(den, peak, w, bits, n)
		return
	}
	totalAVX2(&den[:n][0], &peak[:n][0], &w[:n][0], &bits[:n/lanes][0], n)
}

func spread(acc, w, a, b []float32, n int) {
	if !useVector || n == 0 {
		spreadGo(acc, w, a, b, n)
		return
	}
	spreadAVX2(&acc[:n][0], &w[:n][0], &a[:n][0], &b[:n][0], n)
}

func spreadPairs(acc0, acc1, w, a0, b0, a1, b1 []float32, accStride, stride, planes, n int) {
	if !useVector || n == 0 || planes == 0 {
		spreadPairsGo(acc0, acc1, w, a0, b0, a1, b1, accStride, stride, planes, n)
		return
	}
	to, m := (planes-1)*accStride+n, (planes-1)*stride+n
	spreadPairsAVX2(&acc0[:to][0], &acc1[:to][0], &w[:n+1][0], &a0[:m][0], &b0[:m][0], &a1[:m][0], &b1[:m][0], accStride, stride, planes, n)
}

func multiply(dst, a, b []float32, n int) {
	if !useVector || n == 0 {
		multiplyGo(dst, a, b, n)
		return
	}
	multiplyAVX2(&dst[:n][0], &a[:n][0], &b[:n][0], n)
}
