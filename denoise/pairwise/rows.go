package pairwise

import "math"

// The row kernels are the inner loops of the pairwise filters. Each processes the
// first n values of its rows, n a multiple of lanes. The Go loops below are their
// definition; processors with AVX2 run a form that does the same operations in
// the same order and gives the same bits (rows_amd64.s). Products are converted
// explicitly, which keeps compilers from fusing them into sums.

// squareDiffGo: dst = (a - b)^2.
func squareDiffGo(dst, a, b []float32, n int) {
	dst, a, b = dst[:n], a[:n], b[:n]
	for x := range dst {
		d := a[x] - b[x]
		dst[x] = d * d
	}
}

// addSquareDiffGo: dst += gain (a - b)^2.
func addSquareDiffGo(dst, a, b []float32, gain float32, n int) {
	dst, a, b = dst[:n], a[:n], b[:n]
	for x := range dst {
		d := a[x] - b[x]
		dst[x] += float32(gain * float32(d*d))
	}
}

// addPairGo: dst = mid + g (l + r), one step of a symmetric filter. mid may be
// dst.
func addPairGo(dst, mid, l, r []float32, g float32, n int) {
	dst, mid, l, r = dst[:n], mid[:n], l[:n], r[:n]
	for x := range dst {
		dst[x] = mid[x] + float32(g*(l[x]+r[x]))
	}
}

// MaxExponent is the largest t in the weights 2^-t, which keeps the arithmetic of
// weighGo and accumulateGo in the normal numbers. If all weights of a voxel are as
// small as that, the voxel is faint (faint.go).
const MaxExponent = 110

// 2^r for |r| <= 1/2 within 1e-7: minimax polynomial of the relative error,
// lowest power first; the constant is exactly 1 so that equal patches weigh 1.
const (
	exp2c1 = 0.6931471824645996
	exp2c2 = 0.24022646248340607
	exp2c3 = 0.05550328642129898
	exp2c4 = 0.009618489071726799
	exp2c5 = 0.0013399930903688073
	exp2c6 = 0.0001534581242594868
)

// roundMagic is 1.5 * 2^23: added to 0 <= t < 2^22 it leaves t rounded to a whole
// number in the low bits.
const roundMagic = 12582912

// weighGo: w = 2^-t, t = min(max(0, scale d + bias), MaxExponent).
func weighGo(w, d []float32, scale, bias float32, n int) {
	w, d = w[:n], d[:n]
	for x := range w {
		w[x] = powerGo(float32(scale*d[x]) + bias)
	}
}

// weighSumGo: w = 2^-t, t = min(max(0, scale (a + b + c) - least), MaxExponent), 0 if the
// pair's bit is not set; sum += w, peak = max(peak, w). Least, sums and peaks belong to the
// lanes.
func weighSumGo(w, sum, peak, a, b, c, least []float32, scale float32, bits []byte, n int) {
	w, a, b, c = w[:n], a[:n], b[:n], c[:n]
	for x := range w {
		k := x % lanes
		w[x] = 0
		if bits[x/lanes]>>k&1 == 1 {
			w[x] = powerGo(float32(scale*(a[x]+b[x]+c[x])) - least[k])
		}
		sum[k] += w[x]
		peak[k] = max(peak[k], w[x])
	}
}

// powerGo is 2^-min(max(0, t), MaxExponent).
//
// With n = round(t) and r = n - t, 2^-t = 2^r 2^-n: a polynomial, and n subtracted
// from the exponent bits.
func powerGo(t float32) float32 {
	if !(t > 0) {
		t = 0
	}
	if t > MaxExponent {
		t = MaxExponent
	}
	y := t + roundMagic
	r := (y - roundMagic) - t
	p := float32(exp2c6*r) + exp2c5
	p = float32(p*r) + exp2c4
	p = float32(p*r) + exp2c3
	p = float32(p*r) + exp2c2
	p = float32(p*r) + exp2c1
	p = float32(p*r) + 1
	return math.Float32frombits(math.Float32bits(p) - math.Float32bits(y)<<23)
}

// addPairsGo is squareDiffGo, weighGo and accumulateBothGo in one, for patches of one
// voxel. It is for any n and may add zeros to the values beyond, up to whole lanes.
func addPairsGo(numA, denA, numB, denB, a, b []float32, scale, bias float32, n int) {
	numA, denA, numB, denB, a, b = numA[:n], denA[:n], numB[:n], denB[:n], a[:n], b[:n]
	for x := range a {
		d := b[x] - a[x]
		w := powerGo(float32(scale*float32(d*d)) + bias)
		d = float32(w * d)
		numA[x] += d
		denA[x] += w
		numB[x] -= d
		denB[x] += w
	}
}

// accumulateGo: num += w (b - a), den += w.
func accumulateGo(num, den, w, a, b []float32, n int) {
	num, den, w, a, b = num[:n], den[:n], w[:n], a[:n], b[:n]
	for x := range num {
		num[x] += float32(w[x] * (b[x] - a[x]))
		den[x] += w[x]
	}
}

// accumulateBothGo is accumulateGo for both ends of pairs in different rows:
// numA += w (b - a), denA += w, numB += w (a - b), denB += w.
func accumulateBothGo(numA, denA, numB, denB, w, a, b []float32, n int) {
	numA, denA, numB, denB = numA[:n], denA[:n], numB[:n], denB[:n]
	w, a, b = w[:n], a[:n], b[:n]
	for x := range w {
		d := float32(w[x] * (b[x] - a[x]))
		numA[x] += d
		denA[x] += w[x]
		numB[x] -= d
		denB[x] += w[x]
	}
}

// maximumGo: peak = max(peak, w).
func maximumGo(peak, w []float32, n int) {
	peak, w = peak[:n], w[:n]
	for x, v := range w {
		if v > peak[x] {
			peak[x] = v
		}
	}
}

// gradientGo: g = 2 (b - a) - near (a - c).
func gradientGo(g, a, b, c []float32, near float32, n int) {
	g, a, b, c = g[:n], a[:n], b[:n], c[:n]
	for x := range g {
		d := b[x] - a[x]
		g[x] = (d + d) - float32(near*(a[x]-c[x]))
	}
}

// nearestGo: if d < least: least = d, slope = g.
func nearestGo(least, slope, d, g []float32, n int) {
	least, slope, d, g = least[:n], slope[:n], d[:n], g[:n]
	for x, v := range d {
		if v < least[x] {
			least[x], slope[x] = v, g[x]
		}
	}
}

// accumulateSteinGo: num += w (b - a), den += w, gd += live g (b - a), gl += live g.
func accumulateSteinGo(num, den, gd, gl, w, live, a, b, g []float32, n int) {
	num, den, gd, gl = num[:n], den[:n], gd[:n], gl[:n]
	w, live, a, b, g = w[:n], live[:n], a[:n], b[:n], g[:n]
	for x := range num {
		d, l := b[x]-a[x], float32(live[x]*g[x])
		num[x] += float32(w[x] * d)
		den[x] += w[x]
		gd[x] += float32(l * d)
		gl[x] += l
	}
}

// The kernels below serve rare options and have no vector form.

// multiply: w *= a b.
func multiply(w, a, b []float32, n int) {
	w, a, b = w[:n], a[:n], b[:n]
	for x := range w {
		w[x] *= a[x] * b[x]
	}
}

// powerDiff: dst = (unit |a - b|)^k.
func powerDiff(dst, a, b []float32, unit float32, k, n int) {
	dst, a, b = dst[:n], a[:n], b[:n]
	for x := range dst {
		d := (a[x] - b[x]) * unit
		if d < 0 {
			d = -d
		}
		p := d
		for range k - 1 {
			p *= d
		}
		dst[x] = p
	}
}

// alikeGo sets bit k of bits[g] if the pair 8 g + k is selected: if |m_a - m_b| <
// apart max(|m_a|, |m_b|) and min(d_a, d_b) > ratio max(d_a, d_b). Bit g of the result
// says whether there is one in group g; n is at most 64 groups.
func alikeGo(bits []byte, ma, mb, da, db []float32, apart, ratio float32, n int) uint64 {
	set := uint64(0)
	ma, mb, da, db = ma[:n], mb[:n], da[:n], db[:n]
	abs := func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
	for g := range bits[:n/lanes] {
		b := byte(0)
		for k := range lanes {
			x := g*lanes + k
			if abs(ma[x]-mb[x]) < float32(apart*max(abs(ma[x]), abs(mb[x]))) && min(da[x], db[x]) > float32(ratio*max(da[x], db[x])) {
				b |= 1 << k
			}
		}
		bits[g] = b
		if b != 0 {
			set |= 1 << g
		}
	}
	return set
}

// keepGo: w = 0 if the pair's bit is not set.
func keepGo(w []float32, bits []byte, n int) {
	for x := range w[:n] {
		if bits[x/lanes]>>(x%lanes)&1 == 0 {
			w[x] = 0
		}
	}
}
