package nifti

import (
	"math"

	"quell/series"
	"quell/volume"
)

// The codes of qform_code and sform_code that Write gives to volumes that did
// not come from a NIfTI file.
const (
	xformUnknown     = 0
	xformScannerAnat = 1
	xformAlignedAnat = 2
)

// sform returns the transform of srow_x, srow_y and srow_z, in RAS+.
func (h *Header) sform() volume.Affine { return volume.Affine(h.srow) }

// setSform is the inverse of sform.
func (h *Header) setSform(ras volume.Affine) { h.srow = tidy(ras) }

// tidy turns the negative zeros that FlipXY leaves into plain ones.
func tidy(m volume.Affine) volume.Affine {
	for r := range m {
		for c := range m[r] {
			m[r][c] += 0
		}
	}
	return m
}

// qform returns the transform of the quaternion, the offsets and pixdim (method
// 2 of nifti1.h), in RAS+. It cannot hold shear.
func (h *Header) qform() volume.Affine {
	b, c, d := h.quatern[0], h.quatern[1], h.quatern[2]
	a := 0.0
	if sum := b*b + c*c + d*d; sum < 1 {
		a = math.Sqrt(1 - sum)
	} else {
		// The turn is by 180 degrees, give or take the rounding of the file.
		n := math.Sqrt(sum)
		b, c, d = b/n, c/n, d/n
	}
	zoom := h.zooms()
	if h.pixdim[0] < 0 {
		zoom[2] = -zoom[2]
	}
	var m volume.Affine
	m.SetColumn(0, volume.Vec{a*a + b*b - c*c - d*d, 2 * (b*c + a*d), 2 * (b*d - a*c)}.Scale(zoom[0]))
	m.SetColumn(1, volume.Vec{2 * (b*c - a*d), a*a + c*c - b*b - d*d, 2 * (c*d + a*b)}.Scale(zoom[1]))
	m.SetColumn(2, volume.Vec{2 * (b*d + a*c), 2 * (c*d - a*b), a*a + d*d - c*c - b*b}.Scale(zoom[2]))
	m.SetColumn(3, h.qoffset)
	return m
}

// orthogonal is how far, as a cosine, two axes may be from a right angle and
// still be written as a qform: rounding of DICOM's decimal strings, not tilt.
const orthogonal = 1e-4

// setQform writes a RAS+ transform as a quaternion. It says no, and changes
// nothing, when the transform is sheared.
func (h *Header) setQform(ras volume.Affine) bool {
	x, y, z := ras.Column(0).Unit(), ras.Column(1).Unit(), ras.Column(2).Unit()
	if math.Abs(x.Dot(y)) > orthogonal || math.Abs(y.Dot(z)) > orthogonal || math.Abs(x.Dot(z)) > orthogonal {
		return false
	}
	y = y.Sub(x.Scale(x.Dot(y))).Unit()
	qfac, normal := 1.0, x.Cross(y)
	if normal.Dot(z) < 0 {
		qfac = -1
	}
	h.quatern = quaternion(x, y, normal)
	h.qoffset = ras.Column(3)
	h.pixdim[0] = qfac
	for c := range 3 {
		h.pixdim[1+c] = ras.Column(c).Norm()
	}
	return true
}

// quaternion returns b, c, d (with a >= 0) of the rotation with columns x, y, z,
// from whichever of the four is largest, so that no small number is divided by.
func quaternion(x, y, z volume.Vec) [3]float64 {
	var a, b, c, d float64
	switch trace := x[0] + y[1] + z[2]; {
	case trace > 0:
		a = math.Sqrt(1+trace) / 2
		b, c, d = (y[2]-z[1])/(4*a), (z[0]-x[2])/(4*a), (x[1]-y[0])/(4*a)
	case x[0] >= y[1] && x[0] >= z[2]:
		b = math.Sqrt(1+x[0]-y[1]-z[2]) / 2
		a, c, d = (y[2]-z[1])/(4*b), (x[1]+y[0])/(4*b), (x[2]+z[0])/(4*b)
	case y[1] >= z[2]:
		c = math.Sqrt(1+y[1]-x[0]-z[2]) / 2
		a, b, d = (z[0]-x[2])/(4*c), (x[1]+y[0])/(4*c), (y[2]+z[1])/(4*c)
	default:
		d = math.Sqrt(1+z[2]-x[0]-y[1]) / 2
		a, b, c = (x[1]-y[0])/(4*d), (x[2]+z[0])/(4*d), (y[2]+z[1])/(4*d)
	}
	if a < 0 {
		b, c, d = -b, -c, -d
	}
	return [3]float64{b, c, d}
}

// fallback returns the transform of a file that gives none: the axes of Analyze
// (x from right to left, y from back to front, z upwards), with the middle of
// the volume at the origin. The standard (method 1) leaves both open; this is
// what nibabel and SPM do. An Analyze file may name its origin.
func (h *Header) fallback() volume.Affine {
	zoom := h.zooms()
	zoom[0] = -zoom[0]
	var m volume.Affine
	named := h.namedOrigin()
	for c := range 3 {
		middle := float64(h.dim[1+c]-1) / 2
		if named {
			middle = float64(h.origin[c] - 1)
		}
		m[c][c] = zoom[c]
		m[c][3] = -middle * zoom[c]
	}
	return m
}

// namedOrigin says whether an Analyze header's originator field holds a voxel
// near the volume, as SPM writes it, and not a scanner's name.
func (h *Header) namedOrigin() bool {
	if h.format != analyze75 || (h.origin[0] == 0 && h.origin[1] == 0 && h.origin[2] == 0) {
		return false
	}
	for c := range 3 {
		if h.origin[c] <= -h.dim[1+c] || h.origin[c] >= 2*h.dim[1+c] {
			return false
		}
	}
	return true
}

// zooms returns the voxel's size in the file's unit, made positive.
func (h *Header) zooms() [3]float64 {
	var z [3]float64
	for c := range z {
		z[c] = math.Abs(h.pixdim[1+c])
		if !(z[c] > 0) || math.IsInf(z[c], 0) {
			z[c] = 1
		}
	}
	return z
}

// usable says whether a transform is finite and spans space.
func usable(m volume.Affine) bool {
	size := m.Column(0).Norm() * m.Column(1).Norm() * m.Column(2).Norm()
	t := m.Column(3).Norm()
	return math.Abs(m.Det()) > 1e-6*size && !math.IsInf(size, 0) && t-t == 0
}

// usableForms says which of the header's transforms are there and usable. An
// Analyze header, which has none, holds no codes either.
func (h *Header) usableForms() (sform, qform bool) {
	return h.sformCode > 0 && usable(h.sform()), h.qformCode > 0 && usable(h.qform())
}

// unitScale returns the file's unit of length in mm: the low three bits of
// xyzt_units. Unknown is taken as mm, which is what it means in practice.
func (h *Header) unitScale() float64 {
	switch h.xyztUnits & 7 {
	case 1:
		return 1000
	case 3:
		return 1e-3
	}
	return 1
}

// geometry returns where the voxels are, in LPS+ mm, and what was odd about it.
// It prefers sform over qform over pixdim alone.
func (h *Header) geometry() (volume.Geometry, []series.Finding) {
	var findings []series.Finding
	note := func(s series.Severity, kind series.Kind, text string) {
		findings = append(findings, series.Finding{Severity: s, Kind: kind, Text: text})
	}
	for c := range 3 {
		switch p := h.pixdim[1+c]; {
		case p < 0 && !math.IsInf(p, 0):
			note(series.Warning, "spacing", "The header gives a negative voxel size along "+axisName(c)+"; its magnitude is used.")
		case !(p > 0) || math.IsInf(p, 0):
			note(series.Warning, "spacing", "The header gives no voxel size along "+axisName(c)+"; 1 is assumed where no transform says otherwise.")
		}
	}

	var ras volume.Affine
	sform, qform := h.usableForms()
	if h.sformCode > 0 && !sform {
		note(series.Warning, "orientation", "The header's sform does not span space; it is not used.")
	}
	if h.qformCode > 0 && !qform {
		note(series.Warning, "orientation", "The header's qform is not finite; it is not used.")
	}
	switch {
	case sform:
		ras = h.sform()
	case qform:
		ras = h.qform()
	default:
		ras = h.fallback()
		note(series.Warning, "orientation", "The file does not say how the patient lies; x is taken from right to left, y from back to front, z upwards.")
	}
	if s := h.unitScale(); s != 1 {
		note(series.Note, "units", "Lengths were converted to mm from the unit that the header names.")
		for r := range ras {
			for c := range ras[r] {
				ras[r][c] *= s
			}
		}
	}
	dims := [3]int{int(h.dim[1]), int(h.dim[2]), int(h.dim[3])}
	return volume.FromAffine(dims, tidy(ras.FlipXY())), findings
}

func axisName(c int) string { return string('x' + rune(c)) }
