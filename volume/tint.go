package volume

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"sync"
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

// Diverging is a colour map for signed values, such as a residual, symmetric about
// zero.
//
// Zero is a dark neutral grey and both signs grow brighter with their size,
// negative towards blue and positive towards orange. On a dark screen a residual
// without structure therefore stays dark and an edge in it is bright; a white
// centre would outshine both. Blue and orange differ along the blue-yellow axis,
// which readers with a red-green deficiency see, and the lightness follows the
// absolute value, so the map survives printing in grey. (The idea of a dark-centred
// map is Crameri's "berlin"; the colours are computed below.)
type Diverging struct {
	Limit float64 // the absolute value at which the colours saturate, > 0
}

// Render paints src, one value per pixel, row by row, into dst. It does not allocate
// after the first call.
func (d Diverging) Render(dst *image.RGBA, src []float32) {
	table := divergingTable()
	scale := float32(0)
	if d.Limit > 0 {
		scale = float32(divergingHalf / d.Limit)
	}
	cols, rows := dst.Rect.Dx(), dst.Rect.Dy()
	for row := range rows {
		line := src[row*cols : (row+1)*cols]
		out := dst.Pix[row*dst.Stride:][: 4*cols : 4*cols]
		for _, x := range line {
			y := min(max(x*scale+divergingHalf, 0), 2*divergingHalf)
			// The mask removes the bounds check; the index is in range without it.
			binary.LittleEndian.PutUint32(out, table[int32(y+0.5)&(divergingSize-1)])
			out = out[4:]
		}
	}
}

// Color returns the colour of one value, for a legend.
func (d Diverging) Color(x float64) color.RGBA {
	t := 0.0
	if d.Limit > 0 {
		t = min(max(x/d.Limit, -1), 1)
	}
	return divergingColor(t)
}

const (
	divergingHalf = 255                     // steps on either side of zero
	divergingSize = 2 * (divergingHalf + 1) // a power of two that holds them
)

// divergingTable holds the colours of -1 to 1 as little-endian RGBA words.
var divergingTable = sync.OnceValue(func() *[divergingSize]uint32 {
	var table [divergingSize]uint32
	for i := range 2*divergingHalf + 1 {
		c := divergingColor(float64(i-divergingHalf) / divergingHalf)
		table[i] = uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(c.A)<<24
	}
	return &table
})

// divergingColor maps t in -1..1. Lightness and chroma are straight lines in
// Oklab (Ottosson 2020), a space in which equal steps look equal.
func divergingColor(t float64) color.RGBA {
	const (
		darkest, lightest = 0.33, 0.80
		chroma            = 0.115
		blue, orange      = 250 * math.Pi / 180, 60 * math.Pi / 180
	)
	hue := orange
	if t < 0 {
		hue = blue
	}
	size := math.Abs(t)
	// Chroma grows faster than lightness, so that even a faint edge shows its sign.
	c := chroma * math.Sqrt(size)
	return oklab(darkest+(lightest-darkest)*size, c*math.Cos(hue), c*math.Sin(hue))
}

// oklab converts a colour to sRGB, clipped to the range of a screen.
func oklab(l, a, b float64) color.RGBA {
	cube := func(x float64) float64 { return x * x * x }
	lc := cube(l + 0.3963377774*a + 0.2158037573*b)
	mc := cube(l - 0.1055613458*a - 0.0638541728*b)
	sc := cube(l - 0.0894841775*a - 1.2914855480*b)
	encode := func(x float64) uint8 {
		if x <= 0.0031308 {
			x *= 12.92
		} else {
			x = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		return uint8(math.Round(255 * min(max(x, 0), 1)))
	}
	return color.RGBA{
		R: encode(4.0767416621*lc - 3.3077115913*mc + 0.2309699292*sc),
		G: encode(-1.2684380046*lc + 2.6097574011*mc - 0.3413193965*sc),
		B: encode(-0.0041960863*lc - 0.7034186147*mc + 1.7076147010*sc),
		A: 255,
	}
}
