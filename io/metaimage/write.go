package metaimage

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
var names = map[int64]string{raster.Uint8: "MET_UCHAR", raster.Int16: "MET_SHORT", raster.Uint16: "MET_USHORT", raster.Int32: "MET_INT", raster.Float32: "MET_FLOAT", raster.Float64: "MET_DOUBLE"}

// Make makes a .mha of voxels at their positions in LPS+, see [raster.PlainMaker]. The description is its comment.
var Make = raster.PlainMaker("MetaImage", nil, headerText)

// maxComment bounds the comment in bytes: MetaIO reads it into 255.
const maxComment = 200

// headerText returns a header. ITK wants ObjectType first and ElementDataFile last.
func headerText(grid volume.Geometry, d raster.Datatype, o format.Options, description string) []byte {
	frames, step := o.Volumes(), o.Step()
	var b bytes.Buffer
	line := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	axes := 3
	if frames > 1 {
		axes = 4
	}
	if !(step > 0) {
		step = 1
	}
	numbers := func(n int, at func(i int) float64) string {
		words := make([]string, n)
		for i := range words {
			words[i] = strconv.FormatFloat(at(i), 'g', -1, 64)
		}
		return strings.Join(words, " ")
	}
	matrix := numbers(axes*axes, func(i int) float64 {
		switch row, c := i/axes, i%axes; {
		case row < 3 && c < 3:
			return grid.Affine.Column(row).Unit()[c]
		case row == c:
			return 1
		}
		return 0
	})
	offset := numbers(axes, func(i int) float64 {
		if i == 3 {
			return 0
		}
		return grid.Affine[i][3]
	})
	spacing := numbers(axes, func(i int) float64 {
		if i == 3 {
			return step
		}
		return grid.Affine.Column(i).Norm()
	})
	sizes := numbers(axes, func(i int) float64 {
		if i == 3 {
			return float64(frames)
		}
		return float64(grid.Dims[i])
	})
	line("ObjectType = Image")
	line("NDims = %d", axes)
	if text := raster.OneLine(description, maxComment); text != "" {
		line("Comment = %s", text)
	}
	line("BinaryData = True")
	line("BinaryDataByteOrderMSB = False")
	line("CompressedData = False")
	line("TransformMatrix = %s", matrix)
	line("Offset = %s", offset)
	line("CenterOfRotation = %s", numbers(axes, func(int) float64 { return 0 }))
	line("ElementSpacing = %s", spacing)
	line("DimSize = %s", sizes)
	line("ElementType = %s", names[d.Code])
	line("ElementDataFile = LOCAL")
	return b.Bytes()
}
