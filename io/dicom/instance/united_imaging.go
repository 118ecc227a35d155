package instance

import (
	"fmt"
	"math"
	"slices"

	lib "github.com/suyashkumar/dicom"

	"quell/io/dicom/part10"
)

// United Imaging's scanners, too, write volumes of many slices as one image (VFRAME),
// as many tiles down as are needed, and say in a private sequence where each lies.
const (
	UIHOwner     = "Image Private Header"
	uihImageType = "VFRAME"
)

// holdsUIHTiles says whether an image is of several slices.
func (h *Slice) holdsUIHTiles(p *part10.File, a part10.Attributes) bool {
	return slices.Contains(h.ImageType, uihImageType) ||
		p.Kept[part10.TagUIHFrameSequence] != nil && a.Text(part10.TagUIHCreator) == UIHOwner
}

// splitUIHTiles makes a header of each tile.
func (h *Slice) splitUIHTiles(p *part10.File, a part10.Attributes) {
	const what = "it holds many slices, tiled in one image (UIH VFRAME), and "
	tiles, err := readUIHTiles(p)
	if err != nil || len(tiles) == 0 {
		h.Excluded = what + "its private header does not say where they lie"
		return
	}
	across := int(math.Ceil(math.Sqrt(float64(len(tiles)))))
	t := &Tiling{image: h.Format, across: across, down: (len(tiles) + across - 1) / across, UIH: true}
	if !t.fits() {
		h.Excluded = what + fmt.Sprintf("%d slices do not fit its %d x %d pixels", len(tiles), h.Format.Cols, h.Format.Rows)
		return
	}
	h.parts = make([]*Slice, len(tiles))
	for n, own := range tiles {
		part := h.tile(t, n)
		own.Under = &a
		if part.fillPlane(own); !part.Placed {
			h.parts, h.Excluded = nil, what+"its private header does not say where they lie"
			return
		}
		h.parts[n] = part
	}
}

// readUIHTiles returns the attributes of each tile.
func readUIHTiles(p *part10.File) ([]part10.Attributes, error) {
	b, e, err := p.KeptElement(part10.TagUIHFrameSequence)
	if b == nil || err != nil {
		return nil, err
	}
	var tiles []part10.Attributes
	err = part10.EachItem(b, e, p.Syntax.Encoding, func(item part10.SequenceItem) error {
		if len(tiles) == fewFrames {
			return fmt.Errorf("more than %d slices", fewFrames)
		}
		a := part10.Attributes{Set: map[part10.Tag]*lib.Element{}}
		a.Take(b, item, part10.TagImagePositionPatient)
		tiles = append(tiles, a)
		return nil
	})
	return tiles, err
}
