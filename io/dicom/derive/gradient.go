package derive

import (
	"encoding/binary"
	"math"
	"slices"

	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// weighting states a diffusion weighting in the attributes of the standard (PS3.3 C.8.13.5.9).
// The direction of a weighted volume is left out if it is not known.
func weighting(enc part10.Encoding, g series.Gradient) []part10.Edit {
	edits := []part10.Edit{part10.Set(enc, part10.TagDiffusionBValue, "FD", doubles(enc, g.B))}
	switch {
	case g.Direction != volume.Vec{}:
		edits = append(edits, part10.Set(enc, part10.TagDiffusionDirectionality, "CS", []byte("DIRECTIONAL")),
			part10.Set(enc, part10.TagDiffusionGradientOrientation, "FD", doubles(enc, g.Direction[:]...)))
	case g.B == 0:
		edits = append(edits, part10.Set(enc, part10.TagDiffusionDirectionality, "CS", []byte("NONE")))
	}
	return edits
}

// doubles encodes numbers as FD.
func doubles(enc part10.Encoding, values ...float64) (out []byte) {
	order := enc.Order.(binary.AppendByteOrder)
	for _, x := range values {
		out = order.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// weightingEdits states the diffusion weighting of a de-identified image if its maker stated it in
// attributes that are removed. Images with functional groups state it there.
func (s *image) weightingEdits() []part10.Edit {
	first := s.slices[0]
	if !first.Gradient.Known || s.describesFrames() {
		return nil
	}
	edits := weighting(s.Encoding, series.Gradient{B: first.Gradient.B, Direction: first.Direction()})
	if first.Gradient.Isotropic {
		edits = append(edits, part10.Set(s.Encoding, part10.TagDiffusionDirectionality, "CS", []byte("ISOTROPIC")))
	}
	return slices.DeleteFunc(edits, func(e part10.Edit) bool { return s.File.Has(e.Tag) })
}
