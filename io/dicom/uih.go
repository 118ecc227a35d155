package dicom

import (
	"fmt"
	"math"
	"slices"

	lib "github.com/suyashkumar/dicom"
)

// United Imaging's scanners, too, write volumes of many slices as one image (VFRAME),
// as many tiles down as are needed, and say in a private sequence where each lies.
const (
	uihPrivateCreator tagID = 0x00650010
	uihBValue         tagID = 0x00651009
	uihDirection      tagID = 0x00651037
	uihFrameSequence  tagID = 0x00651051

	uihOwner     = "Image Private Header"
	uihImageType = "VFRAME"
)

// holdsUIHTiles says whether an image is of several slices.
func (h *header) holdsUIHTiles(p *part10, a attributes) bool {
	return slices.Contains(h.imageType, uihImageType) ||
		p.kept[uihFrameSequence] != nil && a.text(uihPrivateCreator) == uihOwner
}

// fillUIHTiles makes a header of each tile.
func (h *header) fillUIHTiles(p *part10, a attributes) {
	const what = "it holds many slices, tiled in one image (UIH VFRAME), and "
	tiles, err := readUIHTiles(p)
	if err != nil || len(tiles) == 0 {
		h.aside = what + "its private header does not say where they lie"
		return
	}
	across := int(math.Ceil(math.Sqrt(float64(len(tiles)))))
	t := &tiling{image: h.format, across: across, down: (len(tiles) + across - 1) / across, uih: true}
	if !t.fits() {
		h.aside = what + fmt.Sprintf("%d slices do not fit its %d x %d pixels", len(tiles), h.format.cols, h.format.rows)
		return
	}
	h.parts = make([]*header, len(tiles))
	for n, own := range tiles {
		part := h.tile(t, n)
		own.under = &a
		if part.fillPlane(own); !part.placed {
			h.parts, h.aside = nil, what+"its private header does not say where they lie"
			return
		}
		h.parts[n] = part
	}
}

// readUIHTiles returns the attributes of each tile.
func readUIHTiles(p *part10) ([]attributes, error) {
	b, e, err := p.keptElement(uihFrameSequence)
	if b == nil || err != nil {
		return nil, err
	}
	var tiles []attributes
	err = eachItem(b, e, p.syntax.encoding, func(item sequenceItem) error {
		if len(tiles) == fewFrames {
			return fmt.Errorf("more than %d slices", fewFrames)
		}
		a := attributes{set: map[tagID]*lib.Element{}}
		a.take(b, item, tagImagePositionPatient)
		tiles = append(tiles, a)
		return nil
	})
	return tiles, err
}

// uihTiles returns the private elements that readers must have to find the slices.
func (s *derivedImage) uihTiles() []edit {
	var items []byte
	for _, h := range s.slices {
		position := appendElement(nil, s.enc, tagImagePositionPatient, "DS", decimals(h.position[0], h.position[1], h.position[2]))
		items = appendItem(items, s.enc, position)
	}
	return []edit{
		{uihPrivateCreator, appendElement(nil, s.enc, uihPrivateCreator, "LO", []byte(uihOwner))},
		{uihFrameSequence, appendElement(nil, s.enc, uihFrameSequence, "SQ", items)},
	}
}
