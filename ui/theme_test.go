package ui

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// contrast is the WCAG contrast ratio of an 8-bit text colour on a ground; the
// text may be translucent.
func contrast(text, ground color.NRGBA) float64 {
	alpha := float64(text.A) / 255
	luminance := func(c [3]float64) float64 {
		for i, x := range c {
			x /= 255
			if x <= 0.04045 {
				c[i] = x / 12.92
			} else {
				c[i] = math.Pow((x+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	}
	g := [3]float64{float64(ground.R), float64(ground.G), float64(ground.B)}
	t := [3]float64{float64(text.R), float64(text.G), float64(text.B)}
	for i := range t {
		t[i] = alpha*t[i] + (1-alpha)*g[i]
	}
	a, b := luminance(t), luminance(g)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// over is a translucent colour on an opaque one.
func over(top, ground color.NRGBA) color.NRGBA {
	mix := func(t, g uint8) uint8 { return uint8((int(t)*int(top.A) + int(g)*(255-int(top.A))) / 255) }
	return color.NRGBA{R: mix(top.R, ground.R), G: mix(top.G, ground.G), B: mix(top.B, ground.B), A: 255}
}

// shortcutColor repeats how Fyne 2.7 colours the shortcuts in menus.
func shortcutColor(foreground color.Color) color.NRGBA {
	r, g, b, a := foreground.RGBA()
	a = uint32(float32(a) * 0.95)
	return color.NRGBA{R: uint8(r), G: uint8(g), B: uint8(b), A: uint8(a)}
}

func TestTextHasContrast(t *testing.T) {
	get := func(name fyne.ThemeColorName) color.NRGBA {
		return color.NRGBAModel.Convert(Theme{}.Color(name, theme.VariantDark)).(color.NRGBA)
	}
	if c := get(theme.ColorNameForeground); c.A != 0xff {
		t.Errorf("text is %v; want it opaque", c)
	}
	menu := get(theme.ColorNameMenuBackground)
	chosen := over(get(theme.ColorNameFocus), menu)
	shortcut := shortcutColor(Theme{}.Color(theme.ColorNameForeground, theme.VariantDark))
	for _, c := range []struct {
		what         string
		text, ground color.NRGBA
	}{
		{"a menu item", get(theme.ColorNameForeground), menu},
		{"a chosen menu item", get(theme.ColorNameForeground), chosen},
		{"a shortcut in a menu", shortcut, menu},
		{"the shortcut of a chosen menu item", shortcut, chosen},
		{"a disabled menu item", get(theme.ColorNameDisabled), menu},
		{"a disabled label", get(theme.ColorNameDisabled), get(theme.ColorNameBackground)},
		{"a disabled button", get(theme.ColorNameDisabled), get(theme.ColorNameDisabledButton)},
		{"a grey label", get(theme.ColorNamePlaceHolder), get(theme.ColorNameBackground)},
		{"a placeholder", get(theme.ColorNamePlaceHolder), get(theme.ColorNameInputBackground)},
		{"text in a dialog", get(theme.ColorNameForeground), get(theme.ColorNameOverlayBackground)},
		{"a warning", get(theme.ColorNameWarning), get(theme.ColorNameBackground)},
		{"an error", get(theme.ColorNameError), get(theme.ColorNameBackground)},
	} {
		if got := contrast(c.text, c.ground); !(got >= 4.5) {
			t.Errorf("%s has a contrast of %.2f:1; want at least 4.5:1", c.what, got)
		}
	}
}
