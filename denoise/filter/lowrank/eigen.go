package lowrank

import (
	"math"

	"quell/denoise/tile"
)

// eigen finds the largest eigenvalues of symmetric matrices and their vectors: Householder reflections make the matrix
// tridiagonal, implicit QL steps make that diagonal (EISPACK tred2, tql2). The rotations are kept, and applied in reverse to the
// vectors that are wanted alone, of which there are few.
type eigen struct {
	n         int
	a         []float64 // n x n, the lower triangle is read; the reflections then
	d, e      []float64 // diagonal, and below it
	scale     []float64 // of the reflections: I - scale v v'
	p         []float64
	rotations []rotation
	vectors   []float64 // wanted x n: one eigenvector after another
}

type rotation struct {
	c, s float64
	i    int // of rows i and i+1
}

// resize makes room for a matrix, which is zero.
func (e *eigen) resize(n int) {
	e.n = n
	e.a = tile.Resize(e.a, n*n)
	clear(e.a)
	e.d, e.e, e.scale, e.p = tile.Resize(e.d, n), tile.Resize(e.e, n), tile.Resize(e.scale, n), tile.Resize(e.p, n)
}

// tridiagonalise reduces the matrix from its last row up. Row i then holds the reflection that acts on the first i places.
func (e *eigen) tridiagonalise() {
	n := e.n
	for i := n - 1; i > 0; i-- {
		row := e.a[i*n : i*n+i+1]
		e.d[i], e.scale[i] = row[i], 0
		v := row[:i]
		last := v[i-1]
		rest := dot(v[:i-1], v[:i-1])
		if rest == 0 {
			e.e[i] = last
			continue
		}
		norm := math.Sqrt(rest + float64(last*last))
		if last > 0 {
			norm = -norm
		}
		e.e[i] = norm // what the reflection makes of the row
		v[i-1] = last - norm
		scale := 1 / (norm * (norm - last)) // 2 / v'v
		e.scale[i] = scale
		p := e.p[:i]
		clear(p)
		for j := range i {
			r := e.a[j*n : j*n+j+1]
			p[j] += dot(r[:j], v[:j]) + float64(r[j]*v[j])
			axpy(p[:j], v[j], r[:j])
		}
		for j := range p {
			p[j] *= scale
		}
		k := scale / 2 * dot(p, v)
		axpy(p, -k, v)
		for j := range i {
			axpy2(e.a[j*n:j*n+j+1], -v[j], p[:j+1], -p[j], v[:j+1])
		}
	}
	e.d[0], e.e[0] = e.a[0], 0
}

// diagonalise makes the tridiagonal matrix diagonal and keeps the rotations.
func (e *eigen) diagonalise() {
	n, d, off := e.n, e.d, e.e
	copy(off, off[1:])
	off[n-1] = 0
	e.rotations = e.rotations[:0]
	for l := range n {
		for range 60 { // each takes 2 on average
			m := l
			for ; m < n-1; m++ {
				if size := math.Abs(d[m]) + math.Abs(d[m+1]); math.Abs(off[m]) <= 0x1p-53*size {
					break
				}
			}
			if m == l {
				break
			}
			g := (d[l+1] - d[l]) / (2 * off[l])
			r := math.Hypot(g, 1)
			g = d[m] - d[l] + off[l]/(g+math.Copysign(r, g))
			s, c, p := 1.0, 1.0, 0.0
			i := m - 1
			for ; i >= l; i-- {
				f, b := s*off[i], c*off[i]
				r = math.Sqrt(float64(f*f) + float64(g*g))
				off[i+1] = r
				if r == 0 {
					d[i+1] -= p
					off[m] = 0
					break
				}
				s, c = f/r, g/r
				g = d[i+1] - p
				r = float64((d[i]-g)*s) + float64(2*c*b)
				p = s * r
				d[i+1] = g + p
				g = float64(c*r) - b
				e.rotations = append(e.rotations, rotation{c, s, i})
			}
			if r == 0 && i >= l {
				continue
			}
			d[l] -= p
			off[l], off[m] = g, 0
		}
	}
}

// find computes the eigenvectors of the eigenvalues d[k] for k in wanted.
func (e *eigen) find(wanted []int) {
	n, w := e.n, len(wanted)
	z := tile.Resize(e.vectors, 2*n*w) // n x w here, and w x n then
	e.vectors = z
	rows, out := z[n*w:2*n*w], z[:n*w]
	clear(rows)
	for j, k := range wanted {
		rows[k*w+j] = 1
	}
	for r := len(e.rotations) - 1; r >= 0; r-- {
		t := e.rotations[r]
		x, y := rows[t.i*w:][:w], rows[(t.i+1)*w:][:w]
		for j, a := range x {
			b := y[j]
			x[j], y[j] = float64(t.c*a)+float64(t.s*b), float64(t.c*b)-float64(t.s*a)
		}
	}
	for j := range w {
		for i := range n {
			out[j*n+i] = rows[i*w+j]
		}
	}
	for i := 1; i < n; i++ {
		scale := e.scale[i]
		if scale == 0 {
			continue
		}
		v := e.a[i*n : i*n+i]
		for j := range w {
			x := out[j*n : j*n+i]
			axpy(x, -scale*dot(v, x), v)
		}
	}
}

// vector returns the j-th eigenvector that was found.
func (e *eigen) vector(j int) []float64 { return e.vectors[j*e.n : (j+1)*e.n] }

// dot is the inner product, in four sums.
func dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float64(a[i] * b[i])
		s1 += float64(a[i+1] * b[i+1])
		s2 += float64(a[i+2] * b[i+2])
		s3 += float64(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return s0 + s1 + (s2 + s3)
}

// axpy adds f x to y. Products are converted explicitly, which keeps compilers from fusing them into sums.
func axpy(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	for i, v := range x {
		y[i] += float64(f * v)
	}
}

// axpy2 adds f x + g z to y.
func axpy2(y []float64, f float64, x []float64, g float64, z []float64) {
	x, z = x[:len(y)], z[:len(y)]
	for i, v := range x {
		y[i] += float64(f*v) + float64(g*z[i])
	}
}
