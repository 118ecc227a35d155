package volume

import (
	"image"
	"image/color"
	"math"
)

// Tint is a translucent colour map for values that are laid over a grey or
// coloured picture.
//
// As a scale it shows every value with the same opacity: blue-violet for Lo,
// through red, to yellow for Hi, growing lighter throughout, so that readers with
// a colour deficiency can order the colours. As marks it shows one green for values
// above Lo, which grows more opaque with them, and nothing for others.
type Tint struct {
	Lo, Hi float64 // the values at the ends of the map
	Marks  bool
}

// The opacity of a scale, and the opacities of the faintest and the strongest
// marks.
const (
	scaleOpacity = 0.45
	leastOpacity = 0.25
	mostOpacity  = 0.75
)

// Color returns the colour of one value; values beyond the ends have the colours
// of the ends.
func (t Tint) Color(x float64) color.NRGBA {
	at := 0.0
	if t.Hi > t.Lo {
		at = min(max((x-t.Lo)/(t.Hi-t.Lo), 0), 1)
	}
	if t.Marks {
		c := oklab(0.88, -0.19, 0.12)
		if !t.Shows(x) {
			return color.NRGBA{R: c.R, G: c.G, B: c.B}
		}
		return color.NRGBA{R: c.R, G: c.G, B: c.B, A: uint8(math.Round(255 * (leastOpacity + (mostOpacity-leastOpacity)*at)))}
	}
	const (
		darkest, lightest = 0.42, 0.88
		chroma            = 0.16
		violet, yellow    = 275 * math.Pi / 180, 455 * math.Pi / 180
	)
	hue := violet + (yellow-violet)*at
	c := oklab(darkest+(lightest-darkest)*at, chroma*math.Cos(hue), chroma*math.Sin(hue))
	return color.NRGBA{R: c.R, G: c.G, B: c.B, A: uint8(math.Round(255 * scaleOpacity))}
}

// Shows says whether a value has a colour at all.
func (t Tint) Shows(x float64) bool { return !t.Marks || x > t.Lo }

// tintSteps is how many colours a picture is painted with.
const tintSteps = 256

// Blend lays src, one value per pixel, row by row, over the opaque picture dst.
// cover says how much of a pixel is covered, from 0 to 1; it is 0 if the value has
// no colour.
func (t Tint) Blend(dst *image.RGBA, src, cover []float32) {
	var table [tintSteps]color.NRGBA
	for i := range table {
		table[i] = t.Color(t.Lo + (t.Hi-t.Lo)*(float64(i)+1e-9)/(tintSteps-1))
	}
	scale := 0.0
	if t.Hi > t.Lo {
		scale = (tintSteps - 1) / (t.Hi - t.Lo)
	}
	cols, rows := dst.Rect.Dx(), dst.Rect.Dy()
	for row := range rows {
		out := dst.Pix[row*dst.Stride:]
		for col := range cols {
			i := row*cols + col
			if !(cover[i] > 0) {
				continue
			}
			c := table[int(min(max((float64(src[i])-t.Lo)*scale, 0), tintSteps-1)+0.5)]
			share := float32(c.A) / 255 * min(cover[i], 1)
			pixel := out[4*col:][:3]
			for k, channel := range [3]uint8{c.R, c.G, c.B} {
				pixel[k] = uint8(float32(pixel[k])*(1-share) + float32(channel)*share + 0.5)
			}
		}
	}
}
