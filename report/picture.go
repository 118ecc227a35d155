package report

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// PictureMark is in the first 256 bytes of every picture, by which it is known again: a tEXt
// chunk of PNG.
const PictureMark = "Software\x00Quell, picture of a comparison"

// headerBytes is the byte at which the first chunk of a PNG after its header
// begins.
const headerBytes = 8 + 25

// PNG returns the file of a picture with label as its description; "" for none.
func PNG(m image.Image, label string) ([]byte, error) {
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		return nil, err
	}
	data := append(bytes.Clone(file.Bytes()[:headerBytes]), chunk("tEXt", PictureMark)...)
	if label != "" {
		data = append(data, chunk("iTXt", "Description\x00\x00\x00\x00\x00"+label)...)
	}
	return append(data, file.Bytes()[headerBytes:]...), nil
}

// chunk returns a chunk of PNG: length, kind, data, and the CRC of kind and data.
func chunk(kind, data string) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	c = append(append(c, kind...), data...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

// SquarePixels repeats columns or rows of a picture with pixels that are not square; pixel is
// their size in mm along x and y.
func SquarePixels(m *image.RGBA, pixel [2]float64) *image.RGBA {
	least := min(pixel[0], pixel[1])
	return resize(m, int(float64(m.Rect.Dx())*pixel[0]/least+0.5), int(float64(m.Rect.Dy())*pixel[1]/least+0.5))
}

// resize repeats or leaves out columns and rows.
func resize(m *image.RGBA, width, height int) *image.RGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if width == w && height == h {
		return m
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			out.SetRGBA(x, y, m.RGBAAt(x*w/width, y*h/height))
		}
	}
	return out
}

// The layout of a sheet, in pixels.
const (
	cellGap     = 6
	letterWidth = 7
	lineHeight  = 14
)

// Cell is a picture on a sheet with lines of ASCII below it; a nil picture leaves its place black.
type Cell struct {
	Picture *image.RGBA
	Lines   []string
}

// Sheet returns a black picture with cells in rows, with pictures that have the size of the
// first one's. They are magnified by a whole number if that is needed for lines of so many
// letters.
func Sheet(letters int, cells ...Cell) *image.RGBA {
	size := cells[0].Picture.Rect.Size()
	size = size.Mul(max(1, (letters*letterWidth+size.X-1)/size.X))
	lines := 0
	for _, c := range cells {
		lines = max(lines, len(c.Lines))
	}
	columns := int(math.Ceil(math.Sqrt(float64(len(cells)))))
	rows := (len(cells) + columns - 1) / columns
	pitch := size.Add(image.Pt(cellGap, lines*lineHeight+cellGap))
	m := image.NewRGBA(image.Rect(0, 0, columns*pitch.X+cellGap, rows*pitch.Y+cellGap))
	draw.Draw(m, m.Rect, image.Black, image.Point{}, draw.Src)
	for i, c := range cells {
		at := image.Pt(cellGap+i%columns*pitch.X, cellGap+i/columns*pitch.Y)
		if c.Picture != nil {
			draw.Draw(m, image.Rectangle{at, at.Add(size)}, resize(c.Picture, size.X, size.Y), image.Point{}, draw.Src)
		}
		for k, line := range c.Lines {
			writer := font.Drawer{Dst: m, Src: image.NewUniform(color.White), Face: basicfont.Face7x13, Dot: fixed.P(at.X, at.Y+size.Y+(k+1)*lineHeight-3)}
			writer.DrawString(line[:min(len(line), size.X/letterWidth)])
		}
	}
	return m
}
