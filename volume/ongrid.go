package volume

import (
	"context"
	"math"

	"quell/internal/parallel"
)

// gridRounding is the part of a voxel by which positions of two grids may differ through
// rounding alone.
const gridRounding = 1e-6

// fromTo is the voxels from <= x < to of a row; none if to <= from.
type fromTo struct{ from, to int }

// mapping maps the voxel indices of one grid to those of another.
type mapping struct {
	Affine
	dims [3]int // of the other grid
}

// mappingTo returns the mapping from the indices of g to those of o.
func (g Geometry) mappingTo(o Geometry) (mapping, error) {
	inv, err := o.Affine.Inverse()
	if err != nil {
		return mapping{}, err
	}
	m := mapping{dims: o.Dims}
	for c := range 4 {
		p := g.Affine.Column(c)
		for r := range 3 {
			m.Affine[r][c] = inv[r][0]*p[0] + inv[r][1]*p[1] + inv[r][2]*p[2]
			if c == 3 {
				m.Affine[r][c] += inv[r][3]
			}
		}
	}
	return m, nil
}

// row returns which of n voxels of row (y, z) lie within the voxels of the other grid: up to half a
// voxel beyond the centres of its outermost ones.
func (m mapping) row(n, y, z int) fromTo {
	at := m.Apply(0, float64(y), float64(z))
	lo, hi := 0.0, float64(n-1)
	for c := range 3 {
		first, last := -0.5-gridRounding-at[c], float64(m.dims[c])-0.5+gridRounding-at[c] // of step * x
		step := m.Affine[c][0]
		switch {
		case math.Abs(step)*float64(n) < gridRounding:
			if first > 0 || last < 0 {
				return fromTo{}
			}
		case step > 0:
			lo, hi = max(lo, first/step), min(hi, last/step)
		default:
			lo, hi = max(lo, last/step), min(hi, first/step)
		}
	}
	if !(lo <= hi) {
		return fromTo{}
	}
	return fromTo{int(math.Ceil(lo - gridRounding)), int(math.Floor(hi+gridRounding)) + 1}
}

// Within returns how many voxels of g lie, with their centres, within the voxels of o in the
// patient. It looks at positions alone. The error says that o does not span space.
func (g Geometry) Within(o Geometry) (voxels int, err error) {
	m, err := g.mappingTo(o)
	if err != nil {
		return 0, err
	}
	for z := range g.Dims[2] {
		for y := range g.Dims[1] {
			r := m.row(g.Dims[0], y, z)
			voxels += max(r.to-r.from, 0)
		}
	}
	return voxels, nil
}

// OnGrid returns v at the voxels of g, by their positions in the patient, whatever the orientation,
// spacing and origin of the two grids. Values are interpolated trilinearly; within half a voxel beyond
// the outermost centres, they are the outermost values. A voxel of g outside v, or with a value that
// would take padding, is padding: its mask is false and its value the smallest of v. The mask is nil if
// there is no such voxel. The result takes four bytes a voxel of g, and one more while it is made or
// if it has a mask.
//
// It runs on all cores. The error is the context's, or says that the geometry of v does not span space.
func (v *Volume) OnGrid(ctx context.Context, g Geometry) (*Volume, error) {
	m, err := g.mappingTo(v.Geometry)
	if err != nil {
		return nil, err
	}
	padding, _, err := v.Range(ctx)
	if err != nil {
		return nil, err
	}
	out := New(g)
	out.Unit, out.Modality = v.Unit, v.Modality
	out.Mask = make([]bool, len(out.Data))
	complete := make([]bool, g.Dims[2])
	err = parallel.For(ctx, g.Dims[2], func(z int) error {
		complete[z] = true
		for y := range g.Dims[1] {
			if err := ctx.Err(); err != nil {
				return err
			}
			first := g.Index(0, y, z)
			row, valid := out.Data[first:first+g.Dims[0]], out.Mask[first:first+g.Dims[0]]
			r := m.row(g.Dims[0], y, z)
			for x := range row {
				row[x] = padding
				if x >= r.from && x < r.to {
					if value, ok := v.sample(m.Apply(float64(x), float64(y), float64(z))); ok {
						row[x], valid[x] = value, true
					}
				}
				complete[z] = complete[z] && valid[x]
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range complete {
		if !c {
			return out, nil
		}
	}
	out.Mask = nil
	return out, nil
}

// sample returns the value at a fractional index, which is moved to the nearest centre if it lies beyond
// the outermost ones; false if the value would take padding.
func (v *Volume) sample(at Vec) (float32, bool) {
	var low, high [3]int
	var w [3]float64 // of high
	for c := range 3 {
		p := min(max(at[c], 0), float64(v.Dims[c]-1))
		if near := math.Round(p); math.Abs(p-near) <= gridRounding {
			p = near // a voxel of the same place keeps its value exactly
		}
		low[c] = int(p)
		high[c], w[c] = low[c], p-float64(low[c])
		if w[c] > 0 {
			high[c]++
		}
	}
	sum := 0.0
	for corner := range 8 {
		weight, i := 1.0, low
		for c := range 3 {
			if corner>>c&1 == 1 {
				i[c] = high[c]
				weight *= w[c]
			} else {
				weight *= 1 - w[c]
			}
		}
		if weight == 0 {
			continue
		}
		k := v.Index(i[0], i[1], i[2])
		if !v.Valid(k) {
			return 0, false
		}
		sum += weight * float64(v.Data[k])
	}
	return float32(sum), true
}

// InOrderOf returns v with its voxels in the order of g, and whether both are one grid whose voxels are stored in
// two orders: their axes are exchanged or reversed, and positions agree to tol mm. A volume on g itself is returned as
// it is; else the result takes as much memory as v.
func (v *Volume) InOrderOf(g Geometry, tol float64) (*Volume, bool) {
	if v.SameGrid(g, tol) {
		return v, true
	}
	m, err := g.mappingTo(v.Geometry)
	if err != nil || g.Voxels() != v.Voxels() {
		return nil, false
	}
	stride := [3]int{1, v.Dims[0], v.SliceVoxels()}
	var step [3]int // in v, along each axis of g
	first := 0
	back := Geometry{Dims: g.Dims, Affine: v.Affine} // g by the positions of v
	origin := v.Affine.Column(3)
	for c := range 3 { // axes of v
		axis, most := 0, 0.0 // of g
		for k := range 3 {
			if x := math.Abs(m.Affine[c][k]); x > most {
				axis, most = k, x
			}
		}
		if g.Dims[axis] != v.Dims[c] || step[axis] != 0 {
			return nil, false
		}
		column := v.Affine.Column(c)
		if step[axis] = stride[c]; m.Affine[c][axis] < 0 {
			step[axis] = -stride[c]
			first += (v.Dims[c] - 1) * stride[c]
			origin = origin.Add(column.Scale(float64(v.Dims[c] - 1)))
			column = column.Scale(-1)
		}
		back.Affine.SetColumn(axis, column)
	}
	back.Affine.SetColumn(3, origin)
	if !back.SameGrid(g, tol) {
		return nil, false
	}
	out := &Volume{Geometry: g, Unit: v.Unit, Modality: v.Modality, Data: make([]float32, len(v.Data))}
	if v.Mask != nil {
		out.Mask = make([]bool, len(v.Mask))
	}
	to := 0
	for z := range g.Dims[2] {
		for y := range g.Dims[1] {
			from := first + z*step[2] + y*step[1]
			for range g.Dims[0] {
				out.Data[to] = v.Data[from]
				if out.Mask != nil {
					out.Mask[to] = v.Mask[from]
				}
				to++
				from += step[0]
			}
		}
	}
	return out, true
}
