package viewer

import (
	"math"

	"quell/volume"
)

// Transform places a picture in a pane: screen x = Origin[0] + col *
// PixelSize[0]with pixel col covering [col, col+1).
type Transform struct {
	Scale     float64    // screen units per mm
	Origin    [2]float64 // screen position of the picture's top left corner
	PixelSize [2]float64 // width and height of a pixel in screen units
	Size      [2]int     // pixels
}

// Place fits a view's picture into a w x h pane with the aspect ratio of its
// spacing, then magnifies it by zoom about the pane's centre and moves it by pan mm.
func Place(w, h float64, view volume.View, zoom float64, pan [2]float64) Transform {
	t := Transform{Scale: 1, Size: [2]int{view.Size[0], view.Size[1]}}
	mm := [2]float64{float64(view.Size[0]) * view.Pixel[0], float64(view.Size[1]) * view.Pixel[1]}
	if mm[0] > 0 && mm[1] > 0 && w > 0 && h > 0 {
		t.Scale = min(w/mm[0], h/mm[1]) * zoom
	}
	for c, pane := range [2]float64{w, h} {
		t.PixelSize[c] = t.Scale * view.Pixel[c]
		t.Origin[c] = pane/2 + pan[c]*t.Scale - mm[c]*t.Scale/2
	}
	return t
}

// Magnification returns the screen units that a pixel takes along the axis along which
// pixels are closer; 1 on a device is one to one.
func (t Transform) Magnification() float64 { return min(t.PixelSize[0], t.PixelSize[1]) }

// aligned moves the picture by less than one screen unit so that it begins at a whole
// one: at one to one no pixel is interpolated.
func (t Transform) aligned() Transform {
	t.Origin = [2]float64{math.Round(t.Origin[0]), math.Round(t.Origin[1])}
	return t
}

// Pixel returns the pixel under a screen position, which may be outside the picture.
func (t Transform) Pixel(x, y float64) (col, row int) {
	return int(math.Floor((x - t.Origin[0]) / t.PixelSize[0])), int(math.Floor((y - t.Origin[1]) / t.PixelSize[1]))
}

// Center returns the screen position of a pixel's centre.
func (t Transform) Center(col, row int) (x, y float64) {
	return t.Origin[0] + (float64(col)+0.5)*t.PixelSize[0], t.Origin[1] + (float64(row)+0.5)*t.PixelSize[1]
}

// Pixels returns the first and the last pixel (column, row) that a w x h pane shows, wholly or in
// part; all pixels if it shows none.
func (t Transform) Pixels(w, h float64) (first, last [2]int) {
	for c, pane := range [2]float64{w, h} {
		from := math.Floor(-t.Origin[c] / t.PixelSize[c])
		to := math.Ceil((pane-t.Origin[c])/t.PixelSize[c]) - 1
		if !(from < float64(t.Size[c]) && to >= 0 && from <= to) {
			return [2]int{}, [2]int{t.Size[0] - 1, t.Size[1] - 1}
		}
		first[c], last[c] = int(max(from, 0)), int(min(to, float64(t.Size[c]-1)))
	}
	return first, last
}

// Visible returns the screen units [x0, x1) x [y0, y1) of a w x h pane that the
// picture covers, wholly or in part.
func (t Transform) Visible(w, h int) (x0, y0, x1, y1 int) {
	span := func(c, limit int) (from, to int) {
		from = int(math.Round(t.Origin[c]))
		to = int(math.Round(t.Origin[c] + t.PixelSize[c]*float64(t.Size[c])))
		return min(max(from, 0), limit), min(max(to, 0), limit)
	}
	x0, x1 = span(0, w)
	y0, y1 = span(1, h)
	return x0, y0, x1, y1
}
