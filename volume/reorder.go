package volume

import "math"

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
