package nifti

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"quell/volume"
)

// writePair writes an Analyze 7.5 header and its voxels.
func writePair(ctx context.Context, hdr, img string, v *volume.Volume, source *header, d datatype, description string) error {
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
	if err := writeNew(img, func(w io.Writer) error { return writeVoxels(ctx, w, h, e, v) }); err != nil {
		return err
	}
	err = writeNew(hdr, func(w io.Writer) error {
		_, err := w.Write(h.marshal())
		return withoutPath(err)
	})
	if err != nil {
		os.Remove(img)
	}
	return err
}

// newAnalyzeHeader returns the header for v, whose voxels are in Analyze's order.
func newAnalyzeHeader(ctx context.Context, v *volume.Volume, source *header, e encoder, description string) (*header, error) {
	h := &header{format: analyze75, datatype: e.code, bitpix: int64(8 * e.bytes), sclSlope: e.slope}
	if source != nil {
		h.descrip, h.auxFile, h.maskedAsNaN = source.descrip, source.auxFile, source.maskedAsNaN
	}
	if description != "" {
		h.setDescription(description)
	}
	// Many programs for Analyze expect four dimensions.
	h.dim = [8]int64{4, int64(v.Dims[0]), int64(v.Dims[1]), int64(v.Dims[2]), 1, 1, 1, 1}
	lo, hi, err := v.Range(ctx)
	if err != nil {
		return nil, err
	}
	h.glmin, h.glmax = storedInt(lo, e), storedInt(hi, e)
	centred := true
	for c := range 3 {
		h.pixdim[1+c] = v.Spacing[c]
		// The voxel at the origin; exact if the axes are parallel to the patient's.
		origin := -v.Affine[c][3] / math.Copysign(v.Spacing[c], v.Affine[c][c])
		if math.Abs(origin-float64(v.Dims[c]-1)/2) > 1e-3 {
			centred = false
		}
		h.origin[c] = int64(min(max(math.Round(origin)+1, math.MinInt16), math.MaxInt16))
	}
	if centred || !h.hasOrigin() {
		h.origin = [5]int64{} // readers take the middle of the volume
	}
	return h, nil
}

func storedInt(x float32, e encoder) int64 {
	return int64(min(max(math.Round(float64(x)/e.slope), math.MinInt32), math.MaxInt32))
}

// toAnalyzeOrder returns v with its axes permuted and flipped to lie nearest to
// Analyze's: x to the patient's left, y to the front, z to the head. It returns v
// itself if they already do.
func toAnalyzeOrder(v *volume.Volume) *volume.Volume {
	sign := [3]float64{1, -1, 1} // in LPS+
	axis := nearestAxes(v.Affine)
	var flip [3]bool
	same := true
	out := volume.Geometry{Affine: v.Affine}
	for c, a := range axis {
		flip[c] = v.Affine[c][a]*sign[c] < 0
		same = same && a == c && !flip[c]
		out.Dims[c], out.Spacing[c] = v.Dims[a], v.Spacing[a]
		step := v.Affine.Column(a)
		if flip[c] {
			last := step.Scale(float64(v.Dims[a] - 1))
			out.Affine.SetColumn(3, out.Affine.Column(3).Add(last))
			step = step.Scale(-1)
		}
		out.Affine.SetColumn(c, step)
	}
	if same {
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
