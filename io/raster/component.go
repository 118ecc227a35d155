package raster

import (
	"encoding/binary"
	"math"
	"slices"

	"quell/internal/message"
)

// Component names the number that is read from each voxel of a file if its voxels
// are complex numbers or colours. It is "" if a voxel is a single number.
type Component string

// The components of complex numbers and of colours.
const (
	Magnitude Component = "magnitude"
	Phase     Component = "phase" // radians, from -pi to pi
	Real      Component = "real"
	Imaginary Component = "imaginary"

	Luminance Component = "luminance" // 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), not rounded
	Red       Component = "red"
	Green     Component = "green"
	Blue      Component = "blue"
)

// complexComponents and colourComponents are in the order in which they are
// presented to the user.
var (
	complexComponents = []Component{Magnitude, Phase, Real, Imaginary}
	colourComponents  = []Component{Luminance, Red, Green, Blue}
)

// ComponentNames returns the names of all components, of complex voxels and of colours.
func ComponentNames() []string {
	var names []string
	for _, c := range slices.Concat(complexComponents, colourComponents) {
		names = append(names, string(c))
	}
	return names
}

// checkComponent returns an error if c is not a component of the datatype, or is
// missing if one must be chosen.
func (d Datatype) checkComponent(c Component) error {
	switch {
	case len(d.Components) == 0 && c != "":
		return message.Errorf(message.InputChoice, "its voxels are single numbers and have no %s component", c)
	case len(d.Components) > 0 && !slices.Contains(d.Components, c):
		return message.Errorf(message.InputChoice, "its voxels are %s; choose one component: %s", d.voxelName(), message.Or(d.Components))
	}
	return nil
}

// voxelName names the voxels of a datatype that has components.
func (d Datatype) voxelName() message.Message {
	if d.complex() {
		return message.Text("complex numbers")
	}
	return message.Text("colours")
}

// decodeComplex is decode for little-endian complex numbers. Slope and intercept
// apply to the real and to the imaginary part (nifti1.h).
func (d decoder) decodeComplex(dst []float32, src []byte) {
	half := d.numberBytes()
	number := func(off int) float64 {
		if half == 4 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(src[off:])))
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(src[off:]))
	}
	for i := range dst {
		re := float64(number(d.Bytes*i)*d.slope) + d.inter
		im := float64(number(d.Bytes*i+half)*d.slope) + d.inter
		switch d.component {
		case Magnitude:
			dst[i] = float32(math.Hypot(re, im))
		case Phase:
			dst[i] = float32(math.Atan2(im, re))
		case Real:
			dst[i] = float32(re)
		case Imaginary:
			dst[i] = float32(im)
		}
	}
}

// decodeColours is decode for RGB and RGBA. Slope and intercept do not apply to
// colours (nifti1.h); opacity is ignored.
func (d decoder) decodeColours(dst []float32, src []byte) {
	channel := slices.Index([]Component{Red, Green, Blue}, d.component)
	for i := range dst {
		rgb := src[d.Bytes*i:]
		if channel >= 0 {
			dst[i] = float32(rgb[channel])
		} else {
			dst[i] = float32(float64(299*int(rgb[0])+587*int(rgb[1])+114*int(rgb[2])) / 1000)
		}
	}
}
