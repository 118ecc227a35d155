package instance

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"quell/io/dicom/part10"
	"quell/volume"
)

// double encodes numbers of 8 bytes, single numbers of 4.
func double(t part10.Tag, v ...float64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return part10.AppendElement(nil, part10.ExplicitLE, t, "FD", b)
}

func float(t part10.Tag, v float32) []byte {
	return part10.AppendElement(nil, part10.ExplicitLE, t, "FL", binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
}

// owner names the owner of the block that the given attribute lies in.
func owner(t part10.Tag) []byte {
	at, name := part10.CreatorOf(t)
	return part10.AppendElement(nil, part10.ExplicitLE, at, "LO", []byte(name))
}

// ge encodes GE's attributes of an image with a direction that has the given
// components.
func ge(b string, direction ...string) [][]byte {
	out := [][]byte{text(part10.TagPatientPosition, "HFS"), text(part10.TagInPlanePhaseEncodingDirection, "COL"), owner(part10.TagGEDirectionX)}
	for i, t := range []part10.Tag{part10.TagGEDirectionX, part10.TagGEDirectionY, part10.TagGEDirectionZ} {
		if i < len(direction) {
			out = append(out, text(t, direction[i]))
		}
	}
	if len(direction) > 3 {
		out = append(out, text(part10.TagGEDirections, direction[3]))
	}
	return append(out, owner(part10.TagGEBValue), text(part10.TagGEBValue, b))
}

// TestGradients reads weighting and direction by each maker's attributes, of an axial image with
// rows along x and columns along y.
func TestGradients(t *testing.T) {
	siemens := owner(part10.TagSiemensBValue)
	uih := owner(part10.TagUIHBValue)
	philips := func(b, x, y, z float32) [][]byte {
		return [][]byte{owner(part10.TagPhilipsBValue), float(part10.TagPhilipsBValue, b), owner(part10.TagPhilipsDirectionRL),
			float(part10.TagPhilipsDirectionRL, x), float(part10.TagPhilipsDirectionAP, y), float(part10.TagPhilipsDirectionFH, z)}
	}
	canon := func(maker, comment string, more ...[]byte) [][]byte {
		return append([][]byte{text(part10.TagManufacturer, maker), text(part10.TagPatientPosition, "HFS"), text(part10.TagInPlanePhaseEncodingDirection, "ROW"), text(part10.TagImageComments, comment)}, more...)
	}
	b := func(v float64) []byte { return double(part10.TagDiffusionBValue, v) }
	dir := func(v ...float64) []byte { return double(part10.TagDiffusionGradientOrientation, v...) }
	none := volume.Vec{}
	for name, c := range map[string]struct {
		elements  [][]byte
		csa       map[string][]float64
		known     bool
		b         float64
		direction volume.Vec
		isotropic bool
	}{
		"nothing":                         {},
		"standard":                        {elements: [][]byte{b(1000), dir(0, 0.6, -0.8)}, known: true, b: 1000, direction: volume.Vec{0, 0.6, -0.8}},
		"standard of another length":      {elements: [][]byte{b(1000), dir(0, 3, 0)}, known: true, b: 1000, direction: volume.Vec{0, 1, 0}},
		"b-value 0 has no direction":      {elements: [][]byte{b(0), dir(0, 1, 0)}, known: true, direction: none},
		"negative b-value":                {elements: [][]byte{b(-1)}, known: true},
		"standard, none":                  {elements: [][]byte{text(part10.TagDiffusionDirectionality, "NONE"), b(700), dir(0, 1, 0)}, known: true, b: 700},
		"standard, isotropic":             {elements: [][]byte{text(part10.TagDiffusionDirectionality, "ISOTROPIC"), b(700), dir(0, 1, 0)}, known: true, b: 700, isotropic: true},
		"standard, isotropic, not at all": {elements: [][]byte{text(part10.TagDiffusionDirectionality, "ISOTROPIC"), b(0)}, known: true},
		"too few components":              {elements: [][]byte{b(700), dir(0, 1)}, known: true, b: 700},
		"not finite":                      {elements: [][]byte{b(700), dir(0, 1, math.Inf(1))}, known: true, b: 700},
		"b-matrix":                        {elements: [][]byte{b(1000), double(bMatrixTags[0], 360), double(bMatrixTags[1], 0), double(bMatrixTags[2], 480), double(bMatrixTags[3], 0), double(bMatrixTags[4], 0), double(bMatrixTags[5], 640)}, known: true, b: 1000, direction: volume.Vec{0.6, 0, 0.8}},
		"b-matrix of zero":                {elements: [][]byte{double(bMatrixTags[0], 0), double(bMatrixTags[1], 0), double(bMatrixTags[2], 0), double(bMatrixTags[3], 0), double(bMatrixTags[4], 0), double(bMatrixTags[5], 0)}, known: true},

		"Siemens":                  {elements: [][]byte{siemens, text(part10.TagSiemensBValue, "1000"), double(part10.TagSiemensDirection, 0, 0, 1)}, known: true, b: 1000, direction: volume.Vec{0, 0, 1}},
		"Siemens, CSA":             {csa: map[string][]float64{csaBValue: {5}, csaDirection: {0, -1, 0}}, known: true, b: 5, direction: volume.Vec{0, -1, 0}},
		"Siemens, CSA, b-value 0":  {csa: map[string][]float64{csaBValue: {0}}, known: true},
		"Siemens, b-matrix of CSA": {csa: map[string][]float64{csaBMatrix: {0, 0, 0, 250, 250, 250}}, known: true, b: 500, direction: volume.Vec{0, math.Sqrt(0.5), math.Sqrt(0.5)}},
		"Siemens, b-matrix":        {elements: [][]byte{siemens, text(part10.TagSiemensBValue, "1000"), double(part10.TagSiemensBMatrix, 1010, 0, 0, 0, 0, 0)}, known: true, b: 1000, direction: volume.Vec{1, 0, 0}},
		"Siemens, of another":      {elements: [][]byte{creator("OTHER"), text(part10.TagSiemensBValue, "1000"), double(part10.TagSiemensDirection, 0, 0, 1)}},
		"Siemens, no owner":        {elements: [][]byte{text(part10.TagSiemensBValue, "1000")}},
		"Siemens adds no mark":     {elements: [][]byte{siemens, text(part10.TagSiemensBValue, "1000000700")}, known: true, b: 1000000700},

		"Philips":                {elements: philips(1000, 0, 0.6, 0.8), known: true, b: 1000, direction: volume.Vec{0, 0.6, 0.8}},
		"Philips, trace":         {elements: philips(1000, 0, 0, 0), known: true, b: 1000, isotropic: true},
		"Philips, no diffusion":  {elements: philips(0, 0, 0, 0), known: true},
		"Philips, b-value alone": {elements: philips(1000, 0, 0, 0)[:2], known: true, b: 1000},

		// Rows, columns and normal of the image.
		"UIH": {elements: [][]byte{uih, double(part10.TagUIHBValue, 929.75), double(part10.TagUIHDirection, 0.6, 0, 0.8)}, known: true, b: 929.75, direction: volume.Vec{0.6, 0, 0.8}},

		"UIH, and standard": {elements: [][]byte{b(1000), dir(0, 1, 0), uih, double(part10.TagUIHBValue, 1000), double(part10.TagUIHDirection, 0.6, 0, 0.8)}, known: true, b: 1000, direction: volume.Vec{0.6, 0, 0.8}},

		"GE":                      {elements: ge(`1000000700\8\0\0`, "0.6", "0", "0.8"), known: true, b: 700, direction: volume.Vec{-0.6, 0, 0.8}},
		"GE, rows":                {elements: append([][]byte{text(part10.TagInPlanePhaseEncodingDirection, "ROW")}, ge("700", "0.6", "0", "0.8")...), known: true, b: 700, direction: volume.Vec{0, 0.6, 0.8}},
		"GE, mark alone":          {elements: ge("1000000000"), known: true},
		"GE, below the mark":      {elements: ge("999999999"), known: true, b: 999999999},
		"GE, b-value alone":       {elements: ge("700"), known: true, b: 700},
		"GE, not weighted":        {elements: ge("700", "0", "0", "0"), known: true},
		"GE, of some directions":  {elements: ge("700", "0", "0", "0", "6"), known: true},
		"GE, trace":               {elements: ge("700", "0", "0", "0", "0"), known: true, b: 700, isotropic: true},
		"GE, scaled":              {elements: ge("3000", "0", "0.57735", "0"), known: true, b: 1000, direction: volume.Vec{0, -1, 0}},
		"GE, scaled a little":     {elements: ge("3000", "0", "0.9695", "0"), known: true, b: 2820, direction: volume.Vec{0, -1, 0}},
		"GE, rounded":             {elements: ge("3000", "0", "0.971", "0"), known: true, b: 3000, direction: volume.Vec{0, -1, 0}},
		"GE, scaled to almost 0":  {elements: ge("100", "0", "0.04", "0"), known: true, b: 5, direction: volume.Vec{0, -1, 0}},
		"GE, shorter than any":    {elements: ge("100", "0", "0.0299", "0"), known: true},
		"GE, prone":               {elements: append([][]byte{text(part10.TagPatientPosition, "HFP")}, ge("700", "0.6", "0", "0.8")...), known: true, b: 700},
		"GE, no phase direction":  {elements: append([][]byte{text(part10.TagInPlanePhaseEncodingDirection, "")}, ge("700", "0.6", "0", "0.8")...), known: true, b: 700},
		"GE, prone, and standard": {elements: append([][]byte{text(part10.TagPatientPosition, "HFP"), dir(0, 0, 1)}, ge("700", "0.6", "0", "0.8")...), known: true, b: 700, direction: volume.Vec{0, 0, 1}},

		"Canon":                       {elements: canon("CANON_MEC", "b=1500(0.6,0.000,-0.8)", b(1500)), known: true, b: 1500, direction: volume.Vec{-0.6, 0, -0.8}},
		"Toshiba":                     {elements: canon("TOSHIBA_MEC", "b=1500(0.6,0.000,-0.8)"), known: true, b: 1500, direction: volume.Vec{-0.6, 0, -0.8}},
		"Canon, standard":             {elements: canon("CANON_MEC", "b=1500(0.6,0.000,-0.8)", b(1500), dir(0, 0, 1)), known: true, b: 1500, direction: volume.Vec{0, 0, 1}},
		"Canon, another comment":      {elements: canon("CANON_MEC", "b=1500", b(1500)), known: true, b: 1500},
		"Canon, of two components":    {elements: canon("CANON_MEC", "b=1500(0.6,0.8)", b(1500)), known: true, b: 1500},
		"the comment of another make": {elements: canon("Maker", "b=1500(0.6,0.000,-0.8)")},
	} {
		s := &Slice{Instance: &Instance{}, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}}
		s.readGradient(attributes(t, c.elements...), c.csa)
		g := s.Gradient
		if g.Known != c.known || g.B != c.b || g.Isotropic != c.isotropic || s.Direction().Sub(c.direction).Norm() > 1e-6 {
			t.Errorf("%s: %+v, direction %v", name, g, s.Direction())
		}
		want := ""
		if c.known {
			want = fmt.Sprint(c.b)
		}
		if got := s.Distinctions[bValueDistinction]; c.b < 1e6 && got != want {
			t.Errorf("%s: distinguished by b-value %q, want %q", name, got, want)
		}
	}
}

// TestFramesOfGradients turns a direction from the frame of each maker into the patient's, by the
// main axis of the slice normal, and along rows and columns that are oblique.
func TestFramesOfGradients(t *testing.T) {
	x, y, z := volume.Vec{1, 0, 0}, volume.Vec{0, 1, 0}, volume.Vec{0, 0, 1}
	oblique := volume.Vec{0.8, 0, 0.6}
	v := volume.Vec{0.36, 0.48, 0.8}
	for name, c := range map[string]struct {
		row, column volume.Vec
		frame       gradientFrame
		want        volume.Vec
	}{
		"patient":            {oblique, y, inPatient, v},
		"image":              {x, y, inImage, v},
		"image, to the feet": {x, y.Scale(-1), inImage, volume.Vec{0.36, -0.48, -0.8}},
		"image, oblique":     {oblique, y, inImage, volume.Vec{0.36*0.8 - 0.8*0.6, 0.48, 0.36*0.6 + 0.8*0.8}},
		"scanner, axial":     {x, y, inScanner, volume.Vec{-0.36, -0.48, 0.8}},
		"scanner, coronal":   {x, z.Scale(-1), inScanner, volume.Vec{-0.36, 0.8, -0.48}},
		"scanner, sagittal":  {y, z.Scale(-1), inScanner, volume.Vec{0.8, 0.36, -0.48}},
		// The normal is as far along z as along x: axial. As far along y as along x: coronal.
		"scanner, between axial and sagittal":   {volume.Vec{math.Sqrt(0.5), 0, -math.Sqrt(0.5)}, y, inScanner, volume.Vec{math.Sqrt(0.5) * (0.8 - 0.36), -0.48, math.Sqrt(0.5) * (0.8 + 0.36)}},
		"scanner, between coronal and sagittal": {volume.Vec{math.Sqrt(0.5), -math.Sqrt(0.5), 0}, z.Scale(-1), inScanner, volume.Vec{math.Sqrt(0.5) * (0.8 - 0.36), math.Sqrt(0.5) * (0.8 + 0.36), -0.48}},
		"unknown":                               {x, y, inUnknown, volume.Vec{}},
	} {
		s := &Slice{Row: c.row, Column: c.column, Gradient: Gradient{Known: true, B: 1, vector: v.Scale(2), frame: c.frame}}
		if got := s.Direction(); got.Sub(c.want).Norm() > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
