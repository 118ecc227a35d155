// Package tile draws pictures of one slice side by side: of the gallery of filters, and of presets. It uses no widgets.
package tile

import (
	"image"
	"math"

	"quell/volume"
)

// Picture is the values of one tile. It is not changed.
type Picture struct {
	values []float32 // row by row
	Size   [2]int
	pixel  [2]float64 // mm
}

// Of returns the slice that a view shows.
func Of(view volume.View, part *volume.Volume) *Picture {
	w := view.Of(part.Geometry)
	return &Picture{values: w.Extract(nil, part, 0), Size: [2]int{w.Size[0], w.Size[1]}, pixel: w.Pixel}
}

// Place is what all tiles show: the same region at the same magnification in the same window.
type Place struct {
	Zoom   int        // pixels of a tile for one of the smaller side of a pixel of the picture; 0 shows all
	Centre [2]float64 // in the middle of a tile: column and row
	Window volume.Window
	Invert bool
}

// The magnifications.
const (
	mostZoom  = 8
	ClickZoom = 2 // from which a click begins
)

// scale returns how many pixels of a tile of w x h a column and a row of the picture take.
func (p Place) scale(m *Picture, w, h int) (sx, sy float64) {
	unit := min(m.pixel[0], m.pixel[1])
	ax, ay := m.pixel[0]/unit, m.pixel[1]/unit
	z := float64(p.Zoom)
	if p.Zoom == 0 {
		z = min(float64(w)/(float64(m.Size[0])*ax), float64(h)/(float64(m.Size[1])*ay))
	}
	return z * ax, z * ay
}

// at returns the middle of a tile in the picture: the centre, moved so that the picture fills the tile if it can.
func (p Place) at(m *Picture, w, h int) (middle [2]float64) {
	sx, sy := p.scale(m, w, h)
	for i, half := range []float64{float64(w) / sx / 2, float64(h) / sy / 2} {
		size := float64(m.Size[i])
		middle[i] = size / 2
		if p.Zoom > 0 && 2*half < size {
			middle[i] = min(max(p.Centre[i], half), size-half)
		}
	}
	return middle
}

// PixelAt returns the column and the row below pixel (x, y) of a tile of w x h.
func (p Place) PixelAt(m *Picture, x, y float64, w, h int) [2]float64 {
	sx, sy := p.scale(m, w, h)
	middle := p.at(m, w, h)
	return [2]float64{middle[0] + (x-float64(w)/2)/sx, middle[1] + (y-float64(h)/2)/sy}
}

// Draw draws a tile of w x h pixels: every pixel of the picture as it is, without smoothing.
func (p Place) Draw(m *Picture, w, h int) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if m == nil || w < 1 || h < 1 {
		return out
	}
	lo, hi := p.Window.Ends()
	black := float32(lo)
	if p.Invert {
		black = float32(hi)
	}
	values := make([]float32, w*h)
	columns := make([]int, w)
	for x := range columns {
		columns[x] = int(math.Floor(p.PixelAt(m, float64(x)+0.5, 0, w, h)[0]))
	}
	for y := range h {
		row := int(math.Floor(p.PixelAt(m, 0, float64(y)+0.5, w, h)[1]))
		for x, column := range columns {
			values[y*w+x] = black
			if row >= 0 && row < m.Size[1] && column >= 0 && column < m.Size[0] {
				values[y*w+x] = m.values[row*m.Size[0]+column]
			}
		}
	}
	if p.Invert {
		p.Window.RenderInverted(out, values)
	} else {
		p.Window.Render(out, values)
	}
	return out
}

// Zoomed returns the place with a step more or less of magnification.
func (p Place) Zoomed(steps int) Place {
	next := p.Zoom + steps
	if p.Zoom == 0 && steps > 0 {
		next = ClickZoom
	}
	if next < ClickZoom {
		next = 0
	}
	p.Zoom = min(next, mostZoom)
	return p
}

// Dragged returns the place with the window after a drag: to the right wider, upwards brighter.
func (p Place) Dragged(dx, dy float64) Place {
	const step = 1.0 / 256
	p.Window.Name = ""
	p.Window.Width = max(p.Window.Width*(1+dx*step), 1e-3)
	p.Window.Center += dy * step * p.Window.Width
	return p
}
