package sadct

import (
	"math"
	"math/bits"
	"sync"
)

// layout is what the columns of a support share in all its transforms.
type layout struct {
	length [maxSide]int // pixels of each column
	count  [maxSide]int // columns longer than k
	side   int          // length of the longest column
}

// lay counts the pixels of the columns.
func (g *layout) lay(columns []uint32) {
	clear(g.count[:])
	var ends [maxSide + 1]int
	for i, column := range columns {
		g.length[i] = bits.OnesCount32(column)
		ends[g.length[i]]++
	}
	g.side = 0
	longer := 0
	for k := maxSide - 1; k >= 0; k-- {
		longer += ends[k+1]
		if g.count[k] = longer; longer > 0 && g.side == 0 {
			g.side = k + 1
		}
	}
}

// transformed is one image in a support: its pixels relative to the centre, in
// sigmas, and the coefficients of them less their mean.
type transformed struct {
	u    [maxSide][lanes]float32 // pixels of a column without gaps
	d    [maxSide][lanes]float32 // line k: the DCT of coefficient k of the columns that have one
	mean float32
	norm float32 // root of the sum of u^2
}

// transform computes the coefficients of a picture in the support of n pixels around
// the pixel at position at.
func (t *transformed) transform(w *worker, pic picture, columns []uint32, n, at int) {
	tables, g := dct(), &w.layout
	var sums [lanes]float32
	total := float32(0)
	v0 := pic[at]
	at -= w.reach*w.height + maxReach
	for i, column := range columns {
		l := g.length[i]
		if l == 0 {
			continue
		}
		if first, whole := run(column); whole {
			relative(&t.u[i], pic[at+i*w.height+first:], v0, w.inverse, groups(l))
		} else {
			for j, p := 0, at+i*w.height; column != 0; column &= column - 1 {
				t.u[i][j] = float32((pic[p+bits.TrailingZeros32(column)] - v0) * w.inverse)
				j++
			}
		}
		combine(&w.columns[i], tables.forward[l], t.u[i][:l], groups(l))
		squares(&w.columns[i], &sums, groups(l))
		total += float32(tables.root[l] * w.columns[i][0])
	}
	t.norm = float32(math.Sqrt(float64(fold(&sums))))
	t.mean = total / float32(n)
	var have [maxSide]int
	for i := range columns {
		l := g.length[i]
		if l == 0 {
			continue
		}
		line := w.columns[i][:l]
		line[0] -= float32(t.mean * tables.root[l])
		for k, c := range line {
			w.lines[k][have[k]] = c
			have[k]++
		}
	}
	for k, n := range g.count[:g.side] {
		combine(&t.d[k], tables.forward[n], w.lines[k][:n], groups(n))
	}
}

// shrink removes the coefficients below the threshold and adds the estimate.
func (w *worker) shrink(columns []uint32, n, cx, cy int) {
	t, g := &w.z, &w.layout
	// A coefficient is the sum of up to side products, twice, of factors that are
	// rounded, less the mean, which is another such sum.
	slack := t.norm * float32(4*(2*w.reach+1)+16) * 0x1p-24
	low, high := w.limits[n]-slack, w.limits[n]+slack
	if !(low > 0) {
		w.fallback(cx, cy)
		return
	}
	w.limit = w.limits[n]
	kept := 0
	for k, n := range g.count[:g.side] {
		tested, low, high := &t.d[k], low, high
		if w.deviations != nil {
			tested, low, high = w.inDeviations(tested, k, n, slack)
		}
		above, surely := beyond(tested, low, high, groups(n))
		if above != surely {
			w.fallback(cx, cy)
			return
		}
		kept += bits.OnesCount32(above)
		w.last[k] = bits.Len32(above)
		for l := range w.last[k] {
			if above>>l&1 == 0 {
				t.d[k][l] = 0
			}
		}
	}
	w.invert(columns, 1/float32((1+kept)*n), cx, cy)
}

// inDeviations returns line k of n coefficients over their deviations in the noise, and the
// limits between which float32 does not tell them from the threshold.
func (w *worker) inDeviations(c *[lanes]float32, k, n int, slack float32) (over *[lanes]float32, low, high float32) {
	w.over = *c
	least := w.divide(&w.over, k, n)
	limit := w.limit
	slack = slack/least + limit*8*0x1p-24
	return &w.over, limit - slack, limit + slack
}

// divide divides line k of n coefficients by their deviations in the noise, and returns the
// least of these.
func (w *worker) divide(c *[lanes]float32, k, n int) (least float32) {
	least = math.MaxFloat32
	for l, s := range w.deviations.of(w.layout.side, k, n) {
		c[l] /= float32(s)
		least = min(least, float32(s))
	}
	return least
}

// attenuate multiplies the coefficients by their gains and adds the estimate.
func (w *worker) attenuate(columns []uint32, n, cx, cy int) {
	g := &w.layout
	if !(w.z.norm+w.q.norm < math.MaxFloat32) {
		w.fallback(cx, cy)
		return
	}
	var sums [lanes]float32
	for k, n := range g.count[:g.side] {
		if w.deviations != nil {
			w.divide(&w.q.d[k], k, n)
		}
		attenuate(&w.z.d[k], &w.q.d[k], &sums, groups(n))
		w.last[k] = n
	}
	w.invert(columns, 1/float32((1+fold(&sums))*float32(n)), cx, cy)
}

// invert adds the estimate that the coefficients in w.z.d make; line k holds last[k].
func (w *worker) invert(columns []uint32, weight float32, cx, cy int) {
	tables, g, t := dct(), &w.layout, &w.z
	top := 0
	for k, last := range w.last[:g.side] {
		if last > 0 {
			combine(&w.lines[k], tables.inverse[g.count[k]], t.d[k][:last], groups(g.count[k]))
			top = k + 1
		} else {
			clear(w.lines[k][:g.count[k]])
		}
	}
	var have [maxSide]int
	var line, r [lanes]float32
	at := w.at(cx-w.reach, cy-maxReach)
	for i, column := range columns {
		l := g.length[i]
		if l == 0 {
			continue
		}
		held := min(l, top)
		for k := range held {
			line[k] = w.lines[k][have[k]]
			have[k]++
		}
		combine(&r, tables.inverse[l], line[:held], groups(l))
		if first, whole := run(column); whole {
			p := at + i*w.height + first
			deposit(w.num[p:], w.den[p:], &r, &t.u[i], t.mean, weight, l)
			continue
		}
		for j, p := 0, at+i*w.height; column != 0; column &= column - 1 {
			q := p + bits.TrailingZeros32(column)
			w.num[q] += float32(weight * ((r[j] + t.mean) - t.u[i][j]))
			w.den[q] += weight
			j++
		}
	}
}

// fallback adds the estimate of float64.
func (w *worker) fallback(cx, cy int) {
	z := w.box.Min[2]
	weight := w.estimate(&w.exact, w.in, &w.s, cx, cy, z)
	v0 := float64(w.in[1].At(cx, cy, z))
	for i, column := range w.s {
		for j := 0; column != 0; column &= column - 1 {
			p := w.at(cx+i-maxReach, cy+bits.TrailingZeros32(column)-maxReach)
			w.num[p] += float32(weight * (w.exact.u[i][j] + v0 - float64(w.voxels[p])) / w.sigma)
			w.den[p] += float32(weight)
			j++
		}
	}
}

// lanes is the length of a line in scratch memory and tables: maxSide rounded up to
// whole vectors of eight.
const lanes = 24

// tables hold the orthonormal DCT-II of all lengths n: basis_l(j) = c_l cos(pi (2j+1)
// l / (2n)), c_0 = sqrt(1/n), else sqrt(2/n).
type tables struct {
	exact   [maxSide + 1][]float64 // of length n: basis_l(j) at l*n + j
	forward [maxSide + 1][]float32 // basis_l(j) at j*lanes + l
	inverse [maxSide + 1][]float32 // basis_l(j) at l*lanes + j
	root    [maxSide + 1]float32   // sqrt(n)
}

// dct returns the tables.
var dct = sync.OnceValue(func() *tables {
	t := new(tables)
	for n := 1; n <= maxSide; n++ {
		t.exact[n] = make([]float64, n*n)
		t.forward[n], t.inverse[n] = make([]float32, n*lanes), make([]float32, n*lanes)
		t.root[n] = float32(math.Sqrt(float64(n)))
		for l := range n {
			norm := math.Sqrt(2 / float64(n))
			if l == 0 {
				norm = math.Sqrt(1 / float64(n))
			}
			for j := range n {
				b := norm * math.Cos(math.Pi*float64((2*j+1)*l)/float64(2*n))
				t.exact[n][l*n+j] = b
				t.forward[n][j*lanes+l] = float32(b)
				t.inverse[n][l*lanes+j] = float32(b)
			}
		}
	}
	return t
})
