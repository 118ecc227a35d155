package instance

import (
	"slices"

	"quell/internal/message"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// Any file may have manyFrames frames, or fewFrames tiles; more frames need bytesPerFrame bytes each in the file.
// A slice is kept for every frame, and a small file must not fill the memory.
const (
	fewFrames     = 1024
	manyFrames    = 16384
	bytesPerFrame = 512
)

// frameOffsetTags are the attributes outside functional groups that place the frames
// of an image behind the first one.
var frameOffsetTags = []part10.Tag{part10.TagFrameIncrementPointer, part10.TagGridFrameOffsetVector}

// frameCount returns the number of frames, at least 1.
func frameCount(a part10.Attributes) int {
	n, _ := a.Integer(part10.TagNumberOfFrames)
	return max(n, 1)
}

// splitImage replaces the whole image by a slice for each frame of a multi-frame
// image or each tile of a mosaic.
func (in *Instance) splitImage(whole *Slice, p *part10.File, a part10.Attributes) {
	frames := frameCount(a)
	mosaic := slices.Contains(whole.ImageType, "MOSAIC")
	switch {
	case mosaic && frames == 1:
		in.splitMosaic(whole, p, a)
		return
	case mosaic:
		in.Excluded = message.New(message.InputUnsupported, "it is a mosaic of several frames, which is not read")
		return
	case frames == 1 && hasUIHTiles(whole, p):
		in.splitUIHTiles(whole, p, a)
		return
	case frames > manyFrames && int64(frames) > in.Size/bytesPerFrame:
		in.Excluded = message.New(message.InputTooLarge, "it contains %d frames, and of a file of %d bytes at most %d are read", frames, in.Size, max(manyFrames, in.Size/bytesPerFrame))
		return
	case frames == 1 && !part10.FunctionalGroups[in.SOPClass]:
		return
	}
	if err := in.splitFrames(whole, p, a, frames); err != nil {
		in.Err = part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, err, "its functional groups are damaged (%s)", part10.Cause(err))
	}
}

// splitFrames makes a slice of each frame. A frame's own functional groups take
// precedence over the shared ones, and these over the attributes of the file.
func (in *Instance) splitFrames(whole *Slice, p *part10.File, a part10.Attributes, frames int) error {
	shared, _, err := readGroups(p, part10.TagSharedFunctionalGroupsSequence, 1)
	if err != nil {
		return err
	}
	perFrame, described, err := readGroups(p, part10.TagPerFrameFunctionalGroupsSequence, frames)
	if err != nil {
		return err
	}
	if described != 0 && described != frames {
		return message.Errorf(message.InputDamaged, "they describe %d frames, and the image has %d", described, frames)
	}
	common := part10.Attributes{Under: &a}
	if len(shared) > 0 {
		common.Set = shared[0].Set
	}
	placed := hasPosition(common) || slices.ContainsFunc(perFrame, hasPosition)
	out := make([]*Slice, frames)
	for i := range out {
		frame := *whole
		frame.Frame = i
		out[i] = &frame
		own := common
		if len(perFrame) > 0 {
			own = perFrame[i]
			own.Under = &common
		}
		if in.Excluded = frame.readFrame(own); !in.Excluded.IsZero() {
			return nil
		}
	}
	in.Slices = out
	pointers, err := dimensionPointers(p)
	if err != nil {
		return err
	}
	orderDimensions(out, pointers)
	if !placed && frames > 1 {
		return in.placeByOffset(whole, p, a)
	}
	return nil
}

// hasPosition reports whether one layer of attributes, without those under it, holds
// a position.
func hasPosition(a part10.Attributes) bool {
	_, ok := a.Set[part10.TagImagePositionPatient]
	return ok
}

// readFrame takes what may differ from frame to frame. It returns why the frame is
// not read, or "".
func (s *Slice) readFrame(a part10.Attributes) (problem message.Message) {
	if s.Format, problem = pixel.ReadFormat(a, s.pixelTag); !problem.IsZero() {
		return problem
	}
	s.Format.LUT = s.lut
	if slope, ok := a.Number(part10.TagRealWorldValueSlope); ok && slope != 0 && s.SOPClass == part10.ParametricMap {
		s.Format.Slope = slope // a map states its values alone in this way
		s.Format.Intercept, _ = a.Number(part10.TagRealWorldValueIntercept)
	}
	if t := a.Strings(part10.TagFrameType); len(t) > 0 {
		s.ImageType = t
	}
	if k := a.Text(part10.TagConvolutionKernel); k != "" {
		s.Meta.Kernel = k
	}
	s.processing = processing(a)
	s.Meta.Encoding = encoding(a)
	s.Placed, s.Thickness = false, 0
	s.readPlane(a)
	s.readDisplay(a)
	s.readDistinctions(a)
	s.readGradient(a, nil)
	return message.Message{}
}

// placeByOffset places frames that have no position of their own behind the first,
// along the normal, if the file says how far apart they are. Otherwise they have no
// place.
func (in *Instance) placeByOffset(whole *Slice, p *part10.File, a part10.Attributes) error {
	detector, err := readGroup(p, part10.TagDetectorInformationSequence)
	if err != nil {
		return err
	}
	if hasPosition(detector) {
		detector.Under = &a
		whole.readPlane(detector)
	}
	offsets := frameOffsets(a, len(in.Slices))
	for i, s := range in.Slices {
		s.Placed = whole.Placed && offsets != nil
		if s.Placed {
			s.Row, s.Column = whole.Row, whole.Column
			s.Position = whole.Position.Add(whole.Normal().Scale(offsets[i]))
		}
	}
	return nil
}

// frameOffsets returns the distance in mm of each of n frames from the first, or nil
// if the file does not say.
func frameOffsets(a part10.Attributes, n int) []float64 {
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
