package instance

import (
	"math"
	"slices"

	lib "github.com/suyashkumar/dicom"

	"quell/internal/message"
	"quell/io/dicom/part10"
)

// United Imaging's scanners write volumes as one image of tiles (image type VFRAME)
// and state the position of each tile in a private sequence.
const uihImageType = "VFRAME"

// hasUIHTiles reports whether an image consists of tiles.
func hasUIHTiles(whole *Slice, p *part10.File) bool {
	return slices.Contains(whole.ImageType, uihImageType) || p.Kept[part10.TagUIHFrameSequence] != nil
}

// splitUIHTiles makes a slice of each tile.
func (in *Instance) splitUIHTiles(whole *Slice, p *part10.File, a part10.Attributes) {
	exclude := func(why message.Message) {
		in.Excluded = message.New(message.InputUnsupported, "it holds many slices, tiled in one image (UIH VFRAME), and %s", why)
	}
	unplaced := message.Text("its private header does not say where they lie")
	tiles, err := readUIHTiles(p)
	if err != nil || len(tiles) == 0 {
		exclude(unplaced)
		return
	}
	across := int(math.Ceil(math.Sqrt(float64(len(tiles)))))
	t := &Tiling{image: whole.Format, across: across, down: (len(tiles) + across - 1) / across, UIH: true}
	if !t.fits() {
		exclude(message.Text("%d slices do not fit its %d x %d pixels", len(tiles), whole.Format.Cols, whole.Format.Rows))
		return
	}
	out := make([]*Slice, len(tiles))
	for n, own := range tiles {
		s := t.tile(whole, n)
		own.Under = &a
		if s.readPlane(own); !s.Placed {
			exclude(unplaced)
			return
		}
		out[n] = s
	}
	in.Tiles, in.Slices = t, out
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
			return message.Errorf(message.InputTooLarge, "more than %d slices", fewFrames)
		}
		a := part10.Attributes{Set: map[part10.Tag]*lib.Element{}}
		a.Take(b, item, part10.TagImagePositionPatient)
		tiles = append(tiles, a)
		return nil
	})
	return tiles, err
}
