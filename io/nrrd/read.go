package nrrd

import (
	"bytes"
	"encoding/binary"
	"math"

	"quell/internal/message"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// Format is NRRD; it is written as one file of header and voxels.
var Format = raster.FileFormat("NRRD", [][2]string{{".nrrd", ".nrrd"}, {".nhdr", ".nrrd"}}, Sniff, Open, Make, text.Describe)

// Sniff reports whether a file begins like NRRD.
func Sniff(head []byte, _ string) bool { return bytes.HasPrefix(head, []byte("NRRD000")) }

var text raster.TextParser = parse

// Open opens a .nrrd or .nhdr for its voxels.
var Open raster.Opener = text.Open

// layout returns what the header says of the voxels, without the byte at which they
// begin.
func (h *header) layout() (raster.Layout, error) {
	l := raster.Layout{Meta: series.Meta{Format: "NRRD", Description: raster.OneLine(h.content, 200)}, Datatype: h.datatype, Order: binary.LittleEndian, Slope: 1}
	if h.big {
		l.Order = binary.BigEndian
	}
	note := func(s series.Severity, kind series.Kind, text message.Message) {
		l.Findings = append(l.Findings, series.Finding{Severity: s, Kind: kind, Text: text})
	}
	if !h.endian && h.datatype.Bytes > 1 {
		note(series.Warning, series.Header, message.Text("The header gives no byte order; little-endian is assumed."))
	}
	in, err := h.inSpace()
	if err != nil {
		return l, err
	}
	var space, others []int64
	for i, n := range h.sizes {
		if in[i] {
			space = append(space, n)
		} else {
			others = append(others, n)
		}
	}
	dims, volumes, err := raster.Sizes(space, others)
	if err != nil {
		return l, err
	}
	l.Volumes, l.Beside = volumes, volumes > 1 && h.beside(in)
	if l.Gradients, err = h.gradients(volumes); err != nil {
		note(series.Warning, series.Diffusion, message.Text("The gradients in the header are not used: %v.", err))
	}
	steps, origin, err := h.grid(in, note)
	if err != nil {
		return l, err
	}
	if l.Geometry, err = raster.Grid(dims, steps, origin); err != nil {
		return l, err
	}
	l.Step = h.step(in)
	return l, nil
}

// step returns the seconds between volumes; 0 if the last axis is not one of time.
func (h *header) step(in []bool) float64 {
	last := len(in) - 1
	if in[last] || len(h.kinds) == 0 || h.kinds[last] != "time" {
		return 0
	}
	step := math.NaN()
	switch {
	case h.directions != nil && len(h.directions[last]) == 4:
		step = h.directions[last][3]
	case h.spacings != nil:
		step = h.spacings[last]
	}
	if !(step > 0) || math.IsInf(step, 0) {
		return 0
	}
	return step
}

// grid returns the steps along the axes in space and the position of the first voxel, in LPS+ mm.
func (h *header) grid(in []bool, note func(series.Severity, series.Kind, message.Message)) (steps []volume.Vec, origin volume.Vec, err error) {
	signs, known := toLPS[h.space]
	if !known {
		signs = volume.Vec{1, 1, 1}
		note(series.Warning, series.Orientation, message.Text("The file gives no orientation in the patient; it is assumed that x runs to the patient's left, y to the back and z to the head."))
	}
	scale := 1.0
	if len(h.units) > 0 {
		mm, known := millimetres[h.units[0]]
		switch {
		case !known:
			note(series.Warning, series.Units, message.Text("The file's unit of length (%s) is not known; mm is assumed.", raster.OneLine(h.units[0], 20)))
		case mm != 1:
			scale = mm
			note(series.Note, series.Units, message.Text("The header gives lengths in %s; voxel size and positions were multiplied by %g to get mm.", h.units[0], mm))
		}
	}
	turned := func(v []float64) (out volume.Vec) {
		for c := range min(3, len(v)) {
			out[c] = v[c] * signs[c] * scale
		}
		return out
	}
	for i := range in {
		if !in[i] {
			continue
		}
		if h.directions != nil {
			steps = append(steps, turned(h.directions[i]))
			continue
		}
		spacing := math.NaN()
		if h.spacings != nil {
			spacing = h.spacings[i] // a negative one runs against its axis, as in ITK
		}
		if spacing == 0 || spacing-spacing != 0 {
			spacing = 1
			note(series.Warning, series.Spacing, message.Text("The header gives no voxel size along %s; 1 is assumed.", string('x'+rune(len(steps)))))
		}
		var step volume.Vec
		step[len(steps)] = spacing * signs[len(steps)] * scale
		if h.mins != nil && h.mins[i]-h.mins[i] == 0 && h.origin == nil {
			first := h.mins[i]
			if i < len(h.centers) && h.centers[i] == "cell" {
				first += spacing / 2
			}
			origin[len(steps)] = first * signs[len(steps)] * scale
		}
		steps = append(steps, step)
	}
	if h.origin != nil {
		origin = turned(h.origin)
	}
	for _, v := range append([]volume.Vec{origin}, steps...) {
		if n := v.Norm(); n-n != 0 {
			return nil, origin, message.Errorf(message.InputDamaged, "the header's positions are not finite; it is damaged")
		}
	}
	return steps, origin, nil
}
