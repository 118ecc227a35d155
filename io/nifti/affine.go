package nifti

import (
	"math"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Values of qform_code and sform_code. Write gives xformScannerAnat to volumes
// that do not come from a NIfTI file.
const (
	xformUnknown     = 0
	xformScannerAnat = 1
	xformAlignedAnat = 2
)

// sform returns the transform of srow_x, srow_y and srow_z: voxel index to RAS+
// position in the file's unit.
func (h *header) sform() volume.Affine { return volume.Affine(h.srow) }

// setSform is the inverse of sform.
func (h *header) setSform(ras volume.Affine) { h.srow = positiveZeros(ras) }

// positiveZeros replaces -0, which FlipXY makes of 0, by 0.
func positiveZeros(m volume.Affine) volume.Affine {
	for r := range m {
		for c := range m[r] {
			m[r][c] += 0
		}
	}
	return m
}

// qform returns the transform of quaternion, offsets and pixdim (method 2 of
// nifti1.h): voxel index to RAS+ position in the file's unit. A qform cannot
// represent shear.
func (h *header) qform() volume.Affine {
	b, c, d := h.quatern[0], h.quatern[1], h.quatern[2]
	a := 0.0
	if sum := b*b + c*c + d*d; sum < 1 {
		a = math.Sqrt(1 - sum)
	} else {
		// A rotation by 180 degrees: a is 0, and rounding may make the sum exceed 1.
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

// orthogonalCosine is the largest cosine of the angle between two axes that are
// still taken as orthogonal. It allows for the rounding of DICOM's decimal strings,
// 0.006 degrees, and is far below any gantry tilt. Over 300 mm the qform's
// positions differ by at most 0.03 mm from the axes given.
const orthogonalCosine = 1e-4

// setQform stores a RAS+ transform as a quaternion. It returns false and changes
// nothing if the transform is sheared.
func (h *header) setQform(ras volume.Affine) bool {
	x, y, z := ras.Column(0).Unit(), ras.Column(1).Unit(), ras.Column(2).Unit()
	if max(math.Abs(x.Dot(y)), math.Abs(y.Dot(z)), math.Abs(x.Dot(z))) > orthogonalCosine {
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

// quaternion returns b, c, d (with a >= 0) of the rotation with columns x, y, z.
// It divides by the largest of the four, so that rounding errors stay small.
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

// defaultTransform returns the RAS+ transform of a file without a usable one: the
// axes of Analyze (x to the patient's left, y to the front, z to the head), with the
// middle of the volume at the origin, or the voxel that an Analyze file names. The
// standard (method 1) leaves both open; this is what nibabel and SPM do.
func (h *header) defaultTransform() volume.Affine {
	zoom := h.zooms()
	zoom[0] = -zoom[0]
	var m volume.Affine
	hasOrigin := h.hasOrigin()
	for c := range 3 {
		middle := float64(h.dim[1+c]-1) / 2
		if hasOrigin {
			middle = float64(h.origin[c] - 1)
		}
		m[c][c] = zoom[c]
		m[c][3] = -middle * zoom[c]
	}
	return m
}

// hasOrigin reports whether the originator field of an Analyze header holds a
// voxel near the volume, as SPM writes it, and not the name of a scanner.
func (h *header) hasOrigin() bool {
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

// zooms returns the voxel size in the file's unit: the magnitude of pixdim, 1 if
// that is 0 or not finite.
func (h *header) zooms() [3]float64 {
	var z [3]float64
	for c := range z {
		z[c] = math.Abs(h.pixdim[1+c])
		if !(z[c] > 0) || math.IsInf(z[c], 0) {
			z[c] = 1
		}
	}
	return z
}

// invertible reports whether a transform is finite and its axes are linearly
// independent.
func invertible(m volume.Affine) bool {
	size := m.Column(0).Norm() * m.Column(1).Norm() * m.Column(2).Norm()
	t := m.Column(3).Norm()
	return math.Abs(m.Det()) > 1e-6*size && !math.IsInf(size, 0) && t-t == 0
}

// usableTransforms reports which of the header's transforms are present and
// invertible. An Analyze header has neither.
func (h *header) usableTransforms() (sform, qform bool) {
	return h.sformCode > 0 && invertible(h.sform()), h.qformCode > 0 && invertible(h.qform())
}

// lengthUnit returns the file's unit of length, the low three bits of xyzt_units,
// in mm, and its name; "" if the code is not defined. Unknown (0) is taken as mm,
// which it means in practice, and so is an undefined code.
func (h *header) lengthUnit() (mm float64, name string) {
	switch h.xyztUnits & 7 {
	case 0, 2:
		return 1, "millimetres"
	case 1:
		return 1000, "metres"
	case 3:
		return 1e-3, "micrometres"
	}
	return 1, ""
}

// geometry returns the grid of the voxels in LPS+ mm, and findings about it. It
// prefers sform to qform to pixdim alone.
func (h *header) geometry() (volume.Geometry, []series.Finding) {
	var findings []series.Finding
	note := func(s series.Severity, kind series.Kind, text message.Message) {
		findings = append(findings, series.Finding{Severity: s, Kind: kind, Text: text})
	}
	for c := range 3 {
		switch p := h.pixdim[1+c]; {
		case p < 0 && !math.IsInf(p, 0):
			note(series.Warning, series.Spacing, message.Text("The header gives a negative voxel size along %s; its magnitude is used.", axisName(c)))
		case !(p > 0) || math.IsInf(p, 0):
			note(series.Warning, series.Spacing, message.Text("The header gives no voxel size along %s; 1 is assumed unless a transform gives it.", axisName(c)))
		}
	}

	var ras volume.Affine
	sform, qform := h.usableTransforms()
	if h.sformCode > 0 && !sform {
		note(series.Warning, series.Orientation, message.Text("The header's sform is not finite or not invertible; it is ignored."))
	}
	if h.qformCode > 0 && !qform {
		note(series.Warning, series.Orientation, message.Text("The header's qform is not finite; it is ignored."))
	}
	switch {
	case sform:
		ras = h.sform()
	case qform:
		ras = h.qform()
	default:
		ras = h.defaultTransform()
		note(series.Warning, series.Orientation, message.Text("The file gives no orientation; it is assumed that x runs to the patient's left, y to the front and z to the head."))
	}
	switch mm, unit := h.lengthUnit(); {
	case mm != 1:
		note(series.Note, series.Units, message.Text("The header gives lengths in %s; voxel size and positions were multiplied by %g to get mm.", unit, mm))
		ras = scaled(ras, mm)
	case unit == "":
		note(series.Warning, series.Units, message.Text("The header's unit of length (code %d) is not defined; mm is assumed.", h.xyztUnits&7))
	}
	dims := [3]int{int(h.dim[1]), int(h.dim[2]), int(h.dim[3])}
	return volume.FromAffine(dims, positiveZeros(ras.FlipXY())), findings
}

func axisName(c int) string { return string('x' + rune(c)) }
