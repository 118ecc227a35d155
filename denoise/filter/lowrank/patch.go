package lowrank

import (
	"slices"

	"quell/denoise"
	"quell/denoise/tile"
)

// patch computes one patch after another of a row along x, in float64.
type patch struct {
	Params
	series
	eigen
	grams    [][]float64 // of the places of a patch with one x, in a ring: lower triangles, volumes x volumes
	have     []int       // which x they are of; -1 for none
	used     []int       // places that are not excluded, by x, y and z
	columns  []int       // the first of used with each x of the patch, and the end
	values   []float64   // used x volumes
	wanted   []int
	factors  []float64
	parts    []float64 // used x wanted: coordinates along the eigenvectors
	mean     []float64 // of the voxels of the patch, for each volume
	variance float64   // of the noise: the sum over used
	row      []float64
}

// series is what a run reads and writes; z counts from the first slice that is read.
type series struct {
	in     denoise.SeriesPart
	from   int                // the first slice that is written
	to     int                // after the last
	sum    denoise.SeriesPart // of the patches and their ranks, by their weights, over the slices that are written
	weight []float32
}

func (p *patch) start() {
	if p.grams == nil {
		p.grams, p.have = make([][]float64, p.Width[0]), make([]int, p.Width[0])
		p.mean, p.row = make([]float64, p.Volumes), make([]float64, p.Volumes)
	}
	for k := range p.have {
		p.have[k] = -1
	}
}

// collect finds the places of the patch from (x, y, z) that are used, and reads their voxels.
func (p *patch) collect(x, y, z int) {
	p.used, p.columns, p.variance = p.used[:0], p.columns[:0], 0
	for dx := range p.Width[0] {
		p.columns = append(p.columns, len(p.used))
		for dz := range p.Width[2] {
			for dy := range p.Width[1] {
				i := ((z+dz)*p.Dims[1]+y+dy)*p.Dims[0] + x + dx
				if _, sigma := p.in.At(i); *sigma > 0 {
					p.used = append(p.used, i)
					p.variance += float64(*sigma) * float64(*sigma)
				}
			}
		}
	}
	p.columns = append(p.columns, len(p.used))
	n := p.Volumes
	p.values = tile.Resize(p.values, len(p.used)*n)
	clear(p.mean)
	for k, i := range p.used {
		to := p.values[k*n:][:n]
		from, _ := p.in.At(i)
		for c, v := range from {
			to[c] = float64(v)
			p.mean[c] += to[c]
		}
	}
	for c := range p.mean {
		p.mean[c] /= float64(len(p.used))
	}
}

// centre takes the mean of every volume away.
func (p *patch) centre() {
	for k := range p.used {
		axpy(p.values[k*p.Volumes:(k+1)*p.Volumes], -1, p.mean)
	}
}

// filter filters the patch from (x, y, z) and adds it to the sums.
func (p *patch) filter(x, y, z int) {
	p.collect(x, y, z)
	m, n := len(p.used), p.Volumes
	if m == 0 {
		return
	}
	if m < n {
		p.centre()
		p.places()
	} else {
		p.volumes(x)
		p.centre()
	}
	p.tridiagonalise()
	p.diagonalise()
	variance := p.variance / float64(m)
	p.wanted, p.factors = p.wanted[:0], p.factors[:0]
	for k, square := range p.d {
		if f := shrink(square/variance, m-1, n); f > 0 {
			p.wanted, p.factors = append(p.wanted, k), append(p.factors, f)
		}
	}
	p.find(p.wanted)
	if m < n {
		p.addPlaces()
	} else {
		p.addVolumes()
	}
}

// volumes computes the Gram matrix of the centred volumes: a sum over the x of the patch, of which the last patch had some, less
// that of the means.
func (p *patch) volumes(x int) {
	n := p.Volumes
	p.resize(n)
	for dx := range p.Width[0] {
		slot := (x + dx) % p.Width[0]
		if p.have[slot] != x+dx {
			p.have[slot] = x + dx
			p.grams[slot] = tile.Resize(p.grams[slot], n*n)
			gram(p.grams[slot], p.values[p.columns[dx]*n:p.columns[dx+1]*n], n)
		}
		for i := range n {
			from := i * n
			axpy(p.a[from:from+i+1], 1, p.grams[slot][from:from+i+1])
		}
	}
	for i, v := range p.mean {
		axpy(p.a[i*n:i*n+i+1], -float64(len(p.used))*v, p.mean)
	}
}

// gram computes the lower triangle of the sum of the products of rows of n values with themselves, four rows at a time.
func gram(to, rows []float64, n int) {
	clear(to)
	for ; len(rows) >= 4*n; rows = rows[4*n:] {
		a, b, c, d := rows[:n], rows[n:][:n], rows[2*n:][:n], rows[3*n:][:n]
		for i := range n {
			axpy4(to[i*n:i*n+i+1], a[i], a, b[i], b, c[i], c, d[i], d)
		}
	}
	for ; len(rows) > 0; rows = rows[n:] {
		for i, v := range rows[:n] {
			axpy(to[i*n:i*n+i+1], v, rows)
		}
	}
}

// axpy4 adds f a + g b + h c + k d to y.
func axpy4(y []float64, f float64, a []float64, g float64, b []float64, h float64, c []float64, k float64, d []float64) {
	a, b, c, d = a[:len(y)], b[:len(y)], c[:len(y)], d[:len(y)]
	for i, v := range a {
		y[i] += float64(f*v) + float64(g*b[i]) + (float64(h*c[i]) + float64(k*d[i]))
	}
}

// places computes the Gram matrix of the places, of which there are fewer than volumes.
func (p *patch) places() {
	m, n := len(p.used), p.Volumes
	p.resize(m)
	for i := range m {
		for j := range i + 1 {
			p.a[i*m+j] = dot(p.values[i*n:(i+1)*n], p.values[j*n:(j+1)*n])
		}
	}
}

// addVolumes adds the mean and Y V f V', with V the eigenvectors of the volumes that are kept.
func (p *patch) addVolumes() {
	n := p.Volumes
	for k, place := range p.used {
		if !p.written(place) {
			continue
		}
		y := p.values[k*n : (k+1)*n]
		copy(p.row, p.mean)
		for j, f := range p.factors {
			v := p.vector(j)
			axpy(p.row, f*dot(y, v), v)
		}
		p.add(place)
	}
}

// addPlaces adds the mean and U f U' Y, with U the eigenvectors of the places that are kept.
func (p *patch) addPlaces() {
	n := p.Volumes
	p.parts = tile.Resize(p.parts, len(p.wanted)*n)
	clear(p.parts)
	for j := range p.wanted {
		part := p.parts[j*n : (j+1)*n]
		for k, u := range p.vector(j) {
			axpy(part, u, p.values[k*n:(k+1)*n])
		}
	}
	for k, place := range p.used {
		if !p.written(place) {
			continue
		}
		copy(p.row, p.mean)
		for j, f := range p.factors {
			axpy(p.row, f*p.vector(j)[k], p.parts[j*n:(j+1)*n])
		}
		p.add(place)
	}
}

func (p *patch) written(place int) bool {
	slice := p.Dims[0] * p.Dims[1]
	return place >= p.from*slice && place < p.to*slice
}

// add adds the row to the sums of a place, by the weight of the rank.
func (p *patch) add(place int) {
	at := place - p.from*p.Dims[0]*p.Dims[1]
	rank := float64(len(p.wanted))
	weight := 1 / (1 + rank)
	sum, ranks := p.sum.At(at)
	for c, v := range p.row {
		sum[c] += float32(weight * v)
	}
	p.weight[at] += float32(weight)
	*ranks += float32(weight * rank)
}

// colours splits the starts of an axis so that patches of one colour do not overlap.
func (p Params) colours(starts []int, axis int) [][]int {
	var all [][]int
	for _, s := range starts {
		k := slices.IndexFunc(all, func(of []int) bool { return of[len(of)-1]+p.Width[axis] <= s })
		if k < 0 {
			k, all = len(all), append(all, nil)
		}
		all[k] = append(all[k], s)
	}
	return all
}
