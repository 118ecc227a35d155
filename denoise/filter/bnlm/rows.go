package bnlm

import "quell/denoise/tile"

// The row kernels are the inner loops. Each processes the first n values of its rows, n a
// multiple of tile.Lanes. The Go loops below are their definition; processors with AVX2
// and FMA run a form that does the same operations in the same order and gives the same
// bits (rows_amd64.s). Products are converted explicitly, which keeps compilers from
// fusing them into sums if they are not fused.

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

// totalGo: w = 0 if the bit is not set, den += w, peak = max(peak, w).
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

// multiplyGo: dst = a b.
func multiplyGo(dst, a, b []float32, n int) {
	for x := range dst[:n] {
		dst[x] = a[x] * b[x]
	}
}

// The kernels below serve rows of blocks of radius 1 at every second voxel, eight at a
// time: see rowwise.

// columnsGo sums up squared differences at n offsets, for vectors of eight blocks. In
// each of the planes a block has the samples a1[x], a0[x] and a1[x+1]; those at offset q
// are b1[x+q], b0[x+q] and b1[x+q+1]. The sums of a vector are each floats apart.
func columnsGo(dst, a0, a1, b0, b1 []float32, plane, planes, vectors, each, n int) {
	for v := range vectors {
		for i := range n * lanes {
			q := i / lanes
			left, own, right := float32(0), float32(0), float32(0)
			for p := range planes {
				x := p*plane + v*lanes + i%lanes
				d := a1[x] - b1[x+q]
				left = tile.FMA(d, d, left)
				d = a0[x] - b0[x+q]
				own = tile.FMA(d, d, own)
				d = a1[x+1] - b1[x+q+1]
				right = tile.FMA(d, d, right)
			}
			dst[v*each+i] = left + own + right
		}
	}
}

// leastsGo: least = min(least, a + b + c) if the pair's bit is set.
func leastsGo(least, a, b, c []float32, bits []byte, n int) {
	for i, used := range bits[:n] {
		for k := range lanes {
			if x := i*lanes + k; used>>k&1 == 1 {
				least[k] = min(least[k], a[x]+b[x]+c[x])
			}
		}
	}
}

// shareGo multiplies n vectors of weights by the inverse of their sums. dst has a vector
// of shares and one of their sums with the sums of the right neighbours; the last
// neighbour's weight is the first of right.
func shareGo(dst, w, right, inverse []float32, n int) {
	for i := range n {
		for k := range lanes {
			dst[2*i*lanes+k] = w[i*lanes+k] * inverse[k]
		}
		next := right[i*lanes] * inverse[lanes]
		for k := lanes - 1; k >= 0; k-- {
			share := dst[2*i*lanes+k]
			dst[(2*i+1)*lanes+k] = share + next
			next = share
		}
	}
}

// strides are the distances of a value from those in the next row and the next plane.
type strides struct{ row, plane int }

// giveGo adds, for eight voxels in each plane at position at and in the next row, the
// differences of their partners at n places, times shares: in the next row the sums of
// the blocks on it, in the first with the ones before. Vectors of shares lie 16 floats
// apart, sums begin at position to.
func giveGo(sums []float32, to int, sumsApart strides, values []float32, at int, apart strides, planes int, shares, before []float32, places []int, n int) {
	for k := range lanes {
		for p := range planes {
			here := at + p*apart.plane + k
			first, next := float32(0), float32(0)
			for i, place := range places[:n] {
				own := shares[2*i*lanes+k]
				both := own + before[2*i*lanes+k]
				first = tile.FMA(both, values[here+place]-values[here], first)
				next = tile.FMA(own, values[here+apart.row+place]-values[here+apart.row], next)
			}
			there := to + p*sumsApart.plane + k
			sums[there] += first
			sums[there+sumsApart.row] += next
		}
	}
}

// splitGo stores the first, third, ... and the second, fourth, ... of 2 n values times
// unit, and returns the size of the largest.
func splitGo(even, odd, from []float32, unit float32, n int) float32 {
	largest := float32(0)
	for i := range n {
		a, b := from[2*i], from[2*i+1]
		even[i], odd[i] = a*unit, b*unit
		largest = max(largest, a, -a, b, -b)
	}
	return largest
}

// mergeGo: dst = v + shares times share, for 2 n voxels, even ones and odd ones.
func mergeGo(dst, v, even, odd []float32, evenShare, oddShare float64, n int) {
	for i := range n {
		dst[2*i] = float32(float64(v[2*i]) + float64(float64(even[i])*evenShare))
		dst[2*i+1] = float32(float64(v[2*i+1]) + float64(float64(odd[i])*oddShare))
	}
}
