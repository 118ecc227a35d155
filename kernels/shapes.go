package kernels

import (
	"slices"

	"quell/denoise"
	"quell/volume"
)

// Shapes choose among the launches by which a kernel computes the same, to rounding: by
// the key of a ShapeChoice one of its values. Which is the fastest depends on the device;
// quell bench --tune finds it. Unknown keys and values have no effect.
type Shapes map[string]int

// shapes are the values of a kernel, the usual one first.
type shapes struct {
	unit   string // "warps"
	values []int
}

// of returns a value: the first one for 0.
func (s shapes) of(value int) int {
	if value == 0 {
		return s.values[0]
	}
	return value
}

// shapesByKernel holds the kernels that have several shapes.
var shapesByKernel = map[string]shapes{
	"median_3x3": medianShapes, "median_5x5": medianShapes, "median_3x3x3": medianShapes,
	"lpa_paper": lpaShapes, "lpa_any": lpaShapes,
}

// shapeKey returns the key of a kernel on a region: a preview, which is one voxel thick,
// has so few blocks that another shape may be the fastest.
func shapeKey(kernel string, region volume.Region) string {
	dims := region.Dims()
	if slices.Min(dims[:]) == 1 {
		return kernel + " on a slice"
	}
	return kernel + " on a volume"
}

// of returns the value of a kernel on a region, 0 for the usual one.
func (s Shapes) of(kernel string, region volume.Region) int {
	value := s[shapeKey(kernel, region)]
	if !slices.Contains(shapesByKernel[kernel].values, value) {
		return 0
	}
	return value
}

// ShapeChoice is a kernel that has several shapes.
type ShapeChoice struct {
	Key    string // in Shapes
	Unit   string // of the values: "warps"
	Values []int  // the usual one first
}

// ShapesOf returns the choices that a program has on a region of a volume of those dims.
func ShapesOf(p denoise.Program, dims [3]int, region volume.Region) ([]ShapeChoice, error) {
	var all []ShapeChoice
	whole := volume.Region{Max: dims}
	for _, pass := range p.Passes {
		part := Part{Dims: dims, Region: region, Voxels: Buffer{Box: whole}}
		for range pass.Inputs {
			part.Inputs = append(part.Inputs, Buffer{Box: whole})
		}
		launches, err := Launches(p, pass, part)
		if err != nil {
			return nil, err
		}
		kernel := launches[0].Kernel
		if s, ok := shapesByKernel[kernel]; ok {
			all = append(all, ShapeChoice{Key: shapeKey(kernel, region), Unit: s.unit, Values: s.values})
		}
	}
	return all, nil
}
