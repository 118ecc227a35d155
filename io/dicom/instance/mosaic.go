package instance

import (
	"math"
	"slices"

	lib "github.com/suyashkumar/dicom"

	"quell/internal/message"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/volume"
)

// Tiling says how the slices of a mosaic lie in its image. A Siemens mosaic holds the
// slices of a volume in a square of tiles, row by row, the last ones empty; United
// Imaging uses as many tiles down as are needed.
type Tiling struct {
	UIH bool // made by United Imaging

	image        pixel.Format // of the whole image
	across, down int          // tiles in a row, in a column
}

// fits reports whether the tiles fill the image.
func (t *Tiling) fits() bool {
	return t.image.Cols%t.across == 0 && t.image.Rows%t.down == 0
}

// tile returns the slice in tile n of a whole image. It has no position of its own
// yet.
func (t *Tiling) tile(whole *Slice, n int) *Slice {
	s := *whole
	s.Frame = n
	s.Format.Cols, s.Format.Rows = whole.Format.Cols/t.across, whole.Format.Rows/t.down
	return &s
}

// origin returns the first pixel of tile n.
func (t *Tiling) origin(n int) (col, row int) {
	return n % t.across * (t.image.Cols / t.across), n / t.across * (t.image.Rows / t.down)
}

// Tile copies tile n out of the bytes of the image.
func (t *Tiling) Tile(image []byte, n int) []byte {
	tile := make([]byte, 0, len(image)/(t.across*t.down))
	t.eachRow(image, n, func(row []byte) { tile = append(tile, row...) })
	return tile
}

// SetTile copies tile n into the bytes of the image.
func (t *Tiling) SetTile(image []byte, n int, tile []byte) {
	t.eachRow(image, n, func(row []byte) { tile = tile[copy(row, tile):] })
}

func (t *Tiling) eachRow(image []byte, n int, visit func([]byte)) {
	pixelBytes := t.image.Allocated / 8
	col, row := t.origin(n)
	width := t.image.Cols / t.across
	for y := range t.image.Rows / t.down {
		from := ((row+y)*t.image.Cols + col) * pixelBytes
		visit(image[from : from+width*pixelBytes])
	}
}

// splitMosaic makes a slice of each tile of a Siemens mosaic. Image Position of a
// mosaic is the first pixel of an image as large as the mosaic around the slice's
// centre; the slice's own first pixel is half the difference in size further in.
// Slices follow each other along the slice normal of the CSA header, which may be
// opposite to row x column.
func (in *Instance) splitMosaic(whole *Slice, p *part10.File, a part10.Attributes) {
	total, normal, problem := readMosaicHeader(whole, p, a)
	if !problem.IsZero() {
		in.Excluded = message.New(message.InputUnsupported, "it is a Siemens mosaic (many slices tiled in one image), and %s", problem)
		return
	}
	across := int(math.Ceil(math.Sqrt(float64(total))))
	t := &Tiling{image: whole.Format, across: across, down: across}
	if !t.fits() {
		in.Excluded = message.New(message.InputDamaged, "it is a Siemens mosaic, and %d slices do not fit its %d x %d pixels", total, whole.Format.Cols, whole.Format.Rows)
		return
	}
	if v, ok := a.Number(part10.TagSpacingBetweenSlices); !ok || v <= 0 {
		whole.SpacingFromThickness = true
	}
	first := t.tile(whole, 0).Format
	corner := whole.Position.
		Add(whole.Row.Scale(whole.Spacing[0] * float64(whole.Format.Cols-first.Cols) / 2)).
		Add(whole.Column.Scale(whole.Spacing[1] * float64(whole.Format.Rows-first.Rows) / 2))
	in.Tiles, in.Slices = t, make([]*Slice, total)
	for n := range in.Slices {
		in.Slices[n] = t.tile(whole, n)
		in.Slices[n].Position = corner.Add(normal.Scale(whole.Thickness * float64(n)))
	}
}

// readMosaicHeader returns how many slices a mosaic holds and the unit vector from
// one to the next, or why they cannot be determined.
func readMosaicHeader(whole *Slice, p *part10.File, a part10.Attributes) (total int, normal volume.Vec, problem message.Message) {
	if !whole.Placed || whole.Thickness <= 0 {
		return 0, normal, message.Text("its position or slice spacing is missing")
	}
	var csa map[string][]float64
	b, e, err := p.KeptElement(part10.TagSiemensCSAImageHeader)
	if b != nil && err == nil {
		csa, err = csaValues(b[e.Value:e.End], csaImages, csaNormal)
	}
	if err != nil {
		return 0, normal, message.Text("its Siemens header is damaged")
	}
	images, direction := csa[csaImages], csa[csaNormal]
	if n, ok := a.Integer(part10.TagSiemensMosaicImages); ok && len(images) == 0 {
		images = []float64{float64(n)}
	}
	if len(images) != 1 || images[0] < 1 || images[0] > fewFrames || len(direction) != 3 {
		return 0, normal, message.Text("its Siemens header does not say how many slices there are and in which direction")
	}
	// The header's vector is rounded to 8 digits: only its sign is taken.
	normal = whole.Normal()
	cosine := volume.Vec(direction).Dot(normal)
	if math.Abs(math.Abs(cosine)-1) > 1e-3 {
		return 0, normal, message.Text("its slice normal does not fit its orientation")
	}
	return int(images[0]), normal.Scale(math.Copysign(1, cosine)), message.Message{}
}

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
		in.Excluded = message.New(message.InputUnsupported, "it contains many slices, tiled in one image (UIH VFRAME), and %s", why)
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
