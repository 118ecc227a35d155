package metaimage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/io/format"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// Format is MetaImage; it is written as one file of header and voxels.
var Format = raster.FileFormat("MetaImage", [][2]string{{".mha", ".mha"}, {".mhd", ".mha"}}, Sniff, Open, Make, text.Describe)

// Sniff reports whether a file begins like a MetaImage header: with one of the fields that come first, or
// under a name of the format with any field.
func Sniff(head []byte, name string) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	field, _, ok := strings.Cut(string(line), "=")
	switch field = strings.TrimSpace(field); {
	case !ok || bytes.IndexByte(line, 0) >= 0:
		return false
	case field == "ObjectType" || field == "NDims":
		return true
	}
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".mha") || strings.HasSuffix(lower, ".mhd")
}

var text raster.TextParser = parse

// Open opens a .mha or .mhd for its voxels.
var Open raster.Opener = text.Open

// layout returns what the header says of the voxels, without the byte at which they
// begin.
func (h *header) layout() (raster.Layout, error) {
	l := raster.Layout{Meta: series.Meta{Format: "MetaImage", Description: raster.OneLine(h.comment, 200)}, Datatype: h.datatype, Order: binary.LittleEndian, Slope: 1}
	if h.big {
		l.Order = binary.BigEndian
	}
	note := func(s series.Severity, kind series.Kind, text message.Message) {
		l.Findings = append(l.Findings, series.Finding{Severity: s, Kind: kind, Text: text})
	}
	if h.scaled {
		note(series.Warning, series.Scaling, message.Text("The header's function from the values to intensities is not used, as ITK does not use it."))
	}
	in := min(3, len(h.sizes))
	dims, volumes, err := raster.Sizes(h.sizes[:in], h.sizes[in:])
	if err != nil {
		return l, err
	}
	l.Volumes = volumes
	if h.matrix == nil {
		note(series.Warning, series.Orientation, message.Text("The file gives no orientation in the patient; it is assumed that x runs to the patient's left, y to the back and z to the head."))
	}
	var origin volume.Vec
	if h.offset != nil {
		copy(origin[:], h.offset[:in])
	}
	var steps []volume.Vec
	for i := range in {
		spacing := math.NaN()
		if h.spacing != nil {
			spacing = h.spacing[i] // a negative one runs against its axis, as in ITK
		}
		if spacing == 0 || math.IsNaN(spacing) {
			spacing = 1
			note(series.Warning, series.Spacing, message.Text("The header gives no voxel size along %s; 1 is assumed.", string('x'+rune(i))))
		}
		var axis volume.Vec
		axis[i] = 1
		if h.matrix != nil {
			axis = volume.Vec{}
			copy(axis[:], h.matrix[i*len(h.sizes):][:in])
		}
		steps = append(steps, axis.Scale(spacing))
	}
	if l.Geometry, err = raster.Grid(dims, steps, origin); err != nil {
		return l, err
	}
	return l, nil
}

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
