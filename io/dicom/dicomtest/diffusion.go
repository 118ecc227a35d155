package dicomtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// Diffusion is a small diffusion series with known gradients.
type Diffusion struct {
	// Maker is "Standard" (standard attributes alone), "Siemens", "Siemens mosaic",
	// "Siemens B-matrix", "GE", "GE scaled", "Philips", "UIH", "Canon" or "Enhanced".
	Maker       string
	Row, Column volume.Vec              // unit vectors of the image axes
	Gradients   []series.Gradient       // of the volumes, in the order in which they are acquired
	ByPosition  bool                    // instance numbers count position by position, not volume by volume
	Descending  bool                    // slices are acquired against their normal
	Enc         part10.Encoding         // zero: explicit little endian
	Change      func(v, z int, f *Fake) // changes the file of a slice or of a volume; nil for nothing
}

// The size of the images.
const (
	DiffusionCols   = 8
	DiffusionRows   = 6
	DiffusionSlices = 4
)

// diffusionSpacing is the distance of slices in mm.
const diffusionSpacing = 2.5

// Interleaved are gradients as large studies have them: shells in turn, and b-value 0 repeated.
func Interleaved() []series.Gradient {
	s := math.Sqrt(0.5)
	return []series.Gradient{
		{B: 0}, {B: 1000, Direction: volume.Vec{1, 0, 0}}, {B: 2000, Direction: volume.Vec{0, 0.6, 0.8}},
		{B: 0}, {B: 2000, Direction: volume.Vec{s, -s, 0}}, {B: 1000, Direction: volume.Vec{0, 0, -1}},
		{B: 0}, {B: 1000, Direction: volume.Vec{-0.48, 0.6, 0.64}}, {B: 1000, Direction: volume.Vec{1, 0, 0}},
	}
}

// Value is pixel n of slice z of volume v.
func (d Diffusion) Value(v, z, n int) int { return 1000*v + 100*z + n }

// Normal is the slice normal.
func (d Diffusion) Normal() volume.Vec { return d.Row.Cross(d.Column) }

// Position is the first pixel of slice z, counted along the normal.
func (d Diffusion) Position(z int) volume.Vec {
	return volume.Vec{-20, -30, 10}.Add(d.Normal().Scale(diffusionSpacing * float64(z)))
}

// Files returns the files of the series; their names are against their order.
func (d Diffusion) Files() map[string]*Fake {
	if d.Enc.Order == nil {
		d.Enc = part10.ExplicitLE
	}
	files := map[string]*Fake{}
	add := func(f *Fake, v, z int) {
		if d.Change != nil {
			d.Change(v, z, f)
		}
		files[fmt.Sprintf("%04d.dcm", 9000-len(files))] = f
	}
	switch d.Maker {
	case "Siemens mosaic":
		for v := range d.Gradients {
			add(d.mosaic(v), v, 0)
		}
	case "Enhanced":
		add(d.enhanced(), 0, 0)
	default:
		for v := range d.Gradients {
			for k := range DiffusionSlices {
				z := k
				if d.Descending {
					z = DiffusionSlices - 1 - k
				}
				number := v*DiffusionSlices + k
				if d.ByPosition {
					number = k*len(d.Gradients) + v
				}
				add(d.slice(v, z, number+1), v, z)
			}
		}
	}
	return files
}

// basic returns an MR image without its own attributes.
func (d Diffusion) basic(uid string, number int) *Fake {
	f := NewFake(uid, 0, 0)
	f.Enc = d.Enc
	for _, t := range []part10.Tag{part10.TagRescaleIntercept, part10.TagRescaleSlope, part10.TagWindowCenter, part10.TagWindowWidth, part10.TagWindowCenterWidthExplanation} {
		f.With(t, nil)
	}
	maker := map[string]string{"GE": "GE MEDICAL SYSTEMS", "GE scaled": "GE MEDICAL SYSTEMS", "Philips": "Philips Medical Systems", "UIH": "UIH", "Canon": "CANON_MEC", "Standard": "Hitachi Medical Corporation", "Enhanced": "Philips Medical Systems"}[d.Maker]
	if maker == "" {
		maker = "SIEMENS"
	}
	return f.With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4").With(part10.TagModality, "MR").With(part10.TagManufacturer, maker).
		With(part10.TagImageType, `ORIGINAL\PRIMARY\M\ND`).With(part10.TagSeriesDescription, "DWI").With(part10.TagSeriesNumber, "5").
		With(part10.TagInstanceNumber, strconv.Itoa(number)).With(part10.TagSliceThickness, "2.5").With(part10.TagSpacingBetweenSlices, "2.5").
		With(part10.TagPixelSpacing, `2\2`).With(part10.TagRows, DiffusionRows).With(part10.TagColumns, DiffusionCols).
		With(part10.TagImageOrientationPatient, string(part10.Decimals(d.Row[0], d.Row[1], d.Row[2], d.Column[0], d.Column[1], d.Column[2]))).
		With(part10.TagPatientPosition, "HFS").With(part10.TagInPlanePhaseEncodingDirection, "COL").
		With(part10.TagRepetitionTime, "3000").With(part10.TagEchoTime, "80").With(0x00180020, "EP").With(0x00180023, "2D")
}

// slice returns the file of one slice.
func (d Diffusion) slice(v, z, number int) *Fake {
	f := d.basic(fmt.Sprintf("5.%d.%d", v, z), number)
	p := d.Position(z)
	f.With(part10.TagImagePositionPatient, string(part10.Decimals(p[0], p[1], p[2])))
	f.Pixels = nil
	for n := range DiffusionCols * DiffusionRows {
		f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(d.Value(v, z, n)))
	}
	d.weigh(f, d.Gradients[v])
	return f
}

// mosaic returns the file of a volume as a mosaic, with its gradient in the CSA header.
func (d Diffusion) mosaic(v int) *Fake {
	const across = 2
	f := d.basic(fmt.Sprintf("5.%d", v), v+1)
	// The position is the one of an image as large as the mosaic around the slice's
	// centre.
	p := d.Position(0).Sub(d.Row.Scale(2 * DiffusionCols * (across - 1) / 2)).Sub(d.Column.Scale(2 * DiffusionRows * (across - 1) / 2))
	f.With(part10.TagImageType, `ORIGINAL\PRIMARY\DIFFUSION\NONE\ND\MOSAIC`).With(part10.TagRows, across*DiffusionRows).With(part10.TagColumns, across*DiffusionCols).
		With(part10.TagAcquisitionNumber, strconv.Itoa(v+1)).
		With(part10.TagImagePositionPatient, string(part10.Decimals(p[0], p[1], p[2])))
	f.Own(part10.TagSiemensCSAImageHeader)
	f.Pixels = nil
	for y := range across * DiffusionRows {
		for x := range across * DiffusionCols {
			z := y/DiffusionRows*across + x/DiffusionCols
			f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(d.Value(v, z, y%DiffusionRows*DiffusionCols+x%DiffusionCols)))
		}
	}
	n, g := d.Normal(), d.Gradients[v]
	csa := []string{"B_value", strconv.Itoa(int(g.B)), "NumberOfImagesInMosaic", strconv.Itoa(DiffusionSlices), "SliceNormalVector", eight(n)}
	if g.B > 0 {
		csa = append(csa, "DiffusionGradientDirection", eight(g.Direction))
	}
	b := CsaHeader(2, csa...)
	return f.With(part10.TagSiemensCSAImageHeader, RawElement(part10.AppendElement(nil, d.Enc, part10.TagSiemensCSAImageHeader, "OB", b)))
}

// eight writes a vector with 8 digits, as Siemens does.
func eight(v volume.Vec) string { return fmt.Sprintf(`%.8f\%.8f\%.8f`, v[0], v[1], v[2]) }

// weigh writes a gradient in the attributes of the maker.
func (d Diffusion) weigh(f *Fake, g series.Gradient) {
	text := func(t part10.Tag, vr, v string) {
		f.With(t, RawElement(part10.AppendElement(nil, f.Enc, t, vr, []byte(v))))
	}
	double := func(t part10.Tag, v ...float64) {
		var b []byte
		for _, x := range v {
			b = f.Enc.Order.(binary.AppendByteOrder).AppendUint64(b, math.Float64bits(x))
		}
		f.With(t, RawElement(part10.AppendElement(nil, f.Enc, t, "FD", b)))
	}
	single := func(t part10.Tag, v float64) {
		f.With(t, RawElement(part10.AppendElement(nil, f.Enc, t, "FL", f.Enc.Order.(binary.AppendByteOrder).AppendUint32(nil, math.Float32bits(float32(v))))))
	}
	r := g.Direction
	image := volume.Vec{r.Dot(d.Row), r.Dot(d.Column), r.Dot(d.Normal())}
	switch d.Maker {
	case "Standard":
		if double(part10.TagDiffusionBValue, g.B); g.B > 0 {
			double(part10.TagDiffusionGradientOrientation, r[0], r[1], r[2])
		}
	case "Siemens", "Siemens B-matrix":
		f.Own(part10.TagSiemensBValue)
		text(part10.TagSiemensBValue, "IS", strconv.Itoa(int(g.B)))
		switch {
		case g.B == 0:
		case d.Maker == "Siemens":
			double(part10.TagSiemensDirection, r[0], r[1], r[2])
		default:
			double(part10.TagSiemensBMatrix, g.B*r[0]*r[0], g.B*r[0]*r[1], g.B*r[0]*r[2], g.B*r[1]*r[1], g.B*r[1]*r[2], g.B*r[2]*r[2])
		}
	case "Philips":
		f.Own(part10.TagPhilipsBValue)
		f.Own(part10.TagPhilipsDirectionRL)
		single(part10.TagPhilipsBValue, g.B)
		for i, t := range []part10.Tag{part10.TagPhilipsDirectionRL, part10.TagPhilipsDirectionAP, part10.TagPhilipsDirectionFH} {
			single(t, r[i])
		}
	case "UIH":
		f.Own(part10.TagUIHBValue)
		if double(part10.TagUIHBValue, g.B); g.B > 0 {
			double(part10.TagUIHDirection, image[0], image[1], image[2])
		}
	case "GE", "GE scaled":
		d.weighGE(f, g.B, toScanner(d.Normal(), image), text)
	case "Canon":
		if g.B > 0 {
			s := toScanner(d.Normal(), image)
			double(part10.TagDiffusionBValue, g.B)
			f.With(part10.TagImageComments, fmt.Sprintf("b=%g(%.6f,%.6f,%.6f)", g.B, s[1], s[0], s[2]))
		}
	default:
		panic("dicomtest: no maker " + d.Maker)
	}
}

// weighGE writes GE's attributes. If b-values are scaled, each image carries the largest, and
// the square of the length of its direction is the rest.
func (d Diffusion) weighGE(f *Fake, b float64, v volume.Vec, text func(t part10.Tag, vr, v string)) {
	if d.Maker == "GE scaled" {
		const largest = 2000
		v, b = v.Scale(math.Sqrt(b/largest)), largest
	}
	f.Own(part10.TagGEDirectionX)
	for i, t := range []part10.Tag{part10.TagGEDirectionX, part10.TagGEDirectionY, part10.TagGEDirectionZ} {
		text(t, "DS", fmt.Sprintf("%.6f", v[i]))
	}
	text(part10.TagGEDirections, "DS", "6")
	f.Own(part10.TagGEBValue)
	text(part10.TagGEBValue, "IS", fmt.Sprintf(`%d\8\0\0`, 1_000_000_000+int(b)))
}

// toScanner returns the frequency, phase and slice components of GE of a direction along rows,
// columns and normal, with phases along columns: the signs are as in dcm2niix.
func toScanner(normal, v volume.Vec) volume.Vec {
	x, y, z := math.Abs(normal[0]), math.Abs(normal[1]), math.Abs(normal[2])
	switch {
	case z >= x && z >= y:
		return volume.Vec{-v[0], -v[1], v[2]}
	case y >= x:
		return volume.Vec{-v[0], v[1], v[2]}
	}
	return volume.Vec{v[0], v[1], -v[2]}
}

// enhanced returns all volumes in one file, with frames in an order of their own: the
// dimension indices give the order of the volumes.
func (d Diffusion) enhanced() *Fake {
	g := GroupWriter{Enc: d.Enc}
	f := d.basic("5", 1)
	n := len(d.Gradients)
	for _, t := range []part10.Tag{part10.TagImagePositionPatient, part10.TagImageOrientationPatient, part10.TagPixelSpacing, part10.TagSliceThickness, part10.TagSpacingBetweenSlices, part10.TagEchoTime} {
		f.With(t, nil)
	}
	pointer := func(t part10.Tag) []byte {
		order := d.Enc.Order.(binary.AppendByteOrder)
		return part10.AppendElement(nil, d.Enc, part10.TagDimensionIndexPointer, "AT", order.AppendUint16(order.AppendUint16(nil, t.Group()), t.Element()))
	}
	f.With(part10.TagSOPClassUID, EnhancedMR).With(part10.TagNumberOfFrames, strconv.Itoa(n*DiffusionSlices)).
		With(part10.TagDimensionIndexSequence, RawElement(g.Sequence(part10.TagDimensionIndexSequence, pointer(part10.TagStackID), pointer(part10.TagInStackPositionNumber), pointer(part10.TagTemporalPositionIndex))))
	f.With(part10.TagSharedFunctionalGroupsSequence, RawElement(g.Sequence(part10.TagSharedFunctionalGroupsSequence, append(
		g.Group(part10.TagPlaneOrientationSequence, part10.TagImageOrientationPatient, string(part10.Decimals(d.Row[0], d.Row[1], d.Row[2], d.Column[0], d.Column[1], d.Column[2]))),
		g.Group(part10.TagPixelMeasuresSequence, part10.TagSliceThickness, "2.5", part10.TagSpacingBetweenSlices, "2.5", part10.TagPixelSpacing, `2\2`)...))))
	var items [][]byte
	f.Pixels = nil
	for z := range DiffusionSlices {
		for k := range n {
			v := (k*2 + 1) % n // 1, 3, 5 ... 0, 2, 4 ...
			if n%2 == 0 {
				v = n - 1 - k
			}
			items = append(items, d.frame(g, v, z))
			for i := range DiffusionCols * DiffusionRows {
				f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(d.Value(v, z, i)))
			}
		}
	}
	return f.With(part10.TagPerFrameFunctionalGroupsSequence, RawElement(g.Sequence(part10.TagPerFrameFunctionalGroupsSequence, items...)))
}

// frame encodes the functional groups of slice z of volume v.
func (d Diffusion) frame(g GroupWriter, v, z int) []byte {
	double := func(t part10.Tag, v ...float64) (b []byte) {
		for _, x := range v {
			b = d.Enc.Order.(binary.AppendByteOrder).AppendUint64(b, math.Float64bits(x))
		}
		return part10.AppendElement(nil, d.Enc, t, "FD", b)
	}
	order := d.Enc.Order.(binary.AppendByteOrder)
	index := order.AppendUint32(order.AppendUint32(order.AppendUint32(nil, 1), uint32(z+1)), uint32(v+1))
	p, w := d.Position(z), d.Gradients[v]
	diffusion := [][]byte{double(part10.TagDiffusionBValue, w.B)}
	directionality := "NONE"
	if w.B > 0 {
		directionality = "DIRECTIONAL"
		diffusion = append(diffusion, g.Group(part10.TagDiffusionGradientDirectionSequence, part10.Tag(0), double(part10.TagDiffusionGradientOrientation, w.Direction[0], w.Direction[1], w.Direction[2])))
	}
	pairs := []any{part10.TagDiffusionDirectionality, directionality}
	for _, b := range diffusion {
		pairs = append(pairs, part10.Tag(0), b)
	}
	out := g.Group(part10.TagMREchoSequence, part10.TagEffectiveEchoTime, 80.0)
	out = append(out, g.Group(part10.TagMRDiffusionSequence, pairs...)...)
	out = append(out, g.Group(part10.TagFrameContentSequence, part10.TagStackID, "1", part10.TagInStackPositionNumber, z+1,
		part10.Tag(0), part10.AppendElement(nil, d.Enc, part10.TagDimensionIndexValues, "UL", index))...)
	return append(out, g.Group(part10.TagPlanePositionSequence, part10.TagImagePositionPatient, string(part10.Decimals(p[0], p[1], p[2])))...)
}
