package bnlm

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 row kernels; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2 && cpu.X86.HasFMA

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
func multiplyAVX2(dst, a, b *float32, n int)

//go:noescape
func columnsAVX2(dst, a0, a1, b0, b1 *float32, plane, planes, vectors, each, n int)

//go:noescape
func leastsAVX2(least, a, b, c *float32, bits *byte, n int)

//go:noescape
func shareAVX2(dst, w, right, inverse *float32, n int)

//go:noescape
func giveAVX2(sums *float32, sumsRow int, values *float32, row int, shares, before *float32, places *int, n int)

//go:noescape
func givePlanesAVX2(sums *float32, sumsRow, sumsPlane int, values *float32, row, plane int, shares, before *float32, places *int, n int)

//go:noescape
func splitAVX2(even, odd, from *float32, unit float32, n int) float32

//go:noescape
func mergeAVX2(dst, v, even, odd *float32, evenShare, oddShare float64, n int)

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

func multiply(dst, a, b []float32, n int) {
	if !useVector || n == 0 {
		multiplyGo(dst, a, b, n)
		return
	}
	multiplyAVX2(&dst[:n][0], &a[:n][0], &b[:n][0], n)
}

// columns takes at most atOnce offsets.
func columns(dst, a0, a1, b0, b1 []float32, plane, planes, vectors, each, n int) {
	if !useVector || vectors == 0 {
		columnsGo(dst, a0, a1, b0, b1, plane, planes, vectors, each, n)
		return
	}
	to, m := (vectors-1)*each+n*lanes, (planes-1)*plane+vectors*lanes
	columnsAVX2(&dst[:to][0], &a0[:m][0], &a1[:m+1][0], &b0[:m+n-1][0], &b1[:m+n][0], plane, planes, vectors, each, n)
}

func leasts(least, a, b, c []float32, bits []byte, n int) {
	if !useVector || n == 0 {
		leastsGo(least, a, b, c, bits, n)
		return
	}
	m := n * lanes
	leastsAVX2(&least[:lanes][0], &a[:m][0], &b[:m][0], &c[:m][0], &bits[:n][0], n)
}

func share(dst, w, right, inverse []float32, n int) {
	if !useVector || n == 0 {
		shareGo(dst, w, right, inverse, n)
		return
	}
	shareAVX2(&dst[:2*n*lanes][0], &w[:n*lanes][0], &right[:(n-1)*lanes+1][0], &inverse[:lanes+1][0], n)
}

// give takes the least and the most of places, to check that all are in values.
func give(sums []float32, to int, sumsApart strides, values []float32, at int, apart strides, planes int, shares, before []float32, places []int, least, most, n int) {
	if !useVector || n == 0 || planes != 1 && planes != 3 {
		giveGo(sums, to, sumsApart, values, at, apart, planes, shares, before, places, n)
		return
	}
	_ = values[at+least : at+most+(planes-1)*apart.plane+apart.row+lanes]
	_ = sums[to : to+(planes-1)*sumsApart.plane+sumsApart.row+lanes]
	m := (2*n - 1) * lanes
	if planes == 1 {
		giveAVX2(&sums[to], sumsApart.row, &values[at], apart.row, &shares[:m][0], &before[:m][0], &places[:n][0], n)
		return
	}
	givePlanesAVX2(&sums[to], sumsApart.row, sumsApart.plane, &values[at], apart.row, apart.plane, &shares[:m][0], &before[:m][0], &places[:n][0], n)
}

func split(even, odd, from []float32, unit float32, n int) float32 {
	if !useVector || n == 0 {
		return splitGo(even, odd, from, unit, n)
	}
	return splitAVX2(&even[:n][0], &odd[:n][0], &from[:2*n][0], unit, n)
}

// merge takes a multiple of four.
func merge(dst, v, even, odd []float32, evenShare, oddShare float64, n int) {
	if !useVector || n == 0 {
		mergeGo(dst, v, even, odd, evenShare, oddShare, n)
		return
	}
	mergeAVX2(&dst[:2*n][0], &v[:2*n][0], &even[:n][0], &odd[:n][0], evenShare, oddShare, n)
}
