package dicom

import (
	"fmt"
	"slices"
)

// fewFrames is how many frames any file may have, and bytesPerFrame how many
// bytes each of more must have in the file: headers are kept of all of them, and
// a small file shall not fill the memory.
const (
	fewFrames     = 1024
	bytesPerFrame = 512
)

// The attributes outside functional groups that place the frames of an image
// behind the first one.
const (
	tagFrameIncrementPointer tagID = 0x00280009
	tagGridFrameOffsetVector tagID = 0x3004000C
)

var offsetTags = []tagID{tagFrameIncrementPointer, tagGridFrameOffsetVector}

// frameCount returns the number of frames, at least 1.
func (h *header) frameCount(a attributes) int {
	n, _ := a.integer(tagNumberOfFrames)
	return max(n, 1)
}

// fillParts makes a header of each frame of a multi-frame image and of each
// tile of a mosaic.
func (h *header) fillParts(p *part10, a attributes) {
	frames := h.frameCount(a)
	mosaic := slices.Contains(h.imageType, "MOSAIC")
	switch {
	case mosaic && frames == 1:
		h.fillTiles(p, a)
		return
	case mosaic:
		h.aside = "it is a mosaic of several frames, which is not read"
		return
	case frames == 1 && h.holdsUIHTiles(p, a):
		h.fillUIHTiles(p, a)
		return
	case frames > fewFrames && int64(frames) > h.size/bytesPerFrame:
		h.err = fileError(h.name, adviseCopy, nil, "it claims %d frames, more than a file of %d bytes can describe", frames, h.size)
		return
	case frames == 1 && !functionalGroups[h.sopClass]:
		return
	}
	if err := h.fillFrames(p, a, frames); err != nil {
		h.err = fileError(h.name, adviseCopy, err, "its functional groups are damaged (%s)", reason(err))
	}
}

// fillFrames makes the parts: what a frame's own groups say counts before what
// the frames share, and that before the file's own attributes.
func (h *header) fillFrames(p *part10, a attributes, frames int) error {
	shared, _, err := readGroups(p, tagSharedFunctionalGroupsSequence, 1)
	if err != nil {
		return err
	}
	per, described, err := readGroups(p, tagPerFrameFunctionalGroupsSequence, frames)
	if err != nil {
		return err
	}
	if described != 0 && described != frames {
		return fmt.Errorf("they describe %d frames, and the image has %d", described, frames)
	}
	common := attributes{under: &a}
	if len(shared) > 0 {
		common.set = shared[0].set
	}
	placed := hasPosition(common) || slices.ContainsFunc(per, hasPosition)
	h.parts = make([]*header, frames)
	for i := range h.parts {
		part := *h
		part.parts, part.frame = nil, i
		h.parts[i] = &part
		own := common
		if len(per) > 0 {
			own = per[i]
			own.under = &common
		}
		if h.aside = part.fillFrame(own); h.aside != "" {
			h.parts = nil
			return nil
		}
	}
	if !placed && frames > 1 {
		return h.placeByOffset(p, a)
	}
	return nil
}

// hasPosition says whether one layer of attributes, without those under it,
// holds a position.
func hasPosition(a attributes) bool {
	_, ok := a.set[tagImagePositionPatient]
	return ok
}

// fillFrame takes what may differ from frame to frame. It returns why the frame
// is not read; "" where it is.
func (h *header) fillFrame(a attributes) (problem string) {
	if h.format, problem = readPixelFormat(a); problem != "" {
		return problem
	}
	if t := a.strings(tagFrameType); len(t) > 0 {
		h.imageType = t
	}
	if k := a.text(tagConvolutionKernel); k != "" {
		h.meta.Kernel = k
	}
	h.placed, h.thickness = false, 0
	h.fillPlane(a)
	h.fillDisplay(a)
	h.fillSplits(a)
	return ""
}

// placeByOffset places frames that have no position of their own behind that of
// the first one, along the normal, where the file says how far apart they are.
// Otherwise none has a place.
func (h *header) placeByOffset(p *part10, a attributes) error {
	detector, err := readGroup(p, tagDetectorInformationSequence)
	if err != nil {
		return err
	}
	if hasPosition(detector) {
		detector.under = &a
		h.fillPlane(detector)
	}
	offsets := h.frameOffsets(a)
	for i, part := range h.parts {
		part.placed = h.placed && offsets != nil
		if part.placed {
			part.row, part.col = h.row, h.col
			part.position = h.position.Add(h.normal().Scale(offsets[i]))
		}
	}
	return nil
}

// frameOffsets returns the distance in mm of each frame from the first, or nil
// where the file does not say.
func (h *header) frameOffsets(a attributes) []float64 {
	n := len(h.parts)
	if v, ok := a.numbers(tagGridFrameOffsetVector); ok && len(v) == n && v[0] == 0 {
		return v
	}
	spacing, ok := a.number(tagSpacingBetweenSlices)
	const frameTime, frameTimeVector tagID = 0x00181063, 0x00181065
	if pointer := a.pointer(tagFrameIncrementPointer); !ok || spacing == 0 || pointer == frameTime || pointer == frameTimeVector {
		return nil
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = spacing * float64(i)
	}
	return out
}
