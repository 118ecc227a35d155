package kernels

import "quell/denoise/dct"

// dctParams mirrors struct DctParams of dct.cuh.
type dctParams struct {
	In, Pilot, Voxels, Mask, Out Box
	Dims, Size                   [3]int32
	Rows                         [4][8][4]float32
	Unit, Back                   float32
	Limits                       [64]float32
}

// newDCTParams returns the parameters of blocks of that size on a part, but for the
// pilot, its rows and the limits.
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

// setPilot sets what makes a coefficient of the pilot one in sigmas: a factor for (kx, ky)
// and, in the rows along z, one for kz.
func (p *dctParams) setPilot(rule dct.Rule, size [3]int) {
	s := rule.Spectrum
	for ky := range size[1] {
		for kx := range size[0] {
			p.Limits[8*ky+kx] = rule.Gain(size, s.At(kx, ky, 0))
		}
	}
	for kz, row := range p.Rows[2] {
		for i, m := range row {
			p.Rows[3][kz][i] = m * float32(s.At(0, 0, 0)/s.At(0, 0, kz))
		}
	}
}
