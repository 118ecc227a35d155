package instance

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"quell/io/dicom/part10"
	"quell/volume"
)

// Gradient is the diffusion weighting of a slice. Makers state the direction in one of
// three frames, see Direction.
type Gradient struct {
	Known     bool    // the file states a b-value
	B         float64 // s/mm2
	Isotropic bool    // weighted in all directions alike: a trace or ADC image
	vector    volume.Vec
	frame     gradientFrame
	rows      bool // GE: phases are encoded along rows
}

// gradientFrame is what the components of a direction are along.
type gradientFrame int

const (
	inPatient gradientFrame = iota // patient axes, LPS+
	inImage                        // rows, columns and normal of the image
	inScanner                      // frequency, phase and slice direction of GE
	inUnknown                      // GE, in a position of the patient for which that is not known
)

// Stated reports whether the file states a direction, known or not how it lies.
func (g *Gradient) Stated() bool { return g.vector != volume.Vec{} }

// readGradient takes the weighting of a slice from the standard attributes (PS3.3
// C.8.13.5.9), else from the attributes of the maker. The attributes of GE, Canon and United Imaging come
// before the standard ones, as in dcm2niix: users found the standard direction of United Imaging
// wrong in oblique images (dcm2niix issues 836 and 993). csa holds the elements of the
// Siemens header, nil for none.
func (s *Slice) readGradient(a part10.Attributes, csa map[string][]float64) {
	g := &s.Gradient
	*g = Gradient{}
	for _, read := range []func(*Gradient, part10.Attributes, map[string][]float64){readGE, readCanon, readUIH, readStandard, readSiemens, readPhilips, readBMatrix} {
		if read(g, a, csa); g.Stated() && g.frame != inUnknown || g.Isotropic {
			break
		}
	}
	if g.B = max(g.B, 0); g.B == 0 {
		g.vector, g.Isotropic = volume.Vec{}, false
	}
	if !g.Known {
		return
	}
	s.Distinctions[bValueDistinction] = strconv.FormatFloat(g.B, 'g', 6, 64) // measured values have more digits
	s.Distinctions[directionDistinction] = ""
	if g.Stated() {
		rounded := g.vector.Unit() // to 4 digits, finer than the difference of any two gradients
		for i, v := range rounded {
			rounded[i] = math.Round(v*1e4)/1e4 + 0 // no negative zero
		}
		s.Distinctions[directionDistinction] = string(part10.Decimals(rounded[:]...))
	}
}

// The indices of the distinctions that follow from the gradient.
var bValueDistinction, directionDistinction = indexOf("b-value"), indexOf("direction")

func indexOf(name string) int {
	return slices.IndexFunc(Distinctions[:], func(d Distinction) bool { return d.Name == name })
}

// weight notes a b-value, unless one is known.
func (g *Gradient) weight(b float64, ok bool) {
	if ok && !g.Known {
		g.Known, g.B = true, b
	}
}

// point notes a direction, unless it is zero or not finite.
func (g *Gradient) point(v []float64, frame gradientFrame) {
	if len(v) != 3 || slices.ContainsFunc(v, part10.NotFinite) {
		return
	}
	if d := volume.Vec(v); d.Norm() > shortGradient {
		g.vector, g.frame = d, frame
	}
}

// shortGradient is the length below which a direction is none.
const shortGradient = 0.03

func readStandard(g *Gradient, a part10.Attributes, _ map[string][]float64) {
	b, ok := a.Number(part10.TagDiffusionBValue)
	g.weight(b, ok)
	switch a.Text(part10.TagDiffusionDirectionality) {
	case "ISOTROPIC":
		g.Isotropic = true
		return
	case "NONE":
		return
	}
	v, _ := a.Numbers(part10.TagDiffusionGradientOrientation)
	g.point(v, inPatient)
}

// The elements of the Siemens header that state the gradient.
const (
	csaBValue    = "B_value"
	csaDirection = "DiffusionGradientDirection"
	csaBMatrix   = "B_matrix"
)

func readSiemens(g *Gradient, a part10.Attributes, csa map[string][]float64) {
	g.weight(a.Number(part10.TagSiemensBValue))
	if b := csa[csaBValue]; len(b) == 1 {
		g.weight(b[0], true)
	}
	if v, ok := a.Numbers(part10.TagSiemensDirection); ok {
		g.point(v, inPatient)
	}
	if !g.Stated() {
		g.point(csa[csaDirection], inPatient)
	}
}

func readPhilips(g *Gradient, a part10.Attributes, _ map[string][]float64) {
	b, ok := a.Number(part10.TagPhilipsBValue)
	if g.weight(b, ok); !ok {
		return
	}
	var v []float64
	for _, t := range []part10.Tag{part10.TagPhilipsDirectionRL, part10.TagPhilipsDirectionAP, part10.TagPhilipsDirectionFH} {
		if x, ok := a.Number(t); ok {
			v = append(v, x)
		}
	}
	g.point(v, inPatient)
	// Philips adds the mean of the directions to the series.
	g.Isotropic = g.B > 0 && len(v) == 3 && !g.Stated()
}

func readUIH(g *Gradient, a part10.Attributes, _ map[string][]float64) {
	g.weight(a.Number(part10.TagUIHBValue))
	if v, ok := a.Numbers(part10.TagUIHDirection); ok {
		g.point(v, inImage)
	}
}

// readGE takes GE's b-value and direction. Images of a series without weighting carry its
// b-value with a direction of zero. A direction shorter than 1 scales the largest b-value of
// the series by its square.
func readGE(g *Gradient, a part10.Attributes, _ map[string][]float64) {
	text, _, _ := strings.Cut(string(a.Raw(part10.TagGEBValue)), `\`)
	b, err := strconv.ParseFloat(strings.Trim(text, part10.ValuePadding), 64)
	if err != nil || part10.NotFinite(b) {
		return
	}
	b = math.Mod(b, 1e9) // above it is a mark of GE's software version
	g.weight(b, true)
	var v []float64
	for _, t := range []part10.Tag{part10.TagGEDirectionX, part10.TagGEDirectionY, part10.TagGEDirectionZ} {
		if x, ok := a.Number(t); ok {
			v = append(v, x)
		}
	}
	if len(v) != 3 {
		return
	}
	g.point(v, inScanner)
	g.turn(a)
	directions, counted := a.Number(part10.TagGEDirections)
	switch length := volume.Vec(v).Norm(); {
	case !g.Stated() && counted && directions == 0:
		g.Isotropic = b > 0
	case !g.Stated():
		g.B = 0
	case length < 0.97:
		if g.B = b * length * length; g.B > 0 {
			g.B = max(5*math.Floor((g.B+2.5)/5), 5)
		}
	}
}

// turn notes how GE's frame lies, which is known for a patient who lies head first and supine.
func (g *Gradient) turn(a part10.Attributes) {
	phase := strings.ToUpper(a.Text(part10.TagInPlanePhaseEncodingDirection))
	g.rows = strings.HasPrefix(phase, "R")
	if !strings.HasPrefix(strings.ToUpper(a.Text(part10.TagPatientPosition)), "HFS") || !g.rows && !strings.HasPrefix(phase, "C") {
		g.frame = inUnknown
	}
}

// readCanon takes the direction from the comment of images of Canon and Toshiba without a
// standard one: "b=1000(0.1,0.2,0.3)", in the frame that GE uses, row and column exchanged.
func readCanon(g *Gradient, a part10.Attributes, _ map[string][]float64) {
	maker := strings.ToUpper(a.Text(part10.TagManufacturer))
	_, standard := a.Find(part10.TagDiffusionGradientOrientation)
	if standard || !strings.Contains(maker, "TOSHIBA") && !strings.Contains(maker, "CANON") {
		return
	}
	b, rest, ok1 := strings.Cut(strings.TrimPrefix(a.Text(part10.TagImageComments), "b="), "(")
	inside, _, ok2 := strings.Cut(rest, ")")
	value, err := strconv.ParseFloat(b, 64)
	if !ok1 || !ok2 || err != nil {
		return
	}
	var v []float64
	for _, word := range strings.Split(inside, ",") {
		if x, err := strconv.ParseFloat(strings.TrimSpace(word), 64); err == nil {
			v = append(v, x)
		}
	}
	if len(v) != 3 {
		return
	}
	stated, ok := a.Number(part10.TagDiffusionBValue)
	g.weight(stated, ok)
	g.weight(value, true)
	g.point([]float64{v[1], v[0], v[2]}, inScanner)
	g.turn(a)
}

// readBMatrix takes weighting and direction from the b-matrix, b times the products of the
// components of the direction, if a file has nothing else. Its sign is not known.
func readBMatrix(g *Gradient, a part10.Attributes, csa map[string][]float64) {
	m, ok := a.Numbers(part10.TagSiemensBMatrix)
	if !ok {
		m = csa[csaBMatrix]
	}
	if len(m) == 0 {
		for _, t := range bMatrixTags {
			if x, ok := a.Number(t); ok {
				m = append(m, x)
			}
		}
	}
	if len(m) != 6 {
		return
	}
	g.weight(m[0]+m[3]+m[5], true)
	g.point(principal(m), inPatient)
}

var bMatrixTags = []part10.Tag{part10.TagDiffusionBValueXX, part10.TagDiffusionBValueXY, part10.TagDiffusionBValueXZ,
	part10.TagDiffusionBValueYY, part10.TagDiffusionBValueYZ, part10.TagDiffusionBValueZZ}

// principal returns the eigenvector of the largest eigenvalue of a symmetric matrix xx, xy,
// xz, yy, yz, zz: all columns of its high powers are along it. It is nil for a zero matrix.
func principal(b []float64) []float64 {
	m := [3]volume.Vec{{b[0], b[1], b[2]}, {b[1], b[3], b[4]}, {b[2], b[4], b[5]}}
	for range 30 {
		var largest float64
		for _, row := range m {
			largest = max(largest, math.Abs(row[0]), math.Abs(row[1]), math.Abs(row[2]))
		}
		if !(largest > 0) || math.IsInf(largest, 0) {
			return nil
		}
		for i := range m {
			m[i] = m[i].Scale(1 / largest)
		}
		m = [3]volume.Vec{
			{m[0].Dot(m[0]), m[0].Dot(m[1]), m[0].Dot(m[2])},
			{m[1].Dot(m[0]), m[1].Dot(m[1]), m[1].Dot(m[2])},
			{m[2].Dot(m[0]), m[2].Dot(m[1]), m[2].Dot(m[2])},
		}
	}
	longest := m[0]
	for _, row := range m[1:] {
		if row.Norm() > longest.Norm() {
			longest = row
		}
	}
	unit := longest.Unit()
	return unit[:]
}

// Direction returns the unit vector of the gradient of a slice in the patient, LPS+; zero if
// there is none or it is not known how it lies.
func (s *Slice) Direction() volume.Vec {
	g := &s.Gradient
	v := g.vector
	switch g.frame {
	case inUnknown:
		return volume.Vec{}
	case inScanner:
		v = g.fromScanner(s.Normal())
		fallthrough
	case inImage:
		v = s.Row.Scale(v[0]).Add(s.Column.Scale(v[1])).Add(s.Normal().Scale(v[2]))
	}
	if (v == volume.Vec{}) {
		return v
	}
	return v.Unit()
}

// fromScanner returns the components of GE's direction along row, column and normal. The signs
// are as in dicm2nii and dcm2niix, by the main axis of the normal.
func (g *Gradient) fromScanner(normal volume.Vec) volume.Vec {
	v := g.vector
	if g.rows {
		v = volume.Vec{v[1], -v[0], v[2]}
	}
	x, y, z := math.Abs(normal[0]), math.Abs(normal[1]), math.Abs(normal[2])
	sign := volume.Vec{-1, -1, 1} // axial
	switch {
	case z >= x && z >= y:
	case y >= x: // coronal
		sign = volume.Vec{-1, 1, 1}
	default: // sagittal
		sign = volume.Vec{1, 1, -1}
	}
	return volume.Vec{sign[0] * v[0], sign[1] * v[1], sign[2] * v[2]}
}
