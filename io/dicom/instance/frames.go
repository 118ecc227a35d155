package instance

import (
	"fmt"
	"slices"

	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// fewFrames is how many frames any file may have, and bytesPerFrame how many
// bytes each of more must have in the file: headers are kept of all of them, and
// a small file shall not fill the memory.
const (
	fewFrames     = 1024
	bytesPerFrame = 512
)

var offsetTags = []part10.Tag{part10.TagFrameIncrementPointer, part10.TagGridFrameOffsetVector}

// frameCount returns the number of frames, at least 1.
func (h *Slice) frameCount(a part10.Attributes) int {
	n, _ := a.Integer(part10.TagNumberOfFrames)
	return max(n, 1)
}

// splitFrames makes a header of each frame of a multi-frame image and of each
// tile of a mosaic.
func (h *Slice) splitFrames(p *part10.File, a part10.Attributes) {
	frames := h.frameCount(a)
	mosaic := slices.Contains(h.ImageType, "MOSAIC")
	switch {
	case mosaic && frames == 1:
		h.splitMosaic(p, a)
		return
	case mosaic:
		h.Excluded = "it is a mosaic of several frames, which is not read"
		return
	case frames == 1 && h.holdsUIHTiles(p, a):
		h.splitUIHTiles(p, a)
		return
	case frames > fewFrames && int64(frames) > h.Size/bytesPerFrame:
		h.Err = part10.FileError(h.Name, part10.AdviseExport, nil, "it claims %d frames, more than a file of %d bytes can describe", frames, h.Size)
		return
	case frames == 1 && !part10.FunctionalGroups[h.SOPClass]:
		return
	}
	if err := h.fillFrames(p, a, frames); err != nil {
		h.Err = part10.FileError(h.Name, part10.AdviseExport, err, "its functional groups are damaged (%s)", part10.Reason(err))
	}
}

// fillFrames makes the parts: what a frame's own groups say counts before what
// the frames share, and that before the file's own attributes.
func (h *Slice) fillFrames(p *part10.File, a part10.Attributes, frames int) error {
	shared, _, err := readGroups(p, part10.TagSharedFunctionalGroupsSequence, 1)
	if err != nil {
		return err
	}
	per, described, err := readGroups(p, part10.TagPerFrameFunctionalGroupsSequence, frames)
	if err != nil {
		return err
	}
	if described != 0 && described != frames {
		return fmt.Errorf("they describe %d frames, and the image has %d", described, frames)
	}
	common := part10.Attributes{Under: &a}
	if len(shared) > 0 {
		common.Set = shared[0].Set
	}
	placed := hasPosition(common) || slices.ContainsFunc(per, hasPosition)
	h.parts = make([]*Slice, frames)
	for i := range h.parts {
		part := *h
		part.parts, part.Frame = nil, i
		h.parts[i] = &part
		own := common
		if len(per) > 0 {
			own = per[i]
			own.Under = &common
		}
		if h.Excluded = part.fillFrame(own); h.Excluded != "" {
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
func hasPosition(a part10.Attributes) bool {
	_, ok := a.Set[part10.TagImagePositionPatient]
	return ok
}

// fillFrame takes what may differ from frame to frame. It returns why the frame
// is not read; "" where it is.
func (h *Slice) fillFrame(a part10.Attributes) (problem string) {
	if h.Format, problem = pixel.ReadFormat(a); problem != "" {
		return problem
	}
	if t := a.Strings(part10.TagFrameType); len(t) > 0 {
		h.ImageType = t
	}
	if k := a.Text(part10.TagConvolutionKernel); k != "" {
		h.Meta.Kernel = k
	}
	h.Placed, h.Thickness = false, 0
	h.fillPlane(a)
	h.fillDisplay(a)
	h.fillSplits(a)
	return ""
}

// placeByOffset places frames that have no position of their own behind that of
// the first one, along the normal, where the file says how far apart they are.
// Otherwise none has a place.
func (h *Slice) placeByOffset(p *part10.File, a part10.Attributes) error {
	detector, err := readGroup(p, part10.TagDetectorInformationSequence)
	if err != nil {
		return err
	}
	if hasPosition(detector) {
		detector.Under = &a
		h.fillPlane(detector)
	}
	offsets := h.frameOffsets(a)
	for i, part := range h.parts {
		part.Placed = h.Placed && offsets != nil
		if part.Placed {
			part.Row, part.Column = h.Row, h.Column
			part.Position = h.Position.Add(h.Normal().Scale(offsets[i]))
		}
	}
	return nil
}

// frameOffsets returns the distance in mm of each frame from the first, or nil
// where the file does not say.
func (h *Slice) frameOffsets(a part10.Attributes) []float64 {
	n := len(h.parts)
	if v, ok := a.Numbers(part10.TagGridFrameOffsetVector); ok && len(v) == n && v[0] == 0 {
		return v
	}
	spacing, ok := a.Number(part10.TagSpacingBetweenSlices)
	if pointer := a.Pointer(part10.TagFrameIncrementPointer); !ok || spacing == 0 || pointer == part10.TagFrameTime || pointer == part10.TagFrameTimeVector {
		return nil
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = spacing * float64(i)
	}
	return out
}
