package volume_test

import (
	"image"
	"image/color"
	"testing"

	"quell/volume"
)

// lightness of a colour as an eye weighs its channels.
func lightness(c color.NRGBA) float64 {
	return 0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)
}

func TestAScaleGrowsLighterWithTheSameOpacity(t *testing.T) {
	scale := volume.Tint{Lo: 2, Hi: 6}
	last := scale.Color(2)
	if last.B < last.R || last.A != 115 {
		t.Errorf("the lowest colour is %v; want a blue of opacity 115", last)
	}
	for x := 2.25; x <= 6; x += 0.25 {
		c := scale.Color(x)
		if lightness(c) <= lightness(last) || c.A != last.A {
			t.Errorf("at %g the colour is %v after %v; want a lighter one of the same opacity", x, c, last)
		}
		last = c
	}
	if last.R < 200 || last.G < 200 || last.B > 120 {
		t.Errorf("the highest colour is %v; want a yellow", last)
	}
	if scale.Color(1) != scale.Color(2) || scale.Color(9) != scale.Color(6) {
		t.Error("values beyond the ends do not have the colours of the ends")
	}
	if flat := (volume.Tint{Lo: 3, Hi: 3}); flat.Color(5) != flat.Color(3) {
		t.Error("a scale without a width has more than one colour")
	}
}

func TestMarksGrowMoreOpaque(t *testing.T) {
	marks := volume.Tint{Lo: 1, Hi: 3, Marks: true}
	for x, want := range map[float64]uint8{0: 0, 1: 0, 1.0001: 64, 2: 128, 3: 191, 8: 191} {
		c := marks.Color(x)
		if c.A != want || c.G <= c.R || c.G <= c.B {
			t.Errorf("at %g the mark is %v; want a green of opacity %d", x, c, want)
		}
		if marks.Shows(x) != (want > 0) || !(volume.Tint{Lo: 1, Hi: 3}).Shows(x) {
			t.Errorf("at %g it shows: %v", x, marks.Shows(x))
		}
	}
}

func TestBlendCoversInProportion(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i := range img.Pix {
		img.Pix[i] = 100
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	tint := volume.Tint{Lo: 0, Hi: 1}
	tint.Blend(img, []float32{0, 1, 1, 1, 0.5, -7}, []float32{1, 1, 0.5, 0, 1, 1})
	mix := func(x float64, cover float64) color.RGBA {
		c := tint.Color(x)
		share := cover * float64(c.A) / 255
		channel := func(v uint8) uint8 { return uint8(100*(1-share) + float64(v)*share + 0.5) }
		return color.RGBA{R: channel(c.R), G: channel(c.G), B: channel(c.B), A: 255}
	}
	for i, want := range []color.RGBA{mix(0, 1), mix(1, 1), mix(1, 0.5), {R: 100, G: 100, B: 100, A: 255}, mix(0.5, 1), mix(0, 1)} {
		got := img.RGBAAt(i%3, i/3)
		for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B), int(got.A) - int(want.A)} {
			if d < -1 || d > 1 {
				t.Errorf("pixel %d is %v; want %v", i, got, want)
				break
			}
		}
	}
}
