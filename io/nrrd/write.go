package nrrd

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"quell/io/format"
	"quell/io/raster"
	"quell/volume"
)

// names are the names of the types that are written.
var names = map[int64]string{raster.Uint8: "unsigned char", raster.Int16: "short", raster.Uint16: "unsigned short", raster.Int32: "int", raster.Float32: "float", raster.Float64: "double"}

// Make makes a .nrrd of voxels at their positions in LPS+, see [raster.PlainMaker]. The description is its content field.
var Make = raster.PlainMaker("NRRD", keepsGradients, headerText)

// maxContent bounds the description in bytes.
const maxContent = 4000

// headerText returns a header with the empty line behind it.
func headerText(grid volume.Geometry, d raster.Datatype, o format.Options, description string) []byte {
	frames, step, gradients := o.Volumes(), o.Step(), o.Gradients()
	var b bytes.Buffer
	line := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	magic := "NRRD0004"
	dimension, space, fourth, last := 3, "left-posterior-superior", "", ""
	kinds := "domain domain domain"
	switch {
	case gradients != nil && keepsGradients(gradients): // as Slicer writes diffusion
		magic = "NRRD0005" // of measurement frames
		dimension, last, kinds = 4, " none", "space space space list"
	case frames > 1: // as ITK reads and writes four axes: one without a direction would be an axis of vectors
		dimension, space, fourth, last = 4, "left-posterior-superior-time", ",0", " (0,0,0,1)"
		if kinds += " domain"; step > 0 {
			last, kinds = " (0,0,0,"+number(step)+")", "domain domain domain time"
		}
	}
	vector := func(v volume.Vec) string {
		return "(" + number(v[0]) + "," + number(v[1]) + "," + number(v[2]) + fourth + ")"
	}
	line("%s", magic)
	if text := raster.OneLine(description, maxContent); text != "" {
		line("content: %s", text)
	}
	line("type: %s", names[d.Code])
	line("dimension: %d", dimension)
	line("space: %s", space)
	sizes := []string{strconv.Itoa(grid.Dims[0]), strconv.Itoa(grid.Dims[1]), strconv.Itoa(grid.Dims[2])}
	if frames > 1 {
		sizes = append(sizes, strconv.Itoa(frames))
	}
	line("sizes: %s", strings.Join(sizes, " "))
	line("space directions: %s %s %s%s", vector(grid.Affine.Column(0)), vector(grid.Affine.Column(1)), vector(grid.Affine.Column(2)), last)
	line("kinds: %s", kinds)
	line("endian: little")
	line("encoding: raw")
	line("space origin: %s", vector(grid.Affine.Column(3)))
	if gradients != nil && keepsGradients(gradients) {
		line("measurement frame: (1,0,0) (0,1,0) (0,0,1)")
		writeGradients(&b, gradients)
	}
	line("")
	return b.Bytes()
}
