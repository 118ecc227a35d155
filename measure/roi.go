package measure

import (
	"context"
	"fmt"
	"math"

	"quell/volume"
)

// Shape is the shape of an ROI inside its region.
type Shape int

// The shapes.
const (
	Box     Shape = iota // every voxel of the region
	Ellipse              // the ellipse, or in three dimensions the ellipsoid, that fits into it
)

// ROI is a region of interest: a region of one or several slices, in any plane, and
// a shape inside it.
type ROI struct {
	Region volume.Region
	Shape  Shape
}

// Whole returns the ROI that holds every voxel of v.
func Whole(v *volume.Volume) ROI { return ROI{Region: v.Bounds()} }

// Contains reports whether the centre of voxel (x, y, z) is inside. An axis along
// which the region has one voxel does not matter for an ellipse.
func (r ROI) Contains(x, y, z int) bool {
	sum := 0.0
	for c, i := range [3]int{x, y, z} {
		lo, hi := r.Region.Min[c], r.Region.Max[c]
		if i < lo || i >= hi {
			return false
		}
		d := (float64(i) - float64(lo+hi-1)/2) / (float64(hi-lo) / 2)
		sum += d * d
	}
	return r.Shape == Box || sum <= 1
}

// Stats describes a set of values.
type Stats struct {
	N    int   `json:"n"`
	Mean Float `json:"mean"`
	SD   Float `json:"sd"` // of a sample: divided by n - 1
	Min  Float `json:"min"`
	Max  Float `json:"max"`
}

// ROIStats describes the voxels of roi that are not padding. If there are none, N is
// 0 and the rest NaN; the SD of one voxel is NaN. The region must lie inside v.
func ROIStats(ctx context.Context, v *volume.Volume, roi ROI) (Stats, error) {
	if err := roi.Region.Validate(v.Geometry); err != nil {
		return Stats{}, fmt.Errorf("measure: %w", err)
	}
	var m moments
	if err := roi.each(ctx, v, func(i int) { m.add(float64(v.Data[i])) }); err != nil {
		return Stats{}, err
	}
	return m.stats(), nil
}

// each calls do with the index of every voxel of the ROI that is not padding,
// in the order of Volume.Data, until ctx ends; its error is the context's.
func (r ROI) each(ctx context.Context, v *volume.Volume, do func(i int)) error {
	for z := r.Region.Min[2]; z < r.Region.Max[2]; z++ {
		for y := r.Region.Min[1]; y < r.Region.Max[1]; y++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			i := v.Index(r.Region.Min[0], y, z)
			for x := r.Region.Min[0]; x < r.Region.Max[0]; x++ {
				if v.Valid(i) && (r.Shape == Box || r.Contains(x, y, z)) {
					do(i)
				}
				i++
			}
		}
	}
	return nil
}

// moments computes mean and variance in one pass (Welford 1962), which is precise for
// a small SD far from zero.
type moments struct {
	n          int
	mean, m2   float64
	least, top float64
}

func (m *moments) add(x float64) {
	if m.n == 0 {
		m.least, m.top = x, x
	}
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.m2 += d * (x - m.mean)
	m.least, m.top = min(m.least, x), max(m.top, x)
}

func (m *moments) stats() Stats {
	if m.n == 0 {
		nan := Float(math.NaN())
		return Stats{Mean: nan, SD: nan, Min: nan, Max: nan}
	}
	return Stats{
		N: m.n, Mean: Float(m.mean), SD: Float(math.Sqrt(m.m2 / float64(m.n-1))),
		Min: Float(m.least), Max: Float(m.top),
	}
}
