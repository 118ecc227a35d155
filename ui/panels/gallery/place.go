package gallery

import (
	"image"
	"math"

	"quell/volume"
)

// picture is the values of one tile. It is not changed.
type picture struct {
	values []float32 // row by row
	size   [2]int
	pixel  [2]float64 // mm
}

// pictureOf returns the slice that a view shows.
func pictureOf(view volume.View, part *volume.Volume) *picture {
	w := view.Of(part.Geometry)
	return &picture{values: w.Extract(nil, part, 0), size: [2]int{w.Size[0], w.Size[1]}, pixel: w.Pixel}
}

// place is what all tiles show: the same region at the same magnification in the same window.
type place struct {
	zoom   int        // pixels of a tile for one of the smaller side of a pixel of the picture; 0 shows all
	centre [2]float64 // in the middle of a tile: column and row
	window volume.Window
	invert bool
}

// The magnifications.
const (
	mostZoom  = 8
	clickZoom = 2 // from which a click begins
)

// scale returns how many pixels of a tile of w x h a column and a row of the picture take.
func (p place) scale(m *picture, w, h int) (sx, sy float64) {
	unit := min(m.pixel[0], m.pixel[1])
	ax, ay := m.pixel[0]/unit, m.pixel[1]/unit
	z := float64(p.zoom)
	if p.zoom == 0 {
		z = min(float64(w)/(float64(m.size[0])*ax), float64(h)/(float64(m.size[1])*ay))
	}
	return z * ax, z * ay
}

// at returns the middle of a tile in the picture: the centre, moved so that the picture fills the tile if it can.
func (p place) at(m *picture, w, h int) (middle [2]float64) {
	sx, sy := p.scale(m, w, h)
	for i, half := range []float64{float64(w) / sx / 2, float64(h) / sy / 2} {
		size := float64(m.size[i])
		middle[i] = size / 2
		if p.zoom > 0 && 2*half < size {
			middle[i] = min(max(p.centre[i], half), size-half)
		}
	}
	return middle
}

// pixelAt returns the column and the row below pixel (x, y) of a tile of w x h.
func (p place) pixelAt(m *picture, x, y float64, w, h int) [2]float64 {
	sx, sy := p.scale(m, w, h)
	middle := p.at(m, w, h)
	return [2]float64{middle[0] + (x-float64(w)/2)/sx, middle[1] + (y-float64(h)/2)/sy}
}

// draw draws a tile of w x h pixels: every pixel of the picture as it is, without smoothing.
func (p place) draw(m *picture, w, h int) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if m == nil || w < 1 || h < 1 {
		return out
	}
	lo, hi := p.window.Ends()
	black := float32(lo)
	if p.invert {
		black = float32(hi)
	}
	values := make([]float32, w*h)
	columns := make([]int, w)
	for x := range columns {
		columns[x] = int(math.Floor(p.pixelAt(m, float64(x)+0.5, 0, w, h)[0]))
	}
	for y := range h {
		row := int(math.Floor(p.pixelAt(m, 0, float64(y)+0.5, w, h)[1]))
		for x, column := range columns {
			values[y*w+x] = black
			if row >= 0 && row < m.size[1] && column >= 0 && column < m.size[0] {
				values[y*w+x] = m.values[row*m.size[0]+column]
			}
		}
	}
	if p.invert {
		p.window.RenderInverted(out, values)
	} else {
		p.window.Render(out, values)
	}
	return out
}

// zoomed returns the place with a step more or less of magnification.
func (p place) zoomed(steps int) place {
	next := p.zoom + steps
	if p.zoom == 0 && steps > 0 {
		next = clickZoom
	}
	if next < clickZoom {
		next = 0
	}
	p.zoom = min(next, mostZoom)
	return p
}

// dragged returns the place with the window after a drag: to the right wider, upwards brighter.
func (p place) dragged(dx, dy float64) place {
	const step = 1.0 / 256
	p.window.Name = ""
	p.window.Width = max(p.window.Width*(1+dx*step), 1e-3)
	p.window.Center += dy * step * p.window.Width
	return p
}
