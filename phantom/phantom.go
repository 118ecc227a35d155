package phantom

import (
	"context"
	"math"

	"quell/internal/parallel"
	"quell/volume"
)

// Phantom is a test object in a volume's grid.
type Phantom struct {
	Kind       string // see Kinds
	Geometry   volume.Geometry
	Unit       string  // of the values: "HU" for CT
	Background float64 // value outside every shape
	Shapes     []Shape
}

// samples is how many points along each axis a voxel's value is the mean of, if the
// border of a shape crosses it.
const samples = 4

// Voxels returns the exact phantom: every voxel holds the mean over its volume
// (over samples^3 points if a shape's border crosses it). The error is the
// context's.
func (p Phantom) Voxels(ctx context.Context) (*volume.Volume, error) {
	v := volume.New(p.Geometry)
	v.Unit = p.Unit
	err := parallel.For(ctx, v.Dims[2], func(z int) error {
		sum := make([]float64, v.SliceVoxels())
		for i := range sum {
			sum[i] = p.Background
		}
		for _, c := range p.sections(z) {
			p.paint(sum, c.section, c.share)
		}
		for i, x := range sum {
			v.Plane(z)[i] = float32(x)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// weighted is a section and the share of the slice's thickness that it stands
// for.
type weighted struct {
	section
	share float64
}

// sections cuts slice z, which is as thick as the spacing: a cylinder once,
// everything else at `samples` depths.
func (p Phantom) sections(z int) []weighted {
	var all []weighted
	dz := p.Geometry.Spacing[2]
	middle := (float64(z) - float64(p.Geometry.Dims[2]-1)/2) * dz
	for _, s := range p.Shapes {
		if math.IsInf(s.Half[2], 1) {
			c, _ := s.at(middle)
			all = append(all, weighted{c, 1})
			continue
		}
		for k := range samples {
			if c, ok := s.at(middle + dz*((float64(k)+0.5)/samples-0.5)); ok {
				all = append(all, weighted{c, 1.0 / samples})
			}
		}
	}
	return all
}

// position returns the mm coordinate of the centre of voxel i along axis c.
func (p Phantom) position(c, i int) float64 {
	return (float64(i) - float64(p.Geometry.Dims[c]-1)/2) * p.Geometry.Spacing[c]
}

// paint adds a section to a slice.
func (p Phantom) paint(sum []float64, c section, share float64) {
	g := p.Geometry
	hx, hy := c.bounds()
	index := func(axis int, mm float64) int {
		return int(math.Round(mm/g.Spacing[axis] + float64(g.Dims[axis]-1)/2))
	}
	for y := max(index(1, c.cy-hy), 0); y <= min(index(1, c.cy+hy), g.Dims[1]-1); y++ {
		for x := max(index(0, c.cx-hx), 0); x <= min(index(0, c.cx+hx), g.Dims[0]-1); x++ {
			sum[y*g.Dims[0]+x] += share * c.value * p.covered(c, p.position(0, x), p.position(1, y))
		}
	}
}

// covered returns the share of the voxel at (x, y) that the section covers.
func (p Phantom) covered(c section, x, y float64) float64 {
	dx, dy := p.Geometry.Spacing[0], p.Geometry.Spacing[1]
	corners := 0
	for _, sx := range [2]float64{-0.5, 0.5} {
		for _, sy := range [2]float64{-0.5, 0.5} {
			if c.contains(x+sx*dx, y+sy*dy) {
				corners++
			}
		}
	}
	if corners == 4 { // shapes are convex
		return 1
	}
	inside := 0
	for j := range samples {
		for i := range samples {
			if c.contains(x+dx*((float64(i)+0.5)/samples-0.5), y+dy*((float64(j)+0.5)/samples-0.5)) {
				inside++
			}
		}
	}
	return float64(inside) / (samples * samples)
}
