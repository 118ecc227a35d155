package instance

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	lib "github.com/suyashkumar/dicom"

	"quell/io/dicom/part10"
)

// acquired is when a slice was acquired, compared with others at its position.
type acquired struct {
	reference        float64 // Frame Reference Time in ms, which PET gives; 0 if none
	volume           int     // number of Philips's, which counts the volumes of diffusion in time; 0 if none
	dimensions       []int   // Dimension Index Values of a frame, the slowest first
	temporal, number int     // Temporal Position and Acquisition Number; 0 if none
	time             float64 // of acquisition, as a number that grows within a day; 0 if none
	content          float64 // of the content, likewise
}

// read takes the attributes of a file or a frame.
func (q *acquired) read(a part10.Attributes) {
	first := func(tags ...part10.Tag) (v float64) {
		for _, t := range tags {
			if v, ok := a.Number(t); ok {
				return v
			}
			if v, ok := a.Integer(t); ok {
				return float64(v)
			}
		}
		return 0
	}
	q.reference = first(part10.TagFrameReferenceTime)
	q.temporal = int(first(part10.TagTemporalPositionIndex, part10.TagTemporalPositionIdentifier))
	q.number = int(first(part10.TagFrameAcquisitionNumber, part10.TagAcquisitionNumber))
	q.time = first(part10.TagFrameAcquisitionDateTime, part10.TagAcquisitionTime)
	q.content = first(part10.TagContentTime)
	q.volume = int(first(part10.TagPhilipsDiffusionVolume))
	q.dimensions = a.Integers(part10.TagDimensionIndexValues)
}

// CompareAcquired orders slices at one position by acquisition, as dcm2niix does: by Frame Reference Time if there is
// one (PET), else by Instance Number, which scanners count in the order of their protocol. Frames of one file share
// that number and are ordered by the volume number of Philips or their Dimension Index Values, then Frame Acquisition
// Number and times, then as they lie in the file. It returns 0 for slices that nothing but their file distinguishes.
func CompareAcquired(a, b *Slice) int {
	p, q := &a.acquired, &b.acquired
	frame := 0
	if a.Instance == b.Instance {
		frame = cmp.Compare(a.Frame, b.Frame)
	}
	return cmp.Or(
		cmp.Compare(p.reference, q.reference),
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(p.volume, q.volume),
		slices.Compare(p.dimensions, q.dimensions),
		cmp.Compare(p.temporal, q.temporal),
		cmp.Compare(p.number, q.number),
		cmp.Compare(p.time, q.time),
		cmp.Compare(p.content, q.content),
		frame,
	)
}

// orderDimensions brings the Dimension Index Values of the frames of a file into the order
// of their significance. The dimension that varies slowest is the last one if the position
// in the stack comes before it (Philips, Siemens), else the first one (Canon, Bruker).
// Dimensions do not count if not every frame has them.
func orderDimensions(frames []*Slice, pointers []part10.Tag) {
	n := len(frames[0].acquired.dimensions)
	last := 0 // dimension that varies
	for _, s := range frames {
		if len(s.acquired.dimensions) != n {
			n = 0
			break
		}
		for i, v := range s.acquired.dimensions {
			if v != frames[0].acquired.dimensions[i] {
				last = max(last, i)
			}
		}
	}
	stack := max(slices.Index(pointers, part10.TagInStackPositionNumber), 0)
	for _, s := range frames {
		s.Distinctions[dimensionDistinction] = ""
		if n > 0 && n == len(pointers) {
			s.Distinctions[dimensionDistinction] = indexOutsideSpace(s.acquired.dimensions, pointers)
		}
		switch {
		case n == 0:
			s.acquired.dimensions = nil
		case stack < last:
			slices.Reverse(s.acquired.dimensions)
		}
	}
}

// dimensionPointers returns what each of the Dimension Index Values of a file counts; nil
// if it does not say.
func dimensionPointers(p *part10.File) (pointers []part10.Tag, err error) {
	b, e, err := p.KeptElement(part10.TagDimensionIndexSequence)
	if b == nil || err != nil {
		return nil, err
	}
	err = part10.EachItem(b, e, p.Syntax.Encoding, func(item part10.SequenceItem) error {
		a := part10.Attributes{Set: map[part10.Tag]*lib.Element{}}
		a.Take(b, item, part10.TagDimensionIndexPointer)
		pointers = append(pointers, a.Pointer(part10.TagDimensionIndexPointer))
		return nil
	})
	return pointers, err
}

// dimensionDistinction is the index of the distinction that orderDimensions sets.
var dimensionDistinction = indexOf("dimension index")

// indexOutsideSpace returns the Dimension Index Values of the dimensions that are not of space, separated by
// backslashes.
func indexOutsideSpace(values []int, pointers []part10.Tag) string {
	var out []string
	for i, v := range values {
		switch pointers[i] {
		case part10.TagStackID, part10.TagInStackPositionNumber, part10.TagImagePositionPatient, part10.TagImageOrientationPatient:
		default:
			out = append(out, strconv.Itoa(v))
		}
	}
	return strings.Join(out, `\`)
}
