package nifti

import (
	"math"

	"quell/internal/message"
	"quell/io/raster"
	"quell/volume"
)

// analyzeSpec makes s the specification of an Analyze 7.5 header and its voxels.
func analyzeSpec(s raster.Spec, path string, grid volume.Geometry, source *header, description string) (raster.Spec, error) {
	switch s.Datatype.Code {
	case raster.Uint8, raster.Int16, raster.Int32, raster.Float32, raster.Float64:
	default:
		return s, message.Errorf(message.OutputUnsupported, "an Analyze file cannot store %s; choose uint8, int16, int32, float32 or float64", s.Datatype.Name)
	}
	ordered, order := analyzeGrid(grid)
	for c, n := range ordered.Dims {
		if n > maxDim16 {
			return s, message.Errorf(message.OutputUnsupported, "an Analyze file has at most %d voxels along an axis, and the volume has %d along %s; write NIfTI", maxDim16, n, axisName(c))
		}
	}
	if off := analyzeError(ordered); off > visible {
		s.Lost = append(s.Lost, message.New(message.OutputReduced, "Analyze stores no orientation and no distant origin: other programs place voxels up to %.1f mm from their position; write NIfTI to keep it.", off))
	}
	s.Voxels, s.Order, s.Scale = imagePath(path), &order, scaleOnly
	s.Header = func(_ volume.Geometry, e raster.Encoder, valid raster.Limits) []byte {
		return newAnalyzeHeader(ordered, source, e, valid, description).marshal()
	}
	return s, nil
}

// visible is how far off in mm a warning is about.
const visible = 0.1

// scaleOnly chooses the slope: Analyze has no intercept.
func scaleOnly(d raster.Datatype, values raster.Limits) (e raster.Encoder, lost message.Message, err error) {
	e = raster.Encoder{Datatype: d, Slope: 1}
	lo, hi := float64(values.Lo), float64(values.Hi)
	if !d.Integer() || (!values.Fractions && lo >= d.Lo && hi <= d.Hi) {
		return e, lost, nil
	}
	if lo < 0 && d.Lo == 0 {
		return e, lost, message.Errorf(message.OutputUnsupported, "%s cannot store negative values in an Analyze file; choose int16 or float32", d.Name)
	}
	const smallestNormal = 0x1p-126
	slope := float32(max(max(-lo, hi)/(d.Hi-1), smallestNormal))
	e.Slope = float64(math.Nextafter32(slope, math.MaxFloat32))
	return e, lost, nil
}

// newAnalyzeHeader returns the header for voxels on a grid in Analyze's order.
func newAnalyzeHeader(grid volume.Geometry, source *header, e raster.Encoder, valid raster.Limits, description string) *header {
	h := &header{format: analyze75, datatype: e.Code, bitpix: int64(8 * e.Bytes), sclSlope: e.Slope}
	if source != nil {
		h.descrip, h.auxFile = source.descrip, source.auxFile
	}
	if description != "" {
		h.setDescription(description)
	}
	h.setAnalyzeGrid(grid)
	h.glmin, h.glmax = storedInt(valid.Lo, e), storedInt(valid.Hi, e)
	return h
}

// setAnalyzeGrid stores size, spacing and origin of a grid in Analyze's order.
func (h *header) setAnalyzeGrid(g volume.Geometry) {
	// Many programs for Analyze expect four dimensions.
	h.dim = [8]int64{4, int64(g.Dims[0]), int64(g.Dims[1]), int64(g.Dims[2]), 1, 1, 1, 1}
	centred := true
	for c := range 3 {
		h.pixdim[1+c] = g.Spacing[c]
		// The voxel at the origin; exact if the axes are parallel to the patient's.
		origin := -g.Affine[c][3] / math.Copysign(g.Spacing[c], g.Affine[c][c])
		if math.Abs(origin-float64(g.Dims[c]-1)/2) > 1e-3 {
			centred = false
		}
		h.origin[c] = int64(min(max(math.Round(origin)+1, math.MinInt16), math.MaxInt16))
	}
	if centred || !h.hasOrigin() {
		h.origin = [5]int64{} // readers take the middle of the volume
	}
}

// analyzeError returns the largest distance in mm between the position of a voxel of
// grid g, in Analyze's order, and the position that readers give it in an Analyze file, which stores neither
// orientation nor a distant origin.
func analyzeError(g volume.Geometry) float64 {
	var h header
	h.setAnalyzeGrid(g)
	read, _ := h.geometry()
	largest := 0.0
	for corner := range 8 {
		var p [3]float64
		for c := range p {
			p[c] = float64(corner >> c & 1 * (g.Dims[c] - 1))
		}
		d := g.Affine.Apply(p[0], p[1], p[2]).Sub(read.Affine.Apply(p[0], p[1], p[2]))
		largest = max(largest, d.Norm())
	}
	return largest
}

func storedInt(x float32, e raster.Encoder) int64 {
	return int64(min(max(math.Round(float64(x)/e.Slope), math.MinInt32), math.MaxInt32))
}

// analyzeGrid returns g with its axes permuted and flipped to lie nearest to Analyze's:
// x to the patient's left, y to the front, z to the head.
func analyzeGrid(g volume.Geometry) (out volume.Geometry, o raster.Order) {
	sign := [3]float64{1, -1, 1} // in LPS+
	o.Axis = nearestAxes(g.Affine)
	out.Affine = g.Affine
	for c, a := range o.Axis {
		o.Flip[c] = g.Affine[c][a]*sign[c] < 0
		out.Dims[c], out.Spacing[c] = g.Dims[a], g.Spacing[a]
		step := g.Affine.Column(a)
		if o.Flip[c] {
			last := step.Scale(float64(g.Dims[a] - 1))
			out.Affine.SetColumn(3, out.Affine.Column(3).Add(last))
			step = step.Scale(-1)
		}
		out.Affine.SetColumn(c, step)
	}
	return out, o
}

// nearestAxes returns the voxel axis for each patient axis: the permutation with the
// largest sum of cosines between them.
func nearestAxes(m volume.Affine) [3]int {
	best, most := [3]int{0, 1, 2}, -1.0
	for _, p := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		along := 0.0
		for c, a := range p {
			along += math.Abs(m.Column(a).Unit()[c])
		}
		if along > most+1e-9 {
			best, most = p, along
		}
	}
	return best
}
