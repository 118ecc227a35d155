package derive

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// grouped reports whether the image is one that describes its frames in functional
// groups.
func (s *image) grouped() bool {
	return s.describesFrames() || part10.FunctionalGroups[string(s.Text(part10.TagSOPClassUID))]
}

// describesFrames reports whether it really does.
func (s *image) describesFrames() bool {
	return s.File.Kept[part10.TagPerFrameFunctionalGroupsSequence] != nil
}

// frameTypeGroups are the functional groups that hold FrameType.
var frameTypeGroups = []part10.Tag{part10.TagMRImageFrameTypeSequence, part10.TagCTImageFrameTypeSequence, part10.TagPETFrameTypeSequence}

// groupEdits rewrites the functional groups: the items of the exported frames
// alone, FrameType DERIVED as ImageType is, and for each frame a derivation image
// group that names the frame it was made of. All else in them is copied byte for
// byte.
func (s *image) groupEdits() ([]part10.Edit, error) {
	// A group is either shared or each frame's own: what the frames shared as
	// their derivation moves to each.
	var before []byte
	shared, err := s.rewriteGroups(part10.TagSharedFunctionalGroupsSequence, func(_ int, item part10.SequenceItem) (edits []part10.Edit, keep bool, err error) {
		if before, err = s.derivationItems(item); before != nil {
			edits = []part10.Edit{{Tag: part10.TagDerivationImageSequence}}
		}
		return edits, true, err
	})
	if err != nil {
		return nil, err
	}
	exported := map[int]bool{}
	for _, h := range s.slices {
		exported[h.Frame] = true
	}
	frames, err := s.rewriteGroups(part10.TagPerFrameFunctionalGroupsSequence, func(i int, item part10.SequenceItem) ([]part10.Edit, bool, error) {
		if !exported[i] {
			return nil, false, nil
		}
		own, err := s.derivationItems(item)
		items := slices.Concat(before, own, s.derivationImage(i+1))
		return []part10.Edit{part10.Set(s.Encoding, part10.TagDerivationImageSequence, "SQ", items)}, true, err
	})
	return append(shared, frames...), err
}

// rewriteGroups returns the edit of one of the two sequences of functional groups.
// change gives the edits of the i-th item, besides the edits of FrameType, and
// whether it is kept.
func (s *image) rewriteGroups(t part10.Tag, change func(i int, item part10.SequenceItem) (edits []part10.Edit, keep bool, err error)) ([]part10.Edit, error) {
	e, ok := s.File.Find(t)
	if !ok {
		return nil, nil
	}
	if _, err := part10.SequenceItems(s.Bytes, e, s.Encoding); err != nil {
		return nil, err
	}
	var items []byte
	i := -1
	err := part10.EachItem(s.Bytes, e, s.Encoding, func(item part10.SequenceItem) error {
		i++
		edits, keep, err := change(i, item)
		if err != nil || !keep {
			return err
		}
		for _, group := range item.Elements {
			if slices.Contains(frameTypeGroups, group.Tag) {
				changed, err := s.deriveFrameType(group)
				if err != nil {
					return err
				}
				edits = append(edits, changed)
			}
		}
		part10.SortEdits(edits)
		items = part10.AppendItem(items, s.Encoding, part10.Merge(nil, s.Bytes, item.Elements, edits))
		return nil
	})
	return []part10.Edit{part10.Set(s.Encoding, t, "SQ", items)}, err
}

// deriveFrameType returns the edit of a group that holds FrameType.
func (s *image) deriveFrameType(group part10.Element) (part10.Edit, error) {
	if _, err := part10.SequenceItems(s.Bytes, group, s.Encoding); err != nil {
		return part10.Edit{}, err
	}
	var items []byte
	err := part10.EachItem(s.Bytes, group, s.Encoding, func(item part10.SequenceItem) error {
		var edits []part10.Edit
		for _, e := range item.Elements {
			if e.Tag == part10.TagFrameType {
				value := derivedType(bytes.TrimRight(s.Bytes[e.Value:e.End], part10.ValuePadding), "")
				edits = []part10.Edit{part10.Set(s.Encoding, part10.TagFrameType, "CS", value)}
			}
		}
		items = part10.AppendItem(items, s.Encoding, part10.Merge(nil, s.Bytes, item.Elements, edits))
		return nil
	})
	return part10.Set(s.Encoding, group.Tag, "SQ", items), err
}

// derivationItems returns the items of earlier derivations in an item of
// functional groups; nil if there is none.
func (s *image) derivationItems(item part10.SequenceItem) ([]byte, error) {
	for _, e := range item.Elements {
		if e.Tag == part10.TagDerivationImageSequence {
			return part10.SequenceItems(s.Bytes, e, s.Encoding)
		}
	}
	return nil, nil
}

// derivationImage is the item that refers a frame to the frame of the source (counted from
// 1) that it was made of. A 3-D filter used its neighbours too, as the recipe states.
func (s *image) derivationImage(frame int) []byte {
	description, ok := s.descriptions[frame-1]
	if !ok {
		description = s.Description
	}
	var item []byte
	item = part10.AppendElement(item, s.Encoding, part10.TagDerivationDescription, "ST", []byte(part10.Clip(part10.ASCII(description), 1024)))
	item = part10.AppendElement(item, s.Encoding, part10.TagSourceImageSequence, "SQ", s.sourceReference(frame))
	item = part10.AppendCode(item, s.Encoding, part10.TagDerivationCodeSequence, s.code())
	return part10.AppendItem(nil, s.Encoding, item)
}

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
