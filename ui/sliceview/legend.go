package sliceview

import (
	"image"
	"image/color"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"quell/ui/language"
	"quell/ui/palette"
	"quell/ui/viewer"
	"quell/volume"
)

const (
	barWidth = 10
	barSteps = 129
	midGrey  = 0x70 // below the colours of a legend
	// leastLegend is the height of a bar with labels that do not touch.
	leastLegend = 48
)

// scale describes a legend: a colour and a label for its top, middle and bottom.
type scale struct {
	key    any // of the colours: equal scales are drawn once
	color  func(t float64) color.Color
	labels [3]string
}

// divergingScale is the scale of the residual, positive values at the top.
func divergingScale(limit float64, unit string) scale {
	d := volume.Diverging{Limit: 1}
	n := language.Number(strconv.FormatFloat(limit, 'g', 3, 64))
	return scale{
		key:    d,
		color:  func(t float64) color.Color { return d.Color(2*t - 1) },
		labels: [3]string{withUnit("+"+n, unit), "0", withUnit("−"+n, unit)},
	}
}

// tintScale is the scale of the layer over a picture, as it looks on a mid grey.
func tintScale(t *viewer.Tint) scale {
	c := t.Colors
	label := func(x float64) string { return withUnit(language.Sprintf("%.3g", x), t.Unit) }
	return scale{
		key: c,
		color: func(at float64) color.Color {
			over := c.Color(c.Lo + (c.Hi-c.Lo)*at)
			mix := func(x uint8) uint8 { return uint8((midGrey*(255-int(over.A)) + int(x)*int(over.A)) / 255) }
			return color.NRGBA{R: mix(over.R), G: mix(over.G), B: mix(over.B), A: 255}
		},
		labels: [3]string{label(c.Hi), label((c.Lo + c.Hi) / 2), label(c.Lo)},
	}
}

func withUnit(text, unit string) string {
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// legend is a vertical bar of colours with three labels to its left.
type legend struct {
	bar    *canvas.Image
	labels [3]*plate
	key    any
}

func newLegend() *legend {
	l := &legend{bar: canvas.NewImageFromImage(nil)}
	l.bar.ScaleMode = canvas.ImageScaleFastest
	l.bar.FillMode = canvas.ImageFillStretch
	for i := range l.labels {
		l.labels[i] = newPlate(palette.Picture.Text, textSize-1, false)
	}
	return l
}

func (l *legend) objects() []fyne.CanvasObject {
	objects := []fyne.CanvasObject{l.bar}
	for _, label := range l.labels {
		objects = append(objects, label.objects()...)
	}
	return objects
}

func (l *legend) show(on bool) {
	l.bar.Hidden = !on
	for _, label := range l.labels {
		label.show(on)
	}
}

// set draws the bar if its colours have changed, and sets the labels.
func (l *legend) set(s scale) {
	for i, text := range s.labels {
		l.labels[i].set(text)
	}
	if l.key == s.key {
		return
	}
	l.key = s.key
	img := image.NewRGBA(image.Rect(0, 0, 1, barSteps))
	for y := range barSteps {
		img.Set(0, y, s.color(1-float64(y)/(barSteps-1)))
	}
	l.bar.Image = img
	l.bar.Refresh()
}

// place puts the bar with its right edge and top at a point.
func (l *legend) place(right, top, height float32) {
	l.bar.Move(fyne.NewPos(right-barWidth, top))
	l.bar.Resize(fyne.NewSize(barWidth, height))
	for i, label := range l.labels {
		size := label.size()
		label.move(fyne.NewPos(right-barWidth-margin-size.Width, top+height*float32(i)/2-size.Height/2))
	}
}
