package nifti

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Component names the number that is taken from each voxel of a file that
// stores several for one: complex numbers or colours. A scalar's is "".
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
// offered.
var (
	complexComponents = []Component{Magnitude, Phase, Real, Imaginary}
	colourComponents  = []Component{Luminance, Red, Green, Blue}
)

// checkComponent says whether c is what has to be said of the datatype's voxels.
func (d datatype) checkComponent(c Component) error {
	switch {
	case len(d.components) == 0 && c != "":
		return fmt.Errorf("its voxels are single numbers and have no %s component", c)
	case len(d.components) > 0 && !slices.Contains(d.components, c):
		return fmt.Errorf("its voxels are %s; choose one component: %s", d.what(), listed(d.components))
	}
	return nil
}

// what names the voxels of a datatype that has components.
func (d datatype) what() string {
	if d.complex() {
		return "complex numbers"
	}
	return "colours"
}

// listed joins components as a sentence does.
func listed(components []Component) string {
	var words []string
	for _, c := range components {
		words = append(words, string(c))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// decodeComplex is decode for little-endian complex numbers. The scale applies
// to the real and to the imaginary part alike (nifti1.h).
func (d decoder) decodeComplex(dst []float32, src []byte) {
	half := d.bytes / 2
	at := func(off int) float64 {
		if half == 4 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(src[off:])))
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(src[off:]))
	}
	for i := range dst {
		re := float64(at(d.bytes*i)*d.slope) + d.inter
		im := float64(at(d.bytes*i+half)*d.slope) + d.inter
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

// decodeColours is decode for RGB and RGBA, which no scale applies to
// (nifti1.h). Opacity is not looked at.
func (d decoder) decodeColours(dst []float32, src []byte) {
	channel := slices.Index([]Component{Red, Green, Blue}, d.component)
	for i := range dst {
		rgb := src[d.bytes*i:]
		if channel >= 0 {
			dst[i] = float32(rgb[channel])
		} else {
			dst[i] = float32(float64(299*int(rgb[0])+587*int(rgb[1])+114*int(rgb[2])) / 1000)
		}
	}
}
