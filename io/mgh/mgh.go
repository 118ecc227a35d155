// Package mgh reads images of FreeSurfer: .mgh files, and .mgz, which are the same compressed by gzip. Their positions
// are as in nibabel, turned to LPS+. The format is described at
// https://surfer.nmr.mgh.harvard.edu/fswiki/FsTutorial/MghFormat.
package mgh

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/format"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// Format is MGH, which is not written: an output is NIfTI.
var Format = format.Format{Name: "MGH", Inputs: inputs, Endings: []string{}, Frames: true, Sniff: Sniff, Scan: Open.Scan}

var inputs = [][2]string{{".mgh.gz", ".nii.gz"}, {".mgz", ".nii.gz"}, {".mgh", ".nii"}}

// Sniff reports whether a file is named like MGH and begins like it, or is compressed.
func Sniff(head []byte, name string) bool {
	named := slices.ContainsFunc(inputs, func(in [2]string) bool { return strings.HasSuffix(strings.ToLower(name), in[0]) })
	return named && (bytes.HasPrefix(head, []byte{0, 0, 0, version}) || raster.IsPacked(head))
}

// Open opens a file for its voxels.
var Open raster.Opener = open

const (
	version    = 1
	headerSize = 284 // bytes before the voxels
)

// types are the types of voxels by their codes.
var types = map[int32]int64{0: raster.Uint8, 1: raster.Int32, 3: raster.Float32, 4: raster.Int16, 10: raster.Uint16}

// header is the beginning of a file, in big-endian order.
type header struct {
	Version             int32
	Size                [3]int32
	Frames, Type, Dof   int32
	Good                int16      // the rest is there
	Spacing             [3]float32 // mm
	Row, Column, Normal [3]float32 // unit vectors in RAS+
	Centre              [3]float32 // of the voxels, in RAS+ mm
}

func open(fsys fs.FS, name string) (*raster.Image, error) {
	file, err := raster.OpenFile(fsys, name)
	if err != nil {
		return nil, err
	}
	l, err := parse(file)
	if err != nil {
		file.Close()
		return nil, raster.ReadError(err)
	}
	return raster.NewImage(l, name, []string{name}, file), nil
}

// parse reads the header.
func parse(file io.Reader) (l raster.Layout, err error) {
	var h header
	if err := binary.Read(file, binary.BigEndian, &h); err != nil {
		return l, err
	}
	code, ok := types[h.Type]
	switch {
	case h.Version != version:
		return l, message.Errorf(message.InputForeign, "this is not an MGH file; choose a .mgh or .mgz file")
	case !ok:
		return l, message.Errorf(message.InputUnsupported, "its voxels are of the type %d, which is not read; save them as float or short", h.Type)
	}
	l = raster.Layout{Meta: series.Meta{Format: "MGH"}, Order: binary.BigEndian, Slope: 1, Offset: headerSize}
	l.Datatype, _ = raster.DatatypeByCode(code)
	space := []int64{int64(h.Size[0]), int64(h.Size[1]), int64(h.Size[2])}
	dims, volumes, err := raster.Sizes(space, []int64{int64(h.Frames)})
	if err != nil {
		return l, err
	}
	l.Volumes = volumes
	if h.Good <= 0 { // what FreeSurfer takes: coronal slices
		h.Spacing, h.Row, h.Column, h.Normal, h.Centre = [3]float32{1, 1, 1}, [3]float32{-1}, [3]float32{0, 0, -1}, [3]float32{0, 1}, [3]float32{}
		l.Findings = append(l.Findings, series.Finding{Severity: series.Warning, Kind: series.Orientation,
			Text: message.Text("The file gives no positions; coronal slices of 1 mm around the origin are assumed, as FreeSurfer does.")})
	}
	steps := []volume.Vec{lps(h.Row), lps(h.Column), lps(h.Normal)}
	origin := lps(h.Centre)
	for i := range steps {
		steps[i] = steps[i].Scale(float64(h.Spacing[i]))
		origin = origin.Sub(steps[i].Scale(float64(dims[i]) / 2))
	}
	for _, v := range append([]volume.Vec{origin}, steps...) {
		if n := v.Norm(); math.IsNaN(n) || math.IsInf(n, 0) {
			return l, message.Errorf(message.InputDamaged, "the header's positions are not finite; it is damaged")
		}
	}
	if volumes > 1 {
		l.Findings = append(l.Findings, series.Finding{Severity: series.Note, Kind: series.Units,
			Text: message.Text("The time between the volumes, behind the voxels of an MGH file, is not read.")})
	}
	l.Geometry, err = raster.Grid(dims, steps, origin)
	return l, err
}

// lps turns a vector in RAS+ to LPS+.
func lps(v [3]float32) volume.Vec {
	return volume.Vec{-float64(v[0]), -float64(v[1]), float64(v[2])}
}
