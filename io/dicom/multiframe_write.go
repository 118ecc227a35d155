package dicom

import (
	"bytes"
	"slices"
)

// grouped says whether the image is one that describes its frames in functional
// groups.
func (s *derivedImage) grouped() bool {
	return s.describesFrames() || functionalGroups[string(s.source(tagSOPClassUID))]
}

// describesFrames says whether it really does.
func (s *derivedImage) describesFrames() bool {
	return s.file.kept[tagPerFrameFunctionalGroupsSequence] != nil
}

// frameTypeGroups are the functional groups that hold FrameType.
var frameTypeGroups = []tagID{tagMRImageFrameTypeSequence, tagCTImageFrameTypeSequence, tagPETFrameTypeSequence}

// groupEdits rewrites the functional groups: the items of the exported frames
// alone, FrameType DERIVED as ImageType is, and for each frame a derivation image
// group that names the frame it was made of. All else in them is copied byte for
// byte.
func (s *derivedImage) groupEdits() ([]edit, error) {
	// A group is either shared or each frame's own: what the frames shared as
	// their derivation moves to each.
	var before []byte
	shared, err := s.rewriteGroups(tagSharedFunctionalGroupsSequence, func(_ int, item sequenceItem) (edits []edit, keep bool, err error) {
		if before, err = s.derivationItems(item); before != nil {
			edits = []edit{{tag: tagDerivationImageSequence}}
		}
		return edits, true, err
	})
	if err != nil {
		return nil, err
	}
	exported := map[int]bool{}
	for _, h := range s.slices {
		exported[h.frame] = true
	}
	frames, err := s.rewriteGroups(tagPerFrameFunctionalGroupsSequence, func(i int, item sequenceItem) ([]edit, bool, error) {
		if !exported[i] {
			return nil, false, nil
		}
		own, err := s.derivationItems(item)
		items := slices.Concat(before, own, s.derivationImage(i+1))
		return []edit{{tagDerivationImageSequence, appendElement(nil, s.enc, tagDerivationImageSequence, "SQ", items)}}, true, err
	})
	return append(shared, frames...), err
}

// rewriteGroups returns the edit of one of the two sequences of functional
// groups. change gives the edits of the i-th item, besides those of FrameType, and
// whether it is kept.
func (s *derivedImage) rewriteGroups(t tagID, change func(i int, item sequenceItem) (edits []edit, keep bool, err error)) ([]edit, error) {
	e, ok := s.file.find(t)
	if !ok {
		return nil, nil
	}
	if _, err := sequenceItems(s.bytes, e, s.enc); err != nil {
		return nil, err
	}
	var items []byte
	i := -1
	err := eachItem(s.bytes, e, s.enc, func(item sequenceItem) error {
		i++
		edits, keep, err := change(i, item)
		if err != nil || !keep {
			return err
		}
		for _, group := range item.elements {
			if slices.Contains(frameTypeGroups, group.tag) {
				changed, err := s.deriveFrameType(group)
				if err != nil {
					return err
				}
				edits = append(edits, changed)
			}
		}
		sortEdits(edits)
		items = appendItem(items, s.enc, merge(nil, s.bytes, item.elements, edits))
		return nil
	})
	return []edit{{t, appendElement(nil, s.enc, t, "SQ", items)}}, err
}

// deriveFrameType returns the edit of a group that holds FrameType.
func (s *derivedImage) deriveFrameType(group element) (edit, error) {
	if _, err := sequenceItems(s.bytes, group, s.enc); err != nil {
		return edit{}, err
	}
	var items []byte
	err := eachItem(s.bytes, group, s.enc, func(item sequenceItem) error {
		var edits []edit
		for _, e := range item.elements {
			if e.tag == tagFrameType {
				value := derivedType(bytes.TrimRight(s.bytes[e.value:e.end], valuePadding), "")
				edits = []edit{{tagFrameType, appendElement(nil, s.enc, tagFrameType, "CS", value)}}
			}
		}
		items = appendItem(items, s.enc, merge(nil, s.bytes, item.elements, edits))
		return nil
	})
	return edit{group.tag, appendElement(nil, s.enc, group.tag, "SQ", items)}, err
}

// derivationItems returns the items of earlier derivations in an item of
// functional groups; nil where there is none.
func (s *derivedImage) derivationItems(item sequenceItem) ([]byte, error) {
	for _, e := range item.elements {
		if e.tag == tagDerivationImageSequence {
			return sequenceItems(s.bytes, e, s.enc)
		}
	}
	return nil, nil
}

// derivationImage is the item that says how a frame was made from one of the
// source (counted from 1). A 3-D filter used the neighbours too: the recipe says
// so.
func (s *derivedImage) derivationImage(frame int) []byte {
	var item []byte
	item = appendElement(item, s.enc, tagDerivationDescription, "ST", []byte(clip(ascii(s.Description), 1024)))
	item = appendElement(item, s.enc, tagSourceImageSequence, "SQ", s.sourceReference(frame))
	item = appendCode(item, s.enc, tagDerivationCodeSequence, s.code())
	return appendItem(nil, s.enc, item)
}
