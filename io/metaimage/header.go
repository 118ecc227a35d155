package metaimage

import (
	"math"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/io/raster"
)

// header holds the fields of a header that this package uses.
type header struct {
	sizes    []int64
	datatype raster.Datatype
	big      bool
	packed   raster.Packing
	skip     int64     // bytes before the voxels in a file of their own; -1 for all but the voxels
	matrix   []float64 // direction of each axis; nil for none
	offset   []float64
	spacing  []float64
	comment  string
	scaled   bool // a function from the values to others is given
}

// types are the names of the types of voxels, with the codes of package raster. MET_LONG has 4 bytes.
var types = map[string]int64{
	"MET_CHAR": raster.Int8, "MET_ASCII_CHAR": raster.Int8, "MET_UCHAR": raster.Uint8, "MET_SHORT": raster.Int16, "MET_USHORT": raster.Uint16,
	"MET_INT": raster.Int32, "MET_UINT": raster.Uint32, "MET_LONG": raster.Int32, "MET_ULONG": raster.Uint32,
	"MET_LONG_LONG": raster.Int64, "MET_ULONG_LONG": raster.Uint64, "MET_FLOAT": raster.Float32, "MET_DOUBLE": raster.Float64,
}

// maxAxes is the largest dimension of the format.
const maxAxes = 10

var (
	errNotMetaImage = message.Errorf(message.InputForeign, "this is not a MetaImage file; choose a .mha or .mhd file")
	errUnfinished   = message.Errorf(message.InputTruncated, "the header has no ElementDataFile; get a complete copy")
)

// parse reads the header at the start of a file, up to ElementDataFile, which ends it.
func parse(file *raster.File) (raster.Text, error) {
	fields := map[string]string{}
	for {
		line, err := file.Line()
		if err != nil && len(fields) == 0 {
			return raster.Text{}, errNotMetaImage
		}
		if err != nil {
			return raster.Text{}, errUnfinished
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok && strings.Contains(line, ":") {
			name, value, ok = strings.Cut(line, ":")
			name = strings.TrimSpace(name)
		}
		if !ok || strings.Contains(name, "\x00") {
			if len(fields) > 0 {
				return raster.Text{}, errUnfinished
			}
			return raster.Text{}, errNotMetaImage
		}
		fields[name] = strings.TrimSpace(value)
		if name != "ElementDataFile" {
			continue
		}
		h, err := fromFields(fields)
		if err != nil {
			return raster.Text{}, err
		}
		out := raster.Text{Layout: h.layout, Description: h.comment, Packed: h.packed, Skip: h.skip}
		if out.Files, out.Parts, err = h.dataFiles(fields[name], file); err == nil && h.packed != raster.Plain && h.skip > 0 {
			err = message.Errorf(message.InputUnsupported, "the header gives a HeaderSize for compressed voxels; save it without")
		}
		if h.packed != raster.Plain {
			out.Skip = 0
		}
		return out, err
	}
}

// first returns the first of several names of a field that is there.
func first(fields map[string]string, names ...string) string {
	for _, name := range names {
		if v, ok := fields[name]; ok {
			return v
		}
	}
	return ""
}

func truth(value string) bool { return strings.HasPrefix(strings.ToLower(value), "t") || value == "1" }

// fromFields interprets the fields.
func fromFields(fields map[string]string) (*header, error) {
	if kind := fields["ObjectType"]; kind != "" && !strings.EqualFold(kind, "Image") {
		return nil, message.Errorf(message.InputForeign, "it is a MetaIO file of the type %q and not an image; choose an image", raster.OneLine(kind, 30))
	}
	axes, err := strconv.Atoi(fields["NDims"])
	if err != nil || axes < 1 || axes > maxAxes {
		return nil, message.Errorf(message.InputDamaged, "the header gives the dimension %q instead of 1 to %d; it is damaged", raster.OneLine(fields["NDims"], 30), maxAxes)
	}
	h := &header{comment: fields["Comment"]}
	for _, word := range strings.Fields(fields["DimSize"]) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 {
			return nil, message.Errorf(message.InputDamaged, "the header gives the size %q; it is damaged", word)
		}
		h.sizes = append(h.sizes, n)
	}
	if len(h.sizes) != axes {
		return nil, message.Errorf(message.InputDamaged, "the header gives %d sizes for %d axes; it is damaged", len(h.sizes), axes)
	}
	if err := h.parseVoxels(fields); err != nil {
		return nil, err
	}
	slope, inter := fields["ElementToIntensityFunctionSlope"], fields["ElementToIntensityFunctionOffset"]
	h.scaled = slope != "" && slope != "1" || inter != "" && inter != "0"
	return h, h.parsePlace(fields)
}

// parseVoxels reads how the voxels are stored.
func (h *header) parseVoxels(fields map[string]string) (err error) {
	if n := fields["ElementNumberOfChannels"]; n != "" && n != "1" || strings.HasSuffix(fields["ElementType"], "_ARRAY") {
		return message.Errorf(message.InputUnsupported, "its voxels are vectors or colours and not single numbers; save one component as an image")
	}
	code, ok := types[fields["ElementType"]]
	if !ok {
		return message.Errorf(message.InputUnsupported, "its voxels are of the type %q, which is not read; save them as MET_FLOAT or MET_SHORT", raster.OneLine(fields["ElementType"], 30))
	}
	h.datatype, _ = raster.DatatypeByCode(code)
	h.big = truth(first(fields, "BinaryDataByteOrderMSB", "ElementByteOrderMSB"))
	if b, ok := fields["BinaryData"]; ok && !truth(b) {
		h.packed, h.big = raster.Decimal, false
	} else if truth(fields["CompressedData"]) {
		h.packed = raster.Deflate
	}
	if text := fields["HeaderSize"]; text != "" {
		if h.skip, err = strconv.ParseInt(text, 10, 64); err != nil || h.skip < -1 || h.skip > math.MaxInt64/4 || h.packed != raster.Plain && h.skip < 0 {
			return message.Errorf(message.InputDamaged, "the header gives the HeaderSize %q; it is damaged", raster.OneLine(text, 30))
		}
	}
	return nil
}

// parsePlace reads the positions of the voxels.
func (h *header) parsePlace(fields map[string]string) (err error) {
	axes := len(h.sizes)
	list := func(n int, names ...string) (values []float64) {
		words := strings.Fields(first(fields, names...))
		for _, word := range words {
			v, parseErr := strconv.ParseFloat(word, 64)
			if parseErr != nil || v-v != 0 {
				err = message.Errorf(message.InputDamaged, "the header gives %q as its %s; it is damaged", raster.OneLine(word, 30), names[0])
			}
			values = append(values, v)
		}
		if values != nil && len(values) != n {
			err = message.Errorf(message.InputDamaged, "the header gives %d numbers as its %s instead of %d; it is damaged", len(values), names[0], n)
		}
		return values
	}
	h.matrix = list(axes*axes, "TransformMatrix", "Rotation", "Orientation")
	h.offset = list(axes, "Offset", "Position", "Origin")
	if h.spacing = list(axes, "ElementSpacing"); h.spacing == nil {
		h.spacing = list(axes, "ElementSize")
	}
	return err
}

// dataFiles returns the files of the voxels: one, the files of a pattern with its numbers, or a list on the lines
// that follow; nil for the header's own. parts is how many there must be: one for each value of the last axis, unless a
// list says how many axes a file has ("LIST 2D").
func (h *header) dataFiles(value string, file *raster.File) (names []string, parts int64, err error) {
	words := strings.Fields(value)
	axes := len(h.sizes) - 1
	switch {
	case strings.EqualFold(value, "LOCAL"):
		return nil, 0, nil
	case len(words) > 0 && words[0] == "LIST":
		if len(words) > 1 {
			n, err := strconv.Atoi(strings.TrimRight(words[1], "Dd"))
			if err != nil || n < 1 || n > len(h.sizes) {
				return nil, 0, message.Errorf(message.InputDamaged, "the header lists files of %q axes; it is damaged", raster.OneLine(words[1], 30))
			}
			axes = n
		}
		names, err = raster.Listed(file)
	case strings.Contains(value, "%") && len(words) >= 3:
		numbers := []int{0, 0, 1}
		for i, word := range words[1:min(4, len(words))] {
			n, err := strconv.Atoi(word)
			if err != nil {
				return nil, 0, message.Errorf(message.InputDamaged, "the header numbers its files by %q; it is damaged", raster.OneLine(word, 30))
			}
			numbers[i] = n
		}
		names, err = raster.Numbered(words[0], numbers[0], numbers[1], numbers[2])
	default:
		return []string{value}, 0, nil
	}
	parts = 1
	for _, n := range h.sizes[axes:] {
		parts = min(parts*n, math.MaxInt32)
	}
	return names, parts, err
}
