package derive

import (
	"strconv"

	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
)

// tileEdits keeps, of the private elements of a mosaic, those without which no reader finds
// the slices.
func (s *image) tileEdits() []part10.Edit {
	switch {
	case s.slices[0].Tiles == nil:
		return nil
	case s.slices[0].Tiles.UIH:
		return s.uihTiles()
	}
	return []part10.Edit{
		s.creator(part10.TagSiemensCSAImageHeader),
		part10.Set(s.Encoding, part10.TagSiemensCSAImageHeader, "OB", s.mosaicCSA()),
	}
}

// creator names the owner of the block in which a private attribute usually lies.
func (s *image) creator(t part10.Tag) part10.Edit {
	at, owner := part10.CreatorOf(t)
	return part10.Set(s.Encoding, at, "LO", []byte(owner))
}

// mosaicCSA returns a CSA header with what readers need to find the slices, and nothing
// else.
func (s *image) mosaicCSA() []byte {
	normal := s.slices[0].Normal()
	if n := len(s.slices); s.slices[n-1].Position.Sub(s.slices[0].Position).Dot(normal) < 0 {
		normal = normal.Scale(-1)
	}
	return instance.AppendMosaicCSA(nil, len(s.slices), normal)
}

// uihTiles returns the private elements that readers must have to find the slices.
func (s *image) uihTiles() []part10.Edit {
	var items []byte
	for _, h := range s.slices {
		position := part10.AppendElement(nil, s.Encoding, part10.TagImagePositionPatient, "DS", part10.Decimals(h.Position[0], h.Position[1], h.Position[2]))
		items = part10.AppendItem(items, s.Encoding, position)
	}
	return []part10.Edit{
		s.creator(part10.TagUIHFrameSequence),
		part10.Set(s.Encoding, part10.TagUIHTiles, "DS", strconv.AppendInt(nil, int64(len(s.slices)), 10)),
		part10.Set(s.Encoding, part10.TagUIHFrameSequence, "SQ", items),
	}
}
