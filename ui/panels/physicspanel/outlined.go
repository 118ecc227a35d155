package physicspanel

import (
	"image"
	"image/color"
	"math"

	"quell/measure"
	"quell/report"
	"quell/ui/palette"
)

// outlined draws the slice with the regions and the discs that were measured.
func outlined(s Snapshot) image.Image {
	size := s.Picture.View.Size
	m := image.NewRGBA(image.Rect(0, 0, size[0], size[1]))
	s.Window.Render(m, s.Picture.Before)
	for _, o := range s.Figures.Regions {
		outline(m, o, color.RGBA(palette.Picture.Region))
	}
	for _, r := range s.Figures.Rods {
		outline(m, r.Outline, color.RGBA(palette.Picture.Rod))
	}
	return report.SquarePixels(m, s.Picture.View.Pixel)
}

// outline draws the line of a rectangle or an ellipse, two pixels wide.
func outline(m *image.RGBA, o measure.Outline, line color.RGBA) {
	lo, hi := o.Bounds()
	dot := func(x, y float64) {
		for _, d := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			m.SetRGBA(int(math.Round(x))+d[0], int(math.Round(y))+d[1], line)
		}
	}
	if o.Shape == measure.Ellipse {
		middle, half := [2]float64{(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2}, [2]float64{(hi[0] - lo[0]) / 2, (hi[1] - lo[1]) / 2}
		steps := int(math.Ceil(8*math.Max(half[0], half[1]))) + 8
		for k := range steps {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(steps))
			dot(middle[0]+half[0]*cos, middle[1]+half[1]*sin)
		}
		return
	}
	for x := lo[0]; x <= hi[0]; x++ {
		dot(x, lo[1])
		dot(x, hi[1])
	}
	for y := lo[1]; y <= hi[1]; y++ {
		dot(lo[0], y)
		dot(hi[0], y)
	}
}
