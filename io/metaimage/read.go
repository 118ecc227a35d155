package metaimage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

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

// Open opens a .mha or .mhd for its voxels.
var Open raster.Opener = open

func open(fsys fs.FS, name string) (*raster.Image, error) {
	file, h, err := raster.OpenHeader(fsys, name, parse)
	if err != nil {
		return nil, err
	}
	l, err := h.layout()
	names := []string{name}
	if err == nil && h.files != nil {
		file.Close()
		if names, err = beside(name, h.files); err != nil {
			return nil, err
		}
		if file, err = h.openFiles(fsys, names, l); err != nil {
			return nil, err
		}
	}
	if err == nil {
		l.Offset, err = h.seek(file, l)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return raster.NewImage(l, name, names, file), nil
}

// beside returns the names of the files that a header names.
func beside(header string, files []string) (names []string, err error) {
	for _, data := range files {
		name, err := raster.Detached(header, data)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// openFiles opens the files of the voxels; each of several holds as much.
func (h *header) openFiles(fsys fs.FS, names []string, l raster.Layout) (*raster.File, error) {
	if len(names) == 1 {
		file, err := raster.OpenStored(fsys, names[0])
		if err != nil {
			return nil, fmt.Errorf("its voxels, %s, cannot be opened (%w); put both files into one folder", h.files[0], err)
		}
		return file, nil
	}
	size := int64(l.Geometry.Voxels()) * int64(l.Volumes) * int64(l.Datatype.Bytes)
	if n := int64(len(names)); h.packed || h.skip != 0 || size%n != 0 {
		return nil, errors.New("its voxels are in several files that are compressed, have headers or are not alike; save it as one .mha")
	}
	return raster.OpenJoined(fsys, names, size/int64(len(names)))
}

// Description returns the comment of a header.
func Description(fsys fs.FS, name string) (string, error) {
	file, h, err := raster.OpenHeader(fsys, name, parse)
	if err != nil {
		return "", err
	}
	file.Close()
	return h.comment, nil
}

// seek goes to the voxels, and returns the byte at which they begin.
func (h *header) seek(file *raster.File, l raster.Layout) (int64, error) {
	at := file.At()
	switch {
	case h.packed && h.skip > 0:
		return 0, errors.New("the header gives a HeaderSize for compressed voxels; save it without")
	case h.packed:
		return 0, file.Unpack()
	case h.skip >= 0:
		return at + h.skip, nil
	}
	size := int64(l.Geometry.Voxels()) * int64(l.Volumes) * int64(l.Datatype.Bytes)
	if size > file.Size() {
		return 0, errors.New("the file is truncated; get a complete copy")
	}
	return file.Size() - size, nil
}

// layout returns what the header says of the voxels, without the byte at which they
// begin.
func (h *header) layout() (raster.Layout, error) {
	l := raster.Layout{Meta: series.Meta{Format: "MetaImage", Description: raster.OneLine(h.comment, 200)}, Datatype: h.datatype, Order: binary.LittleEndian, Slope: 1}
	if h.big {
		l.Order = binary.BigEndian
	}
	note := func(s series.Severity, kind series.Kind, text string) {
		l.Findings = append(l.Findings, series.Finding{Severity: s, Kind: kind, Text: text})
	}
	if h.scaled {
		note(series.Warning, series.Scaling, "The header's function from the values to intensities is not used, as ITK does not use it.")
	}
	in := min(3, len(h.sizes))
	dims, volumes, err := raster.Sizes(h.sizes[:in], h.sizes[in:])
	if err != nil {
		return l, err
	}
	l.Volumes = volumes
	if h.matrix == nil {
		note(series.Warning, series.Orientation, "The file gives no orientation in the patient; it is assumed that x runs to the patient's left, y to the back and z to the head.")
	}
	var origin volume.Vec
	if h.offset != nil {
		copy(origin[:], h.offset[:in])
	}
	var steps []volume.Vec
	for i := range in {
		spacing := math.NaN()
		if h.spacing != nil {
			spacing = math.Abs(h.spacing[i])
		}
		if !(spacing > 0) {
			spacing = 1
			note(series.Warning, series.Spacing, "The header gives no voxel size along "+string('x'+rune(i))+"; 1 is assumed.")
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
