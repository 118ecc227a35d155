package metaimage

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"quell/internal/message"
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
