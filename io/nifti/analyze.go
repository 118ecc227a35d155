package nifti

import (
	"context"
	"fmt"
	"math"
	"os"

	"quell/io/raster"
	"quell/volume"
)

// writePair writes an Analyze 7.5 header and its voxels.
func writePair(ctx context.Context, hdr, img string, v *volume.Volume, source *header, d raster.Datatype, description string) error {
	v = toAnalyzeOrder(v)
	for c, n := range v.Dims {
		if n > maxDim16 {
			return fmt.Errorf("an Analyze file has at most %d voxels along an axis, and the volume has %d along %s; write NIfTI", maxDim16, n, axisName(c))
		}
	}
	e, err := newScaleOnlyEncoder(d, v)
	if err != nil {
		return err
	}
	h, err := newAnalyzeHeader(ctx, v, source, e, description)
	if err != nil {
		return err
	}
	if err := raster.WriteNew(img, func(w *os.File) error { return raster.WriteVoxels(ctx, w, h.maskedAsNaN, e, v, nil) }); err != nil {
		return err
	}
	err = raster.WriteNew(hdr, func(w *os.File) error {
		_, err := w.Write(h.marshal())
		return raster.WithoutPath(err)
	})
	if err != nil {
		os.Remove(img)
	}
	return err
}

// newScaleOnlyEncoder chooses the slope: Analyze has no intercept.
func newScaleOnlyEncoder(d raster.Datatype, v *volume.Volume) (raster.Encoder, error) {
	switch d.Code {
	case raster.Uint8, raster.Int16, raster.Int32, raster.Float32, raster.Float64:
	default:
		return raster.Encoder{}, fmt.Errorf("an Analyze file cannot hold %s; choose uint8, int16, int32, float32 or float64", d.Name)
	}
	e := raster.Encoder{Datatype: d, Slope: 1}
	low, high, whole := raster.Limits(v.Data)
	lo, hi := float64(low), float64(high)
	if !d.Integer() || (whole && lo >= d.Lo && hi <= d.Hi) {
		return e, nil
	}
	if lo < 0 && d.Lo == 0 {
		return e, fmt.Errorf("%s cannot hold negative values in an Analyze file; choose int16 or float32", d.Name)
	}
	const smallestNormal = 0x1p-126
	slope := float32(max(max(-lo, hi)/(d.Hi-1), smallestNormal))
	e.Slope = float64(math.Nextafter32(slope, math.MaxFloat32))
	return e, nil
}

// newAnalyzeHeader returns the header for v with voxels in Analyze's order.
func newAnalyzeHeader(ctx context.Context, v *volume.Volume, source *header, e raster.Encoder, description string) (*header, error) {
	h := &header{format: analyze75, datatype: e.Code, bitpix: int64(8 * e.Bytes), sclSlope: e.Slope}
	if source != nil {
		h.descrip, h.auxFile, h.maskedAsNaN = source.descrip, source.auxFile, source.maskedAsNaN
	}
	if description != "" {
		h.setDescription(description)
	}
	h.setAnalyzeGrid(v.Geometry)
	lo, hi, err := v.Range(ctx)
	if err != nil {
		return nil, err
	}
	h.glmin, h.glmax = storedInt(lo, e), storedInt(hi, e)
	return h, nil
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

// AnalyzeError returns the largest distance in mm between the position of a voxel of
// grid g and the position that readers give it in an Analyze file, which stores neither
// orientation nor a distant origin.
func AnalyzeError(g volume.Geometry) float64 {
	g, _, _ = analyzeGrid(g)
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
// x to the patient's left, y to the front, z to the head. axis gives the axis of g for
// each axis of the result, flip whether it is reversed.
func analyzeGrid(g volume.Geometry) (out volume.Geometry, axis [3]int, flip [3]bool) {
	sign := [3]float64{1, -1, 1} // in LPS+
	axis = nearestAxes(g.Affine)
	out.Affine = g.Affine
	for c, a := range axis {
		flip[c] = g.Affine[c][a]*sign[c] < 0
		out.Dims[c], out.Spacing[c] = g.Dims[a], g.Spacing[a]
		step := g.Affine.Column(a)
		if flip[c] {
			last := step.Scale(float64(g.Dims[a] - 1))
			out.Affine.SetColumn(3, out.Affine.Column(3).Add(last))
			step = step.Scale(-1)
		}
		out.Affine.SetColumn(c, step)
	}
	return out, axis, flip
}

// toAnalyzeOrder returns v on analyzeGrid; v itself if it already lies so.
func toAnalyzeOrder(v *volume.Volume) *volume.Volume {
	out, axis, flip := analyzeGrid(v.Geometry)
	if axis == [3]int{0, 1, 2} && flip == [3]bool{} {
		return v
	}
	w := volume.New(out)
	w.Unit = v.Unit
	if v.Mask != nil {
		w.Mask = make([]bool, len(w.Data))
	}
	stride := [3]int{1, v.Dims[0], v.SliceVoxels()}
	var start int
	var step [3]int
	for c, a := range axis {
		step[c] = stride[a]
		if flip[c] {
			start += (v.Dims[a] - 1) * stride[a]
			step[c] = -step[c]
		}
	}
	i := 0
	for z := range out.Dims[2] {
		for y := range out.Dims[1] {
			from := start + z*step[2] + y*step[1]
			for range out.Dims[0] {
				w.Data[i] = v.Data[from]
				if w.Mask != nil {
					w.Mask[i] = v.Mask[from]
				}
				i++
				from += step[0]
			}
		}
	}
	return w
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
