package dicom

import (
	"fmt"
	"math"
	"strconv"

	"quell/volume"
)

// A Siemens mosaic is one image that holds the slices of a volume side by side
// in a square of tiles, row by row, the last ones empty.

// siemensMosaicImages holds the number of slices outside of the CSA header.
const siemensMosaicImages tagID = 0x0019100A

// tiling says how the slices of a mosaic lie in its image.
type tiling struct {
	image        pixelFormat // the whole image
	across, down int         // tiles in a row, in a column
	uih          bool        // as United Imaging makes them, see uih.go
}

// fits says whether the tiles fill the image.
func (t *tiling) fits() bool {
	return t.image.cols%t.across == 0 && t.image.rows%t.down == 0
}

// tile returns the header of tile n, which has no position of its own yet.
func (h *header) tile(t *tiling, n int) *header {
	part := *h
	part.parts, part.frame, part.tiles = nil, n, t
	part.format.cols, part.format.rows = h.format.cols/t.across, h.format.rows/t.down
	return &part
}

// origin returns the first pixel of tile n.
func (t *tiling) origin(n int) (col, row int) {
	return n % t.across * (t.image.cols / t.across), n / t.across * (t.image.rows / t.down)
}

// cut copies tile n out of the bytes of the image.
func (t *tiling) cut(image []byte, n int) []byte {
	tile := make([]byte, 0, len(image)/(t.across*t.down))
	t.eachRow(image, n, func(row []byte) { tile = append(tile, row...) })
	return tile
}

// paste copies tile n into the bytes of the image.
func (t *tiling) paste(image []byte, n int, tile []byte) {
	t.eachRow(image, n, func(row []byte) { tile = tile[copy(row, tile):] })
}

func (t *tiling) eachRow(image []byte, n int, visit func([]byte)) {
	pixel := t.image.alloc / 8
	col, row := t.origin(n)
	width := t.image.cols / t.across
	for y := range t.image.rows / t.down {
		from := ((row+y)*t.image.cols + col) * pixel
		visit(image[from : from+width*pixel])
	}
}

// fillTiles makes a header of each tile of a mosaic. The image position of a
// mosaic is that of the first pixel of an image as large as the mosaic about
// the slice's centre; the slice's own is half the difference further in. Slices
// follow each other along the slice normal of the CSA header, which may run
// against row x column.
func (h *header) fillTiles(p *part10, a attributes) {
	total, normal, problem := h.mosaicHeader(p, a)
	if problem != "" {
		h.aside = "it is a Siemens mosaic (many slices tiled in one image), and " + problem
		return
	}
	across := int(math.Ceil(math.Sqrt(float64(total))))
	t := &tiling{image: h.format, across: across, down: across}
	if !t.fits() {
		h.aside = fmt.Sprintf("it is a Siemens mosaic, and %d slices do not fit its %d x %d pixels", total, h.format.cols, h.format.rows)
		return
	}
	tile := h.tile(t, 0).format
	corner := h.position.
		Add(h.row.Scale(h.spacing[0] * float64(h.format.cols-tile.cols) / 2)).
		Add(h.col.Scale(h.spacing[1] * float64(h.format.rows-tile.rows) / 2))
	if s, ok := a.number(tagSpacingBetweenSlices); !ok || s <= 0 {
		h.touching = true
	}
	h.parts = make([]*header, total)
	for n := range h.parts {
		h.parts[n] = h.tile(t, n)
		h.parts[n].position = corner.Add(normal.Scale(h.thickness * float64(n)))
	}
}

// The elements of a CSA header that tell how a mosaic is made.
const (
	csaImages = "NumberOfImagesInMosaic"
	csaNormal = "SliceNormalVector"
)

// tileEdits keeps of the private elements of an image of tiles those without which
// no reader finds the slices.
func (s *derivedImage) tileEdits() []edit {
	switch {
	case s.slices[0].tiles == nil:
		return nil
	case s.slices[0].tiles.uih:
		return s.uihTiles()
	}
	return []edit{
		{tagCSAPrivateCreator, appendElement(nil, s.enc, tagCSAPrivateCreator, "LO", []byte("SIEMENS CSA HEADER"))},
		{tagCSAImageHeaderInfo, appendElement(nil, s.enc, tagCSAImageHeaderInfo, "OB", s.mosaicCSA())},
	}
}

// mosaicCSA returns a CSA header that says of a mosaic what readers must know of
// it and nothing else.
func (s *derivedImage) mosaicCSA() []byte {
	normal := s.slices[0].normal()
	if n := len(s.slices); s.slices[n-1].position.Sub(s.slices[0].position).Dot(normal) < 0 {
		normal = normal.Scale(-1)
	}
	return appendCSA(nil, []csaElement{
		{csaImages, "US", []string{strconv.Itoa(len(s.slices))}},
		{csaNormal, "FD", []string{fmt.Sprintf("%.8f", normal[0]), fmt.Sprintf("%.8f", normal[1]), fmt.Sprintf("%.8f", normal[2])}},
	})
}

// mosaicHeader returns how many slices a mosaic holds and the unit vector from
// one to the next, or why they cannot be told.
func (h *header) mosaicHeader(p *part10, a attributes) (total int, normal volume.Vec, problem string) {
	if !h.placed || h.thickness <= 0 {
		return 0, normal, "its position or slice spacing is missing"
	}
	var csa map[string][]float64
	b, e, err := p.keptElement(tagCSAImageHeaderInfo)
	if b != nil && err == nil {
		csa, err = csaValues(b[e.value:e.end], csaImages, csaNormal)
	}
	if err != nil {
		return 0, normal, "its Siemens header is damaged"
	}
	n, v := csa[csaImages], csa[csaNormal]
	if i, ok := a.integer(siemensMosaicImages); ok && len(n) == 0 && a.text(privateCreators[siemensBValue].tag) == privateCreators[siemensBValue].owner {
		n = []float64{float64(i)}
	}
	if len(n) != 1 || n[0] < 1 || n[0] > fewFrames || len(v) != 3 {
		return 0, normal, "its Siemens header does not say how many slices there are and in which direction"
	}
	// The header's vector is rounded to 8 digits: only its sign is taken.
	normal = h.normal()
	d := volume.Vec(v).Dot(normal)
	if math.Abs(math.Abs(d)-1) > 1e-3 {
		return 0, normal, "its slice normal does not fit its orientation"
	}
	return int(n[0]), normal.Scale(math.Copysign(1, d)), ""
}
