package kernels

import "quell/denoise/dct"

// dctParams mirrors struct DctParams of dct.cuh.
type dctParams struct {
	In, Pilot, Voxels, Mask, Out Box
	Dims, Size                   [3]int32
	Rows                         [3][8][4]float32
	Unit, Limit, Back            float32
	_                            int32
}

// newDCTParams returns the parameters of blocks of that size on a part, but for the
// pilot and the limit.
func newDCTParams(size [3]int, part Part) dctParams {
	unit, scale := dct.Units(size)
	p := dctParams{
		In: NewBox(part.Inputs[0]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(),
		Dims: indices(part.Dims), Size: indices(size), Unit: float32(unit), Back: float32(unit / (scale * scale)),
	}
	for c, n := range size {
		for k, row := range dct.Rows(n) {
			copy(p.Rows[c][k][:], row)
		}
	}
	return p
}
