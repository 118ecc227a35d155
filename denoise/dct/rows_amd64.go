package dct

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 row kernels; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// vector reports whether the row kernels run as vector code.
func vector() bool { return useVector }

// The assembly forms of the row kernels, rows_amd64.s; n > 0 is a multiple of
// lanes.

//go:noescape
func sumDifferenceAVX2(s, d, a, b *float32, n int)

//go:noescape
func combine2AVX2(dst, a, b *float32, p, q float32, n int)

//go:noescape
func combine3AVX2(dst, a, b, c *float32, p, q, r float32, n int)

//go:noescape
func combine4AVX2(dst, a, b, c, d *float32, p, q, r, s float32, n int)

//go:noescape
func thresholdAVX2(c, kept *float32, limit float32, n int)

//go:noescape
func shrinkAVX2(c, p, gains *float32, scale float32, n int)

//go:noescape
func accumulateAVX2(sum, w, a *float32, n int)

//go:noescape
func remove4AVX2(out, in *[4]*float32, kept, limits *float32, p, q float32, mean, n int)

// The slice expressions below are the bounds checks that assembly lacks.

func sumDifference(s, d, a, b []float32, n int) {
	if !useVector || n == 0 {
		sumDifferenceGo(s, d, a, b, n)
		return
	}
	sumDifferenceAVX2(&s[:n][0], &d[:n][0], &a[:n][0], &b[:n][0], n)
}

func combine2(dst, a, b []float32, p, q float32, n int) {
	if !useVector || n == 0 {
		combine2Go(dst, a, b, p, q, n)
		return
	}
	combine2AVX2(&dst[:n][0], &a[:n][0], &b[:n][0], p, q, n)
}

func combine3(dst, a, b, c []float32, p, q, r float32, n int) {
	if !useVector || n == 0 {
		combine3Go(dst, a, b, c, p, q, r, n)
		return
	}
	combine3AVX2(&dst[:n][0], &a[:n][0], &b[:n][0], &c[:n][0], p, q, r, n)
}

func combine4(dst, a, b, c, d []float32, p, q, r, s float32, n int) {
	if !useVector || n == 0 {
		combine4Go(dst, a, b, c, d, p, q, r, s, n)
		return
	}
	combine4AVX2(&dst[:n][0], &a[:n][0], &b[:n][0], &c[:n][0], &d[:n][0], p, q, r, s, n)
}

func threshold(c, kept []float32, limit float32, n int) {
	if !useVector || n == 0 {
		thresholdGo(c, kept, limit, n)
		return
	}
	thresholdAVX2(&c[:n][0], &kept[:n][0], limit, n)
}

func shrink(c, p, gains []float32, scale float32, n int) {
	if !useVector || n == 0 {
		shrinkGo(c, p, gains, scale, n)
		return
	}
	shrinkAVX2(&c[:n][0], &p[:n][0], &gains[:n][0], scale, n)
}

func accumulate(sum, w, a []float32, n int) {
	if !useVector || n == 0 {
		accumulateGo(sum, w, a, n)
		return
	}
	accumulateAVX2(&sum[:n][0], &w[:n][0], &a[:n][0], n)
}

// remove4 does at once what forward, threshold and inverse do with four samples, with the
// same bits: three quarters of the work of odct in 3-D. It reports whether it has a form
// for this processor. limits holds the limit of each coefficient in all lanes; mean states
// that the first coefficients stay, without being counted.
func remove4(b *basis, out, in [][]float32, kept []float32, limits *[4 * lanes]float32, mean bool, n int) bool {
	if !useVector || n == 0 {
		return false
	}
	var to, from [4]*float32
	for i := range 4 {
		to[i], from[i] = &out[i][:n][0], &in[i][:n][0]
	}
	first := 0
	if mean {
		first = 1
	}
	remove4AVX2(&to, &from, &kept[:n][0], &limits[0], b.rows[1][0], b.rows[1][1], first, n)
	return true
}
