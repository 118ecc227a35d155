package measure

import (
	"context"
	"fmt"
	"math"

	"quell/internal/parallel"
	"quell/volume"
)

// Residual describes what a filter removed: before minus after, the "method noise" of
// Buades, Coll, Morel 2005. The residual of a good filter looks like noise: it does
// not correlate with the image, and neighbours correlate no more than the noise does.
type Residual struct {
	Stats
	Correlation Float    `json:"correlation"`     // Pearson's, of the residual with before
	Lag1        [3]Float `json:"autocorrelation"` // between neighbours along x, y and z
}

// ResidualStats describes before - after over the voxels of roi that are padding in
// neither volume. If there are none, N is 0 and the rest NaN. A correlation is NaN if
// one side is constant or an axis has no neighbours. Dims must be equal and the region
// must lie inside them.
func ResidualStats(ctx context.Context, before, after *volume.Volume, roi ROI) (Residual, error) {
	if before.Dims != after.Dims {
		return Residual{}, fmt.Errorf("measure: %v voxels before and %v after; a residual needs equal dims", before.Dims, after.Dims)
	}
	if err := roi.Region.Validate(before.Geometry); err != nil {
		return Residual{}, fmt.Errorf("measure: %w", err)
	}
	first, slices := roi.Region.Min[2], roi.Region.Dims()[2]
	r := residual{before, after, roi}
	firstSums := make([]residualSums, slices)
	if err := parallel.For(ctx, slices, func(i int) error { firstSums[i] = r.sums(first + i); return nil }); err != nil {
		return Residual{}, err
	}
	all := residualSums{least: math.Inf(1), most: math.Inf(-1)}
	for _, s := range firstSums {
		all.n += s.n
		all.residual += s.residual
		all.input += s.input
		all.least, all.most = min(all.least, s.least), max(all.most, s.most)
	}
	if all.n == 0 {
		nan := Float(math.NaN())
		return Residual{Stats: (&moments{}).stats(), Correlation: nan, Lag1: [3]Float{nan, nan, nan}}, nil
	}
	n := float64(all.n)
	meanResidual, meanInput := all.residual/n, all.input/n

	perSlice := make([]residualProducts, slices)
	err := parallel.For(ctx, slices, func(i int) error {
		perSlice[i] = r.products(first+i, meanResidual, meanInput)
		return nil
	})
	if err != nil {
		return Residual{}, err
	}
	var p residualProducts
	for _, s := range perSlice {
		p.residual += s.residual
		p.input += s.input
		p.both += s.both
		for c := range 3 {
			p.next[c] += s.next[c]
			p.pairs[c] += s.pairs[c]
		}
	}
	result := Residual{
		Stats: Stats{
			N: all.n, Mean: Float(meanResidual), SD: Float(math.Sqrt(p.residual / (n - 1))),
			Min: Float(all.least), Max: Float(all.most),
		},
		Correlation: Float(p.both / math.Sqrt(p.residual*p.input)),
	}
	for c := range 3 {
		result.Lag1[c] = Float(p.next[c] / float64(p.pairs[c]) / (p.residual / n))
	}
	return result, nil
}

// residual is before - after on the voxels of roi.
type residual struct {
	before, after *volume.Volume
	roi           ROI
}

// residualSums and residualProducts are the sums of two passes over one slice. The
// second pass subtracts the means that the first found, which keeps its digits.
type residualSums struct {
	n               int
	residual, input float64
	least, most     float64
}

type residualProducts struct {
	residual, input float64 // squares
	both            float64
	next            [3]float64 // of neighbours along each axis
	pairs           [3]int
}

func (r residual) at(i int) float64 { return float64(r.before.Data[i]) - float64(r.after.Data[i]) }

// counts reports whether voxel (x, y, z) at index i is in the ROI and valid.
func (r residual) counts(x, y, z, i int) bool {
	box := r.roi.Region
	return x < box.Max[0] && y < box.Max[1] && z < box.Max[2] &&
		(r.roi.Shape == Box || r.roi.Contains(x, y, z)) && r.before.Valid(i) && r.after.Valid(i)
}

func (r residual) sums(z int) residualSums {
	s := residualSums{least: math.Inf(1), most: math.Inf(-1)}
	box := r.roi.Region
	for y := box.Min[1]; y < box.Max[1]; y++ {
		for x := box.Min[0]; x < box.Max[0]; x++ {
			i := r.before.Index(x, y, z)
			if !r.counts(x, y, z, i) {
				continue
			}
			d := r.at(i)
			s.n++
			s.residual += d
			s.input += float64(r.before.Data[i])
			s.least, s.most = min(s.least, d), max(s.most, d)
		}
	}
	return s
}

func (r residual) products(z int, meanResidual, meanInput float64) residualProducts {
	var p residualProducts
	box := r.roi.Region
	stride := [3]int{1, r.before.Dims[0], r.before.SliceVoxels()}
	for y := box.Min[1]; y < box.Max[1]; y++ {
		for x := box.Min[0]; x < box.Max[0]; x++ {
			i := r.before.Index(x, y, z)
			if !r.counts(x, y, z, i) {
				continue
			}
			d, v := r.at(i)-meanResidual, float64(r.before.Data[i])-meanInput
			p.residual += d * d
			p.input += v * v
			p.both += d * v
			if j := i + stride[0]; r.counts(x+1, y, z, j) {
				p.next[0] += d * (r.at(j) - meanResidual)
				p.pairs[0]++
			}
			if j := i + stride[1]; r.counts(x, y+1, z, j) {
				p.next[1] += d * (r.at(j) - meanResidual)
				p.pairs[1]++
			}
			if j := i + stride[2]; r.counts(x, y, z+1, j) {
				p.next[2] += d * (r.at(j) - meanResidual)
				p.pairs[2]++
			}
		}
	}
	return p
}
