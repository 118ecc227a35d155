package instance

import (
	"fmt"
	"math"

	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/volume"
)

// A Siemens mosaic is one image that holds the slices of a volume side by side
// in a square of tiles, row by row, the last ones empty.

// siemensMosaicImages holds the number of slices outside of the CSA header.

// Tiling says how the slices of a mosaic lie in its image.
type Tiling struct {
	image        pixel.Format // the whole image
	across, down int          // tiles in a row, in a column
	UIH          bool         // as United Imaging makes them, see uih.go
}

// fits says whether the tiles fill the image.
func (t *Tiling) fits() bool {
	return t.image.Cols%t.across == 0 && t.image.Rows%t.down == 0
}

// tile returns the header of tile n, which has no position of its own yet.
func (h *Slice) tile(t *Tiling, n int) *Slice {
	part := *h
	part.parts, part.Frame, part.Tiles = nil, n, t
	part.Format.Cols, part.Format.Rows = h.Format.Cols/t.across, h.Format.Rows/t.down
	return &part
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
	pixel := t.image.Allocated / 8
	col, row := t.origin(n)
	width := t.image.Cols / t.across
	for y := range t.image.Rows / t.down {
		from := ((row+y)*t.image.Cols + col) * pixel
		visit(image[from : from+width*pixel])
	}
}

// splitMosaic makes a header of each tile of a mosaic. The image position of a
// mosaic is that of the first pixel of an image as large as the mosaic about
// the slice's centre; the slice's own is half the difference further in. Slices
// follow each other along the slice normal of the CSA header, which may run
// against row x column.
func (h *Slice) splitMosaic(p *part10.File, a part10.Attributes) {
	total, normal, problem := h.mosaicHeader(p, a)
	if problem != "" {
		h.Excluded = "it is a Siemens mosaic (many slices tiled in one image), and " + problem
		return
	}
	across := int(math.Ceil(math.Sqrt(float64(total))))
	t := &Tiling{image: h.Format, across: across, down: across}
	if !t.fits() {
		h.Excluded = fmt.Sprintf("it is a Siemens mosaic, and %d slices do not fit its %d x %d pixels", total, h.Format.Cols, h.Format.Rows)
		return
	}
	tile := h.tile(t, 0).Format
	corner := h.Position.
		Add(h.Row.Scale(h.Spacing[0] * float64(h.Format.Cols-tile.Cols) / 2)).
		Add(h.Column.Scale(h.Spacing[1] * float64(h.Format.Rows-tile.Rows) / 2))
	if s, ok := a.Number(part10.TagSpacingBetweenSlices); !ok || s <= 0 {
		h.SpacingFromThickness = true
	}
	h.parts = make([]*Slice, total)
	for n := range h.parts {
		h.parts[n] = h.tile(t, n)
		h.parts[n].Position = corner.Add(normal.Scale(h.Thickness * float64(n)))
	}
}

// The elements of a CSA header that tell how a mosaic is made.
const (
	csaImages = "NumberOfImagesInMosaic"
	csaNormal = "SliceNormalVector"
)

// mosaicHeader returns how many slices a mosaic holds and the unit vector from
// one to the next, or why they cannot be told.
func (h *Slice) mosaicHeader(p *part10.File, a part10.Attributes) (total int, normal volume.Vec, problem string) {
	if !h.Placed || h.Thickness <= 0 {
		return 0, normal, "its position or slice spacing is missing"
	}
	var csa map[string][]float64
	b, e, err := p.KeptElement(part10.TagSiemensCSAImageHeader)
	if b != nil && err == nil {
		csa, err = csaValues(b[e.Value:e.End], csaImages, csaNormal)
	}
	if err != nil {
		return 0, normal, "its Siemens header is damaged"
	}
	n, v := csa[csaImages], csa[csaNormal]
	if i, ok := a.Integer(part10.TagSiemensMosaicImages); ok && len(n) == 0 && a.Text(privateCreators[part10.TagSiemensBValue].tag) == privateCreators[part10.TagSiemensBValue].owner {
		n = []float64{float64(i)}
	}
	if len(n) != 1 || n[0] < 1 || n[0] > fewFrames || len(v) != 3 {
		return 0, normal, "its Siemens header does not say how many slices there are and in which direction"
	}
	// The header's vector is rounded to 8 digits: only its sign is taken.
	normal = h.Normal()
	d := volume.Vec(v).Dot(normal)
	if math.Abs(math.Abs(d)-1) > 1e-3 {
		return 0, normal, "its slice normal does not fit its orientation"
	}
	return int(n[0]), normal.Scale(math.Copysign(1, d)), ""
}
