package app

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"quell/measure"
	"quell/series"
	"quell/volume"
)

// The layout of a sheet, in pixels.
const (
	cellGap    = 6
	leastWidth = 28 * 7 // of a cell: room for the longest label
	lineHeight = 14
	labelLines = 3
)

// WritePicture writes a PNG with the middle slice of the gallery's region: the input,
// the reference where there is one, and every exhibit side by side, each with its
// measures below it. A slice is magnified by a whole number until labels fit. An
// earlier picture of Quell is replaced, any other file only with overwrite.
func (g Gallery) WritePicture(path string, s, reference *series.Series, overwrite bool) error {
	window := pictureWindow(s, s.Volume)
	cells := []cell{{g.Input, []string{"input", fmt.Sprintf("sigma %.3g", g.Noise.Noise.Sigma)}}}
	if reference != nil {
		cells = append(cells, cell{reference.Volume.Crop(g.Region), []string{"reference"}})
	}
	for i, e := range g.Exhibits {
		cells = append(cells, cell{e.Part, e.Labels(i == g.Best)})
	}
	return WritePicture(sheet(cells, window), "", path, overwrite, s, reference)
}

// Labels are the lines below an exhibit's picture: what it is, what it reached, and
// the time.
func (e Exhibit) Labels(best bool) []string {
	name := fmt.Sprintf("%s %d-D", e.Filter, e.Recipe.Dims)
	if best {
		name += " (least error)"
	}
	if e.Problem != "" {
		return []string{name, "cannot run"}
	}
	measured := string(e.Verdict)
	if e.MSE != nil {
		measured = fmt.Sprintf("error %.3f, noise left %.3g %s", *e.MSE, *e.SigmaLeft, cmp.Or(e.Part.Unit, "units"))
	}
	return []string{name, measured, e.Took()}
}

// Took is the time in words, after the PSNR where there is a reference.
func (e Exhibit) Took() string {
	took := TimeText(e.Seconds)
	if e.Truth != nil {
		took = fmt.Sprintf("PSNR %s, %s", measure.Decibels(e.Truth.PSNR, 2), took)
	}
	return took
}

// TimeText is a time in a few digits: "3.1 ms", "520 ms", "5.2 s", "52 s".
func TimeText(seconds float64) string {
	switch {
	case seconds < 0.01:
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// cell is a picture with its label; v is nil where there is none.
type cell struct {
	v     *volume.Volume
	label []string
}

// sheet draws cells in rows, white on black.
func sheet(cells []cell, window volume.Window) *image.RGBA {
	d := cells[0].v.Dims
	times := max(1, (leastWidth+d[0]-1)/d[0])
	width, height := d[0]*times, d[1]*times
	columns := int(math.Ceil(math.Sqrt(float64(len(cells)))))
	rows := (len(cells) + columns - 1) / columns
	full := height + labelLines*lineHeight
	m := image.NewRGBA(image.Rect(0, 0, columns*(width+cellGap)+cellGap, rows*(full+cellGap)+cellGap))
	draw.Draw(m, m.Bounds(), image.Black, image.Point{}, draw.Src)
	slice := image.NewRGBA(image.Rect(0, 0, d[0], d[1]))
	for i, c := range cells {
		left, top := cellGap+i%columns*(width+cellGap), cellGap+i/columns*(full+cellGap)
		if c.v != nil {
			window.Render(slice, c.v.Plane(c.v.Dims[2]/2))
			for y := range height {
				for x := range width {
					m.SetRGBA(left+x, top+y, slice.RGBAAt(x/times, y/times))
				}
			}
		}
		for k, line := range c.label {
			writeLine(m, left, top+height+k*lineHeight, width, line)
		}
	}
	return m
}

// writeLine writes a line of ASCII below and right of a point, white, as far as a width goes.
func writeLine(m *image.RGBA, x, y, width int, line string) {
	writer := font.Drawer{Dst: m, Src: image.NewUniform(color.White), Face: basicfont.Face7x13, Dot: fixed.P(x, y+lineHeight-3)}
	writer.DrawString(line[:min(len(line), width/7)])
}

// pictureWindow is the window of pictures of v, which belongs to s.
func pictureWindow(s *series.Series, v *volume.Volume) volume.Window {
	if len(s.Windows) > 0 {
		return s.Windows[0]
	}
	return volume.AutoWindow(v)
}
