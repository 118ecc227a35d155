package volume

import (
	"image"
	"image/color"
	"math"
	"testing"
)

// luminance is the relative luminance of an sRGB colour (IEC 61966-2-1).
func luminance(r, g, b uint8) float64 {
	linear := func(x uint8) float64 {
		v := float64(x) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func TestDivergingMap(t *testing.T) {
	d := Diverging{Limit: 30}
	zero := d.Color(0)
	if zero.R != zero.G || zero.G != zero.B {
		t.Errorf("zero is %v, not a neutral grey", zero)
	}
	if l := luminance(zero.R, zero.G, zero.B); l > 0.08 {
		t.Errorf("zero has luminance %.3f: too bright for a dark screen", l)
	}
	last := luminance(zero.R, zero.G, zero.B)
	for x := 0.5; x <= 30; x += 0.5 {
		neg, pos := d.Color(-x), d.Color(x)
		ln, lp := luminance(neg.R, neg.G, neg.B), luminance(pos.R, pos.G, pos.B)
		if !(ln > last*0.999 && lp > last*0.999) {
			t.Fatalf("at %v the map does not grow brighter: %.4f, %.4f after %.4f", x, ln, lp, last)
		}
		if r := ln / lp; r < 0.85 || r > 1.18 {
			t.Errorf("at %v the two signs differ in luminance by a factor %.2f", x, r)
		}
		if neg.B <= neg.R || pos.R <= pos.B {
			t.Errorf("at %v: negative %v is not blue or positive %v not orange", x, neg, pos)
		}
		last = min(ln, lp)
	}
	if d.Color(31) != d.Color(30) || d.Color(-1e9) != d.Color(-30) {
		t.Error("values beyond the limit do not saturate")
	}
}

// The colours themselves: Oklab lightness 0.33 to 0.80, hues 250 and 60 degrees.
func TestDivergingColours(t *testing.T) {
	for x, want := range map[float64]color.RGBA{
		-30: {131, 195, 255, 255}, -15: {80, 121, 164, 255}, -3: {51, 67, 84, 255}, -0.3: {50, 55, 60, 255},
		0:   {53, 53, 53, 255},
		0.3: {59, 53, 49, 255}, 3: {80, 61, 46, 255}, 15: {153, 106, 67, 255}, 30: {244, 172, 111, 255},
	} {
		if got := (Diverging{Limit: 30}).Color(x); got != want {
			t.Errorf("%v is %v, want %v", x, got, want)
		}
	}
}

// Several rows go into part of an image.
func TestDivergingRenderRows(t *testing.T) {
	whole := image.NewRGBA(image.Rect(0, 0, 5, 4))
	part := whole.SubImage(image.Rect(1, 1, 4, 3)).(*image.RGBA)
	d := Diverging{Limit: 1}
	src := []float32{-1, 0, 1, 1, 0, -1}
	d.Render(part, src)
	for y := range 4 {
		for x := range 5 {
			want := color.RGBA{}
			if x >= 1 && x < 4 && y >= 1 && y < 3 {
				want = d.Color(float64(src[(y-1)*3+x-1]))
			}
			if got := whole.RGBAAt(x, y); got != want {
				t.Errorf("pixel %d, %d is %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestDivergingRender(t *testing.T) {
	d := Diverging{Limit: 30}
	src := []float32{-1e30, -30, -12, -0.01, 0, 0.01, 12, 30, 1e30}
	dst := image.NewRGBA(image.Rect(0, 0, len(src), 1))
	d.Render(dst, src)
	for i, x := range src {
		// The table has 255 steps to either side.
		want := d.Color(math.Round(float64(x)/30*255) / 255 * 30)
		if got := dst.RGBAAt(i, 0); got != want {
			t.Errorf("%v is painted %v, want %v", x, got, want)
		}
	}
	Diverging{}.Render(dst, src)
	for i, x := range src {
		if got := dst.RGBAAt(i, 0); got != d.Color(0) {
			t.Errorf("without a limit %v is painted %v, want the grey of zero", x, got)
		}
	}
}

func BenchmarkDivergingRender512(b *testing.B) {
	src, dst := slice512()
	d := Diverging{Limit: 100}
	for b.Loop() {
		d.Render(dst, src)
	}
}

// Without a limit every value is painted as zero.
func TestDivergingWithoutLimit(t *testing.T) {
	for _, limit := range []float64{0, -3} {
		d := Diverging{Limit: limit}
		dst := image.NewRGBA(image.Rect(0, 0, 3, 1))
		d.Render(dst, []float32{-5, 0, 5})
		for x, v := range []float64{-5, 0, 5} {
			if zero := (Diverging{Limit: 1}).Color(0); dst.RGBAAt(x, 0) != zero || d.Color(v) != zero {
				t.Errorf("limit %g: %g is painted %v with the legend %v; want %v", limit, v, dst.RGBAAt(x, 0), d.Color(v), zero)
			}
		}
	}
}

// Greys of Oklab have the cube of their lightness as linear intensity; sRGB is linear
// below 0.0031308.
func TestOklabGreys(t *testing.T) {
	for l, want := range map[float64]uint8{0: 0, 0.05: 0, 0.1: 3, 0.146: 10, 0.17: 15, 0.5: 99, 1: 255, 1.2: 255} {
		if got := oklab(l, 0, 0); got != (color.RGBA{want, want, want, 255}) {
			t.Errorf("lightness %g is %v; want %d", l, got, want)
		}
	}
}
